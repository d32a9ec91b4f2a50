"""Exact sum-product and max-product belief propagation over forests, in log space.

Many expressions are one disconnected forest. Leaves are peeled off level by level, all trees at once, until only
roots are left; messages go up through the levels and back down, so two passes give the exact marginals.

Shape suffixes: K graph nodes, E graph edges, L the edges of one level, N candidate regions.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Level:
    """Edges that are peeled together: each child has sent nothing yet and heard from all its own children."""

    edge_L: Tensor
    child_L: Tensor
    parent_L: Tensor
    object_is_child: bool
    """Whether the children are the edges' objects, so that scores are indexed (parent, child) already."""

    def scores(self, pairwise_ENN: Tensor) -> Tensor:
        """The level's pairwise scores as (L, parent's region, child's region)."""
        score_LNN = pairwise_ENN.index_select(0, self.edge_L)
        return score_LNN if self.object_is_child else score_LNN.transpose(1, 2)

    def part(self, chosen_L: Tensor) -> "Level":
        return Level(self.edge_L[chosen_L], self.child_L[chosen_L], self.parent_L[chosen_L], self.object_is_child)


def peel(node_count: int, edges_E2: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The forest's levels from the leaves inward, as (edge, child, parent) arrays. A cycle is a ValueError."""
    left_E = np.arange(len(edges_E2))
    levels = []
    while len(left_E):
        degree_K = np.bincount(edges_E2[left_E].ravel(), minlength=node_count)
        leaf_E2 = degree_K[edges_E2[left_E]] == 1
        peeled_E = leaf_E2.any(axis=1)
        if not peeled_E.any():
            raise ValueError(f"the graph has a cycle through nodes {sorted(set(edges_E2[left_E].ravel().tolist()))}")
        edge_L = left_E[peeled_E]
        # The object is the child unless only the subject is a leaf.
        child_side_L = leaf_E2[peeled_E, 1].astype(int)
        child_L = edges_E2[edge_L, child_side_L]
        parent_L = edges_E2[edge_L, 1 - child_side_L]
        levels.append((edge_L, child_L, parent_L))
        left_E = left_E[~peeled_E]
    return levels


def peeled_levels(unary_KN: Tensor, edges_E2: Tensor) -> list[Level]:
    edges = edges_E2.detach().cpu().numpy().reshape(-1, 2)
    if len(edges) and not (edges.min() >= 0 and edges.max() < len(unary_KN)):
        raise ValueError(f"an edge names a node that is not among the {len(unary_KN)}")
    levels = []
    for edge, child, parent in peel(len(unary_KN), edges):
        object_is_child = edges[edge, 1] == child
        for way in (True, False):  # edges of a level do not wait for each other
            chosen = object_is_child == way
            if chosen.any():
                parts = [torch.from_numpy(part[chosen]).to(unary_KN.device) for part in (edge, child, parent)]
                levels.append(Level(parts[0], parts[1], parts[2], object_is_child=way))
    return levels


class Beliefs:
    """Running sums of log-evidence, in which minus infinities are counted apart so that they can be taken out again."""

    def __init__(self, unary_KN: Tensor) -> None:
        self.blocked_KN = unary_KN.isneginf().int()
        self.finite_KN = unary_KN.masked_fill(unary_KN.isneginf(), 0.0)

    def add(self, node_L: Tensor, message_LN: Tensor) -> None:
        blocked_LN = message_LN.isneginf()
        self.blocked_KN = self.blocked_KN.index_add(0, node_L, blocked_LN.int())
        self.finite_KN = self.finite_KN.index_add(0, node_L, message_LN.masked_fill(blocked_LN, 0.0))

    def total(self, node_L: Tensor) -> Tensor:
        return self.finite_KN[node_L].masked_fill(self.blocked_KN[node_L] > 0, -torch.inf)

    def without(self, node_L: Tensor, message_LN: Tensor) -> Tensor:
        """What the nodes know apart from the messages: a node must not hear its own words back."""
        blocked_LN = message_LN.isneginf()
        finite_LN = self.finite_KN[node_L] - message_LN.masked_fill(blocked_LN, 0.0)
        return finite_LN.masked_fill(self.blocked_KN[node_L] > blocked_LN.int(), -torch.inf)


def log_sum_exp(value: Tensor, dim: int) -> Tensor:
    """torch.logsumexp, with a gradient of zero instead of NaN where everything is minus infinity."""
    highest = finite(value.detach().amax(dim, keepdim=True))
    total = (value - highest).exp().sum(dim)
    empty = total == 0
    return (total.masked_fill(empty, 1.0).log() + highest.squeeze(dim)).masked_fill(empty, -torch.inf)


class Factors:
    """The pairwise factors of a level, and the messages through them.

    A message is the log of a matrix product, log(exp(score) · exp(heard)), both shifted to have a highest entry of one;
    the few entries for which the product is too small to keep its digits are summed in log space, term by term.
    """

    def __init__(self, score_LNN: Tensor) -> None:
        self.score_LNN = score_LNN
        self.shift_L1 = finite(score_LNN.detach().amax(dim=(1, 2)))[:, None]
        self.factor_LNN = (score_LNN - self.shift_L1[:, :, None]).exp_()

    def to_parent(self, heard_LN: Tensor) -> Tensor:
        return message(self.score_LNN, self.factor_LNN, self.shift_L1, heard_LN)

    def to_child(self, heard_LN: Tensor) -> Tensor:
        return message(self.score_LNN.transpose(1, 2), self.factor_LNN.transpose(1, 2), self.shift_L1, heard_LN)


def finite(highest: Tensor) -> Tensor:
    return highest.masked_fill(highest.isneginf(), 0.0)


def message(score_LNN: Tensor, factor_LNN: Tensor, shift_L1: Tensor, heard_LN: Tensor) -> Tensor:
    """log Σ_j exp(score_ij + heard_j), up to a constant that all i have in common; the factor is exp(score − shift)."""
    heard_shift_L1 = finite(heard_LN.detach().amax(1, keepdim=True))
    sum_LN = (factor_LNN @ (heard_LN - heard_shift_L1).exp()[:, :, None]).squeeze(2)
    small_LN = sum_LN < torch.finfo(sum_LN.dtype).tiny ** 0.5
    message_LN = sum_LN.masked_fill(small_LN, 1.0).log()
    row_P, region_P = small_LN.nonzero(as_tuple=True)
    if len(row_P):
        term_PN = score_LNN[row_P, region_P] + heard_LN[row_P]
        exact_P = log_sum_exp(term_PN, dim=1) - (shift_L1 + heard_shift_L1)[row_P, 0]
        message_LN = message_LN.index_put((row_P, region_P), exact_P)
    return message_LN


def rescaled(message_LN: Tensor) -> Tensor:
    """The message shifted so that its highest entry is zero: a constant that cancels in the marginals."""
    return message_LN - finite(message_LN.detach().amax(1, keepdim=True))


def log_marginals(unary_KN: Tensor, pairwise_ENN: Tensor, edges_E2: Tensor) -> Tensor:
    """The log-probability of each region for each node, every other node summed out; (K, N).

    `edges_E2` holds (subject, object) node indices and `pairwise_ENN[e, i, j]` the score of subject i with object j.
    Minus infinity masks a region. A graph that no assignment satisfies has NaN marginals.
    """
    beliefs = Beliefs(unary_KN)
    sent = []
    with torch.autocast(unary_KN.device.type, enabled=False):
        for level in peeled_levels(unary_KN, edges_E2):
            factors = Factors(level.scores(pairwise_ENN))
            message_LN = rescaled(factors.to_parent(beliefs.total(level.child_L)))
            beliefs.add(level.parent_L, message_LN)
            sent.append((level, factors, message_LN))
        for level, factors, message_LN in reversed(sent):
            answer_LN = rescaled(factors.to_child(beliefs.without(level.parent_L, message_LN)))
            beliefs.add(level.child_L, answer_LN)
    total_KN = beliefs.total(torch.arange(len(unary_KN), device=unary_KN.device))
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
