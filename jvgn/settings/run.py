"""A run: what is trained on what, and how."""

from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from jvgn.settings.base import Frozen


class ModelSettings(Frozen):
    spatial_size: int = Field(512, gt=0, le=2**16)
    """Length of the embedded position of a region."""
    hidden_size: int = Field(1024, gt=0, le=2**16)
    """Of each direction of the language encoder."""
    layers: int = Field(2, gt=0, le=100)


class TrainingSettings(Frozen):
    seed: NonNegativeInt = 0
    marginalise: bool = True
    """Sum the context nodes out while training; false scores the referent's phrase on its own."""
    epochs: PositiveInt = 20
    images_per_batch: PositiveInt = 128
    """A mini-batch is this many images with all their expressions."""
    learning_rate: PositiveFloat = 1e-3
    decay: PositiveFloat = 0.9
    """The learning rate is multiplied by this every `decay_epochs`."""
    decay_epochs: PositiveInt = 10
    gradient_norm: NonNegativeFloat = 0.0
    """Longer gradients are cut to this length; 0 leaves them alone."""
    dropout: float = Field(0.0, ge=0, lt=1)
    """The share of each word vector's entries that is hidden at random while training."""
    soft_label: Literal["normalised", "printed"] = "normalised"
    """det: IoU where at least `iou_threshold`, normalised; or softmax(max(0, IoU − threshold)), as the paper prints."""
    iou_threshold: float = Field(0.5, ge=0, lt=1)
    precision: Literal["float32", "bf16", "fp16"] = "float32"
    """Of matrix products while training; norms, messages and the loss stay in float32."""
    compile: bool = False
    """The potentials are compiled by torch.compile while training: a C++ compiler is needed, and the first steps wait
    for it; losses are the same up to rounding."""
    save_every: PositiveInt = 500
    """Steps between two saved states, from which an interrupted training goes on."""


class RunSettings(Frozen):
    detector: str
    parser: str = "lexical"
    vocabulary: str
    referent: Literal["head", "in_degree"] = "head"
    """The node the loss sees: the sentence's syntactic head, or the node that no edge points to, as in the paper."""
    decoding: Literal["marginal", "map"] = "marginal"
    """A node is grounded in its most probable region, as in the paper, or in that of the best joint grounding."""
    model: ModelSettings = ModelSettings()
    training: TrainingSettings = TrainingSettings()
