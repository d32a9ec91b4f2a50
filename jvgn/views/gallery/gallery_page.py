"""`gallery/index.html`: expressions with their images, scene graphs and beliefs before and after message passing.

It is made from predictions alone; no model runs. Shape suffixes: N regions.
"""

import html
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from jvgn.datasets import tables
from jvgn.evaluation.mention_scores import NODE, read_matched
from jvgn.evaluation.predictions import NOT_FOUND, check_complete, read_beliefs, read_predictions
from jvgn.graphs.tables import EDGES, NODES
from jvgn.regions.hdf5_store import RegionStore
from jvgn.regions.recall import coverage
from jvgn.storage.files import write_text
from jvgn.storage.parquet import read_table
from jvgn.storage.pictures import checked_picture
from jvgn.views.gallery.outcomes import SHARES, choose, misread, referent_table, with_outcomes
from jvgn.views.self_contained_page import filled, jpeg_url, small_jpeg
from parsers.errors import BrokenFile, UserError
from parsers.scene_graph import said, said_relation

PAGE = Path(__file__).parent / "page"
BELIEF_DIGITS = 6
"""The page finds the most probable region by itself, so near ties must stay different."""
LONGEST_SIDE = 448
"""Pixels of the gallery's images: all of them together take a few megabytes."""


@dataclass(frozen=True)
class GallerySources:
    """The files behind a gallery."""

    dataset: Path
    """The folder of the dataset's tables."""
    regions: Path
    nodes: Path
    edges: Path
    predictions: Path

    @cached_property
    def expressions(self) -> pd.DataFrame:
        """The expressions of the test splits; of the val split if there is no other."""
        evaluated = tables.evaluated(tables.read_expressions(self.dataset / "expressions.parquet").to_pandas())
        if evaluated.empty:
            raise UserError(f"{self.dataset}: has no split but train, so nothing to evaluate; check its splits")
        is_test = evaluated["split"] != "val"
        return evaluated[is_test] if is_test.any() else evaluated

    @cached_property
    def shown_predictions(self) -> pd.DataFrame:
        evaluated = tables.read_expressions(self.dataset / "expressions.parquet")["expression_id"].to_numpy()
        found = read_predictions(self.predictions, evaluated).to_pandas()
        check_complete(self.predictions, found)
        return found[found["expression_id"].isin(self.expressions["expression_id"])]

    @cached_property
    def context(self) -> pd.DataFrame:
        """The gold mentions beside the referents, with the `node` of each and whether it is found (`correct`)."""
        mentions = read_matched(self.dataset, self.expressions, read_table(self.nodes, NODES).to_pandas())
        mentions = mentions[~mentions["is_referent"]]
        others = self.shown_predictions[~self.shown_predictions["is_referent"]].set_index(NODE)["correct"]
        found = others.reindex(pd.MultiIndex.from_frame(mentions[NODE])).astype("boolean").fillna(False)
        return mentions.assign(correct=found.to_numpy(bool))

    def outcomes(self, iou_threshold: float) -> pd.DataFrame:
        """Return a row for each expression that has predictions, with its outcome."""
        covered = coverage(self.dataset, self.regions, self.expressions["image_id"], iou_threshold)["covered"]
        table = referent_table(self.shown_predictions, covered)
        nodes = read_table(self.nodes, NODES).to_pandas()
        mentions = tables.read_mentions(self.dataset / "mentions.parquet").to_pandas()
        known = self.expressions.set_index("expression_id")[["image_id", "split"]]
        return with_outcomes(table.join(known, on="expression_id"), misread(nodes, mentions))


def write_gallery(sources: GallerySources, images: Path, output: Path, title: str, iou_threshold: float) -> None:
    """Write `output`, a page of groundings for people to look at."""
    table = sources.outcomes(iou_threshold)
    chosen = choose(table)
    page = {
        "title": title,
        "counts": {outcome: int((table["outcome"] == outcome).sum()) for outcome in SHARES},
        "examples": list(shown(sources, chosen)),
        "images": image_urls(sources.dataset, images, chosen["image_id"]),
    }
    write_text(output, rendered(page))


