"""The joint visual grounding network: words and regions in, a belief over regions for every mentioned object out.

Start reading here: `JVGN.potentials` is section 3.2 of the paper, `JVGN.forward` is section 3.3.

Shape suffixes: I images, N regions an image, D visual feature size, X region size, S expressions, L words of the
longest, T = S·L, W word vector size, H hidden size, Q language size, K nodes, E edges.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from jvgn.batches import Batch
from jvgn.belief_propagation import joint_map, log_marginals
from jvgn.potentials import PairwisePotential, UnaryPotential
from jvgn.vocabulary.words import PAD

Decoding = Literal["unary", "marginal", "map"]
"""How a node gets its region: the best by its own words, by its marginal (the paper's way), or in the best joint
grounding, eq. (2)."""


@dataclass(frozen=True)
class NodeBeliefs:
    """Log-probabilities of each region for each node, and the regions of the best joint grounding."""

    unary_KN: Tensor
    """Before message passing."""
    marginal_KN: Tensor
    """After it."""
    map_K: Tensor

    def regions(self, decoding: Decoding) -> Tensor:
        """Return (K,): the region that each node is grounded in; of a referent by its marginal, eq. (1)."""
        if decoding == "map":
            return self.map_K
        return (self.unary_KN if decoding == "unary" else self.marginal_KN).argmax(dim=1)

    def entropy(self) -> Tensor:
        """Return (K,): the entropy of each node's marginal, in nats; 0 is certainty."""
        return -torch.where(self.marginal_KN.isneginf(), 0.0, self.marginal_KN.exp() * self.marginal_KN).sum(dim=1)


class LanguageEncoder(nn.Module):
    """Encode each word as w = [h_forward; h_backward; u], eqs. (3) to (5).

    The paper counts 27.64M parameters: those of two separate two-layer stacks, not of a layered bidirectional LSTM.
    """

    def __init__(self, vectors_VW: Tensor, hidden_size: int, layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        word_size = vectors_VW.shape[1]
        self.embedding = nn.Embedding.from_pretrained(vectors_VW.clone(), freeze=False, padding_idx=PAD)
        self.dropout = nn.Dropout(dropout)
        self.forward_stack = nn.LSTM(word_size, hidden_size, layers, batch_first=True)
        self.backward_stack = nn.LSTM(word_size, hidden_size, layers, batch_first=True)
        self.size = 2 * hidden_size + word_size

    def forward(self, word_SL: Tensor, length_S: Tensor) -> Tensor:
        u_SLW = self.dropout(self.embedding(word_SL))  # eq. (3)
        # Eq. (4). The backward stack reads each sentence from its last word, so padding comes after the words for both.
        reversed_SL = reversed_positions(length_S, word_SL.shape[1])
        forward_SLH, _ = self.forward_stack(u_SLW)
        backward_SLH, _ = self.backward_stack(gather_words(u_SLW, reversed_SL))
        # Eq. (5), with the backward states in the order of the words again.
        return torch.cat([forward_SLH, gather_words(backward_SLH, reversed_SL), u_SLW], dim=-1)


class JVGN(nn.Module):
    def __init__(
        self,
        vectors_VW: Tensor,
        feature_size: int,
        spatial_size: int,
        hidden_size: int,
        layers: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.language = LanguageEncoder(vectors_VW, hidden_size, layers, dropout)
        self.position = nn.Linear(5, spatial_size)
        region_size = feature_size + spatial_size
        self.unary = UnaryPotential(region_size, self.language.size)
        self.pairwise = PairwisePotential(region_size, self.language.size)

    def forward(self, batch: Batch) -> NodeBeliefs:
        unary_KN, pairwise_ENN = self.potentials(batch)
        return NodeBeliefs(
            unary_KN.log_softmax(dim=1),
            log_marginals(unary_KN, pairwise_ENN, batch.edges_E2, batch.schedule),
            joint_map(unary_KN, pairwise_ENN, batch.edges_E2, batch.schedule),
        )

    def potentials(self, batch: Batch, repair: bool = True) -> tuple[Tensor, Tensor]:
        """Return the log-potentials of eq. (8): (K, N), of each region for each node, and (E, N, N), of each pair of
        regions for each edge.
        """
        x_INX, word_TQ = self.regions(batch), self.words(batch)
        w_EQ = mean_words(word_TQ, batch.edge_word_V, batch.edge_of_V, len(batch.image_E))
        pairwise_ENN = self.pairwise(x_INX, w_EQ, batch.image_E, batch.edges_by_image, repair)
        return self.unary_logits(batch, x_INX, word_TQ), pairwise_ENN

    def referent_log_probability(self, batch: Batch, marginalise: bool, repair: bool = True) -> Tensor:
        """Return (S, N): of each referent, with its context summed out, eq. (11), or by its own phrase alone.

        Without `repair`, the device never has to wait, and all is NaN if a number of the batch lost its digits.
        """
        if not marginalise:
            unary_KN = self.unary_logits(batch, self.regions(batch), self.words(batch))
            return unary_KN[batch.referent_S].log_softmax(dim=1)
        marginal_KN = log_marginals(*self.potentials(batch, repair), batch.edges_E2, batch.schedule, repair)
        if not repair:  # one NaN anywhere would spoil the gradient, so that every loss has to show it
            marginal_KN = marginal_KN.masked_fill(marginal_KN.isnan().any(), torch.nan)
        return marginal_KN[batch.referent_S]

    def regions(self, batch: Batch) -> Tensor:
        """Return (I, N, X): x = [v; W s], the appearance and the place of each region."""
        position_INP = self.position(batch.spatial_IN5)
        return torch.cat([batch.feature_IND.to(position_INP.dtype), position_INP], dim=-1)

    def words(self, batch: Batch) -> Tensor:
        """Return (S·L, Q): the words of all expressions, padding included, end to end."""
        return self.language(batch.word_SL, batch.length_S).flatten(0, 1)

    def unary_logits(self, batch: Batch, x_INX: Tensor, word_TQ: Tensor) -> Tensor:
        """Return (K, N), with the padding regions of smaller images masked."""
        w_KQ = mean_words(word_TQ, batch.node_word_U, batch.node_of_U, len(batch.image_K))
        unary_KN = self.unary(x_INX, w_KQ, batch.image_K, batch.nodes_by_image)
        return unary_KN.masked_fill(~batch.present_IN[batch.image_K], -torch.inf)


def reversed_positions(length_S: Tensor, longest: int) -> Tensor:
    """Return (S, L): each sentence's positions back to front; padding stays in its place."""
    position_L = torch.arange(longest, device=length_S.device)
    mirrored_SL = length_S[:, None] - 1 - position_L
    return torch.where(mirrored_SL >= 0, mirrored_SL, position_L)


def gather_words(value_SLH: Tensor, position_SL: Tensor) -> Tensor:
    return value_SLH.gather(1, position_SL[:, :, None].expand(-1, -1, value_SLH.shape[2]))


def mean_words(word_TQ: Tensor, word_U: Tensor, owner_U: Tensor, count: int) -> Tensor:
    """Return (count, Q): the mean of the words of each node or edge, eq. (6)."""
    sum_KQ = word_TQ.new_zeros(count, word_TQ.shape[1]).index_add(0, owner_U, word_TQ[word_U])
    # Not torch.bincount: it asks the device for the highest index.
    words_K = owner_U.new_zeros(count).index_add(0, owner_U, torch.ones_like(owner_U))
    return sum_KQ / words_K[:, None]


def divergence(log_probability_SN: Tensor, target_SN: Tensor) -> Tensor:
    """Return (S,): KL(target ‖ probability), eqs. (17) and (20); for a one-hot target −log P(gold), eq. (18).

    A target of zeros gives zero. The 1/N that eq. (20) prints is left out: it is not part of a divergence.
    """
    inside_SN = target_SN > 0
    log_ratio_SN = target_SN.masked_fill(~inside_SN, 1.0).log() - log_probability_SN.masked_fill(~inside_SN, 0.0)
    return (target_SN * log_ratio_SN).sum(dim=1)
