"""A trained model that takes a scene graph and the regions of an image, and returns the beliefs of every node.

Shape suffixes: K nodes, N regions, Q joint groundings, the best first, H, W pixels.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from jvgn.batches import Batch, RuleLogits, make_batch
from jvgn.datasets.tables import category_names
from jvgn.factor_graph import factor_graph
from jvgn.grounding.answer import Answer, JointGrounding
from jvgn.grounding.run_folder import RunFolder
from jvgn.grounding.stored_expression import StoredExpression
from jvgn.joint_decoding import best_joint
from jvgn.regions.hdf5_store import Regions, RegionStore
from jvgn.rules.rule_potentials import rule_potentials
from jvgn.rules.scene import Scene
from jvgn.storage.records import check_unchanged
from jvgn.training.checkpoint import TrainedModel, load_model
from jvgn.vocabulary.words import UNKNOWN, Vocabulary
from parsers.errors import UserError
from parsers.scene_graph import SceneGraph
from parsers.words.spelling import respelled


@dataclass(frozen=True)
class ImageRegions:
    """The regions of an image: found once for any number of sentences."""

    size: tuple[int, int]
    """Width and height."""
    regions: Regions
    pixels_HW3: np.ndarray | None = None
    """The image itself, for figures."""
    stored_image_id: int | None = None
    """The dataset's image whose stored regions these are; None if a detector found them."""


@dataclass(frozen=True)
class Question:
    """A scene graph and the regions of an image, as a mini-batch of one."""

    graph: SceneGraph
    image: ImageRegions
    batch: Batch


class Answerer:
    """A trained model with its words, on a device."""

    def __init__(self, trained: TrainedModel, device: torch.device, names: Mapping[int, str] | None = None) -> None:
        """`names` are those of the dataset's categories, which a run with `potentials: both` needs."""
        self.trained, self.model, self.device, self.names = trained, trained.jvgn, device, names
        self.vocabulary = Vocabulary(trained.words, respelled)

    def question(self, image: ImageRegions, graph: SceneGraph) -> Question:
        nothing_N = np.zeros(len(image.regions), dtype=np.float32)
        first = np.zeros(1, dtype=np.int64)
        settings = self.trained.settings
        forest = factor_graph(graph, self.vocabulary, settings.referent).forest(first, settings.model.words)
        batch = make_batch(
            forest=forest,
            row_S=first,
            image_S=first,
            regions=[image.regions],
            sizes=[image.size],
            labelled_G=forest.referent_S,
            targets=[nothing_N],
            right=[nothing_N.astype(bool)],
            rules=[self.rule_logits(image, graph)] if settings.potentials == "both" else [],
        )
        return Question(replace(graph, referent=int(batch.referent_S[0])), image, batch.to(self.device))

    def rule_logits(self, image: ImageRegions, graph: SceneGraph) -> RuleLogits:
        assert self.names is not None
        scene = Scene.of(image.regions, self.names, image.size, image.pixels_HW3)
        return rule_potentials(scene, graph, self.trained.settings.rules).without_null()

    @torch.no_grad()
    def answer(self, question: Question, text: str, best: int = 0) -> Answer:
        """Return the model's beliefs, with the `best` most probable joint groundings, or all if there are fewer."""
        decoding = self.trained.settings.decoding
        beliefs = self.model(question.batch, distinct=decoding == "distinct")
        answer = Answer(
            text=text,
            graph=question.graph,
            size=question.image.size,
            box_N4=question.image.regions.box,
            unary_KN=beliefs.unary_KN.exp().cpu().numpy(),
            marginal_KN=beliefs.marginal_KN.exp().cpu().numpy(),
            region_K=tuple(beliefs.regions(decoding).tolist()),
            unknown_words=self.unknown_words(question.graph),
            pixels_HW3=question.image.pixels_HW3,
            stored_image_id=question.image.stored_image_id,
        )
        if np.isnan(answer.marginal_KN).any():
            raise UserError(f"{self.trained.path}: its beliefs are not numbers, so its training failed; train it again")
        return with_joint(answer, *self.model.potentials(question.batch), best) if best else answer

    def unknown_words(self, graph: SceneGraph) -> tuple[str, ...]:
        indices = zip(graph.tokens, self.vocabulary.encode(graph.tokens), strict=True)
        # Punctuation is not worth a warning.
        unknown = (word for word, index in indices if index == UNKNOWN and any(map(str.isalnum, word)))
        return tuple(dict.fromkeys(unknown))


def with_joint(answer: Answer, unary_KN: Tensor, pairwise_ENN: Tensor, best: int) -> Answer:
    """Return the answer with the `best` joint groundings by these potentials, of a network or of rules."""
    edges_E2 = edges_of(answer.graph).to(unary_KN.device)
    expression_K = torch.zeros(len(unary_KN), dtype=torch.long, device=unary_KN.device)
    region_KQ, (score_Q,) = best_joint(unary_KN, pairwise_ENN, edges_E2, expression_K, best)
    joint = tuple(
        JointGrounding(float(score.exp()), answer.grounded_in(region_K.tolist()))
        for region_K, score in zip(region_KQ.T, score_Q, strict=True)
        if score.isfinite()
    )
    return replace(answer, joint=joint)


def edges_of(graph: SceneGraph) -> Tensor:
    """Return (E, 2): the subject and the object of each edge."""
    return torch.tensor([(edge.subject, edge.object) for edge in graph.edges], dtype=torch.long).reshape(-1, 2)


def answer_again(run: RunFolder, stored: StoredExpression, pixels_HW3: np.ndarray, device: torch.device) -> Answer:
    """Return a run's beliefs about an expression of its predictions, computed again by the model."""
    answerer = Answerer(load_model(run.model, device), device, category_names(run.table("objects")))
    regions = run.regions(answerer.trained.settings.detector)
    check_unchanged(regions)
    store = RegionStore(regions)
    answerer.trained.check_features(store.feature_size)
    seen = ImageRegions(stored.size, store.read(stored.image_id), pixels_HW3)
    return answerer.answer(answerer.question(seen, stored.graph), stored.text)
