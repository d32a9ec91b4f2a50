"""Pictures of groundings: each mentioned object's box in the colour of its phrase."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

from jvgn.datasets import tables
from jvgn.grounding import Grounding
from jvgn.prediction_table import PREDICTIONS
from parsers.files import UserError, replacing
from parsers.table import NODES, read_table

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's, which colour-blind readers can tell apart. The referent's comes first."""
COLUMNS = 3


def draw_grounding(image: Image.Image, text: str, groundings: Sequence[Grounding], output: Path) -> None:
    """`output` shows the image with every mentioned object's box."""
    figure = Figure(figsize=(4.2, 4.6), layout="constrained")
    draw_panel(figure.subplots(), image, text, groundings)
    save(figure, output)


def draw_panel(axes: Axes, image: Image.Image, text: str, groundings: Sequence[Grounding], note: str = "") -> None:
    axes.imshow(image)
    axes.set_axis_off()
    axes.set_title("\n".join(textwrap.wrap(text, 34)) + (f"\n{note}" if note else ""), fontsize=9, loc="left")
    ordered = sorted(groundings, key=lambda grounding: not grounding.is_referent)
    for line, grounding in enumerate(ordered):
        colour = COLOURS[line % len(COLOURS)]
        x1, y1, x2, y2 = grounding.box
        style = "solid" if grounding.is_referent else "dashed"
        for width, edge in ((4.0, "white"), (2.2, colour)):  # a white rim: legible on any background
            axes.add_patch(Rectangle((x1, y1), x2 - x1, y2 - y1, fill=False, ec=edge, lw=width, ls=style))
        label = f"{grounding.phrase}: {grounding.unary:.2f} → {grounding.marginal:.2f}"
        axes.text(0, -0.04 - 0.075 * line, label, transform=axes.transAxes, color=colour, fontsize=8.5, va="top")


def save(figure: Figure, output: Path) -> None:
    with replacing(output) as temporary, matplotlib.rc_context({"svg.hashsalt": "jvgn"}):
        # Without a date and a version, the same run draws the same bytes.
        figure.savefig(temporary, dpi=150, format=output.suffix[1:], metadata={"Software": None})


def draw_examples(dataset: Path, nodes: Path, predictions: Path, images: Path, output: Path) -> None:
    """`output` shows what message passing changed: nine expressions, the last row of them failures."""
    found = read_table(predictions, PREDICTIONS).to_pandas()
    heads = read_table(nodes, NODES).to_pandas()[["expression_id", "node", "tokens"]]
    expressions = read_table(dataset / "expressions.parquet", tables.EXPRESSIONS).to_pandas().set_index("expression_id")
    files = read_table(dataset / "images.parquet", tables.IMAGES).to_pandas().set_index("image_id")["file_name"]
    found = found.merge(heads, on=["expression_id", "node"])
    chosen = choose_examples(found, expressions)
    if not chosen:
        raise UserError(f"{predictions}: no expression to draw; check that the dataset has an evaluation split")
    rows = -(-len(chosen) // COLUMNS)
    figure = Figure(figsize=(10.5, 3.9 * rows), layout="constrained")
    panels = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for axes in panels[len(chosen) :]:
        axes.set_axis_off()
    for axes, expression_id in zip(panels, chosen, strict=False):
        own = found[found["expression_id"] == expression_id]
        expression = expressions.loc[expression_id]
        with Image.open(images / files[expression["image_id"]]) as image:
            right = bool(own.loc[own["is_referent"], "correct"].iloc[0])
            draw_panel(
                axes, image.convert("RGB"), expression["text"], groundings_of(own, expression["tokens"]), mark(right)
            )
    save(figure, output)


def mark(right: bool) -> str:
    return "✓ referent found" if right else "✗ referent missed"


def groundings_of(rows: pd.DataFrame, tokens: Sequence[str]) -> list[Grounding]:
    return [
        Grounding(
            node=row.node,
            phrase=" ".join(tokens[token] for token in row.tokens),
            box=(row.x1, row.y1, row.x2, row.y2),
            unary=row.unary,
            marginal=row.marginal,
            is_referent=row.is_referent,
        )
        for row in rows.itertuples()
    ]


def choose_examples(found: pd.DataFrame, expressions: pd.DataFrame, corrected: int = 6, failed: int = 3) -> list[int]:
    """Expressions of the test split whose referent only message passing found, and some that it missed."""
    split = expressions["split"].reindex(found["expression_id"]).to_numpy()
    wanted = "test" if (split == "test").any() else found["expression_id"].map(expressions["split"]).iloc[0]
    found = found[split == wanted]
    sizes = found.groupby("expression_id").size()
    referents = found[found["is_referent"]].set_index("expression_id").sort_values("unary", kind="stable")
    related = referents[sizes.reindex(referents.index) > 1]
    right = related[related["correct"].astype(bool)]
    # One expression an image, and different sizes of graph side by side.
    right = right.assign(nodes=sizes, image=expressions["image_id"]).drop_duplicates("image")
    mixed = right.groupby("nodes").head(-(-corrected // max(1, right["nodes"].nunique())))
    wrong = related[~related["correct"].astype(bool)]
    return [*mixed.index[:corrected], *wrong.index[:failed]]
