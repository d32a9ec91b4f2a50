"""GroundNet: Cirik et al. 2018, Using Syntax to Ground Referring Expressions in Natural Images.

A tree of modules: LOCATE finds the regions of a phrase, RELATE shifts the beliefs of a phrase to regions that stand in
a relation to it, and INTERSECT multiplies. As published: the three modules, the normalised products, positions alone
for a relation, no relation of a region with itself, the loss of the root. Different: our graph hangs from its referent
in place of a constituency tree, so a phrase is a node and a relation an edge; attention over the words of a phrase
reads their states in the whole sentence, while only the phrase's own word vectors are summed.
"""

import torch
from torch import Tensor

from jvgn.batches import Batch
from jvgn.model import ReferentBeliefs, Sizes
from jvgn.potentials import PairwisePotential, UnaryPotential
from jvgn.rivals.parts import SpanAttention
from jvgn.rivals.rival import Rival
from jvgn.rivals.rooted_tree import rooted_levels


class GroundNet(Rival):
    def __init__(self, vectors_VW: Tensor, sizes: Sizes) -> None:
        super().__init__(vectors_VW, sizes)
        self.phrase, self.relation = SpanAttention(self.state_size), SpanAttention(self.state_size)
        self.locate = UnaryPotential(self.region_size, self.word_size)
        self.relate = PairwisePotential(5, self.word_size)

    def forward(self, batch: Batch) -> ReferentBeliefs:
        word_AL, vector_AW = (words.flatten(0, 1) for words in self.words(batch))
        located_KN, related_ENN = self.located(batch, word_AL, vector_AW), self.related(batch, word_AL, vector_AW)
        belief_KN = located_KN
        for edge_F, child_F, parent_F, parent_is_subject_F in rooted_levels(batch):
            pair_FNN = related_ENN[edge_F]  # (subject, object), then (parent, child)
            pair_FNN = torch.where(parent_is_subject_F[:, None, None], pair_FNN, pair_FNN.transpose(1, 2))
            child_FN1 = belief_KN[child_F].softmax(dim=1)[:, :, None]
            shifted_FN = (pair_FNN @ child_FN1).squeeze(2).float()
            shifted_FN = shifted_FN.masked_fill(~batch.present_IN[batch.image_K[child_F]], -1e9)
            belief_KN = belief_KN.index_add(0, parent_F, shifted_FN.log_softmax(dim=1))
        node_KN = belief_KN.log_softmax(dim=1)
        return ReferentBeliefs(node_KN[batch.referent_S], node_KN=node_KN, unary_KN=located_KN)

    def located(self, batch: Batch, word_AL: Tensor, vector_AW: Tensor) -> Tensor:
        """Return (K, N): the beliefs of each phrase alone."""
        phrase_KW = self.phrase(word_AL, vector_AW, batch.node_word_U, batch.node_of_U, len(batch.image_K))
        logit_KN = self.locate(self.regions(batch), phrase_KW, batch.nodes_by_image)
        return logit_KN.masked_fill(~batch.present_IN[batch.image_K], -torch.inf).log_softmax(dim=1)

    def related(self, batch: Batch, word_AL: Tensor, vector_AW: Tensor) -> Tensor:
        """Return (E, N, N): how well each pair of regions fits each relation, 0 for a region with itself."""
        relation_EW = self.relation(word_AL, vector_AW, batch.edge_word_V, batch.edge_of_V, len(batch.image_E))
        pair_ENN = self.relate(batch.spatial_IN5, relation_EW, batch.edges_by_image)
        itself_NN = torch.eye(pair_ENN.shape[1], dtype=torch.bool, device=pair_ENN.device)
        return pair_ENN.masked_fill(itself_NN, 0.0)
