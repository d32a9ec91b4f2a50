"""The joint visual grounding network: words and regions in, a belief over regions for every mentioned object out.

Shape suffixes: I images, N regions an image, D visual feature size, X region size, S expressions, L words of the
longest, T = S·L, W word vector size, H hidden size, Q language size, K nodes, E edges.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from jvgn.batches import Batch
from jvgn.belief_propagation import joint_map, log_marginals
from jvgn.joint_decoding import best_joint
from jvgn.potentials import PairwisePotential, UnaryPotential
from jvgn.vocabulary.words import PAD

Decoding = Literal["unary", "marginal", "map"]
"""By the node's own words, by its marginal (the paper's), or as the best joint grounding has it (its equation 2)."""


@dataclass(frozen=True)
class NodeBeliefs:
    """What is known of each node: log-probabilities of each region, and the regions of the best joint grounding."""

    unary_KN: Tensor
    """Before message passing."""
    marginal_KN: Tensor
    """After it."""
    map_K: Tensor

    def regions(self, decoding: Decoding) -> Tensor:
        """(K,): the region that each node is grounded in."""
        if decoding == "map":
            return self.map_K
        return (self.unary_KN if decoding == "unary" else self.marginal_KN).argmax(dim=1)

    def entropy(self) -> Tensor:
        """(K,): of each node's marginal, in nats; 0 is certainty."""
        return -torch.where(self.marginal_KN.isneginf(), 0.0, self.marginal_KN.exp() * self.marginal_KN).sum(dim=1)


class LanguageEncoder(nn.Module):
    """Each word as [h_forward; h_backward; u]: two separate stacks of LSTMs over its vector u, and u itself."""

    def __init__(self, vectors_VW: Tensor, hidden_size: int, layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        word_size = vectors_VW.shape[1]
        self.embedding = nn.Embedding.from_pretrained(vectors_VW.clone(), freeze=False, padding_idx=PAD)
        self.dropout = nn.Dropout(dropout)
        self.forward_stack = nn.LSTM(word_size, hidden_size, layers, batch_first=True)
        self.backward_stack = nn.LSTM(word_size, hidden_size, layers, batch_first=True)
        self.size = 2 * hidden_size + word_size

    def forward(self, word_SL: Tensor, length_S: Tensor) -> Tensor:
        u_SLW = self.dropout(self.embedding(word_SL))
        reversed_SL = reversed_positions(length_S, word_SL.shape[1])
        forward_SLH, _ = self.forward_stack(u_SLW)
        backward_SLH, _ = self.backward_stack(gather_words(u_SLW, reversed_SL))
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
            log_marginals(unary_KN, pairwise_ENN, batch.edges_E2),
            joint_map(unary_KN, pairwise_ENN, batch.edges_E2),
        )

    def best_groundings(self, batch: Batch, k: int) -> tuple[Tensor, Tensor]:
        """(K, k) regions and (S, k) log-probabilities of each expression's k most probable joint groundings."""
        return best_joint(*self.potentials(batch), batch.edges_E2, batch.expression_K, k)

    def potentials(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The logits of each region for each node, (K, N), and of each pair of regions for each edge, (E, N, N)."""
        x_INX, word_TQ = self.regions(batch), self.words(batch)
        w_EQ = mean_words(word_TQ, batch.edge_word_V, batch.edge_of_V, len(batch.image_E))
        return self.unary_logits(batch, x_INX, word_TQ), self.pairwise(x_INX, w_EQ, batch.image_E)

    def referent_log_probability(self, batch: Batch, marginalise: bool) -> Tensor:
        """(S, N): of the referents, with their context summed out or by their own phrase alone."""
        if marginalise:
            return log_marginals(*self.potentials(batch), batch.edges_E2)[batch.referent_S]
        unary_KN = self.unary_logits(batch, self.regions(batch), self.words(batch))
        return unary_KN[batch.referent_S].log_softmax(dim=1)

    def regions(self, batch: Batch) -> Tensor:
        """(I, N, X): what each region looks like and where it is."""
        position_INP = self.position(batch.spatial_IN5)
        return torch.cat([batch.feature_IND.to(position_INP.dtype), position_INP], dim=-1)

    def words(self, batch: Batch) -> Tensor:
        """(S·L, Q): the words of all expressions, padding included, end to end."""
        return self.language(batch.word_SL, batch.length_S).flatten(0, 1)

    def unary_logits(self, batch: Batch, x_INX: Tensor, word_TQ: Tensor) -> Tensor:
        """(K, N), with the regions that an image does not have masked."""
        w_KQ = mean_words(word_TQ, batch.node_word_U, batch.node_of_U, len(batch.image_K))
        unary_KN = self.unary(x_INX, w_KQ, batch.image_K)
        return unary_KN.masked_fill(~batch.present_IN[batch.image_K], -torch.inf)


def reversed_positions(length_S: Tensor, longest: int) -> Tensor:
    """(S, L): each sentence's positions back to front; padding stays where it is."""
    position_L = torch.arange(longest, device=length_S.device)
    mirrored_SL = length_S[:, None] - 1 - position_L
    return torch.where(mirrored_SL >= 0, mirrored_SL, position_L)


def gather_words(value_SLH: Tensor, position_SL: Tensor) -> Tensor:
    return value_SLH.gather(1, position_SL[:, :, None].expand(-1, -1, value_SLH.shape[2]))


def mean_words(word_TQ: Tensor, word_U: Tensor, owner_U: Tensor, count: int) -> Tensor:
    """(count, Q): the mean of the words that each node or edge was read from."""
    sum_KQ = word_TQ.new_zeros(count, word_TQ.shape[1]).index_add(0, owner_U, word_TQ[word_U])
    return sum_KQ / torch.bincount(owner_U, minlength=count)[:, None]


def divergence(log_probability_SN: Tensor, target_SN: Tensor) -> Tensor:
    """(S,): KL(target ‖ probability); for a one-hot target, −log P(gold). A target of zeros gives zero."""
    inside_SN = target_SN > 0
    log_ratio_SN = target_SN.masked_fill(~inside_SN, 1.0).log() - log_probability_SN.masked_fill(~inside_SN, 0.0)
    return (target_SN * log_ratio_SN).sum(dim=1)
