"""The rules in the place of a trained model: potentials for the batches of a dataset, and the predictions of a run; or
beside one: a table of their potentials.

Every gold object of a dataset is in its image, so a node is grounded in a region, and its beliefs are given that it is
found. The probability that it is not found is kept beside them.

Shape suffixes: K nodes, E edges, N regions, M = N + 1 with "not found", S expressions.
"""

from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from jvgn.batches import Batch, RuleLogits
from jvgn.belief_propagation import log_marginals
from jvgn.datasets import tables
from jvgn.evaluation.predict import believed, prediction_rows, with_beliefs
from jvgn.evaluation.predictions import WHOLE_FILE
from jvgn.graphs.tables import GraphFiles, read_edges, read_nodes, scene_graph
from jvgn.model import NodeBeliefs
from jvgn.rules.rule_potentials import RulePotentials, rule_potentials
from jvgn.rules.scene import Scene
from jvgn.settings.run import RuleSettings, RunSettings
from jvgn.storage.parquet import writing
from jvgn.storage.pictures import checked_picture
from jvgn.training.examples import Examples, Inputs, write_rule_table
from parsers.scene_graph import SceneGraph

REMEMBERED = 64
"""Images whose pixels are kept: those of a batch."""


class RuleModel:
    """Gives what `jvgn.model.JVGN` gives, by rules."""

    def __init__(self, examples: Examples, inputs: Inputs, images: Path, settings: RuleSettings) -> None:
        self.examples, self.images, self.settings = examples, images, settings
        self.graphs = read_graphs(inputs)
        self.names = tables.category_names(inputs.dataset / "objects.parquet")
        listed = tables.read_images(inputs.dataset / "images.parquet").to_pandas()
        self.file_of_image = dict(zip(listed["image_id"], listed["file_name"], strict=True))
        self.scenes: dict[int, Scene] = {}

    def __call__(self, batch: Batch, distinct: bool = False) -> NodeBeliefs:
        unary_KM, pairwise_EMM = self.potentials(batch)
        beliefs = NodeBeliefs.of(batch, unary_KM[:, :-1], pairwise_EMM[:, :-1, :-1], distinct)
        marginal_KM = log_marginals(unary_KM, pairwise_EMM, batch.schedule)
        found_KN = marginal_KM[:, :-1].log_softmax(dim=1)
        return replace(beliefs, marginal_KN=found_KN, not_found_K=marginal_KM[:, -1].exp())

    def potentials(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return (K, M) and (E, M, M), the log-potentials of eq. (8); padding is masked, "not found" is last."""
        most = batch.present_IN.shape[1]
        unary_KM = np.full((len(batch.image_K), most + 1), -np.inf, dtype=np.float32)
        pairwise_EMM = np.zeros((len(batch.image_E), most + 1, most + 1), dtype=np.float32)
        node = edge = 0
        for row in batch.row_S.tolist():
            found = self.of_expression(row)
            nodes, edges = len(found.unary_KM), len(found.pairwise_EMM)
            column_M = np.append(np.arange(found.unary_KM.shape[1] - 1), most)
            unary_KM[node : node + nodes, column_M] = found.unary_KM
            pairwise_EMM[edge : edge + edges, column_M[:, None], column_M] = found.pairwise_EMM
            node, edge = node + nodes, edge + edges
        return torch.from_numpy(unary_KM), torch.from_numpy(pairwise_EMM)

    def of_expression(self, row: int) -> RulePotentials:
        """Return the potentials of the expression in this row of the table."""
        expression = self.examples.expressions.iloc[row]
        graph = self.graphs[int(expression["expression_id"])]
        return rule_potentials(self.scene(int(expression["image_id"])), graph, self.settings)

    def scene(self, image_id: int) -> Scene:
        if image_id not in self.scenes:
            regions = self.examples.regions(image_id)
            pixels_HW3 = np.asarray(checked_picture(self.images / self.file_of_image[image_id]))
            if len(self.scenes) >= REMEMBERED:
                self.scenes.clear()
            size = self.examples.size_of_image[image_id]
            self.scenes[image_id] = Scene.of(regions, self.names, size, pixels_HW3)
        return self.scenes[image_id]


def read_graphs(inputs: Inputs) -> dict[int, SceneGraph]:
    """Return the scene graphs by expression."""
    sentences = tables.read_expressions(inputs.dataset / "expressions.parquet")
    tokens = dict(zip(sentences["expression_id"].to_pylist(), sentences["tokens"].to_pylist(), strict=True))
    own = itemgetter("expression_id")
    edges = {key: list(rows) for key, rows in groupby(read_edges(inputs.edges).to_pylist(), own)}
    files = GraphFiles(inputs.nodes, inputs.edges, inputs.nodes.with_name("coverage.json"))
    return {
        key: scene_graph(files, key, tokens[key], list(rows), edges.get(key, []))
        for key, rows in groupby(read_nodes(inputs.nodes).to_pylist(), own)
    }


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


def weigh_rules(inputs: Inputs, settings: RunSettings, images: Path, output: Path) -> None:
    """Write the log-potentials of all expressions, of every split, into a table."""
    examples = inputs.examples(settings.model_copy(update={"potentials": "rules"}))
    rules, expressions = RuleModel(examples, inputs, images, settings.rules), examples.expressions
    nothing = RuleLogits(np.zeros((0, 0), np.float32), np.zeros((0, 0, 0), np.float32))
    logits = [nothing] * len(expressions)
    has_regions_S = expressions["image_id"].isin(examples.store.image_ids).to_numpy()
    by_image_S = expressions["image_id"].argsort(kind="stable").to_numpy()  # each picture is opened once
    for row in tqdm(by_image_S[has_regions_S[by_image_S]].tolist(), unit=" expressions", disable=None):
        logits[row] = rules.of_expression(row).without_null()
    write_rule_table(output, expressions["expression_id"].to_numpy(), logits)
