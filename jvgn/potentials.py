"""Score how well regions agree with words: the unary and binary potentials of eqs. (9) and (10), as logits.

The paper's softmax shifts the log of a factor by a constant, which cancels in normalised marginals, so it is left out.

No pair of regions is ever concatenated. With B = [B_s B_o], a_i = B_s x_i + b and c_j = B_o x_j, eq. (10) is
    f·normalise((a_i + c_j) ⊙ w) = ((f⊙w)·a_i + (f⊙w)·c_j) / sqrt(w²·a_i² + w²·c_j² + 2 (a_i⊙w²)·c_j),
matrix products only; a and c are computed once an image and shared by all its expressions.

`jvgn` explains the shape suffixes.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

from jvgn.message_schedule import Grouping, grouping_of

SMALLEST_NORM = 1e-12
CANCELLED = 1e-2
"""If the squared norm is below this fraction of the sum of its squares, cancellation has destroyed its precision."""


class UnaryPotential(nn.Module):
    """Eq. (9): θ(i) = f·normalise((U x_i + b) ⊙ w) + c."""

    def __init__(self, region_size: int, language_size: int) -> None:
        super().__init__()
        self.project = nn.Linear(region_size, language_size)
        self.score = nn.Linear(language_size, 1)

    def forward(self, x_INX: Tensor, w_KL: Tensor, image_K: Tensor | Grouping) -> Tensor:
        """Return (K, N): the logit of each region of node k's image, which is `image_K[k]`.

        The grouping of the nodes by image may stand in the place of `image_K`.
        """
        projected_INL = self.project(x_INX)  # the inner fc, once for each region
        group = grouping_of(image_K, len(x_INX))
        with torch.autocast(x_INX.device.type, enabled=False):  # norms need all digits of float32
            projected_INL, w_KL = full_precision(projected_INL), full_precision(w_KL)
            weight_KL = w_KL * self.score.weight  # f⊙w: the outer fc, taken into w
            # f·((U x + b) ⊙ w) and the norm of (U x + b) ⊙ w, as products of all nodes with all regions of an image.
            numerator_KN = group.collect(group.spread(weight_KL) @ projected_INL.transpose(1, 2))
            squared_KN = group.collect(group.spread(w_KL.square()) @ projected_INL.square().transpose(1, 2))
            return numerator_KN / norm(squared_KN) + self.score.bias

    def direct(self, x_INX: Tensor, w_KL: Tensor, image_K: Tensor) -> Tensor:
        """Return the same by the plain definition."""
        projected_INL = self.project(x_INX)
        mixed_KNL = projected_INL[image_K] * w_KL[:, None, :]
        return self.score(functional.normalize(mixed_KNL, dim=-1, eps=SMALLEST_NORM)).squeeze(-1)


class PairwisePotential(nn.Module):
    """Eq. (10): θ(i, j) = f·normalise((B [x_i; x_j] + b) ⊙ w) + c; i is the subject's region, j the object's."""

    def __init__(self, region_size: int, language_size: int) -> None:
        super().__init__()
        self.project = nn.Linear(2 * region_size, language_size)
        self.score = nn.Linear(language_size, 1)

    def forward(self, x_INX: Tensor, w_EL: Tensor, image_E: Tensor | Grouping) -> Tensor:
        """Return (E, N, N): the logit of each pair of regions of edge e's image, which is `image_E[e]`.

        The grouping of the edges by image may stand in the place of `image_E`.
        """
        return self.logits(x_INX, w_EL, grouping_of(image_E, len(x_INX)))

    def logits(self, x_INX: Tensor, w_EL: Tensor, group: Grouping, repair: bool = True) -> Tensor:
        """Return the same for edges that are grouped by image.

        Pairs whose norm lost its precision to cancellation are computed again, term by term. Finding them synchronises
        with the device; with `repair=False` they are NaN instead.
        """
        a_INL, c_INL = self.projected(x_INX)  # the inner fc, once for each region as subject and as object
        with torch.autocast(x_INX.device.type, enabled=False):  # norms need all digits of float32
            a_INL, c_INL, w_EL = full_precision(a_INL), full_precision(c_INL), full_precision(w_EL)
            a_INL = a_INL + self.project.bias  # a = B_s x + b, c = B_o x
            # f⊙w and w², so that the three sums of the module's docstring are products with a and c.
            weight_IJL, squared_IJL = group.spread(w_EL * self.score.weight), group.spread(w_EL.square())
            numerator_ENN = pair_sums(group, weight_IJL, a_INL, c_INL)  # (f⊙w)·a_i + (f⊙w)·c_j
            squares_ENN = pair_sums(group, squared_IJL, a_INL.square(), c_INL.square())  # w²·a_i² + w²·c_j²
            norm_ENN = squares_ENN + 2 * cross_sums(group, squared_IJL, a_INL, c_INL)  # + 2 (a_i⊙w²)·c_j
            # "left of" wants c_j ≈ −a_i: then the squared norm is a small difference of large numbers.
            cancelled_ENN = norm_ENN < CANCELLED * squares_ENN
            cosine_ENN = numerator_ENN / norm(norm_ENN.masked_fill(cancelled_ENN, 1.0))
            if repair:
                cosine_ENN = self.repaired(cosine_ENN, cancelled_ENN, a_INL, c_INL, w_EL, group.image_K)
            else:
                cosine_ENN = cosine_ENN.masked_fill(cancelled_ENN, torch.nan)
            return cosine_ENN + self.score.bias

    def projected(self, x_INX: Tensor) -> tuple[Tensor, Tensor]:
        """Return B_s x and B_o x by one product: the weight seen as (Z = 2L, X) alternates rows of B_s and B_o."""
        language_size, pair_size = self.project.weight.shape
        turns_ZX = self.project.weight.view(2 * language_size, pair_size // 2)
        a_INL, c_INL = functional.linear(x_INX, turns_ZX).unflatten(-1, (language_size, 2)).unbind(-1)
        return a_INL, c_INL.contiguous()

    def repaired(
        self, cosine_ENN: Tensor, cancelled_ENN: Tensor, a_INL: Tensor, c_INL: Tensor, w_EL: Tensor, image_E: Tensor
    ) -> Tensor:
        """Return `cosine_ENN` with the cancelled pairs computed term by term."""
        edge_P, subject_P, object_P = cancelled_ENN.nonzero(as_tuple=True)
        if not len(edge_P):
            return cosine_ENN
        image_P = image_E[edge_P]
        mixed_PL = (a_INL[image_P, subject_P] + c_INL[image_P, object_P]) * w_EL[edge_P]
        exact_P = functional.linear(functional.normalize(mixed_PL, dim=1, eps=SMALLEST_NORM), self.score.weight)
        return cosine_ENN.index_put((edge_P, subject_P, object_P), exact_P.squeeze(1))

    def direct(self, x_INX: Tensor, w_EL: Tensor, image_E: Tensor) -> Tensor:
        """Return the same by the plain definition: the layer over concatenated pairs, once an image."""
        region_count = x_INX.shape[1]
        logit_ENN = x_INX.new_empty(len(w_EL), region_count, region_count)
        for image, x_NX in enumerate(x_INX):
            edge_F = (image_E == image).nonzero().squeeze(1)
            pair_NNX = torch.cat(
                [
                    x_NX[:, None].expand(-1, region_count, -1),
                    x_NX[None].expand(region_count, -1, -1),
                ],
                dim=-1,
            )
            projected_NNL = self.project(pair_NNX)
            logits = []
            for w_L in w_EL[edge_F]:
                mixed_NNL = functional.normalize(projected_NNL * w_L, dim=-1, eps=SMALLEST_NORM)
                logits.append(self.score(mixed_NNL).squeeze(-1))
            if logits:
                logit_ENN = logit_ENN.index_put((edge_F,), torch.stack(logits))
        return logit_ENN


def full_precision(value: Tensor) -> Tensor:
    return value.float() if value.dtype in (torch.float16, torch.bfloat16) else value


def norm(squared: Tensor) -> Tensor:
    return squared.clamp_min(SMALLEST_NORM**2).sqrt()


def pair_sums(group: Grouping, weight_IJL: Tensor, subject_INL: Tensor, object_INL: Tensor) -> Tensor:
    """Return (E, N, N): weight·subject_i + weight·object_j."""
    subject_EN = group.collect(weight_IJL @ subject_INL.transpose(1, 2))
    object_EN = group.collect(weight_IJL @ object_INL.transpose(1, 2))
    return subject_EN[:, :, None] + object_EN[:, None, :]


def cross_sums(group: Grouping, weight_IJL: Tensor, subject_INL: Tensor, object_INL: Tensor) -> Tensor:
    """Return (E, N, N): (weight ⊙ subject_i)·object_j, one product for all edges of an image."""
    weighted_IZL = WeightedSubjects.apply(weight_IJL, subject_INL)
    cross_IZN = weighted_IZL @ object_INL.transpose(1, 2)
    return group.collect(cross_IZN.unflatten(1, (group.size, subject_INL.shape[1])))


class WeightedSubjects(torch.autograd.Function):
    """(I, Z, L): every weight ⊙ every subject of its image.

    This is the largest tensor of a step. Autograd would allocate two more tensors of this size; this backward pass
    handles one image at a time.
    """

    @staticmethod
    def forward(ctx: Any, weight_IJL: Tensor, subject_INL: Tensor) -> Tensor:
        ctx.save_for_backward(weight_IJL, subject_INL)
        return (subject_INL[:, None] * weight_IJL[:, :, None]).flatten(1, 2)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient_IZL: Tensor) -> tuple[Tensor, Tensor]:
        weight_IJL, subject_INL = ctx.saved_tensors
        gradient_IJNL = gradient_IZL.unflatten(1, (weight_IJL.shape[1], subject_INL.shape[1]))
        to_weight_IJL, to_subject_INL = torch.empty_like(weight_IJL), torch.empty_like(subject_INL)
        for image, gradient_JNL in enumerate(gradient_IJNL):
            to_weight_IJL[image] = (gradient_JNL * subject_INL[image]).sum(1)
            to_subject_INL[image] = (gradient_JNL * weight_IJL[image][:, None]).sum(0)
        return to_weight_IJL, to_subject_INL
