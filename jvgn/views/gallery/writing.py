"""`gallery/index.html`: expressions with their images, scene graphs and beliefs before and after message passing.

One file, without a reference to any other: the page of `page/`, with the examples as JSON and the images as data
URLs in it. Every text reaches the page as data, never as markup.

Shape suffixes: K nodes, N regions, S expressions.
"""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from tqdm import tqdm

from jvgn.datasets import tables
from jvgn.graphs.tables import read_edges, read_nodes
from jvgn.model import NodeBeliefs
from jvgn.storage.files import replacing
from jvgn.training.checkpoint import TrainedModel, load_model
from jvgn.training.examples import Examples
from jvgn.training.run_files import Inputs
from jvgn.views.gallery.pictures import pictures
from jvgn.views.gallery.selection import SHARES, choose, misread, referents, with_outcomes
from jvgn.vocabulary.words import Vocabulary
from parsers.errors import UserError

IMAGES_PER_BATCH = 64
BELIEF_DIGITS = 6
"""The page finds the most probable region by itself: fewer digits would make equals of regions that are not."""


@dataclass(frozen=True)
class Graphs:
    nodes: pd.DataFrame
    edges: pd.DataFrame

    @classmethod
    def read(cls, inputs: Inputs) -> "Graphs":
        return cls(read_nodes(inputs.nodes).to_pandas(), read_edges(inputs.edges).to_pandas())

    def only(self, expression_ids: pd.Series) -> "Graphs":
        return Graphs(*(table[table["expression_id"].isin(expression_ids)] for table in (self.nodes, self.edges)))


@torch.no_grad()
def write_gallery(
    inputs: Inputs, model_path: Path, images: Path, output: Path, title: str, right_above: float, device: torch.device
) -> None:
    """`output` is a page of groundings that people can look at."""
    torch.use_deterministic_algorithms(True)
    trained = load_model(model_path, device)
    examples = inputs.examples(trained.settings, right_above)
    trained.check(examples.store.feature_size, Vocabulary.read(inputs.words).words)
    graphs = Graphs.read(inputs)
    mentions = tables.read_mentions(inputs.dataset / "mentions.parquet").to_pandas()
    beliefs = looked_at(trained, examples, device)
    if beliefs["sure"].isna().any():
        raise UserError(f"{model_path}: its beliefs are not numbers, so its training failed; train it again")
    table = with_outcomes(beliefs, misread(graphs.nodes, mentions))
    chosen = choose(table)
    page = {
        "title": title,
        "counts": {outcome: int((table["outcome"] == outcome).sum()) for outcome in SHARES},
        "examples": list(shown(trained, examples, graphs.only(chosen["expression_id"]), chosen, device)),
        "images": pictures(inputs.dataset, images, chosen["image_id"]),
    }
    with replacing(output) as temporary:
        temporary.write_text(rendered(page), encoding="utf8")


def looked_at(trained: TrainedModel, examples: Examples, device: torch.device) -> pd.DataFrame:
    """One row for each expression of the test splits; of the validation split if there is no other."""
    present = set(examples.expressions["split"]) - {"train"}
    splits = sorted(present - {"val"} or present)
    if not splits:
        raise UserError(f"{examples.dataset}: has no split to evaluate on, only train; check its splits")
    parts = []
    for split in splits:
        for batch in tqdm(examples.batches(split, IMAGES_PER_BATCH), desc=split, unit=" batches", disable=None):
            on_device = batch.to(device)
            parts.append(referents(on_device, trained.model(on_device), trained.settings.decoding))
    known = examples.expressions[["expression_id", "image_id", "split"]]
    return pd.concat(parts).join(known, on="row").reset_index(drop=True)


def shown(
    trained: TrainedModel, examples: Examples, graphs: Graphs, chosen: pd.DataFrame, device: torch.device
) -> Iterator[dict[str, Any]]:
    """What the page knows of each chosen expression, in their order."""
    nodes, edges = graphs.nodes.groupby("expression_id"), graphs.edges.groupby("expression_id")
    for row in chosen.itertuples():
        batch = examples.batch({row.image_id: np.array([row.row])}).to(device)
        beliefs = trained.model(batch)
        region_K = beliefs.regions(trained.settings.decoding).tolist()
        expression = examples.expressions.iloc[row.row]
        own_edges = edges.get_group(row.expression_id) if row.expression_id in edges.groups else graphs.edges[:0]
        yield {
            "id": int(row.expression_id),
            "image": str(row.image_id),
            "size": list(examples.size_of_image[row.image_id]),
            "split": row.split,
            "outcome": row.outcome,
            "tokens": list(expression["tokens"]),
            "gold": rounded(examples.box_of_object[expression["object_id"]], 1),
            "regions": rounded(batch.box_IN4[0].cpu().numpy(), 1),
            "nodes": with_beliefs(nodes.get_group(row.expression_id), beliefs, region_K),
            "referent": int(batch.referent_S[0]),
            "edges": [
                {
                    "subject": edge.subject,
                    "relation": edge.relation,
                    "object": edge.object,
                    "tokens": edge.tokens.tolist(),
                }
                for edge in own_edges.itertuples()
            ],
        }


def with_beliefs(nodes: pd.DataFrame, beliefs: NodeBeliefs, region_K: list[int]) -> list[dict[str, Any]]:
    before_KN, after_KN = beliefs.unary_KN.exp().cpu().numpy(), beliefs.marginal_KN.exp().cpu().numpy()
    return [
        {
            "head": node.head,
            "attributes": list(node.attributes),
            "tokens": node.tokens.tolist(),
            "before": rounded(before_N, BELIEF_DIGITS),
            "after": rounded(after_N, BELIEF_DIGITS),
            "region": region,
        }
        for node, before_N, after_N, region in zip(nodes.itertuples(), before_KN, after_KN, region_K, strict=True)
    ]


def rounded(values: np.ndarray, digits: int) -> list[Any]:
    return np.round(values.astype(np.float64), digits).tolist()


def rendered(page: dict[str, Any]) -> str:
    parts = files("jvgn.views.gallery") / "page"
    # Inside a script element, only "<" could end the data.
    data = json.dumps(page, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    values = {
        "title": html.escape(page["title"]),
        "style": (parts / "gallery.css").read_text(encoding="utf8"),
        "drawing": (parts / "drawing.js").read_text(encoding="utf8"),
        "script": (parts / "gallery.js").read_text(encoding="utf8"),
        "data": data,
    }
    # All at once: a title or an expression may itself look like a place to fill in.
    return re.sub(r"{{(\w+)}}", lambda place: values[place[1]], (parts / "index.html").read_text(encoding="utf8"))
