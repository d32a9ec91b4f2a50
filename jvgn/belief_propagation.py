"""Exact sum-product and max-product belief propagation over forests, in log space (section 3.3 of the paper).

Many expressions are one disconnected forest. Messages go from the leaves to the roots, level by level, all trees at
once, and back: these two passes (T = 2 in the paper) give the exact marginals. A unary factor has one neighbour, so its
message is the unary potential itself; the rest of eqs. (12) to (16) is below. `jvgn` explains the shape suffixes.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor

from jvgn.message_schedule import Level, Schedule, schedule_of

MODEST = 20.0
"""If the highest score of every edge is smaller than this in absolute value, exponentials need no shift."""

LOG2_E = math.log2(math.e)

AnyLevel = TypeVar("AnyLevel", bound=Level)


def log_marginals(unary_KN: Tensor, pairwise_ENN: Tensor, edges_E2: Tensor | Schedule) -> Tensor:
    """Return the log-probability of each region for each node, every other node summed out: (K, N), eq. (11).

    `edges_E2` holds (subject, object) node indices and `pairwise_ENN[e, i, j]` the score of subject i with object j.
    The schedule of the edges may stand in their place. Minus infinity masks a region. A graph that no assignment
    satisfies has NaN marginals.
    """
    return sum_product(unary_KN, pairwise_ENN, schedule_of(edges_E2, len(unary_KN)))


def joint_map(unary_KN: Tensor, pairwise_ENN: Tensor, edges_E2: Tensor | Schedule) -> Tensor:
    """Return the most probable joint assignment of a region to every node: (K,), eq. (2)."""
    levels = list(schedule_of(edges_E2, len(unary_KN)))

    def best(level: Level, heard_FN: Tensor) -> Tensor:
        """Eq. (14), with the best region of the child instead of the sum over all."""
        return (level.scores(pairwise_ENN) + heard_FN[:, None, :]).amax(dim=2)

    beliefs = Beliefs(unary_KN)
    upward(beliefs, levels, best)
    region_K = beliefs.total().argmax(dim=1)  # final for the roots
    for level in reversed(levels):  # roots to leaves: the child's best region, given its parent's
        row_F = torch.arange(len(level.edge_F), device=unary_KN.device)
        given_FN = level.scores(pairwise_ENN)[row_F, region_K[level.parent_F]]
        region_K[level.child_F] = (given_FN + beliefs.of(level.child_F)).argmax(dim=1)
    return region_K


def log_partition(unary_KN: Tensor, pairwise_ENN: Tensor, levels: Iterable[Level], root_S: Tensor) -> Tensor:
    """Return (S,): the log of the sum over all joint groundings of each graph, which normalises eq. (8)."""

    def total(level: Level, heard_FN: Tensor) -> Tensor:
        """Eq. (14) with all its constants, which `Factors.message` leaves out."""
        return log_sum_exp(level.scores(pairwise_ENN) + heard_FN[:, None, :], dim=2)

    beliefs = Beliefs(unary_KN)
    upward(beliefs, levels, total)
    return log_sum_exp(beliefs.of(root_S), dim=1)


def sum_product(unary_KN: Tensor, pairwise_ENN: Tensor, schedule: Schedule, repair: bool = True) -> Tensor:
    """Return the log-marginals, as `log_marginals` does.

    Entries that are too small for the fast path are computed again in log space. Finding them synchronises with the
    device; with `repair=False` they are NaN instead.
    """
    beliefs = Beliefs(unary_KN, repair)  # eq. (12): messages start at one, their logs at zero
    with torch.autocast(unary_KN.device.type, enabled=False):
        # First pass, leaves to roots: every node hears from its children, eqs. (13) and (14).
        factors_of_levels = factors_of(schedule, pairwise_ENN, repair)
        sent = upward(beliefs, factors_of_levels, lambda factors, heard_FN: factors.message(heard_FN, to_parents=True))
        # Second pass, roots to leaves: a parent answers with all that it heard, but not from this child.
        for factors, message_FN in reversed(sent):
            heard_FN = beliefs.without(factors.parent_F, message_FN)
            beliefs.add(factors.child_F, factors.message(heard_FN, to_parents=False))
    belief_KN = beliefs.total()  # eq. (15)
    return belief_KN - log_sum_exp(belief_KN, dim=1)[:, None]  # eq. (16): in log space, softmax is normalisation


class Received(Protocol):
    """What every node has received so far; each kind of belief propagation adds up messages in its own way."""

    def of(self, node_F: Tensor) -> Tensor: ...

    def add(self, node_F: Tensor, message_FN: Tensor) -> None: ...


def upward(
    received: Received, levels: Iterable[AnyLevel], message: Callable[[AnyLevel, Tensor], Tensor]
) -> list[tuple[AnyLevel, Tensor]]:
    """Send the messages from the leaves to the roots, and return them by level.

    This is the first pass of sum-product, max-product and the k best: they differ in their messages, and in how a node
    adds up what it receives.
    """
    sent = []
    for level in levels:  # the children of this level have heard from all their own children
        message_FN = message(level, received.of(level.child_F))
        received.add(level.parent_F, message_FN)
        sent.append((level, message_FN))
    return sent


class Beliefs:
    """Running sums of the log-messages to each node, eq. (15); the products of the paper are sums here."""

    def __init__(self, unary_KN: Tensor, repair: bool = True) -> None:
        self.sum_KN = unary_KN.clone()  # the unary factor's message
        self.repair = repair
        self.blocked_KN: Tensor | None = None
        """How many messages rule a region out; None while there is no such message, which is the common case.

        Messages of minus infinity are counted here and not summed, so that they can be subtracted again.
        """

    def add(self, node_F: Tensor, message_FN: Tensor) -> None:
        if self.repair and message_FN.detach().amin().isneginf():
            blocked_FN = message_FN.isneginf()
            if self.blocked_KN is None:
                self.blocked_KN = torch.zeros_like(self.sum_KN, dtype=torch.int)
            self.blocked_KN.index_add_(0, node_F, blocked_FN.int())
            message_FN = message_FN.masked_fill(blocked_FN, 0.0)
        self.sum_KN.index_add_(0, node_F, message_FN)

    def total(self) -> Tensor:
        return self.sum_KN if self.blocked_KN is None else self.sum_KN.masked_fill(self.blocked_KN > 0, -torch.inf)

    def of(self, node_F: Tensor) -> Tensor:
        sum_FN = self.sum_KN.index_select(0, node_F)
        return sum_FN if self.blocked_KN is None else sum_FN.masked_fill(self.blocked_KN[node_F] > 0, -torch.inf)

    def without(self, node_F: Tensor, message_FN: Tensor) -> Tensor:
        """Return the beliefs of the nodes without these messages.

        Eq. (13): a variable's message to a factor leaves out what that factor sent.
        """
        if self.blocked_KN is None:
            return self.sum_KN.index_select(0, node_F) - message_FN
        blocked_FN = message_FN.isneginf()
        sum_FN = self.sum_KN[node_F] - message_FN.masked_fill(blocked_FN, 0.0)
        return sum_FN.masked_fill(self.blocked_KN[node_F] > blocked_FN.int(), -torch.inf)


@dataclass(frozen=True)
class Factors(Level):
    """The pairwise factors of a level, and the messages of sum-product through them.

    A message is the log of a matrix product, log(exp(score) · exp(heard)), both shifted to a highest entry near one;
    the few entries for which the product is too small to keep its digits are summed in log space, term by term.
    """

    score_ENN: Tensor
    """The pairwise scores of all levels."""
    shift_F1: Tensor
    factor_FNN: Tensor
    """exp(score − shift)."""
    repair: bool

    def message(self, heard_FN: Tensor, to_parents: bool) -> Tensor:
        """Return log Σ_j exp(score_ij + heard_j), eq. (14), up to a constant that cancels in the marginals."""
        heard_FN = heard_FN - finite(heard_FN.detach().amax(1, keepdim=True))  # the constant: exp cannot overflow
        heard_F1N, objects = heard_FN.exp()[:, None, :], self.objects
        # The sum over j is a product with the matrix exp(score), (parent, child) for the first edges, (child, parent)
        # for the others. A row times a matrix takes half the time of a matrix times a column.
        first_F1N = heard_F1N[:objects] @ turned(self.factor_FNN[:objects], to_parents)
        others_F1N = heard_F1N[objects:] @ turned(self.factor_FNN[objects:], not to_parents)
        sum_FN = torch.cat([first_F1N, others_F1N]).squeeze(1)
        least = torch.finfo(sum_FN.dtype).tiny ** 0.5
        if not self.repair:  # the shift is 0, or NaN if a score is too large for this path: then the message is NaN
            return sum_FN.masked_fill(sum_FN < least, torch.nan).log() + self.shift_F1
        return self.repaired(sum_FN, sum_FN < least, heard_FN, to_parents) if sum_FN.amin() < least else sum_FN.log()

    def repaired(self, sum_FN: Tensor, small_FN: Tensor, heard_FN: Tensor, to_parents: bool) -> Tensor:
        """Return the log of the sums, the small ones computed again in log space."""
        row_P, region_P = small_FN.nonzero(as_tuple=True)
        edge_P, objects = self.edge_F[row_P], int((row_P < self.objects).sum())
        first_PN = turned(self.score_ENN, not to_parents)[edge_P[:objects], region_P[:objects]]
        others_PN = turned(self.score_ENN, to_parents)[edge_P[objects:], region_P[objects:]]
        term_PN = torch.cat([first_PN, others_PN]) + heard_FN[row_P] - self.shift_F1[row_P]
        return sum_FN.masked_fill(small_FN, 1.0).log().index_put((row_P, region_P), log_sum_exp(term_PN, dim=1))


def turned(factor_FNN: Tensor, is_turned: bool) -> Tensor:
    return factor_FNN.transpose(1, 2) if is_turned else factor_FNN


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
    return [
        Factors(level.edge_F, level.child_F, level.parent_F, level.objects, pairwise_ENN, shift_F1, factor_FNN, repair)
        for level, shift_F1, factor_FNN in parts
    ]


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
