"""The k best joint groundings of each graph, exactly: eq. (2) for more than the best.

This is max-product that keeps the k best partial groundings: every node holds, for each of its regions, the k best ways
to ground its subtree. A parent takes in its children one after the other, in all graphs of a batch at once. `jvgn`
explains the shape suffixes.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from jvgn.belief_propagation import log_partition, upward
from jvgn.message_schedule import Level, schedule_of

SEARCHED = 32
"""Joint groundings among which `distinct_joint` looks."""


def best_joint(
    unary_KN: Tensor, pairwise_ENN: Tensor, edges_E2: Tensor, graph_K: Tensor, k: int
) -> tuple[Tensor, Tensor]:
    """Return (K, Q) regions and (S, Q) log-probabilities of each graph's k most probable joint groundings.

    `graph_K` says which graph a node belongs to. If a graph has fewer groundings than k, the others have a
    log-probability of minus infinity, and their regions are meaningless.
    """
    pairwise_ENN, edges_E2 = one_tree_a_graph(unary_KN, pairwise_ENN, edges_E2, graph_K)
    levels = list(schedule_of(edges_E2, len(unary_KN)))
    ways, apart = Ways(unary_KN, pairwise_ENN, k), list(siblings_apart(levels))
    upward(ways, apart, ways.message)
    root_S = roots(levels, graph_K)
    score_SQ, place_SQ = ways.of(root_S).flatten(1).topk(k)  # of all (region, way) of the root
    region_KQ, rank_KQ = (place_SQ.new_zeros(len(unary_KN), k) for _ in range(2))
    region_KQ[root_S], rank_KQ[root_S] = place_SQ // k, place_SQ % k
    # Read off the choices, roots to leaves: undo what `Ways.add` chose, then what `Ways.message` chose.
    for level, source_FNQ, pair_FNQ in reversed(list(zip(apart, ways.sources, ways.pairs, strict=True))):
        row_F1 = torch.arange(len(source_FNQ), device=unary_KN.device)[:, None]
        parent_FQ = region_KQ[level.parent_F]
        pair_FQ = pair_FNQ[row_F1, parent_FQ, rank_KQ[level.parent_F]]
        source_FQ = source_FNQ[row_F1, parent_FQ, pair_FQ % k]
        rank_KQ[level.parent_F] = pair_FQ // k
        region_KQ[level.child_F], rank_KQ[level.child_F] = source_FQ // k, source_FQ % k
    return region_KQ, score_SQ - log_partition(unary_KN, pairwise_ENN, levels, root_S)[:, None]


class Ways:
    """The log-scores of the k best ways to ground each node's subtree so far, for each region of the node.

    They are to this search what `belief_propagation.Beliefs` are to sum-product.
    """

    def __init__(self, unary_KN: Tensor, pairwise_ENN: Tensor, k: int) -> None:
        self.pairwise_ENN, self.k = pairwise_ENN, k
        self.way_KNQ = unary_KN.new_full((*unary_KN.shape, k), -torch.inf)
        self.way_KNQ[:, :, 0] = unary_KN
        self.sources: list[Tensor] = []
        """For each level, the child's (region, way) behind every entry of its message, as one number."""
        self.pairs: list[Tensor] = []
        """For each level, the parent's (way so far, entry of the message) behind each of its ways, as one number."""

    def of(self, node_F: Tensor) -> Tensor:
        return self.way_KNQ[node_F]

    def message(self, level: Level, heard_FNQ: Tensor) -> Tensor:
        """Return (F, N, Q), as eq. (14): for each region of the parent, the k best of all (child's region, way)."""
        below_FNNQ = level.scores(self.pairwise_ENN)[..., None] + heard_FNQ[:, None]
        message_FNQ, source_FNQ = below_FNNQ.flatten(2).topk(self.k)
        self.sources.append(source_FNQ)
        return message_FNQ

    def add(self, node_F: Tensor, message_FNQ: Tensor) -> None:
        """Keep, for each region of the parent, the k best of all (way so far, entry of the message)."""
        both_FNQQ = self.way_KNQ[node_F][..., :, None] + message_FNQ[..., None, :]
        self.way_KNQ[node_F], pair_FNQ = both_FNQQ.flatten(2).topk(self.k)
        self.pairs.append(pair_FNQ)


def distinct_joint(unary_KN: Tensor, pairwise_ENN: Tensor, edges_E2: Tensor, graph_K: Tensor) -> Tensor:
    """Return (K,): the most probable of the first `SEARCHED` joint groundings that uses no region twice.

    If all of them repeat a region, as in an image with one region, return the most probable one.
    """
    k = SEARCHED
    region_KQ, score_SQ = best_joint(unary_KN, pairwise_ENN, edges_E2, graph_K, k)
    # Two nodes of one graph in one region: count the nodes of every (graph, region), way by way.
    count_SNQ = unary_KN.new_zeros(len(score_SQ), unary_KN.shape[1], k)
    count_SNQ.index_put_(
        (graph_K[:, None], region_KQ, torch.arange(k, device=graph_K.device)), unary_KN.new_ones(()), accumulate=True
    )
    is_distinct_SQ = (count_SNQ.amax(dim=1) < 2) & score_SQ.isfinite()
    way_S = is_distinct_SQ.to(torch.uint8).argmax(dim=1)  # the first, or 0 if there is none
    return region_KQ.gather(1, way_S[graph_K][:, None]).squeeze(1)


def one_tree_a_graph(
    unary_KN: Tensor, pairwise_ENN: Tensor, edges_E2: Tensor, graph_K: Tensor
) -> tuple[Tensor, Tensor]:
    """Return scores and edges with the trees of each graph joined by edges that score all pairs of regions zero."""
    root_C = roots(list(schedule_of(edges_E2, len(unary_KN))), graph_K)
    first_C = torch.searchsorted(graph_K[root_C], graph_K[root_C])
    other_C = first_C != torch.arange(len(root_C), device=root_C.device)
    joining_F2 = torch.stack([root_C[first_C[other_C]], root_C[other_C]], dim=1)
    zero_FNN = pairwise_ENN.new_zeros(len(joining_F2), *pairwise_ENN.shape[1:])
    return torch.cat([pairwise_ENN, zero_FNN]), torch.cat([edges_E2.reshape(-1, 2), joining_F2])


def siblings_apart(levels: list[Level]) -> Iterator[Level]:
    """Yield the levels, each in parts in which no two children share a parent."""
    for level in levels:
        order_F = level.parent_F.argsort(stable=True)
        sorted_F = level.parent_F[order_F]
        turn_F = torch.empty_like(order_F)
        turn_F[order_F] = torch.arange(len(order_F), device=order_F.device) - torch.searchsorted(sorted_F, sorted_F)
        for turn in range(int(turn_F.max()) + 1):
            yield level.part(turn_F == turn)


def roots(levels: list[Level], graph_K: Tensor) -> Tensor:
    """Return (C,): the nodes without a parent, one for each tree, graph by graph."""
    is_root_K = torch.ones_like(graph_K, dtype=torch.bool)
    for level in levels:
        is_root_K[level.child_F] = False
    root_C = is_root_K.nonzero().squeeze(1)
    return root_C[graph_K[root_C].argsort(stable=True)]