def shown(sources: GallerySources, chosen: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the data of each chosen expression, in their order."""
    ids = chosen["expression_id"]
    expressions = sources.expressions.set_index("expression_id")
    images = tables.read_images(sources.dataset / "images.parquet").to_pandas().set_index("image_id")
    boxes = tables.read_objects(sources.dataset / "objects.parquet").to_pandas().set_index("object_id")[tables.SIDES]
    nodes = nodes_with_beliefs(sources, ids).groupby("expression_id")
    edges = read_table(sources.edges, EDGES).to_pandas()
    edges_of = dict(iter(edges[edges["expression_id"].isin(ids)].groupby("expression_id")))
    context = sources.context
    is_right = context.groupby("expression_id")["correct"].all()
    gold = boxes.reindex(context["object_id"]).set_index(pd.MultiIndex.from_frame(context[NODE])).dropna()
    store = RegionStore(sources.regions)
    for row in chosen.itertuples():
        expression, own = expressions.loc[row.expression_id], nodes.get_group(row.expression_id)
        box_N4, _ = store.read_boxes(row.image_id)
        if (own["unary_of_regions"].map(len) != len(box_N4)).any():
            raise BrokenFile(sources.predictions, f"image {row.image_id} has {len(box_N4)} regions", "predict again")
        yield {
            "id": int(row.expression_id),
            "image": str(row.image_id),
            "size": images.loc[row.image_id, ["width", "height"]].tolist(),
            "split": row.split,
            "outcome": row.outcome,
            "context": {True: "right", False: "wrong"}.get(is_right.get(row.expression_id), ""),
            "tokens": list(expression["tokens"]),
            "gold": rounded(boxes.loc[expression["object_id"]].to_numpy(), 1),
            "regions": rounded(box_N4, 1),
            "nodes": [node_data(node, gold) for node in own.itertuples()],
            "referent": int(own["is_chosen_referent"].to_numpy().argmax()),
            "edges": [edge_data(edge) for edge in edges_of.get(row.expression_id, edges[:0]).itertuples()],
        }


def nodes_with_beliefs(sources: GallerySources, ids: pd.Series) -> pd.DataFrame:
    """Return the nodes of some expressions with the region and the beliefs of each."""
    nodes, predictions = read_table(sources.nodes, NODES).to_pandas(), sources.shown_predictions
    chosen = predictions[["expression_id", "node", "region", "is_referent", NOT_FOUND]]
    # The referent is that of the run's settings, which may differ from the parser's.
    chosen = chosen.rename(columns={"is_referent": "is_chosen_referent"})
    own = nodes[nodes["expression_id"].isin(ids)].merge(chosen, on=["expression_id", "node"])
    return own.merge(read_beliefs(sources.predictions, ids), on=["expression_id", "node"])


def node_data(node: Any, gold: pd.DataFrame) -> dict[str, Any]:
    """Return a node of the page; `gold` holds the annotated boxes of context, by expression and node."""
    key = (node.expression_id, node.node)
    return {
        "head": node.head,
        "attributes": said(node.attributes, node.negated),
        "tokens": node.tokens.tolist(),
        "before": rounded(node.unary_of_regions, BELIEF_DIGITS),
        "after": rounded(node.marginal_of_regions, BELIEF_DIGITS),
        "region": node.region,
        "notFound": None if np.isnan(node.not_found) else round(float(node.not_found), BELIEF_DIGITS),
        "gold": rounded(gold.loc[key].to_numpy(), 1) if key in gold.index else None,
    }


def edge_data(edge: Any) -> dict[str, Any]:
    return {
        "subject": edge.subject,
        "relation": said_relation(edge.relation, edge.negated, len(edge.tokens)),
        "object": edge.object,
        "tokens": edge.tokens.tolist(),
    }


def rounded(values: np.ndarray, digits: int) -> list[Any]:
    return np.round(values.astype(np.float64), digits).tolist()


def image_urls(dataset: Path, folder: Path, image_ids: pd.Series) -> dict[str, str]:
    """Return each image as a small data URL, by its id."""
    names = tables.read_images(dataset / "images.parquet").to_pandas().set_index("image_id")["file_name"]
    return {
        str(image_id): jpeg_url(small_jpeg(checked_picture(folder / names[image_id]), LONGEST_SIDE))
        for image_id in tqdm(sorted(set(image_ids)), unit=" images", disable=None)
    }


def rendered(page: dict[str, Any]) -> str:
    parts = {"style": "gallery.css", "drawing": "drawing.js", "script": "gallery.js"}
    return filled(PAGE, parts, page, title=html.escape(page["title"]))
