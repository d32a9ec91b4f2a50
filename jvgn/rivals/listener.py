"""Listener: Yu et al. 2017, A Joint Speaker-Listener-Reinforcer Model for Referring Expressions.

A region and a sentence are embedded in one space; the nearest region is chosen. As published: a region is its
appearance, its place, the mean difference of its appearance to that of others, and the offsets of up to five others;
the sentence is the last state of an LSTM; a hinge with margin 0.1 on the cosines, both ways. Different: the others are
the nearest regions of any category, because stores need not have categories; every wrong region and every other
sentence about another region of the image is a negative, not one at random; neither speaker nor reinforcer.

`jvgn` explains the shape suffixes; here Z is the size of the space.
"""

import torch
from torch import Tensor, nn

from jvgn.batches import Batch
from jvgn.model import ReferentBeliefs, Sizes
from jvgn.rivals.parts import differences, last_states, offsets, ranking_loss, sentence_ranking_loss, unit
from jvgn.rivals.rival import Rival, beliefs_of, present

SCALE = 20.0
"""A probability is the softmax of cosines times this; it changes no choice."""


class Listener(Rival):
    def __init__(self, vectors_VW: Tensor, sizes: Sizes) -> None:
        super().__init__(vectors_VW, sizes)
        space = 4 * sizes.hidden
        visual = self.region_size + sizes.feature + 25
        self.see = nn.Sequential(nn.Linear(visual, space), nn.ReLU(), nn.Linear(space, space))
        self.read = nn.Sequential(nn.Linear(2 * sizes.hidden, space), nn.ReLU(), nn.Linear(space, space))

    def forward(self, batch: Batch) -> ReferentBeliefs:
        x_INX = self.regions(batch)
        feature_IND = x_INX[..., : batch.feature_IND.shape[2]]
        seen_INZ = unit(self.see(torch.cat([x_INX, differences(batch, feature_IND), offsets(batch)], dim=-1)))
        read_SZ = unit(self.read(last_states(batch, *self.words(batch))))
        cosine_SN = (seen_INZ[batch.image_S] @ read_SZ[:, :, None]).squeeze(-1)
        return ReferentBeliefs(beliefs_of(batch, SCALE * cosine_SN), score_SN=present(batch, cosine_SN))

    def loss(self, batch: Batch, beliefs: ReferentBeliefs) -> Tensor:
        assert beliefs.score_SN is not None
        return ranking_loss(batch, beliefs.score_SN) + sentence_ranking_loss(batch, beliefs.score_SN)
