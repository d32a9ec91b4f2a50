"""Potentials by rules: a scene and a scene graph in, the log-potentials of eq. (8) out, as of a trained network.

Every node has one more region than the scene, the last one: "not found". Each rule gives a degree from 0 to 1 and takes
`weight · (1 − degree)` from the logit of a region or a pair of regions; these contributions are kept.

Shape suffixes: K nodes, E edges, N regions of the scene, M = N + 1 with "not found".
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from jvgn.batches import RuleLogits
from jvgn.belief_propagation import log_marginals
from jvgn.rules.category_words import ANYTHING
from jvgn.rules.comparisons import (
    MEASURES,
    Comparison,
    attribute_comparisons,
    extreme,
    middle,
    noun_comparisons,
    owner_comparisons,
    place_comparisons,
    placed,
    poses,
    touching,
)
from jvgn.rules.nouns import Noun, is_adjective, is_selection, nouns
from jvgn.rules.relations import (
    HAVING,
    PLACE_OF_RELATION,
    RELATIONS,
    between,
    closeness,
    is_owning,
    is_reversed,
    kind_of,
)
from jvgn.rules.scene import Floats, Scene
from jvgn.settings.run import RuleSettings
from parsers.scene_graph import Edge, SceneGraph

COMPARED = 0.5
"""A region is compared with others if it fits at least this share of the best fit."""
CONFIDENT = 0.3
"""Detections with a lower score are not counted: "second from the left"."""


@dataclass(frozen=True)
class Contribution:
    """What a rule adds to the logits of a node or an edge."""

    rule: str
    words: str
    logit: Floats
    """(M,) for a node, (M, M) for an edge."""
    node: int | None = None
    edge: int | None = None


@dataclass(frozen=True)
class RulePotentials:
    unary_KM: Floats
    pairwise_EMM: Floats
    contributions: tuple[Contribution, ...]
    nouns: tuple[Noun, ...]

    def without_null(self) -> RuleLogits:
        unary_KN, pairwise_ENN = self.unary_KM[:, :-1], self.pairwise_EMM[:, :-1, :-1]
        return RuleLogits(unary_KN.astype(np.float32), pairwise_ENN.astype(np.float32))

    def tensors(self) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.from_numpy(self.unary_KM).float(), torch.from_numpy(self.pairwise_EMM).float()


def rule_potentials(scene: Scene, graph: SceneGraph, settings: RuleSettings = RuleSettings()) -> RulePotentials:
    return Rules(scene, graph, settings).potentials()


class Rules:
    """The rules applied to one scene and one graph."""

    def __init__(self, scene: Scene, graph: SceneGraph, settings: RuleSettings) -> None:
        self.scene, self.graph, self.settings = scene, graph, settings
        self.nouns = nouns(graph, scene)
        self.among: list[Floats] = []
        """The regions that each node is compared among."""

    def potentials(self) -> RulePotentials:
        count, nodes, edges = len(self.scene) + 1, len(self.graph.nodes), len(self.graph.edges)
        unary_KM, pairwise_EMM = np.zeros((nodes, count)), np.zeros((edges, count, count))
        contributions = []
        for node in range(nodes):
            for one in self.of_node(node):
                unary_KM[node] += one.logit
                contributions.append(one)
        for edge in range(edges):
            for one in self.of_edge(edge):
                pairwise_EMM[edge] += one.logit
                contributions.append(one)
        for one in self.of_between(unary_KM, pairwise_EMM):
            pairwise_EMM[one.edge] += one.logit
            contributions.append(one)
        return RulePotentials(unary_KM, pairwise_EMM, tuple(contributions), tuple(self.nouns))

    def weight(self, group: str) -> float:
        return 0.0 if group in self.settings.without else getattr(self.settings, group)

    # Nodes

    def of_node(self, node: int) -> Iterator[Contribution]:
        noun, words = self.nouns[node], self.graph.nodes[node]
        fit_N = self.fit(node)
        self.among.append(self.compared(fit_N))
        yield self.unary(node, "noun", words.head, self.weight("names") * (fit_N - 1), self.settings.null)
        yield self.unary(node, "score", "", self.settings.score * np.log(np.maximum(self.scene.score_N, 1e-3)))
        yield self.unary(node, "prominence", "", self.prominence(self.among[node]))
        for one in self.comparisons(node, noun, fit_N):
            logit_N = self.weight(one.group) * one.strength * (one.degree_N - 1)
            yield self.unary(node, one.rule, one.words, logit_N)

    def fit(self, node: int) -> Floats:
        """Return how well each region fits the noun: by its name, or as a detector that looked for it says."""
        noun, fit_KN = self.nouns[node], self.scene.fit_KN
        if fit_KN is None or noun.kind == "viewer" or noun.word in ANYTHING:
            return noun.degrees(self.scene)
        return fit_KN[node]

    def unary(self, node: int, rule: str, words: str, logit_N: Floats, null: float = 0.0) -> Contribution:
        return Contribution(rule, words, np.append(logit_N, null), node=node)

    def prominence(self, among_N: Floats) -> Floats:
        log_N = np.log(self.scene.area_N)
        return self.settings.size * np.minimum(
            log_N - log_N[among_N].max(initial=0.0 if not among_N.any() else -np.inf), 0
        )

    def compared(self, fit_N: Floats) -> Floats:
        """Return the regions that fit best; of a detection and its duplicates, only the one with the highest score."""
        fits_N = (fit_N >= COMPARED * fit_N.max(initial=0)) & (fit_N > 0)
        score_N = np.where(fits_N, self.scene.score_N, 0)
        fits_N &= score_N >= min(CONFIDENT, score_N.max(initial=0))
        for row in np.argsort(-score_N, kind="stable"):
            if fits_N[row]:
                fits_N &= ~self.scene.same_NN[row] | (np.arange(len(fits_N)) == row)
        return fits_N

    def comparisons(self, node: int, noun: Noun, fit_N: Floats) -> Iterator[Comparison]:
        words, among_N = self.graph.nodes[node], self.among[node]
        head = words.head.lower()
        described = list(zip(words.attributes, words.negated, strict=True))
        spoken = [*described, (head, False)] if is_adjective(head) else described
        attributes = [*described, *([(head, False)] if noun.kind == "part" else [])]
        degree_N = fit_N.copy()
        for attribute, negated in attributes:
            # A piece of clothing with a box of its own is not a band of its owner's box.
            where = noun.word if self.scene.fit_KN is None else ""
            for one in attribute_comparisons(self.scene, among_N, attribute, where, negated):
                degree_N = (
                    degree_N * (0.2 + 0.8 * one.degree_N)
                    if self.weight(one.group) and one.rule == "colour"
                    else degree_N
                )
                yield one
        yield from noun_comparisons(self.scene, among_N, noun.word if noun.word in head else head)
        for edge in self.graph.edges:
            if edge.subject == node and edge.relation.lower() in HAVING and self.nouns[edge.object].is_unknown:
                yield from owner_comparisons(self.scene, among_N, self.graph.nodes[edge.object].attributes)
        said = {word for edge in self.graph.edges if edge.subject == node for word in edge.relation.lower().split()}
        yield from poses(self.scene, among_N, sorted(said))
        self.among[node] = self.compared(degree_N)
        yield from place_comparisons(self.scene, self.among[node], spoken)

    # Edges

    def of_edge(self, index: int) -> Iterator[Contribution]:
        edge = self.graph.edges[index]
        subject, object_ = self.nouns[edge.subject], self.nouns[edge.object]
        if is_selection(self.graph, edge):
            return
        if self.is_ownership(edge):
            yield self.pairwise(index, "part", self.owned(edge), self.weight_of_parts(), edge.negated)
            return
        if len(self.graph.joined(index)) == 1:
            rule, degree_NN, weight = self.related(edge)
            yield self.pairwise(index, rule, degree_NN, weight, edge.negated, self.unseen(edge))
        if "part" not in (subject.kind, object_.kind) and "differences" not in self.settings.without:
            yield self.pairwise(index, "difference", 1.0 - self.scene.same_NN, self.settings.differences, unseen_N=1.0)

    def owned(self, edge: Edge) -> Floats:
        """Return (N, N): whether the part is where its owner is: in the same box, or in a box of its own inside."""
        if self.scene.fit_KN is None:
            return self.scene.same_NN.astype(float)
        is_object = self.nouns[edge.object].kind == "part"
        return self.scene.inside_NN.T if is_object else self.scene.inside_NN

    def weight_of_parts(self) -> float:
        return 0.0 if "relations" in self.settings.without else self.settings.parts

    def is_ownership(self, edge: Edge) -> bool:
        """Return whether one end is a part or a piece of clothing of the other."""
        subject, object_ = self.nouns[edge.subject], self.nouns[edge.object]
        if object_.kind == "part":
            is_person = subject.kind == "part" or "person" in subject.meanings
            return is_person if edge.relation.lower() == "in" else subject.kind == "part" or is_owning(edge.relation)
        return subject.kind == "part" and edge.relation.lower() in ("of", "'s", "’s", "on")

    def related(self, edge: Edge) -> tuple[str, Floats, float]:
        """Return the rule of a relation, its degrees and its weight."""
        kind, scene = kind_of(edge.relation), self.scene
        if kind is None:
            weight = min(self.settings.unknown_relations, self.weight("relations"))
            return "unknown relation", touching(scene), weight
        if kind in ("closest", "farthest"):
            value_NN = closeness(scene) if kind == "closest" else -closeness(scene)
            return (
                kind,
                np.stack([extreme(value_N, self.among[edge.subject]) for value_N in value_NN.T], axis=1),
                self.weight("relations"),
            )
        degree_NN = self.between_some(edge.object) if kind == "between" else RELATIONS[kind](scene)
        if is_reversed(edge.relation):
            degree_NN = degree_NN.T
        has_part = self.nouns[edge.subject].kind == "part"  # it has the box of its owner, which only has to touch
        if has_part or (self.nouns[edge.object].kind == "part" and kind in ("on", "in", "near")):
            degree_NN = np.maximum(degree_NN, 0.8 * touching(scene))
        return kind, degree_NN, self.weight("relations")

    def unseen(self, edge: Edge) -> Floats:
        """Return (N,): how well each subject fits if the object is not found."""
        unseen_N = np.full(len(self.scene), self.settings.unseen)
        kind, among_N = kind_of(edge.relation), self.among[edge.subject]
        if self.nouns[edge.object].kind == "viewer" and kind in ("closest", "near", "farthest", "front"):
            measure = MEASURES["far" if kind == "farthest" else "near"](self.scene)
            return extreme(measure, among_N)
        if kind == "centre":
            return middle(self.scene, among_N) * self.settings.unseen * 1.5
        if kind in PLACE_OF_RELATION:
            measure = MEASURES[PLACE_OF_RELATION[kind]](self.scene)
            is_stressed = "far" in edge.relation.lower().split()
            return (extreme if is_stressed else placed)(measure, among_N) * self.settings.unseen * 1.5
        return unseen_N

    def pairwise(
        self,
        edge: int,
        rule: str,
        degree_NN: Floats,
        weight: float,
        negated: bool = False,
        unseen_N: Floats | float | None = None,
    ) -> Contribution:
        unseen = self.settings.unseen if unseen_N is None else unseen_N
        count = len(self.scene)
        degree_MM = np.full((count + 1, count + 1), self.settings.unseen if rule != "difference" else 1.0)
        degree_MM[:count, :count] = 1 - degree_NN if negated else degree_NN
        degree_MM[:count, count] = unseen
        words = self.graph.edges[edge].relation
        return Contribution("negation" if negated else rule, words, weight * (degree_MM - 1), edge=edge)

    # Between two

    def between_some(self, node: int) -> Floats:
        """Return (N, N): how well i is between j and the best other region of a plural: "between two women"."""
        among_N = self.among[node]
        if among_N.sum() < 2:
            return RELATIONS["between"](self.scene)
        degree_NNN = between(self.scene) * among_N * ~self.scene.same_NN[None]
        return np.asarray(degree_NNN.max(axis=2))

    def of_between(self, unary_KM: Floats, pairwise_EMM: Floats) -> Iterator[Contribution]:
        """Yield the factors of "between X and Y", which is about three regions: one for each of X and Y.

        The factor of X sums over the regions of Y, by their probability without this relation.
        """
        joined = [self.graph.joined(index) for index in range(len(self.graph.edges))]
        edges = [index for index, together in enumerate(joined) if len(together) > 1]
        if not edges or not self.weight("relations"):
            return
        probability_KM = beliefs(unary_KM, pairwise_EMM, self.graph)
        degree_NNN, count = between(self.scene), len(self.scene)
        for index in edges:
            other = self.graph.edges[next(one for one in joined[index] if one != index)].object
            negated = self.graph.edges[index].negated
            fits_NNN = np.exp(self.weight("relations") * ((1 - degree_NNN if negated else degree_NNN) - 1))
            neutral = np.exp(self.weight("relations") * (self.settings.unseen - 1))
            logit_MM = np.full((count + 1, count + 1), np.log(neutral))
            known_NN = fits_NNN @ probability_KM[other, :count]
            unknown_NN = probability_KM[other, count] * np.exp(
                self.weight("relations") * (RELATIONS["near"](self.scene) - 1)
            )
            logit_MM[:count, :count] = np.log(known_NN + unknown_NN)
            yield Contribution("between", self.graph.edges[index].relation, logit_MM, edge=index)


def beliefs(unary_KM: Floats, pairwise_EMM: Floats, graph: SceneGraph) -> Floats:
    """Return (K, M): the probability of each region for each node."""
    edges_E2 = torch.tensor([(edge.subject, edge.object) for edge in graph.edges]).reshape(-1, 2)
    return log_marginals(torch.from_numpy(unary_KM), torch.from_numpy(pairwise_EMM), edges_E2).exp().numpy()
