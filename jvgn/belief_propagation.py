"""Exact sum-product and max-product belief propagation over forests, in log space.

Many expressions are one disconnected forest. Leaves are peeled off level by level, all trees at once, until only
roots are left; messages go up through the levels and back down, so two passes give the exact marginals.

Shape suffixes: K graph nodes, E graph edges, L the edges of one level, N candidate regions.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

MODEST = 20.0
"""Scores whose highest is nearer to zero than this are exponentiated as they are, without a pass to shift them."""

LOG2_E = math.log2(math.e)


@dataclass(frozen=True)
class Level:
    """Edges that are peeled together: each child has sent nothing yet and heard from all its own children."""

    edge_L: Tensor
    child_L: Tensor
    parent_L: Tensor
    objects: int
    """The children of so many edges, the first, are their objects: scores are indexed (parent, child) already."""

    def scores(self, pairwise_ENN: Tensor) -> Tensor:
        """The level's pairwise scores as (L, parent's region, child's region)."""
        score_LNN = pairwise_ENN.index_select(0, self.edge_L)
        return torch.cat([score_LNN[: self.objects], score_LNN[self.objects :].transpose(1, 2)])

    def part(self, chosen_L: Tensor) -> "Level":
        objects = int(chosen_L[: self.objects].sum())
        return Level(self.edge_L[chosen_L], self.child_L[chosen_L], self.parent_L[chosen_L], objects)


