"""How well regions agree with words: unary and pairwise log-potentials, without ever pairing regions explicitly.

With B = [B_s B_o], a_i = B_s x_i + b and c_j = B_o x_j, the pairwise logit is
    f·normalise((a_i + c_j) ⊙ w) = ((f⊙w)·a_i + (f⊙w)·c_j) / sqrt(w²·a_i² + w²·c_j² + 2 (a_i⊙w²)·c_j),
matrix products only; a and c are computed once an image and shared by all its expressions.

Shape suffixes: I images, N regions an image, X region size, L language size, K nodes, E edges, G the most nodes or
edges of one image, P single pairs of regions, T = 2L.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

SMALLEST_NORM = 1e-12
CANCELLED = 1e-2
"""Below this share of its two squares, a squared norm is a difference of large numbers and is computed again."""


class Grouping:
    """Rows that belong to images, laid out as (I, G) so that one batched product serves all images."""

    def __init__(self, image_K: Tensor, image_count: int) -> None:
        order_K = image_K.argsort(stable=True)
        count_I = torch.bincount(image_K, minlength=image_count)
        start_I = count_I.cumsum(0) - count_I
        place_K = torch.empty_like(image_K)
        place_K[order_K] = torch.arange(len(image_K), device=image_K.device) - start_I[image_K[order_K]]
        self.image_K, self.place_K = image_K, place_K
        self.image_count = image_count
        self.size = int(count_I.max()) if len(image_K) else 0

    def spread(self, value_KL: Tensor) -> Tensor:
        """(I, G, L), zero where an image has fewer rows."""
        spread_IGL = value_KL.new_zeros(self.image_count, self.size, value_KL.shape[1])
        return spread_IGL.index_put((self.image_K, self.place_K), value_KL)

    def collect(self, value_IGN: Tensor) -> Tensor:
        return value_IGN[self.image_K, self.place_K]


class UnaryPotential(nn.Module):
    """θ(i) = f·normalise((U x_i + b) ⊙ w) + c."""

    def __init__(self, region_size: int, language_size: int) -> None:
        super().__init__()
        self.project = nn.Linear(region_size, language_size)
        self.score = nn.Linear(language_size, 1)

    def forward(self, x_INX: Tensor, w_KL: Tensor, image_K: Tensor) -> Tensor:
        """(K, N): the logit of each region of node k's image, `image_K` saying which image that is."""
        projected_INL = self.project(x_INX)
        with torch.autocast(x_INX.device.type, enabled=False):
            projected_INL, w_KL = full_precision(projected_INL), full_precision(w_KL)
            group = Grouping(image_K, len(x_INX))
            weight_KL = w_KL * self.score.weight
            numerator_KN = group.collect(group.spread(weight_KL) @ projected_INL.transpose(1, 2))
            squared_KN = group.collect(group.spread(w_KL.square()) @ projected_INL.square().transpose(1, 2))
            return numerator_KN / norm(squared_KN) + self.score.bias

    def direct(self, x_INX: Tensor, w_KL: Tensor, image_K: Tensor) -> Tensor:
        """The plain definition."""
        projected_INL = self.project(x_INX)
        mixed_KNL = projected_INL[image_K] * w_KL[:, None, :]
        return self.score(functional.normalize(mixed_KNL, dim=-1, eps=SMALLEST_NORM)).squeeze(-1)


