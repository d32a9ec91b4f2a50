"""Scene graphs that are not those of the dataset's expressions, or are none."""

from collections.abc import Callable

import pandas as pd

from tests.errors.case import Case
from tests.errors.mistakes import Arrange, after, rows
from tests.errors.project import EDGES, EXPRESSIONS, NODES, TRAIN

AGAIN = "parse the expressions again"


def trained(table: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Arrange:
    """Trains after a change of a table's rows."""
    return after(TRAIN, rows(table, change))


def twice(edges: pd.DataFrame) -> pd.DataFrame:
    """Every edge has another beside it."""
    return pd.concat([edges, edges]).sort_values("expression_id")


def no_tokens(nodes: pd.DataFrame) -> pd.DataFrame:
    return nodes.assign(tokens=[[] for _ in nodes.index])


def far_tokens(nodes: pd.DataFrame) -> pd.DataFrame:
    return nodes.assign(tokens=[[99] for _ in nodes.index])


CASES = [
    Case(f"…: it has expression …, which the dataset lacks; {AGAIN}", trained(EXPRESSIONS, lambda table: table[1:])),
    Case(f"…: its expressions are not in ascending order; {AGAIN}", trained(NODES, lambda table: table[::-1])),
    Case(
        f"…: expression … does not have exactly one referent; {AGAIN}",
        trained(NODES, lambda table: table.assign(is_referent=False)),
    ),
    Case(f"…: it points outside a sentence; {AGAIN}", trained(NODES, far_tokens)),
    Case(f"…: a row has no tokens; {AGAIN}", trained(NODES, no_tokens)),
    Case(
        f"…: an edge names a node that its expression lacks; {AGAIN}",
        trained(EDGES, lambda table: table.assign(object=99)),
    ),
    Case(f"…: an expression's edges form a loop; {AGAIN}", trained(EDGES, twice)),
]
