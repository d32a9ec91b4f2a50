"""`examples.png`: some expressions of a run, with the box of each object in the colour of its phrase."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure, FigureBase
from PIL import Image

from jvgn.datasets import tables
from jvgn.evaluation.predictions import read_phrases
from jvgn.grounding.answer import Grounding
from jvgn.storage.pictures import checked_picture
from jvgn.views.figure_style import COLOURS, outline, save
from parsers.errors import UserError

COLUMNS = 3
PANEL = (3.4, 4.2)
"""Inches."""
CORRECTED, FAILED = 6, 3
"""Expressions that are shown: found ones, and ones that were not found."""


def draw_panel(figure: FigureBase, title: str, image: Image.Image, groundings: Sequence[Grounding]) -> None:
    """Draw a sentence, its image with boxes, and for each phrase its probability before and after."""
    above, middle, below = figure.subplots(3, 1, height_ratios=(0.8, 3.0, 0.8))
    figure.subplots_adjust(left=0.03, right=0.97, top=0.98, bottom=0.02, hspace=0.04)
    for axes in (above, middle, below):
        axes.set_axis_off()
    lines = "\n".join(textwrap.wrap(title, 42, max_lines=4, placeholder=" …"))
    above.text(0, 0, lines, fontsize=9.5, va="bottom", parse_math=False)  # a dollar sign starts no formula
    middle.imshow(image)
    middle.set_anchor("W")
    ordered = sorted(groundings, key=lambda grounding: not grounding.is_referent)
    for line, grounding in enumerate(ordered):
        colour = COLOURS[line % len(COLOURS)]
        if grounding.box:
            outline(middle, grounding.box, colour, 1.6, "solid" if grounding.is_referent else "dashed")
        label = f"{grounding.phrase}: {grounding.unary:.2f} → {grounding.marginal:.2f}"
        y = 1 - line / max(4, len(ordered))
        below.text(0, y, label, color=colour, fontsize=9, va="top", parse_math=False)


@dataclass(frozen=True)
class Example:
    """An expression to draw, before and after message passing."""

    title: str
    image: str
    """The name of its file."""
    groundings: list[Grounding]


def draw_examples(dataset: Path, nodes: Path, predictions: Path, images: Path, output: Path) -> None:
    """Draw expressions whose referent was unlikely before messages and found, then some that were not found."""
    chosen = chosen_examples(dataset, nodes, predictions)
    rows = -(-len(chosen) // COLUMNS)
    figure = Figure(figsize=(PANEL[0] * COLUMNS, PANEL[1] * rows))
    panels = figure.subfigures(rows, COLUMNS, squeeze=False).ravel()
    for panel, example in zip(panels, chosen, strict=False):
        draw_panel(panel, example.title, checked_picture(images / example.image), example.groundings)
    save(figure, output, dpi=100)  # as wide as a page shows it


def chosen_examples(dataset: Path, nodes: Path, predictions: Path) -> list[Example]:
    path = dataset / "expressions.parquet"
    expressions, images = tables.read_expressions(path), tables.read_images(dataset / "images.parquet")
    tables.check_known(path, expressions, images, "image_id")
    files = images.to_pandas().set_index("image_id")["file_name"]
    expressions = expressions.to_pandas().set_index("expression_id")
    evaluated = tables.evaluated(expressions).index.to_numpy()
    found = read_phrases(predictions, evaluated, nodes, expressions["tokens"])
    examples = []
    for expression_id in choose_examples(found, expressions):
        own = found[found["expression_id"] == expression_id]
        expression = expressions.loc[expression_id]
        right = bool(own.loc[own["is_referent"], "correct"].iloc[0])
        title = f"{'✓' if right else '✗'} {expression['text']}"
        examples.append(Example(title, files[expression["image_id"]], groundings_of(own)))
    if not examples:
        raise UserError(f"{predictions}: no expression to draw; check that the dataset has an evaluation split")
    return examples


def groundings_of(rows: pd.DataFrame) -> list[Grounding]:
    return [
        Grounding(
            node=row.node,
            phrase=row.phrase,
            box=(row.x1, row.y1, row.x2, row.y2),
            unary=row.unary,
            marginal=row.marginal,
            is_referent=row.is_referent,
            region=row.region,
        )
        for row in rows.itertuples()
    ]


def choose_examples(found: pd.DataFrame, expressions: pd.DataFrame) -> list[int]:
    """Choose expressions with context: found ones that were least likely before messages, and some not found."""
    if not len(found):
        return []
    split = expressions["split"].reindex(found["expression_id"]).to_numpy()
    wanted = "test" if (split == "test").any() else found["expression_id"].map(expressions["split"]).iloc[0]
    found = found[split == wanted]
    sizes = found.groupby("expression_id").size()
    referents = found[found["is_referent"]].set_index("expression_id").sort_values("unary", kind="stable")
    related = referents[sizes.reindex(referents.index) > 1]
    right = related[related["correct"].astype(bool)]
    # One expression for each image, and different sizes of graphs.
    # Reindexed, because assigning a column to a table without rows would add rows.
    image, nodes = (column.reindex(right.index) for column in (expressions["image_id"], sizes))
    right = right.assign(nodes=nodes, image=image).drop_duplicates("image")
    mixed = right.groupby("nodes").head(-(-CORRECTED // max(1, right["nodes"].nunique())))
    wrong = related[~related["correct"].astype(bool)]
    return [*mixed.index[:CORRECTED], *wrong.index[:FAILED]]
