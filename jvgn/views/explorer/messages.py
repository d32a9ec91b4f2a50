"""Belief propagation message by message, for people to follow: from the leaves of each tree to its root, and back.

The plain definition, one message after the other; `belief_propagation` computes the same for whole mini-batches.

Shape suffixes: K graph nodes, E graph edges, N candidate regions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from jvgn.belief_propagation import log_sum_exp
from parsers.scene_graph import first_loop


@dataclass(frozen=True)
class Message:
    """What one node tells another along an edge, and what the other believes before and after; log-probabilities."""

    source: int
    target: int
    edge: int
    says_N: Tensor
    """How well each region of the target goes with all that the source has heard so far."""
    before_N: Tensor
    after_N: Tensor


@dataclass(frozen=True)
class Branch:
    """An edge of a tree, seen from its root."""

    edge: int
    child: int
    parent: int


def messages(unary_KN: Tensor, pairwise_ENN: Tensor, edges_E2: Tensor, root: int = 0) -> list[Message]:
    """Every message in the order in which it is sent; after the last, each node believes its marginal.

    `root` is the root of its tree; any other tree has its first node. The arguments are those of `log_marginals`.
    """
    edges = [(int(subject), int(object_)) for subject, object_ in edges_E2.tolist()]
    unary_KN, pairwise_ENN = unary_KN.double(), pairwise_ENN.double()
    told: dict[tuple[int, int], Tensor] = {}
    sent = []

    def heard(node: int, unless_from: int | None = None) -> Tensor:
        # A sum, not a difference of sums: a region that is ruled out has minus infinity, which nothing takes away.
        own = [says for (source, target), says in told.items() if target == node and source != unless_from]
        return torch.stack([unary_KN[node], *own]).sum(dim=0)

    def send(edge: int, source: int, target: int) -> None:
        score_NN = pairwise_ENN[edge] if edges[edge] == (target, source) else pairwise_ENN[edge].T
        before_N = heard(target)
        # What the target itself told the source is left out: a node must not hear its own words back.
        says_N = normalised(log_sum_exp(score_NN + heard(source, unless_from=target), dim=1))
        told[source, target] = says_N
        sent.append(Message(source, target, edge, says_N, normalised(before_N), normalised(heard(target))))

    outward = branches(len(unary_KN), edges, root)
    for branch in reversed(outward):
        send(branch.edge, source=branch.child, target=branch.parent)
    for branch in outward:
        send(branch.edge, source=branch.parent, target=branch.child)
    return sent


def normalised(score_N: Tensor) -> Tensor:
    return score_N - log_sum_exp(score_N, dim=0)


def branches(node_count: int, edges: Sequence[tuple[int, int]], root: int) -> list[Branch]:
    """The edges from each tree's root outward, the nearest first. A cycle is a ValueError."""
    if first_loop(node_count, edges) is not None:
        raise ValueError("the graph has a cycle")
    found: list[Branch] = []
    seen: set[int] = set()
    for start in (root, *range(node_count)):
        if start in seen:
            continue
        seen.add(start)
        reached = [start]
        for parent in reached:
            for edge, ends in enumerate(edges):
                child = ends[0] if ends[1] == parent else ends[1]
                if parent in ends and child not in seen:
                    seen.add(child)
                    reached.append(child)
                    found.append(Branch(edge, child, parent))
    return found
