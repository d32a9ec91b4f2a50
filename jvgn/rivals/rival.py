"""What all rivals share with the paper's model: the words' encoder, the regions, and the loss.

`jvgn` explains the shape suffixes. Rows of words are sentences: S = R.
"""

import torch
from torch import Tensor, nn

from jvgn.batches import Batch
from jvgn.model import GroundingModel, LanguageEncoder, ReferentBeliefs, Sizes, divergence
from jvgn.vocabulary.words import PAD


class WordVectors(nn.Module):
    """Word vectors, for models that do not encode the sentence."""

    def __init__(self, vectors_VW: Tensor, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(vectors_VW.clone(), freeze=False, padding_idx=PAD)
        self.dropout = nn.Dropout(dropout)


class Rival(GroundingModel):
    """A model of the referent. Regions are x = [v; W s] and words [h; h; u], as in the paper's model.

    A model that does not encode the words has only their vectors, in `language.embedding`.
    """

    def __init__(self, vectors_VW: Tensor, sizes: Sizes, encodes: bool = True) -> None:
        super().__init__()
        self.language: LanguageEncoder | WordVectors = (
            LanguageEncoder(vectors_VW, sizes.hidden, sizes.layers, sizes.dropout)
            if encodes
            else WordVectors(vectors_VW, sizes.dropout)
        )
        self.position = nn.Linear(5, sizes.spatial)
        self.feature_dropout = nn.Dropout(sizes.feature_dropout)
        self.region_size, self.word_size = sizes.feature + sizes.spatial, vectors_VW.shape[1]
        self.state_size = 2 * sizes.hidden + self.word_size

    def forward(self, batch: Batch) -> ReferentBeliefs:
        raise NotImplementedError

    def beliefs(self, batch: Batch, repair: bool = True) -> ReferentBeliefs:
        return self(batch)

    def loss(self, batch: Batch, beliefs: ReferentBeliefs) -> Tensor:
        """Return (S,): the loss of each expression, zero if no region fits its referent."""
        return divergence(beliefs.referent_SN.float(), batch.target_GN)

    def regions(self, batch: Batch) -> Tensor:
        """Return (I, N, X)."""
        position_INP = self.position(batch.spatial_IN5)
        return torch.cat([self.feature_dropout(batch.feature_IND.to(position_INP.dtype)), position_INP], dim=-1)

    def words(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return (S, T, L) and (S, T, W): the words in their sentence, and by themselves."""
        word_STL = self.language(batch.word_RT, batch.length_R)
        return word_STL, word_STL[..., -self.word_size :]

    def vectors(self, batch: Batch) -> Tensor:
        """Return (S, T, W): the vectors of the words."""
        return self.language.dropout(self.language.embedding(batch.word_RT))


def present(batch: Batch, logit_SN: Tensor) -> Tensor:
    """Return the logits in float32, without the padding regions of smaller images."""
    return logit_SN.float().masked_fill(~batch.present_IN[batch.image_S], -torch.inf)


def beliefs_of(batch: Batch, logit_SN: Tensor) -> Tensor:
    return present(batch, logit_SN).log_softmax(dim=1)
