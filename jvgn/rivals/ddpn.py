"""DDPN's head: Yu et al. 2018, Rethinking Diversified and Discriminative Proposal Generation for Visual Grounding.

The last state of an LSTM beside each region, one hidden layer, a score. As published: the layers and the divergence
from labels by IoU (`soft_label: normalised` in det). Different: our regions in place of its proposals, whose features
know attributes; no regression of boxes, because a prediction here is one of the regions; the LSTM reads both ways.
"""

import torch
from torch import Tensor, nn

from jvgn.batches import Batch
from jvgn.model import ReferentBeliefs, Sizes
from jvgn.rivals.parts import last_states
from jvgn.rivals.rival import Rival, beliefs_of


class DDPN(Rival):
    def __init__(self, vectors_VW: Tensor, sizes: Sizes) -> None:
        super().__init__(vectors_VW, sizes)
        hidden = 4 * sizes.hidden
        self.sentence, self.region = nn.Linear(2 * sizes.hidden, hidden), nn.Linear(self.region_size, hidden)
        self.score = nn.Linear(hidden, 1)

    def forward(self, batch: Batch) -> ReferentBeliefs:
        sentence_SH = self.sentence(last_states(batch, *self.words(batch)))
        region_SNH = self.region(self.regions(batch))[batch.image_S]
        logit_SN = self.score(torch.relu(sentence_SH[:, None] + region_SNH)).squeeze(-1)
        return ReferentBeliefs(beliefs_of(batch, logit_SN))
