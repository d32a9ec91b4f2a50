"""The k best joint groundings of each graph, exactly: eq. (2) for more than the best.

This is max-product that keeps the k best partial groundings: every node holds, for each of its regions, the k best ways
to ground its subtree. A parent takes in its children one after the other, in all graphs of a batch at once.

Shape suffixes: those of `belief_propagation`; S graphs, R trees, J edges that join trees, Q the k ways, from the best.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from jvgn.belief_propagation import log_partition, schedule_of
from jvgn.message_schedule import Level

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
    levels = list(schedule_of(unary_KN, edges_E2))
    way_KNQ = unary_KN.new_full((*unary_KN.shape, k), -torch.inf)
    way_KNQ[:, :, 0] = unary_KN
    taken = []
    for level in siblings_apart(levels):
        # The k best of all (child's region, child's way), then of all (parent's way so far, child's answer).
        below_LNNQ = level.scores(pairwise_ENN)[..., None] + way_KNQ[level.child_L][:, None]
        message_LNQ, source_LNQ = below_LNNQ.flatten(2).topk(k)
        both_LNQQ = way_KNQ[level.parent_L][..., :, None] + message_LNQ[..., None, :]
        way_KNQ[level.parent_L], pair_LNQ = both_LNQQ.flatten(2).topk(k)
        taken.append((level, source_LNQ, pair_LNQ))
    root_S = roots(levels, graph_K)
    score_SQ, place_SQ = way_KNQ[root_S].flatten(1).topk(k)
    region_KQ, rank_KQ = (place_SQ.new_zeros(len(unary_KN), k) for _ in range(2))
    region_KQ[root_S], rank_KQ[root_S] = place_SQ // k, place_SQ % k
    for level, source_LNQ, pair_LNQ in reversed(taken):  # read off the choices, roots to leaves
        row_L1 = torch.arange(len(source_LNQ), device=unary_KN.device)[:, None]
        parent_LQ = region_KQ[level.parent_L]
        pair_LQ = pair_LNQ[row_L1, parent_LQ, rank_KQ[level.parent_L]]
        source_LQ = source_LNQ[row_L1, parent_LQ, pair_LQ % k]
        rank_KQ[level.parent_L] = pair_LQ // k
        region_KQ[level.child_L], rank_KQ[level.child_L] = source_LQ // k, source_LQ % k
    return region_KQ, score_SQ - log_partition(unary_KN, pairwise_ENN, levels, root_S)[:, None]


def distinct_joint(unary_KN: Tensor, pairwise_ENN: Tensor, edges_E2: Tensor, graph_K: Tensor) -> Tensor:
    """Return (K,): the most probable of the first `SEARCHED` joint groundings that uses no region twice.

    Where all of them do, for instance in an image with one region, it is the most probable of all.
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
    root_R = roots(list(schedule_of(unary_KN, edges_E2)), graph_K)
    first_R = torch.searchsorted(graph_K[root_R], graph_K[root_R])
    other_R = first_R != torch.arange(len(root_R), device=root_R.device)
    joining_J2 = torch.stack([root_R[first_R[other_R]], root_R[other_R]], dim=1)
    zero_JNN = pairwise_ENN.new_zeros(len(joining_J2), *pairwise_ENN.shape[1:])
    return torch.cat([pairwise_ENN, zero_JNN]), torch.cat([edges_E2.reshape(-1, 2), joining_J2])


def siblings_apart(levels: list[Level]) -> Iterator[Level]:
    """Yield the levels, each in parts in which no two children share a parent."""
    for level in levels:
        order_L = level.parent_L.argsort(stable=True)
        sorted_L = level.parent_L[order_L]
        turn_L = torch.empty_like(order_L)
        turn_L[order_L] = torch.arange(len(order_L), device=order_L.device) - torch.searchsorted(sorted_L, sorted_L)
        for turn in range(int(turn_L.max()) + 1):
            yield level.part(turn_L == turn)


def roots(levels: list[Level], graph_K: Tensor) -> Tensor:
    """Return (R,): the nodes without a parent, one for each tree, graph by graph."""
    is_root_K = torch.ones_like(graph_K, dtype=torch.bool)
    for level in levels:
        is_root_K[level.child_L] = False
    root_R = is_root_K.nonzero().squeeze(1)
    return root_R[graph_K[root_R].argsort(stable=True)]
