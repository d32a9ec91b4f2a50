"""Exact sum-product and max-product belief propagation over forests, in log space (section 3.3 of the paper).

Many expressions are one disconnected forest. Messages go from the leaves to the roots, level by level, all trees at
once, and back: these two passes (T = 2 in the paper) give the exact marginals. A unary factor has one neighbour, so its
message is the unary potential itself; the rest of eqs. (12) to (16) is below.

Shape suffixes: K graph nodes, E graph edges, L the edges of one level, N candidate regions, P single messages' entries.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from jvgn.message_schedule import Level, Schedule, message_schedule

MODEST = 20.0
"""If the highest score of every edge is smaller than this in absolute value, exponentials need no shift."""

LOG2_E = math.log2(math.e)


def log_marginals(
    unary_KN: Tensor,
    pairwise_ENN: Tensor,
    edges_E2: Tensor,
    schedule: Schedule | None = None,
    repair: bool = True,
) -> Tensor:
    """Return the log-probability of each region for each node, every other node summed out: (K, N), eq. (11).

    `edges_E2` holds (subject, object) node indices and `pairwise_ENN[e, i, j]` the score of subject i with object j.
    Minus infinity masks a region. A graph that no assignment satisfies has NaN marginals. `schedule` is the order of
    the edges' messages, if it is known already.

    Entries that are too small for the fast path are computed again in log space. Finding them synchronises with the
    device; with `repair=False` they are NaN instead.
    """
    beliefs = Beliefs(unary_KN, repair)  # eq. (12): messages start at one, their logs at zero
    sent = []
    with torch.autocast(unary_KN.device.type, enabled=False):
        schedule = schedule or schedule_of(unary_KN, edges_E2)
        for factors in factors_of(schedule, pairwise_ENN, repair):  # leaves to roots
            message_LN = factors.message(beliefs.of(factors.level.child_L), to_parents=True)
            beliefs.add(factors.level.parent_L, message_LN)
            sent.append((factors, message_LN))
        for factors, message_LN in reversed(sent):  # roots to leaves
            answer_LN = factors.message(beliefs.without(factors.level.parent_L, message_LN), to_parents=False)
            beliefs.add(factors.level.child_L, answer_LN)
    belief_KN = beliefs.total()  # eq. (15)
    return belief_KN - log_sum_exp(belief_KN, dim=1)[:, None]  # eq. (16): in log space, softmax is normalisation


def joint_map(unary_KN: Tensor, pairwise_ENN: Tensor, edges_E2: Tensor, schedule: Schedule | None = None) -> Tensor:
    """Return the most probable joint assignment of a region to every node: (K,), eq. (2)."""
    levels = list(schedule or schedule_of(unary_KN, edges_E2))
    score_KN = unary_KN.clone()
    best_children = []
    for level in levels:  # as eq. (14), with the best region of the child instead of the sum over all
        best_LN, child_region_LN = (level.scores(pairwise_ENN) + score_KN[level.child_L][:, None, :]).max(dim=2)
        score_KN.index_add_(0, level.parent_L, best_LN)
        best_children.append(child_region_LN)
    region_K = score_KN.argmax(dim=1)
    for level, child_region_LN in zip(reversed(levels), reversed(best_children), strict=True):
        parent_region_L1 = region_K[level.parent_L][:, None]
        region_K[level.child_L] = child_region_LN.gather(1, parent_region_L1).squeeze(1)
    return region_K


def schedule_of(unary_KN: Tensor, edges_E2: Tensor) -> Schedule:
    """Return the schedule of edges on any device. This synchronises with it, so batches carry a precomputed one."""
    schedule = message_schedule(len(unary_KN), edges_E2.detach().cpu().numpy())
    return schedule.each(lambda order_3E: order_3E.to(unary_KN.device))


class Beliefs:
    """Running sums of the log-messages to each node, eq. (15); the products of the paper are sums here."""

    def __init__(self, unary_KN: Tensor, repair: bool = True) -> None:
        self.sum_KN = unary_KN.clone()  # the unary factor's message
        self.repair = repair
        self.blocked_KN: Tensor | None = None
        """How many messages rule a region out; None while there is no such message, which is the common case.

        Messages of minus infinity are counted here and not summed, so that they can be subtracted again.
        """

    def add(self, node_L: Tensor, message_LN: Tensor) -> None:
        if self.repair and message_LN.detach().amin().isneginf():
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
        """Return the beliefs of the nodes without these messages.

        Eq. (13): a variable's message to a factor leaves out what that factor sent.
        """
        if self.blocked_KN is None:
            return self.sum_KN.index_select(0, node_L) - message_LN
        blocked_LN = message_LN.isneginf()
        sum_LN = self.sum_KN[node_L] - message_LN.masked_fill(blocked_LN, 0.0)
        return sum_LN.masked_fill(self.blocked_KN[node_L] > blocked_LN.int(), -torch.inf)


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
    repair: bool

    def message(self, heard_LN: Tensor, to_parents: bool) -> Tensor:
        """Return log Σ_j exp(score_ij + heard_j), eq. (14), up to a constant that cancels in the marginals."""
        heard_LN = heard_LN - finite(heard_LN.detach().amax(1, keepdim=True))
        heard_L1N, objects = heard_LN.exp()[:, None, :], self.level.objects
        # A row times a matrix takes half the time of a matrix times a column.
        first_L1N = heard_L1N[:objects] @ turned(self.factor_LNN[:objects], to_parents)
        others_L1N = heard_L1N[objects:] @ turned(self.factor_LNN[objects:], not to_parents)
        sum_LN = torch.cat([first_L1N, others_L1N]).squeeze(1)
        least = torch.finfo(sum_LN.dtype).tiny ** 0.5
        if not self.repair:  # the shift is 0, or NaN if a score is too large for this path: then the message is NaN
            return sum_LN.masked_fill(sum_LN < least, torch.nan).log() + self.shift_L1
        return self.repaired(sum_LN, sum_LN < least, heard_LN, to_parents) if sum_LN.amin() < least else sum_LN.log()

    def repaired(self, sum_LN: Tensor, small_LN: Tensor, heard_LN: Tensor, to_parents: bool) -> Tensor:
        """Return the log of the sums, the small ones computed again in log space."""
        row_P, region_P = small_LN.nonzero(as_tuple=True)
        edge_P, objects = self.level.edge_L[row_P], int((row_P < self.level.objects).sum())
        first_PN = turned(self.score_ENN, not to_parents)[edge_P[:objects], region_P[:objects]]
        others_PN = turned(self.score_ENN, to_parents)[edge_P[objects:], region_P[objects:]]
        term_PN = torch.cat([first_PN, others_PN]) + heard_LN[row_P] - self.shift_L1[row_P]
        return sum_LN.masked_fill(small_LN, 1.0).log().index_put((row_P, region_P), log_sum_exp(term_PN, dim=1))


def turned(factor_LNN: Tensor, is_turned: bool) -> Tensor:
    return factor_LNN.transpose(1, 2) if is_turned else factor_LNN


def factors_of(schedule: Schedule, pairwise_ENN: Tensor, repair: bool) -> list[Factors]:
    """Return the factors of each level.

    Copying and exponentiating them is most of the work, so it is done for all levels at once, and in place.
    """
    if not schedule.sizes:
        return []
    factor_ENN = pairwise_ENN.index_select(0, schedule.order_3E[0])
    shift_E1 = finite(factor_ENN.detach().flatten(1).amax(1, keepdim=True))
    is_modest = shift_E1.abs().amax() < MODEST
    if not repair:
        shift_E1 = torch.zeros_like(shift_E1).masked_fill(~is_modest, torch.nan)
    elif is_modest:
        shift_E1 = torch.zeros_like(shift_E1)
    else:
        factor_ENN.sub_(shift_E1[:, :, None])
    factor_ENN = Exponential.apply(factor_ENN)
    sizes = [sum(size) for size in schedule.sizes]
    parts = zip(schedule, shift_E1.split(sizes), factor_ENN.split(sizes), strict=True)
    return [Factors(level, pairwise_ENN, shift_L1, factor_LNN, repair) for level, shift_L1, factor_LNN in parts]


class Exponential(torch.autograd.Function):
    """exp in place, as a power of two: half the time of torch.exp (MKL, on AMD), with one extra rounding of scores."""

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


def log_sum_exp(value: Tensor, dim: int) -> Tensor:
    """Return torch.logsumexp, with a gradient of zero instead of NaN where everything is minus infinity."""
    highest = finite(value.detach().amax(dim, keepdim=True))
    total = (value - highest).exp().sum(dim)
    empty = total == 0
    return (total.masked_fill(empty, 1.0).log() + highest.squeeze(dim)).masked_fill(empty, -torch.inf)


def finite(highest: Tensor) -> Tensor:
    return highest.nan_to_num(neginf=0.0)


def log_partition(unary_KN: Tensor, pairwise_ENN: Tensor, levels: Iterable[Level], root_S: Tensor) -> Tensor:
    """Return (S,): the log of the sum over all joint groundings of each graph, which normalises eq. (8)."""
    beliefs = Beliefs(unary_KN)
    for level in levels:
        heard_LN = beliefs.of(level.child_L)
        beliefs.add(level.parent_L, log_sum_exp(level.scores(pairwise_ENN) + heard_LN[:, None, :], dim=2))
    return log_sum_exp(beliefs.of(root_S), dim=1)
