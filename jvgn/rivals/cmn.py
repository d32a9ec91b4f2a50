"""CMN: Hu et al. 2017, Modeling Relationships in Referential Expressions with Compositional Modular Networks.

Three attentions read a subject, a relation and an object from the words. A pair of regions scores by how well its
first region fits the subject, its second the object, and their positions the relation; a region scores as its best
pair does. As published: the attentions over word vectors, the normalised products, positions alone for the relation,
the best object, cross entropy of the referent. Different: both LSTM stacks run through all layers in one direction;
the training is that of all models here (Adam).
"""

from torch import Tensor

from jvgn.batches import Batch
from jvgn.model import ReferentBeliefs, Sizes
from jvgn.potentials import PairwisePotential, UnaryPotential
from jvgn.rivals.parts import WordAttention, best_context
from jvgn.rivals.rival import Rival, beliefs_of, present


class CMN(Rival):
    def __init__(self, vectors_VW: Tensor, sizes: Sizes) -> None:
        super().__init__(vectors_VW, sizes)
        self.subject, self.relation, self.object = (WordAttention(self.state_size) for _ in range(3))
        self.unary = UnaryPotential(self.region_size, self.word_size)  # for the subject and the object
        self.pairwise = PairwisePotential(5, self.word_size)

    def forward(self, batch: Batch) -> ReferentBeliefs:
        words, x_INX = self.words(batch), self.regions(batch)
        by_image = batch.expressions_by_image
        subject_SN = self.unary(x_INX, self.subject(batch, *words), by_image)
        object_SN = present(batch, self.unary(x_INX, self.object(batch, *words), by_image))
        relation_SNN = self.pairwise(batch.spatial_IN5, self.relation(batch, *words), by_image)
        pair_SNN = relation_SNN + object_SN[:, None]
        referent_SN = beliefs_of(batch, subject_SN + pair_SNN.amax(dim=2))
        return ReferentBeliefs(referent_SN, context_SN=best_context(pair_SNN, referent_SN))