class PairwisePotential(nn.Module):
    """θ(i, j) = f·normalise((B [x_i; x_j] + b) ⊙ w) + c; i is the subject's region, j the object's."""

    def __init__(self, region_size: int, language_size: int) -> None:
        super().__init__()
        self.project = nn.Linear(2 * region_size, language_size)
        self.score = nn.Linear(language_size, 1)

    def forward(self, x_INX: Tensor, w_EL: Tensor, image_E: Tensor) -> Tensor:
        """(E, N, N): the logit of each pair of regions of edge e's image."""
        a_INL, c_INL = self.projected(x_INX)
        with torch.autocast(x_INX.device.type, enabled=False):
            a_INL, c_INL, w_EL = full_precision(a_INL), full_precision(c_INL), full_precision(w_EL)
            a_INL = a_INL + self.project.bias
            group = Grouping(image_E, len(x_INX))
            weight_IGL, squared_IGL = group.spread(w_EL * self.score.weight), group.spread(w_EL.square())
            numerator_ENN = pair_sums(group, weight_IGL, a_INL, c_INL)
            squares_ENN = pair_sums(group, squared_IGL, a_INL.square(), c_INL.square())
            norm_ENN = squares_ENN + 2 * cross_sums(group, squared_IGL, a_INL, c_INL)
            cancelled_ENN = norm_ENN < CANCELLED * squares_ENN
            cosine_ENN = numerator_ENN / norm(norm_ENN.masked_fill(cancelled_ENN, 1.0))
            return self.mended(cosine_ENN, cancelled_ENN, a_INL, c_INL, w_EL, image_E) + self.score.bias

    def projected(self, x_INX: Tensor) -> tuple[Tensor, Tensor]:
        """B_s x and B_o x, by one product: the rows of (L, 2X), cut in two, are those of B_s and B_o by turns."""
        language_size, pair_size = self.project.weight.shape
        turns_TX = self.project.weight.view(2 * language_size, pair_size // 2)
        a_INL, c_INL = functional.linear(x_INX, turns_TX).unflatten(-1, (language_size, 2)).unbind(-1)
        return a_INL, c_INL.contiguous()

    def mended(
        self, cosine_ENN: Tensor, cancelled_ENN: Tensor, a_INL: Tensor, c_INL: Tensor, w_EL: Tensor, image_E: Tensor
    ) -> Tensor:
        """`cosine_ENN`, with the pairs that lost their digits to cancellation computed term by term."""
        edge_P, subject_P, object_P = cancelled_ENN.nonzero(as_tuple=True)
        if not len(edge_P):
            return cosine_ENN
        image_P = image_E[edge_P]
        mixed_PL = (a_INL[image_P, subject_P] + c_INL[image_P, object_P]) * w_EL[edge_P]
        exact_P = functional.linear(functional.normalize(mixed_PL, dim=1, eps=SMALLEST_NORM), self.score.weight)
        return cosine_ENN.index_put((edge_P, subject_P, object_P), exact_P.squeeze(1))

    def direct(self, x_INX: Tensor, w_EL: Tensor, image_E: Tensor) -> Tensor:
        """The plain definition: the layer over concatenated pairs once an image, reused by its edges."""
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


def pair_sums(group: Grouping, weight_IGL: Tensor, subject_INL: Tensor, object_INL: Tensor) -> Tensor:
    """(E, N, N): weight·subject_i + weight·object_j."""
    subject_EN = group.collect(weight_IGL @ subject_INL.transpose(1, 2))
    object_EN = group.collect(weight_IGL @ object_INL.transpose(1, 2))
    return subject_EN[:, :, None] + object_EN[:, None, :]


def cross_sums(group: Grouping, weight_IGL: Tensor, subject_INL: Tensor, object_INL: Tensor) -> Tensor:
    """(E, N, N): (weight ⊙ subject_i)·object_j; all edges of an image meet its objects in one product."""
    weighted_IPL = Weighted.apply(weight_IGL, subject_INL)
    cross_IPN = weighted_IPL @ object_INL.transpose(1, 2)
    return group.collect(cross_IPN.unflatten(1, (group.size, subject_INL.shape[1])))


class Weighted(torch.autograd.Function):
    """(I, G·N, L): every weight ⊙ every subject of its image.

    This is the largest tensor of a step. Autograd would make two more of its size on the way back; image by image,
    what is made stays small.
    """

    @staticmethod
    def forward(ctx: Any, weight_IGL: Tensor, subject_INL: Tensor) -> Tensor:
        ctx.save_for_backward(weight_IGL, subject_INL)
        return (subject_INL[:, None] * weight_IGL[:, :, None]).flatten(1, 2)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient_IPL: Tensor) -> tuple[Tensor, Tensor]:
        weight_IGL, subject_INL = ctx.saved_tensors
        gradient_IGNL = gradient_IPL.unflatten(1, (weight_IGL.shape[1], subject_INL.shape[1]))
        to_weight_IGL, to_subject_INL = torch.empty_like(weight_IGL), torch.empty_like(subject_INL)
        for image, gradient_GNL in enumerate(gradient_IGNL):
            to_weight_IGL[image] = (gradient_GNL * subject_INL[image]).sum(1)
            to_subject_INL[image] = (gradient_GNL * weight_IGL[image][:, None]).sum(0)
        return to_weight_IGL, to_subject_INL
