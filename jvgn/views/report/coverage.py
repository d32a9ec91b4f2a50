"""What the parser makes of the sentences: `report/coverage.csv`.

Columns: measure, number, n, share (in percent). The measures `objects` and `relations` say how many graphs (n) have
that number of them; the others how many sentences, words or graphs out of all they concern.
"""

from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jvgn.datasets import tables
from jvgn.graphs.tables import read_edges, read_nodes
from jvgn.storage.text_formats import check_counts, parsed_json
from jvgn.views.report.charts import AFTER, DIGITS, Output, panels, percent_axis
from parsers.errors import BrokenFile

SHARES = {
    "content words left out of the graph": ("words_left_out", "content_words"),
    "sentences without any phrase found": ("fallbacks", "expressions"),
    "graphs whose referent is not subject of all its edges": ("referent_is_object", "expressions"),
}


def draw_coverage(expressions: Path, nodes: Path, edges: Path, coverage: Path, output: Output) -> None:
    counts = read_coverage(coverage)
    ids = tables.read_expressions(expressions).column("expression_id").to_pandas()
    rows = [
        {"measure": word, "number": int(number), "n": int(n), "share": round(100 * n / len(ids), DIGITS)}
        for word, graph_table in (("objects", read_nodes(nodes)), ("relations", read_edges(edges)))
        for number, n in sizes(graph_table.column("expression_id").to_pandas(), ids).items()
    ]
    for measure, (part, whole) in SHARES.items():
        of_all = 100 * counts[part] / max(counts[whole], 1)
        rows.append({"measure": measure, "number": counts[whole], "n": counts[part], "share": round(of_all, DIGITS)})
    output.write(pd.DataFrame(rows), "what the graphs hold", coverage_bars)


def read_coverage(path: Path) -> dict[str, Any]:
    try:
        counts: dict[str, Any] = parsed_json(path.read_bytes())
        missing = {name for pair in SHARES.values() for name in pair} - counts.keys()
        check_counts(counts, {name for pair in SHARES.values() for name in pair} - missing)
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise BrokenFile(path, f"not a coverage.json ({error!r})") from error
    if missing:
        raise BrokenFile(path, f"lacks {', '.join(sorted(missing))}")
    return counts


def sizes(owners: pd.Series, ids: pd.Series) -> pd.Series:
    """How many expressions own how many rows of a table, by that number."""
    return owners.value_counts().reindex(ids, fill_value=0).value_counts().sort_index()


def coverage_bars(table: pd.DataFrame) -> Figure:
    figure, [line] = panels(1, 3, width=4.0)
    for word, axes in zip(("objects", "relations"), line, strict=False):
        rows = table[table["measure"] == word]
        bars = axes.bar(rows["number"], rows["share"], color=AFTER)
        axes.bar_label(bars, [f"{n:,}" for n in rows["n"]], fontsize=8, padding=1)
        axes.set_xticks(rows["number"])
        axes.set_xlabel(f"{word} in the graph", fontsize=9)
        axes.set_title(f"graphs by number of {word}", fontsize=10)
        percent_axis(axes, "share of the sentences")
        axes.set_ylim(0, 1.15 * rows["share"].max())
        axes.set_yticks([])
    draw_shares(line[2], table[table["measure"].isin(SHARES)])
    return figure


def draw_shares(axes: Axes, rows: pd.DataFrame) -> None:
    places = range(len(rows))[::-1]
    axes.barh(places, rows["share"], color=AFTER, height=0.35)
    for place, row in zip(places, rows.itertuples(), strict=True):
        axes.text(0, place + 0.26, f"{row.measure}:", fontsize=8.5)
        axes.text(row.share, place, f" {row.share:.2f}%  ({row.n:,} of {row.number:,})", fontsize=8.5, va="center")
    axes.set_xlim(0, max(1.0, 2.2 * rows["share"].max()))
    axes.set_ylim(-0.5, len(rows) - 0.3)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("%", fontsize=9)
    axes.set_title("what the graphs lack", fontsize=10)
