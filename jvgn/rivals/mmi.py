"""MMI: Mao et al. 2016, Generation and Comprehension of Unambiguous Object Descriptions.

An LSTM says the sentence for each region; the region for which the sentence is most probable is chosen. As published:
the condition (region, image, position) with every word, and the loss that maximises mutual information, by a softmax
over the regions of the image. Different: the image is the mean of its regions, because stores hold no feature of it.
"""

import torch
from torch import Tensor

from jvgn.batches import Batch
from jvgn.model import ReferentBeliefs, Sizes
from jvgn.rivals.region_speaker import RegionSpeaker
from jvgn.rivals.rival import Rival, beliefs_of


class MMI(Rival):
    def __init__(self, vectors_VW: Tensor, sizes: Sizes) -> None:
        super().__init__(vectors_VW, sizes, encodes=False)
        self.speaker = RegionSpeaker(vectors_VW, 2 * self.region_size, sizes.hidden)

    def forward(self, batch: Batch) -> ReferentBeliefs:
        gate_ING = self.speaker.gates_of_condition(with_image(batch, self.regions(batch)))
        log_SN = self.speaker(batch, self.vectors(batch), gate_ING[batch.image_S])
        return ReferentBeliefs(beliefs_of(batch, log_SN))


def with_image(batch: Batch, x_INX: Tensor) -> Tensor:
    """Return (I, N, 2X): each region beside the mean of its image."""
    return torch.cat([x_INX, image_mean(batch, x_INX).expand_as(x_INX)], dim=-1)


def image_mean(batch: Batch, x_INX: Tensor) -> Tensor:
    """Return (I, 1, X)."""
    weight_IN = batch.present_IN / batch.present_IN.sum(dim=1, keepdim=True)
    return weight_IN[:, None].to(x_INX.dtype) @ x_INX
