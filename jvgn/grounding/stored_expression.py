"""An expression of a run's predictions, with its image, its scene graph and its gold boxes.

Loads no torch, so that a wrong id is reported at once.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jvgn.datasets import tables
from jvgn.evaluation.predictions import read_predictions
from jvgn.graphs.tables import GraphFiles, read_graph
from jvgn.grounding.answer import Box
from jvgn.grounding.run_folder import RunFolder, as_seen
from jvgn.storage.records import check_unchanged
from parsers.errors import UserError
from parsers.scene_graph import SceneGraph


@dataclass(frozen=True)
class StoredExpression:
    """An expression of a run's predictions, with its image and scene graph."""

    expression_id: int
    split: str
    text: str
    graph: SceneGraph
    image_id: int
    image: str
    """The name of its file."""
    size: tuple[int, int]
    """Width and height of the image."""
    gold: Box
    """The box of the referent."""
    context: dict[int, Box]
    """The gold boxes of other nodes, where the dataset has them."""
    is_found: bool
    """Whether the run chose a correct region for the referent."""


def read_expression(run: RunFolder, expression_id: int | None) -> StoredExpression:
    """Return the expression with this id; without an id, the one that message passing helped most."""
    path = run.table("expressions")
    check_unchanged(run.predictions, path, run.table("images"), run.table("objects"), run.table("mentions"))
    expressions = tables.read_expressions(path)
    images, objects = tables.read_images(run.table("images")), tables.read_objects(run.table("objects"))
    tables.check_known(path, expressions, images, "image_id")
    tables.check_known(path, expressions, objects, "object_id")
    evaluated = tables.evaluated(expressions.select(["expression_id", "split"]).to_pandas())
    predictions = read_predictions(run.predictions, evaluated["expression_id"].to_numpy())
    if expression_id is None:
        expression_id = most_helped(predictions, run)
    own = rows_of(predictions, "expression_id", expression_id)
    found = rows_of(expressions, "expression_id", expression_id)
    if not own or not found:
        raise UserError(unknown(run, expression_id, predictions, expressions))
    (expression,) = found
    (image,) = rows_of(images, "image_id", expression["image_id"])
    (gold,) = rows_of(objects, "object_id", expression["object_id"])
    graphs = GraphFiles.within(run.graphs(run.read_settings().parser))
    check_unchanged(graphs.nodes, graphs.edges)
    (referent,) = [row["node"] for row in own if row["is_referent"]]  # by the run's setting
    graph = replace(read_graph(graphs, expression_id, expression["tokens"]), referent=referent)
    return StoredExpression(
        expression_id=expression_id,
        split=expression["split"],
        text=expression["text"],
        graph=graph,
        image_id=image["image_id"],
        image=image["file_name"],
        size=(image["width"], image["height"]),
        gold=box_of(gold),
        context=context_boxes(run, expression_id, graph, objects),
        is_found=any(row["is_referent"] and row["correct"] for row in own),
    )


def context_boxes(run: RunFolder, expression_id: int, graph: SceneGraph, objects: pa.Table) -> dict[int, Box]:
    """Return the gold box of each node beside the referent whose head is the word of a mention."""
    path = run.table("mentions")
    mentions = tables.read_mentions(path)
    tables.check_known(path, mentions, objects, "object_id")
    node_of = {node.head_token: index for index, node in enumerate(graph.nodes)}
    return {
        node_of[mention["head_token"]]: box_of(rows_of(objects, "object_id", mention["object_id"])[0])
        for mention in rows_of(mentions, "expression_id", expression_id)
        if not mention["is_referent"] and mention["head_token"] in node_of
    }


def box_of(row: dict[str, Any]) -> Box:
    return row["x1"], row["y1"], row["x2"], row["y2"]


def rows_of(table: pa.Table, key: str, value: int) -> list[dict[str, Any]]:
    return table.filter(pc.equal(table[key], value)).to_pylist()


def most_helped(predictions: pa.Table, run: RunFolder) -> int:
    """Return the expression whose objects were all found and whose probabilities grew most."""
    gain = pc.subtract(predictions["marginal"], predictions["unary"])
    is_right = pc.fill_null(predictions["correct"], True)
    gains = predictions.select(["expression_id"]).append_column("gain", gain).append_column("right", is_right)
    by_expression = gains.group_by("expression_id").aggregate([("gain", "sum"), ("right", "all")])
    right = by_expression.filter(by_expression["right_all"]).sort_by(
        [("gain_sum", "descending"), ("expression_id", "ascending")]
    )
    if not len(right):
        raise UserError(f"{as_seen(run.predictions)}: no expression has all its objects found; name an expression's id")
    return right["expression_id"][0].as_py()


def unknown(run: RunFolder, expression_id: int, predictions: pa.Table, expressions: pa.Table) -> str:
    """Return why there is nothing to show, and how to find an expression."""
    ids = np.unique(predictions["expression_id"].to_numpy())
    span = f"has {len(ids):,} expressions, from {ids[0]} to {ids[-1]}" if len(ids) else "is empty"
    found = rows_of(expressions, "expression_id", expression_id)
    why = f"is in the split {found[0]['split']} and has no prediction" if found else "is unknown"
    return (
        f"expression {expression_id} {why}; {as_seen(run.predictions)} {span}; texts and ids are in"
        f" {as_seen(run.tables / 'expressions.parquet')}, and `jvgn show {as_seen(run.folder)}` chooses one"
    )