def peel(node_count: int, edges_E2: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The edges of the forest's levels from the leaves inward: those whose object is the child, those whose subject is.

    A cycle is a ValueError.
    """
    left_E = np.arange(len(edges_E2))
    levels = []
    while len(left_E):
        left_E2 = edges_E2[left_E]
        is_leaf_K = np.bincount(left_E2.ravel(), minlength=node_count) == 1
        subject_is_leaf_E, object_is_leaf_E = is_leaf_K[left_E2].T
        is_left_E = ~(subject_is_leaf_E | object_is_leaf_E)
        if is_left_E.all():
            raise ValueError(f"the graph has a cycle through nodes {sorted(set(left_E2.ravel().tolist()))}")
        # The object is the child unless only the subject is a leaf.
        levels.append((left_E[object_is_leaf_E], left_E[subject_is_leaf_E & ~object_is_leaf_E]))
        left_E = left_E[is_left_E]
    return levels


def peeled_levels(unary_KN: Tensor, edges_E2: Tensor) -> list[Level]:
    edges = edges_E2.detach().cpu().numpy().reshape(-1, 2)
    if len(edges) and not (edges.min() >= 0 and edges.max() < len(unary_KN)):
        raise ValueError(f"an edge names a node that is not among the {len(unary_KN)}")
    subject_E, object_E = edges.T
    levels = []
    for by_object_L, by_subject_L in peel(len(unary_KN), edges):
        edge_L = np.concatenate([by_object_L, by_subject_L])
        child_L = np.concatenate([object_E[by_object_L], subject_E[by_subject_L]])
        parent_L = np.concatenate([subject_E[by_object_L], object_E[by_subject_L]])
        parts = [torch.from_numpy(part_L).to(unary_KN.device) for part_L in (edge_L, child_L, parent_L)]
        levels.append(Level(parts[0], parts[1], parts[2], len(by_object_L)))
    return levels


class Beliefs:
    """Running sums of log-evidence; messages of minus infinity are counted apart, to be taken out again."""

    def __init__(self, unary_KN: Tensor) -> None:
        self.sum_KN = unary_KN.clone()
        self.blocked_KN: Tensor | None = None
        """How many messages rule a region out; None as long as none ever did, which is the rule."""

    def add(self, node_L: Tensor, message_LN: Tensor) -> None:
        if message_LN.detach().amin().isneginf():
            blocked_LN = message_LN.isneginf()
            if self.blocked_KN is None:
                self.blocked_KN = torch.zeros_like(self.sum_KN, dtype=torch.int)
            self.blocked_KN.index_add_(0, node_L, blocked_LN.int())
            message_LN = message_LN.masked_fill(blocked_LN, 0.0)
        self.sum_KN.index_add_(0, node_L, message_LN)

    def total(self) -> Tensor:
        return self.sum_KN if self.blocked_KN is None else self.sum_KN.masked_fill(self.blocked_KN > 0, -torch.inf)

    def of(self, node_L: Tensor) -> Tensor:
        sum_LN = self.sum_KN.index_select(0, node_L)
        return sum_LN if self.blocked_KN is None else sum_LN.masked_fill(self.blocked_KN[node_L] > 0, -torch.inf)

    def without(self, node_L: Tensor, message_LN: Tensor) -> Tensor:
        """What the nodes know apart from the messages: a node must not hear its own words back."""
        if self.blocked_KN is None:
            return self.sum_KN.index_select(0, node_L) - message_LN
        blocked_LN = message_LN.isneginf()
        sum_LN = self.sum_KN[node_L] - message_LN.masked_fill(blocked_LN, 0.0)
        return sum_LN.masked_fill(self.blocked_KN[node_L] > blocked_LN.int(), -torch.inf)


def log_sum_exp(value: Tensor, dim: int) -> Tensor:
    """torch.logsumexp, with a gradient of zero instead of NaN where everything is minus infinity."""
    highest = finite(value.detach().amax(dim, keepdim=True))
    total = (value - highest).exp().sum(dim)
    empty = total == 0
    return (total.masked_fill(empty, 1.0).log() + highest.squeeze(dim)).masked_fill(empty, -torch.inf)


def finite(highest: Tensor) -> Tensor:
    return highest.nan_to_num(neginf=0.0)


class Exponential(torch.autograd.Function):
    """exp in place, as a power of two: half the time of torch.exp (MKL, on AMD), for one more rounding of the score."""

    @staticmethod
    def forward(ctx: Any, score: Tensor) -> Tensor:
        factor = score.mul_(LOG2_E).exp2_()
        ctx.mark_dirty(score)
        ctx.save_for_backward(factor)
        return factor

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (factor,) = ctx.saved_tensors
        return gradient * factor


@dataclass(frozen=True)
class Factors:
    """The pairwise factors of a level, and the messages through them.

    A message is the log of a matrix product, log(exp(score) · exp(heard)), both shifted to a highest entry near one;
    the few entries for which the product is too small to keep its digits are summed in log space, term by term.
    """

    level: Level
    score_ENN: Tensor
    """The pairwise scores of all levels."""
    shift_L1: Tensor
    factor_LNN: Tensor
    """exp(score − shift)."""

    def message(self, heard_LN: Tensor, to_parents: bool) -> Tensor:
        """log Σ_j exp(score_ij + heard_j), up to a constant that all i have in common: it cancels in the marginals."""
        heard_LN = heard_LN - finite(heard_LN.detach().amax(1, keepdim=True))
        heard_L1N, objects = heard_LN.exp()[:, None, :], self.level.objects
        # A row times a matrix takes half the time of a matrix times a column.
        first_L1N = heard_L1N[:objects] @ turned(self.factor_LNN[:objects], to_parents)
        others_L1N = heard_L1N[objects:] @ turned(self.factor_LNN[objects:], not to_parents)
        sum_LN = torch.cat([first_L1N, others_L1N]).squeeze(1)
        least = torch.finfo(sum_LN.dtype).tiny ** 0.5
        return self.mended(sum_LN, sum_LN < least, heard_LN, to_parents) if sum_LN.amin() < least else sum_LN.log()

    def mended(self, sum_LN: Tensor, small_LN: Tensor, heard_LN: Tensor, to_parents: bool) -> Tensor:
        """The log of the sums, the small ones computed again in log space."""
        row_P, region_P = small_LN.nonzero(as_tuple=True)
        edge_P, objects = self.level.edge_L[row_P], int((row_P < self.level.objects).sum())
        first_PN = turned(self.score_ENN, not to_parents)[edge_P[:objects], region_P[:objects]]
        others_PN = turned(self.score_ENN, to_parents)[edge_P[objects:], region_P[objects:]]
        term_PN = torch.cat([first_PN, others_PN]) + heard_LN[row_P] - self.shift_L1[row_P]
        return sum_LN.masked_fill(small_LN, 1.0).log().index_put((row_P, region_P), log_sum_exp(term_PN, dim=1))


def turned(factor_LNN: Tensor, is_turned: bool) -> Tensor:
    return factor_LNN.transpose(1, 2) if is_turned else factor_LNN


def factors_of(levels: list[Level], pairwise_ENN: Tensor) -> list[Factors]:
    """Those of each level; all levels are copied and exponentiated at once, and in place: they are the most work."""
    if not levels:
        return []
    factor_ENN = pairwise_ENN.index_select(0, torch.cat([level.edge_L for level in levels]))
    shift_E1 = finite(factor_ENN.detach().flatten(1).amax(1, keepdim=True))
    if shift_E1.abs().amax() < MODEST:
        shift_E1 = torch.zeros_like(shift_E1)
    else:
        factor_ENN.sub_(shift_E1[:, :, None])
    factor_ENN = Exponential.apply(factor_ENN)
    sizes = [len(level.edge_L) for level in levels]
    parts = zip(levels, shift_E1.split(sizes), factor_ENN.split(sizes), strict=True)
    return [Factors(level, pairwise_ENN, shift_L1, factor_LNN) for level, shift_L1, factor_LNN in parts]


def log_marginals(unary_KN: Tensor, pairwise_ENN: Tensor, edges_E2: Tensor) -> Tensor:
    """The log-probability of each region for each node, every other node summed out; (K, N).

    `edges_E2` holds (subject, object) node indices and `pairwise_ENN[e, i, j]` the score of subject i with object j.
    Minus infinity masks a region. A graph that no assignment satisfies has NaN marginals.
    """
    beliefs = Beliefs(unary_KN)
    sent = []
    with torch.autocast(unary_KN.device.type, enabled=False):
        for factors in factors_of(peeled_levels(unary_KN, edges_E2), pairwise_ENN):
            message_LN = factors.message(beliefs.of(factors.level.child_L), to_parents=True)
            beliefs.add(factors.level.parent_L, message_LN)
            sent.append((factors, message_LN))
        for factors, message_LN in reversed(sent):
            answer_LN = factors.message(beliefs.without(factors.level.parent_L, message_LN), to_parents=False)
            beliefs.add(factors.level.child_L, answer_LN)
    total_KN = beliefs.total()
    return total_KN - log_sum_exp(total_KN, dim=1)[:, None]


def joint_map(unary_KN: Tensor, pairwise_ENN: Tensor, edges_E2: Tensor) -> Tensor:
    """The most probable joint assignment of a region to every node; (K,)."""
    levels = peeled_levels(unary_KN, edges_E2)
    score_KN = unary_KN.clone()
    best_children = []
    for level in levels:
        best_LN, child_region_LN = (level.scores(pairwise_ENN) + score_KN[level.child_L][:, None, :]).max(dim=2)
        score_KN.index_add_(0, level.parent_L, best_LN)
        best_children.append(child_region_LN)
    region_K = score_KN.argmax(dim=1)
    for level, child_region_LN in zip(reversed(levels), reversed(best_children), strict=True):
        parent_region_L1 = region_K[level.parent_L][:, None]
        region_K[level.child_L] = child_region_LN.gather(1, parent_region_L1).squeeze(1)
    return region_K
