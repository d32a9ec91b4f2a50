"""Tables that stages hand on: missing, broken, of another version or another kind."""

import pyarrow as pa
import pyarrow.parquet as pq

from jvgn.graphs.parsing import EXPRESSIONS
from jvgn.storage.parquet import write_table
from tests.errors.case import Bench, Case

IDS = pa.schema([("expression_id", pa.int64())])


def parse(table):
    """Arguments that have a table of expressions parsed."""
    return ["parse", table, "nodes.parquet", "edges.parquet", "coverage.json"]


def broken(bench: Bench):
    return parse(bench.write("expressions.parquet", b"PAR1, and then something else"))


def foreign(bench: Bench):
    """A table that another program wrote carries no format version."""
    pq.write_table(EXPRESSIONS.empty_table(), bench.folder / "expressions.parquet")
    return parse("expressions.parquet")


def other_columns(bench: Bench):
    write_table(bench.folder / "expressions.parquet", {"expression_id": [1]}, IDS)
    return parse("expressions.parquet")


def below_a_file(bench: Bench):
    return ["schema", bench.write("notes.txt", "") / "schema.json"]


CASES = [
    Case("…: cannot be written (…); give a folder you may write to", below_a_file),
    Case("…: there is no such file; make it with the workflow", lambda bench: parse("none.parquet"), "parsers"),
    Case("…: not a readable Parquet file (…); delete it and run the workflow again", broken, "parsers"),
    Case("…: expected format version …, found …; delete it and run the workflow again", foreign, "parsers"),
    Case("…: expected a column … of type …; delete it and run the workflow again", other_columns, "parsers"),
]
