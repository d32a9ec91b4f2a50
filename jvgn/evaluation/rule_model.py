"""The rules in the place of a trained model: potentials for the batches of a dataset, and the predictions of a run.

Every gold object is in its image, so the choice is among its regions: "not found" is left out here.

Shape suffixes: K nodes, E edges, N regions, S expressions.
"""

from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from jvgn.batches import Batch
from jvgn.datasets import tables
from jvgn.evaluation.predict import believed, prediction_rows, with_beliefs
from jvgn.evaluation.predictions import WHOLE_FILE
from jvgn.graphs.tables import read_edges, read_nodes
from jvgn.model import NodeBeliefs
from jvgn.rules.rule_potentials import rule_potentials
from jvgn.rules.scene import Scene
from jvgn.settings.run import RuleSettings, RunSettings
from jvgn.storage.parquet import writing
from jvgn.storage.pictures import checked_picture
from jvgn.training.examples import Examples, Inputs
from parsers.scene_graph import Edge, Node, SceneGraph

REMEMBERED = 64
"""Images whose pixels are kept: those of a batch."""


class RuleModel:
    """Gives what `jvgn.model.JVGN` gives, by rules."""

    def __init__(self, examples: Examples, inputs: Inputs, images: Path, settings: RuleSettings) -> None:
        self.examples, self.images, self.settings = examples, images, settings
        self.graphs = read_graphs(inputs)
        objects = tables.read_objects(inputs.dataset / "objects.parquet").to_pandas()
        self.names = dict(zip(objects["category_id"], objects["category"], strict=True))
        listed = tables.read_images(inputs.dataset / "images.parquet").to_pandas()
        self.file_of_image = dict(zip(listed["image_id"], listed["file_name"], strict=True))
        self.scenes: dict[int, Scene] = {}

    def __call__(self, batch: Batch, distinct: bool = False) -> NodeBeliefs:
        return NodeBeliefs.of(batch, *self.potentials(batch), distinct)

    def potentials(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return (K, N) and (E, N, N), the log-potentials of eq. (8); padding is masked."""
        most = batch.present_IN.shape[1]
        unary_KN = np.full((len(batch.image_K), most), -np.inf, dtype=np.float32)
        pairwise_ENN = np.zeros((len(batch.image_E), most, most), dtype=np.float32)
        node = edge = 0
        expressions = self.examples.expressions
        for row in batch.row_S.tolist():
            graph = self.graphs[int(expressions["expression_id"].iloc[row])]
            scene = self.scene(int(expressions["image_id"].iloc[row]))
            found, count = rule_potentials(scene, graph, self.settings), len(scene)
            unary_KN[node : node + len(graph.nodes), :count] = found.unary_KM[:, :count]
            pairwise_ENN[edge : edge + len(graph.edges), :count, :count] = found.pairwise_EMM[:, :count, :count]
            node, edge = node + len(graph.nodes), edge + len(graph.edges)
        return torch.from_numpy(unary_KN), torch.from_numpy(pairwise_ENN)

    def scene(self, image_id: int) -> Scene:
        if image_id not in self.scenes:
            regions = self.examples.regions(image_id)
            names = tuple(self.names.get(label, "") for label in regions.label.tolist())
            pixels_HW3 = np.asarray(checked_picture(self.images / self.file_of_image[image_id]))
            if len(self.scenes) >= REMEMBERED:
                self.scenes.clear()
            size = self.examples.size_of_image[image_id]
            self.scenes[image_id] = Scene(regions.box, names, np.nan_to_num(regions.score, nan=1.0), size, pixels_HW3)
        return self.scenes[image_id]


def read_graphs(inputs: Inputs) -> dict[int, SceneGraph]:
    """Return the scene graphs by expression."""
    sentences = tables.read_expressions(inputs.dataset / "expressions.parquet")
    tokens = dict(zip(sentences["expression_id"].to_pylist(), sentences["tokens"].to_pylist(), strict=True))
    own = itemgetter("expression_id")
    edges = {key: list(rows) for key, rows in groupby(read_edges(inputs.edges).to_pylist(), own)}
    found = {}
    for key, rows in groupby(read_nodes(inputs.nodes).to_pylist(), own):
        nodes = list(rows)
        found[key] = SceneGraph(
            tuple(tokens[key]),
            tuple(
                Node(one["head"], one["head_token"], tuple(one["attributes"]), tuple(one["tokens"])) for one in nodes
            ),
            tuple(
                Edge(one["subject"], one["relation"], one["object"], tuple(one["tokens"])) for one in edges.get(key, [])
            ),
            next(one["node"] for one in nodes if one["is_referent"]),
        )
    return found


def predict_by_rules(
    inputs: Inputs, settings: RunSettings, images: Path, predictions: Path, iou_threshold: float
) -> None:
    """Write `predictions`, which grounds every expression that is not in the train split."""
    examples = inputs.examples(settings, iou_threshold)
    rules = RuleModel(examples, inputs, images, settings.rules)
    model = partial(rules, distinct=settings.decoding == "distinct")
    with writing(predictions, WHOLE_FILE) as write:
        for batch, beliefs in believed(model, examples, torch.device("cpu")):
            write(with_beliefs(prediction_rows(examples, batch, beliefs, settings.decoding), batch, beliefs))
