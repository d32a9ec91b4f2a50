"""Parts that several rivals share; the product score is `UnaryPotential`, the score of a pair `PairwisePotential`.

`jvgn` explains the shape suffixes; here also B the nearest other regions.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from jvgn.batches import Batch


class WordAttention(nn.Module):
    """Sum word vectors by a softmax over a linear function of their states in the sentence (CMN, VC, MAttNet)."""

    def __init__(self, state_size: int) -> None:
        super().__init__()
        self.score = nn.Linear(state_size, 1)

    def forward(self, batch: Batch, state_STL: Tensor, vector_STW: Tensor) -> Tensor:
        """Return (S, W)."""
        return (self.weights(batch, state_STL)[:, None] @ vector_STW).squeeze(1)

    def weights(self, batch: Batch, state_STL: Tensor) -> Tensor:
        logit_ST = self.score(state_STL).squeeze(-1)
        return logit_ST.masked_fill(~is_word(batch), -torch.inf).softmax(dim=1)


def is_word(batch: Batch) -> Tensor:
    """Return (S, L): whether it is a word and not padding."""
    return torch.arange(batch.word_RT.shape[1], device=batch.word_RT.device) < batch.length_R[:, None]


def last_states(batch: Batch, state_STL: Tensor, vector_STW: Tensor) -> Tensor:
    """Return (S, 2H): the state of each direction after its last word."""
    hidden = (state_STL.shape[2] - vector_STW.shape[2]) // 2
    rows = torch.arange(len(state_STL), device=state_STL.device)
    return torch.cat([state_STL[rows, batch.length_R - 1, :hidden], state_STL[:, 0, hidden : 2 * hidden]], dim=1)


def best_context(pair_SNN: Tensor, logit_SN: Tensor) -> Tensor:
    """Return (S, N): the log-probabilities of the context object, given the best referent of `logit_SN`."""
    rows = torch.arange(len(pair_SNN), device=pair_SNN.device)
    return pair_SNN[rows, logit_SN.argmax(dim=1)].log_softmax(dim=1)


def ranking_loss(batch: Batch, score_SN: Tensor, margin: float = 0.1) -> Tensor:
    """Return (S,): how much the other regions of the image lack to a margin below the right one, on average.

    The published losses draw one wrong region at random; the mean over all of them is what that estimates.
    """
    right_SN = batch.target_GN > 0
    wrong_SN = ~right_SN & batch.present_IN[batch.image_S]
    gold_S = (batch.target_GN * score_SN.masked_fill(~right_SN, 0.0)).sum(dim=1)
    lack_SN = functional.relu(margin + score_SN - gold_S[:, None]).masked_fill(~wrong_SN, 0.0)
    mean_S = lack_SN.sum(dim=1) / wrong_SN.sum(dim=1).clamp_min(1)
    return mean_S.masked_fill(~right_SN.any(dim=1), 0.0)


def unit(value: Tensor) -> Tensor:
    return functional.normalize(value, dim=-1)


class SpanAttention(nn.Module):
    """As `WordAttention`, within the words of each node or edge of the graph."""

    def __init__(self, state_size: int) -> None:
        super().__init__()
        self.score = nn.Linear(state_size, 1)

    def forward(self, state_AL: Tensor, vector_AW: Tensor, word_U: Tensor, owner_U: Tensor, count: int) -> Tensor:
        """Return (count, W). Weights stay positive: logits are kept within 20 of each other."""
        weight_U1 = (20 * (self.score(state_AL[word_U]) / 20).tanh()).exp()
        total_K1 = weight_U1.new_zeros(count, 1).index_add(0, owner_U, weight_U1)
        sum_KW = vector_AW.new_zeros(count, vector_AW.shape[1]).index_add(0, owner_U, weight_U1 * vector_AW[word_U])
        return sum_KW / total_K1


def sentence_ranking_loss(batch: Batch, score_SN: Tensor, margin: float = 0.1) -> Tensor:
    """Return (S,): how much sentences about other regions of the image lack to a margin below the right sentence."""
    target_SN = batch.target_GN
    # (S, S): how well the sentence of the column fits the gold region of the row's sentence.
    score_SS = (target_SN @ score_SN.masked_fill(score_SN.isneginf(), 0.0).T).where(
        batch.image_S[:, None] == batch.image_S, -torch.inf
    )
    same_SS = (target_SN > 0).to(score_SN.dtype) @ (target_SN > 0).to(score_SN.dtype).T > 0
    lack_SS = functional.relu(margin + score_SS - score_SS.diagonal()[:, None]).masked_fill(same_SS, 0.0)
    others_S = ((batch.image_S[:, None] == batch.image_S) & ~same_SS).sum(dim=1)
    return (lack_SS.sum(dim=1) / others_S.clamp_min(1)).masked_fill(target_SN.sum(dim=1) == 0, 0.0)


def differences(batch: Batch, feature_IND: Tensor) -> Tensor:
    """Return (I, N, D): the mean unit difference of each region's appearance to that of the others."""
    difference_INND = unit(feature_IND[:, :, None] - feature_IND[:, None])
    weight_INN = batch.present_IN[:, None].to(feature_IND.dtype) / batch.present_IN.sum(dim=1)[:, None, None]
    return (weight_INN[..., None] * difference_INND).sum(dim=2)


def offsets(batch: Batch, count: int = 5) -> Tensor:
    """Return (I, N, 25): place and size of the five nearest other regions, in units of the region's own size."""
    centre_IN2 = (batch.box_IN4[..., :2] + batch.box_IN4[..., 2:]) / 2
    size_IN2 = (batch.box_IN4[..., 2:] - batch.box_IN4[..., :2]).clamp_min(1.0)
    near_INB, is_other_INB = nearest(batch, centre_IN2, count)
    image_I11 = torch.arange(len(near_INB), device=near_INB.device)[:, None, None]
    own_IN12 = size_IN2[:, :, None]
    corners_INB4 = batch.box_IN4[image_I11, near_INB] - torch.cat([centre_IN2, centre_IN2], dim=-1)[:, :, None]
    area_INB1 = size_IN2[image_I11, near_INB].prod(dim=-1, keepdim=True) / own_IN12.prod(dim=-1, keepdim=True)
    offset_INB5 = torch.cat([corners_INB4 / torch.cat([own_IN12, own_IN12], dim=-1), area_INB1], dim=-1)
    offset_INB5 = offset_INB5.masked_fill(~is_other_INB[..., None], 0.0)
    return functional.pad(offset_INB5, (0, 0, 0, count - offset_INB5.shape[2])).flatten(2)


def nearest(batch: Batch, centre_IN2: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return (I, N, B): the nearest other regions, and whether there are so many."""
    distance_INN = (centre_IN2[:, :, None] - centre_IN2[:, None]).square().sum(dim=-1)
    itself_NN = torch.eye(distance_INN.shape[1], dtype=torch.bool, device=distance_INN.device)
    distance_INN = distance_INN.masked_fill(~batch.present_IN[:, None] | itself_NN, torch.inf)
    distance_INB, near_INB = distance_INN.topk(min(count, distance_INN.shape[2]), dim=-1, largest=False)
    return near_INB, distance_INB.isfinite()
