"""Writes the paper's tables: `{table}.csv`, and `{table}.md` with the same rows for people.

The Markdown leaves the sources to the lines below it.
"""

from pathlib import Path

import pandas as pd

from jvgn.paper.tables import paper_table
from jvgn.storage.files import replacing

TITLES = {
    "table1": "Table 1: accuracy (percent)",
    "table2": "Table 2: marginalisation in training and in inference (accuracy, percent)",
    "table_vgg": "Appendix: accuracy with VGG-16 (percent)",
    "supporting": "Referent and supporting objects (percent)",
}


def write_tables(table: str, metrics: list[Path], csv: Path, markdown: Path) -> None:
    """`csv` and `markdown` hold the table, with our figures from these metrics."""
    rows = paper_table(table, metrics)
    with replacing(csv) as temporary:
        rows.to_csv(temporary, index=False)
    with replacing(markdown) as temporary:
        temporary.write_text(as_markdown(table, rows), encoding="utf8")


def as_markdown(table: str, rows: pd.DataFrame) -> str:
    """The table under its title, then where its figures come from."""
    shown = rows.drop(columns="source")
    names, cells = list(shown.columns), shown.to_numpy().tolist()
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    lines = [line(row, widths) for row in (names, ["-" * width for width in widths], *cells)]
    measured = rows.loc[(rows["origin"] == "measured") & (rows["source"] != ""), "source"]
    files = dict.fromkeys(file for source in measured for file in source.split("; "))
    notes = [
        "`published`: as the paper prints it; the CSV file names each source. `measured`: by our runs. An empty cell "
        "was not printed, or not run.",
        "Measured: " + ("; ".join(files) if files else "nothing yet") + ".",
    ]
    return "\n".join([f"### {TITLES[table]}", "", *lines, "", "\n\n".join(notes), ""])


def line(cells: list[str], widths: list[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"
