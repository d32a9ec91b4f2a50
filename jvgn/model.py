"""The joint visual grounding network: words and regions in, a belief over regions for every mentioned object out.

Start reading here: `JVGN.potentials` is section 3.2 of the paper, `JVGN.forward` is section 3.3, `JVGN.loss` is the
objective.

`jvgn` explains the shape suffixes.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import torch
from torch import Tensor, nn

from jvgn.batches import Batch
from jvgn.belief_propagation import joint_map, log_marginals, sum_product
from jvgn.joint_decoding import distinct_joint
from jvgn.message_schedule import Grouping
from jvgn.potentials import PairwisePotential, UnaryPotential
from jvgn.vocabulary.words import PAD

Decoding = Literal["unary", "marginal", "map", "distinct"]
"""How a node gets its region: the best before message passing, by its marginal (the paper's way), in the best joint
grounding, eq. (2), or in the best one that uses no region twice."""


@dataclass(frozen=True)
class NodeBeliefs:
    """Log-probabilities of each region for each node, and the regions of the best joint grounding."""

    unary_KN: Tensor
    """Before message passing."""
    marginal_KN: Tensor
    """After it."""
    map_K: Tensor
    distinct_K: Tensor | None = None
    """Regions of the best joint grounding that uses no region twice, if asked for."""
    not_found_K: Tensor | None = None
    """The probability of "not found", if the potentials have that state. The other beliefs are given "found"."""

    @classmethod
    def of(cls, batch: Batch, unary_KN: Tensor, pairwise_ENN: Tensor, distinct: bool = False) -> Self:
        """Return the beliefs that log-potentials imply, whether a network or rules give them."""
        return cls(
            unary_KN.log_softmax(dim=1),
            log_marginals(unary_KN, pairwise_ENN, batch.schedule),
            joint_map(unary_KN, pairwise_ENN, batch.schedule),
            distinct_joint(unary_KN, pairwise_ENN, batch.edges_E2, batch.expression_K) if distinct else None,
        )

    def regions(self, decoding: Decoding) -> Tensor:
        """Return (K,): the region of each node. With "marginal", this is eq. (1) for the referent."""
        if decoding == "map":
            return self.map_K
        if decoding == "distinct":
            assert self.distinct_K is not None
            return self.distinct_K
        return (self.unary_KN if decoding == "unary" else self.marginal_KN).argmax(dim=1)

    def entropy(self) -> Tensor:
        """Return (K,): the entropy of each node's marginal, in nats; 0 is certainty."""
        return -torch.where(self.marginal_KN.isneginf(), 0.0, self.marginal_KN.exp() * self.marginal_KN).sum(dim=1)


@dataclass(frozen=True)
class ReferentBeliefs:
    """Log-probabilities of the regions. A model has those of all nodes, of one context object, or of neither."""

    referent_SN: Tensor
    node_KN: Tensor | None = None
    """Of every node; those of the referents are `referent_SN`."""
    unary_KN: Tensor | None = None
    """Of every node by its own words alone."""
    context_SN: Tensor | None = None
    """Of the one object that helps to find the referent, given the most probable referent."""
    score_SN: Tensor | None = None
    """What the model's own loss compares, if that is not the default."""


@dataclass(frozen=True)
class Sizes:
    """The sizes that a model is made with, and the shares that dropout sets to 0."""

    feature: int
    spatial: int
    hidden: int
    layers: int
    dropout: float = 0.0
    feature_dropout: float = 0.0


class GroundingModel(nn.Module):
    """All that a training knows about a model: the paper's, or one of `jvgn.rivals`."""

    position: nn.Linear
    """Embeds the position of a region."""

    def beliefs(self, batch: Batch, repair: bool = True) -> ReferentBeliefs:
        """Return the beliefs to learn from. For `repair` see `JVGN.log_probability`."""
        raise NotImplementedError

    def loss(self, batch: Batch, beliefs: Any) -> Tensor:
        """Return (G,): the loss of each labelled node, zero if no region fits it."""
        raise NotImplementedError


class Encoded(NamedTuple):
    """A mini-batch as vectors."""

    x_INX: Tensor
    w_KL: Tensor
    w_EL: Tensor


@dataclass(frozen=True, kw_only=True)
class LabelledBeliefs(ReferentBeliefs):
    """The beliefs of all labelled nodes, among them the referents."""

    labelled_GN: Tensor
    image_K: Tensor | None
    """Log-probability of its own image for each node, if the loss needs it."""


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

    def forward(self, word_RT: Tensor, length_R: Tensor) -> Tensor:
        u_RTW = self.dropout(self.embedding(word_RT))  # eq. (3)
        # Eq. (4). The backward stack reads each row from its last word, so padding comes after the words for both.
        reversed_RT = reversed_positions(length_R, word_RT.shape[1])
        forward_RTH, _ = self.forward_stack(u_RTW)
        backward_RTH, _ = self.backward_stack(gather_words(u_RTW, reversed_RT))
        # Eq. (5), with the backward states in the order of the words again.
        return torch.cat([forward_RTH, gather_words(backward_RTH, reversed_RT), u_RTW], dim=-1)


class JVGN(GroundingModel):
    """The paper's network: words and regions to potentials (section 3.2), then to marginals (section 3.3)."""

    def __init__(
        self,
        vectors_VW: Tensor,
        feature_size: int,
        spatial_size: int,
        hidden_size: int,
        layers: int,
        distinct: float = 0.0,
        dropout: float = 0.0,
        feature_dropout: float = 0.0,
        rules: bool = False,
        marginalise: bool = True,
        contrast: float = 0.0,
    ) -> None:
        """`marginalise` and `contrast` are about the loss; see `jvgn.settings.run.TrainingSettings`."""
        super().__init__()
        self.distinct, self.marginalise, self.contrast = distinct, marginalise, contrast
        # Not in the paper: scales of the rules' unary and pairwise log-potentials, which are added to the network's.
        self.rule_scale = nn.Parameter(torch.ones(2)) if rules else None
        self.feature_dropout = nn.Dropout(feature_dropout)
        self.language = LanguageEncoder(vectors_VW, hidden_size, layers, dropout)
        self.position = nn.Linear(5, spatial_size)
        region_size = feature_size + spatial_size
        self.unary = UnaryPotential(region_size, self.language.size)
        self.pairwise = PairwisePotential(region_size, self.language.size)

    def forward(self, batch: Batch, distinct: bool = False) -> NodeBeliefs:
        return NodeBeliefs.of(batch, *self.potentials(batch), distinct)

    def potentials(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the log-potentials of eq. (8): (K, N), of each region for each node, and (E, N, N), of each pair of
        regions for each edge.
        """
        encoded = self.encode(batch)
        pairwise_ENN = self.pairwise_logits(batch, encoded)
        return self.unary_logits(batch, encoded), pairwise_ENN

    def pairwise_logits(self, batch: Batch, encoded: Encoded, repair: bool = True) -> Tensor:
        """Return (E, N, N). For `repair` see `PairwisePotential.logits`."""
        pairwise_ENN = self.pairwise.logits(encoded.x_INX, encoded.w_EL, batch.edges_by_image, repair)
        if self.distinct:  # not in the paper: the two ends of an edge are different objects
            pairwise_ENN = pairwise_ENN - self.distinct * torch.eye(pairwise_ENN.shape[2]).to(pairwise_ENN)
        if self.rule_scale is not None:
            assert batch.rule_pairwise_ENN is not None
            pairwise_ENN = pairwise_ENN + self.rule_scale[1] * batch.rule_pairwise_ENN
        return pairwise_ENN

    def encode(self, batch: Batch) -> Encoded:
        """Return the regions, and the words of each node and edge, eq. (6)."""
        word_AL = self.words(batch)  # eqs. (3) to (5)
        return Encoded(
            self.regions(batch),
            mean_words(word_AL, batch.node_word_U, batch.node_of_U, len(batch.image_K)),
            mean_words(word_AL, batch.edge_word_V, batch.edge_of_V, len(batch.image_E)),
        )

    def log_probability(
        self,
        batch: Batch,
        node_G: Tensor,
        marginalise: bool,
        repair: bool = True,
        encoded: Encoded | None = None,
    ) -> Tensor:
        """Return (G, N): log-probabilities of the regions of some nodes.

        They are marginals, eq. (11), or without `marginalise` the softmax of the nodes' own unary potentials. With
        `repair=False` there is no device synchronisation; if any entry lost precision, the whole result is NaN.
        """
        encoded = encoded or self.encode(batch)
        if not marginalise:
            return self.unary_logits(batch, encoded)[node_G].log_softmax(dim=1)
        pairwise_ENN = self.pairwise_logits(batch, encoded, repair)  # eqs. (9) and (10)
        marginal_KN = sum_product(self.unary_logits(batch, encoded), pairwise_ENN, batch.schedule, repair)
        if not repair:  # a NaN in any node spoils the gradient, so make every loss NaN
            marginal_KN = marginal_KN.masked_fill(marginal_KN.isnan().any(), torch.nan)
        return marginal_KN[node_G]

    def beliefs(self, batch: Batch, repair: bool = True) -> LabelledBeliefs:
        encoded = self.encode(batch)
        labelled_GN = self.log_probability(batch, batch.labelled_G, self.marginalise, repair, encoded)
        # Every referent is labelled; the other labelled nodes are the phrases or context that `supervise` adds.
        row_G = torch.arange(len(labelled_GN), device=labelled_GN.device)
        row_K = torch.zeros_like(batch.image_K).scatter(0, batch.labelled_G, row_G)
        image_K = self.image_log_probability(batch, encoded) if self.contrast else None
        return LabelledBeliefs(labelled_GN[row_K[batch.referent_S]], labelled_GN=labelled_GN, image_K=image_K)

    def loss(self, batch: Batch, beliefs: LabelledBeliefs) -> Tensor:
        """Return (G,): the loss of each labelled node, eqs. (17) to (20), zero if no region fits it."""
        loss_G = divergence(beliefs.labelled_GN.float(), batch.target_GN)
        if beliefs.image_K is not None:
            mistaken = -beliefs.image_K.float().mean()
            loss_G = loss_G + self.contrast * mistaken * (batch.target_GN.sum(dim=1) > 0)
        return loss_G

    def image_log_probability(self, batch: Batch, encoded: Encoded) -> Tensor:
        """Return (K,): log-probability that a node's words describe its own image, among the images of the mini-batch.

        An image scores as its best region does, by the network alone. Not in the paper.
        """
        images, regions, size = encoded.x_INX.shape
        nodes = torch.arange(len(batch.image_K), device=batch.image_K.device)
        as_one = Grouping(torch.zeros_like(nodes), nodes, image_count=1, size=len(nodes))
        x_1ZX = encoded.x_INX.reshape(1, images * regions, size)
        unary_KIN = self.unary(x_1ZX, encoded.w_KL, as_one).view(-1, images, regions)
        unary_KIN = unary_KIN.masked_fill(~batch.present_IN, -torch.inf)
        return unary_KIN.amax(dim=2).log_softmax(dim=1).gather(1, batch.image_K[:, None]).squeeze(1)

    def regions(self, batch: Batch) -> Tensor:
        """Return (I, N, X): x = [v; W s], the appearance and the place of each region."""
        position_INY = self.position(batch.spatial_IN5)  # s: the corners and the area, relative to the image's
        feature_IND = self.feature_dropout(batch.feature_IND.to(position_INY.dtype))
        return torch.cat([feature_IND, position_INY], dim=-1)

    def words(self, batch: Batch) -> Tensor:
        """Return (R·T, L): the words of all rows, padding included, end to end."""
        return self.language(batch.word_RT, batch.length_R).flatten(0, 1)

    def unary_logits(self, batch: Batch, encoded: Encoded) -> Tensor:
        """Return (K, N), with the padding regions of smaller images masked."""
        unary_KN = self.unary(encoded.x_INX, encoded.w_KL, batch.nodes_by_image)
        if self.rule_scale is not None:
            assert batch.rule_unary_KN is not None
            unary_KN = unary_KN + self.rule_scale[0] * batch.rule_unary_KN
        return unary_KN.masked_fill(~batch.present_IN[batch.image_K], -torch.inf)


def reversed_positions(length_R: Tensor, longest: int) -> Tensor:
    """Return (R, T): each row's positions back to front; padding stays in its place."""
    position_T = torch.arange(longest, device=length_R.device)
    mirrored_RT = length_R[:, None] - 1 - position_T
    return torch.where(mirrored_RT >= 0, mirrored_RT, position_T)


def gather_words(value_RTH: Tensor, position_RT: Tensor) -> Tensor:
    return value_RTH.gather(1, position_RT[:, :, None].expand(-1, -1, value_RTH.shape[2]))


def mean_words(word_AL: Tensor, word_U: Tensor, owner_U: Tensor, count: int) -> Tensor:
    """Return (count, L): the mean of the words of each node or edge, eq. (6)."""
    sum_KL = word_AL.new_zeros(count, word_AL.shape[1]).index_add(0, owner_U, word_AL[word_U])
    # torch.bincount would synchronise with the device to find the highest index.
    words_K = owner_U.new_zeros(count).index_add(0, owner_U, torch.ones_like(owner_U))
    return sum_KL / words_K[:, None]


def divergence(log_probability_GN: Tensor, target_GN: Tensor) -> Tensor:
    """Return (G,): KL(target ‖ probability), eqs. (17) and (20); for a one-hot target −log P(gold), eq. (18).

    A target of zeros gives zero. The 1/N that eq. (20) prints is left out: it is not part of a divergence.
    """
    inside_GN = target_GN > 0  # 0 · log 0 counts as 0, in the value and in the gradient
    log_ratio_GN = target_GN.masked_fill(~inside_GN, 1.0).log() - log_probability_GN.masked_fill(~inside_GN, 0.0)
    return (target_GN * log_ratio_GN).sum(dim=1)
