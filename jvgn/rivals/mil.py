"""MIL: Nagaraja et al. 2016, Modeling Context Between Objects for Referring Expression Understanding.

An LSTM says the sentence for each pair of a region and a context: another region, or the image. As published: a region
scores as its best context does, and a hinge with margin 0.1 between the bags of the right and the other regions stands
beside the log-probability of the sentence, a word. Different: the image is the mean of its regions; all other regions
are negatives. (The paper's figure cites Mao et al. 2016 for MIL; GroundNet, whose test it takes, means this one.)
"""

import torch
from torch import Tensor

from jvgn.batches import Batch
from jvgn.model import ReferentBeliefs, Sizes
from jvgn.rivals.mmi import image_mean
from jvgn.rivals.parts import best_context, ranking_loss
from jvgn.rivals.region_speaker import RegionSpeaker
from jvgn.rivals.rival import Rival, present


class MIL(Rival):
    def __init__(self, vectors_VW: Tensor, sizes: Sizes) -> None:
        super().__init__(vectors_VW, sizes, encodes=False)
        self.speaker = RegionSpeaker(vectors_VW, 2 * self.region_size, sizes.hidden)

    def forward(self, batch: Batch) -> ReferentBeliefs:
        pair_SNC = self.pairs(batch)
        log_SN = present(batch, pair_SNC.amax(dim=2))
        context_SN = best_context(pair_SNC[..., :-1], log_SN)
        return ReferentBeliefs(log_SN.log_softmax(dim=1), context_SN=context_SN, score_SN=log_SN)

    def loss(self, batch: Batch, beliefs: ReferentBeliefs) -> Tensor:
        assert beliefs.score_SN is not None
        has_target_S = batch.target_GN.sum(dim=1) > 0
        log_S = (batch.target_GN * beliefs.score_SN.masked_fill(batch.target_GN == 0, 0.0)).sum(dim=1)
        return ranking_loss(batch, beliefs.score_SN) - log_S * has_target_S / batch.length_R

    def pairs(self, batch: Batch) -> Tensor:
        """Return (S, N, C): log p(sentence | region, context); the contexts are the other regions, then the image."""
        x_INX = self.regions(batch)
        context_ICX = torch.cat([x_INX, image_mean(batch, x_INX)], dim=1)
        weight_GX, context_GX = self.speaker.gates_of_condition.weight.chunk(2, dim=1)
        gate_INCG = (x_INX @ weight_GX.T)[:, :, None] + (context_ICX @ context_GX.T)[:, None]
        u_STW = self.vectors(batch)
        log_SNC = self.speaker(batch, u_STW, gate_INCG[batch.image_S].flatten(1, 2)).unflatten(1, gate_INCG.shape[1:3])
        regions = x_INX.shape[1]
        is_context_SC = torch.nn.functional.pad(batch.present_IN, (0, 1), value=True)[batch.image_S]
        itself_NC = torch.eye(regions, regions + 1, dtype=torch.bool, device=log_SNC.device)
        return log_SNC.masked_fill(~is_context_SC[:, None] | itself_NC, -torch.inf)
