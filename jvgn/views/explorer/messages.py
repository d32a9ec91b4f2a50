"""Belief propagation message by message, from the leaves of each tree to its root and back (section 3.3 of the paper).

It is the plain definition, for people to follow; `jvgn.belief_propagation` computes the same for whole mini-batches.

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
    """A message along an edge, and the belief of its target before and after it, as log-probabilities."""

    source: int
    target: int
    edge: int
    says_N: Tensor
    """How well each region of the target fits all messages that the source has received."""
    before_N: Tensor
    after_N: Tensor


@dataclass(frozen=True)
class Branch:
    """An edge of a tree, seen from its root."""

    edge: int
    child: int
    parent: int


def messages(unary_KN: Tensor, pairwise_ENN: Tensor, edges_E2: Tensor, root: int = 0) -> list[Message]:
    """Return every message in the order in which it is sent. After the last one, the belief of a node is its marginal.

    The tree of node `root` has it as its root, any other tree its first node. For the other arguments see
    `log_marginals`.
    """
    edges = [(int(subject), int(object_)) for subject, object_ in edges_E2.tolist()]
    unary_KN, pairwise_ENN = unary_KN.double(), pairwise_ENN.double()
    received: dict[tuple[int, int], Tensor] = {}
    sent = []

    def belief(node: int, unless_from: int | None = None) -> Tensor:
        # A sum, not a difference of sums: an excluded region has minus infinity, which cannot be subtracted.
        own = [says for (source, target), says in received.items() if target == node and source != unless_from]
        return torch.stack([unary_KN[node], *own]).sum(dim=0)

    def send(edge: int, source: int, target: int) -> None:
        score_NN = pairwise_ENN[edge] if edges[edge] == (target, source) else pairwise_ENN[edge].T
        before_N = belief(target)
        # A message leaves out what the target sent to the source.
        says_N = normalised(log_sum_exp(score_NN + belief(source, unless_from=target), dim=1))
        received[source, target] = says_N
        sent.append(Message(source, target, edge, says_N, normalised(before_N), normalised(belief(target))))

    outward = branches(len(unary_KN), edges, root)
    for branch in reversed(outward):
        send(branch.edge, source=branch.child, target=branch.parent)
    for branch in outward:
        send(branch.edge, source=branch.parent, target=branch.child)
    return sent


def normalised(score_N: Tensor) -> Tensor:
    return score_N - log_sum_exp(score_N, dim=0)


def branches(node_count: int, edges: Sequence[tuple[int, int]], root: int) -> list[Branch]:
    """Return the edges from each tree's root outward, the nearest first. A cycle is a ValueError."""
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
