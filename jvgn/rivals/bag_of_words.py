"""The baseline that no rival is: the mean of all words against each region. It knows neither order nor structure."""

from torch import Tensor

from jvgn.batches import Batch
from jvgn.model import ReferentBeliefs, Sizes
from jvgn.potentials import UnaryPotential
from jvgn.rivals.parts import is_word
from jvgn.rivals.rival import Rival, beliefs_of


class BagOfWords(Rival):
    def __init__(self, vectors_VW: Tensor, sizes: Sizes) -> None:
        super().__init__(vectors_VW, sizes, encodes=False)
        self.unary = UnaryPotential(self.region_size, self.word_size)

    def forward(self, batch: Batch) -> ReferentBeliefs:
        weight_ST = is_word(batch) / batch.length_R[:, None]
        mean_SW = (weight_ST[:, None] @ self.vectors(batch)).squeeze(1)
        logit_SN = self.unary(self.regions(batch), mean_SW, batch.expressions_by_image)
        return ReferentBeliefs(beliefs_of(batch, logit_SN))
