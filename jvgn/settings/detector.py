"""The settings of a detector: what its weights depend on."""

from typing import Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from jvgn.settings.base import Frozen


class DetectorSettings(Frozen):
    backbone: Literal["tiny", "resnet101", "vgg16"] = "resnet101"
    """`tiny` is for small drawn images; `resnet101` (2048-d) is the paper's, `vgg16` (4096-d) its appendix's."""
    trained_on: str | None = None
    """A training set of the configuration; null: the train images of whatever dataset is run."""
    pretrained: str | None = None
    """A file of ImageNet classification weights in torchvision's names, whose first layers then stay as they are."""
    short_side: PositiveInt = 600
    """Images are resized until their short side has this length, or their long side has `long_side`."""
    long_side: PositiveInt = 1000
    anchor_sizes: tuple[PositiveInt, ...] = Field(default=(64, 128, 256, 512), min_length=1)
    """In pixels of the resized image."""
    anchor_ratios: tuple[PositiveFloat, ...] = Field(default=(0.5, 1.0, 2.0), min_length=1)
    proposals: PositiveInt = 2000
    """Proposals an image while training, before sampling."""
    test_proposals: PositiveInt = 300
    """Proposals an image afterwards; the box head runs on each, so this sets the cost of extraction."""
    anchor_samples: PositiveInt = 256
    """Anchors an image that the proposal network learns from."""
    region_samples: PositiveInt = 256
    """Proposals an image that the box head learns from."""
    positive_share: float = Field(default=0.25, gt=0, le=1)
    """At most this share of `region_samples` are objects."""
    epochs: PositiveInt = 8
    batch_size: PositiveInt = 8
    """In images."""
    flips: bool = True
    """Half of the images are mirrored, left to right, whenever they are learned from."""
    optimiser: Literal["sgd", "adamw"] = "sgd"
    learning_rate: PositiveFloat = 0.01
    """The highest: reached after `warm_up` steps, then it follows a cosine to 0."""
    warm_up: NonNegativeInt = 500
    """Steps over which the learning rate grows from 0."""
    weight_decay: NonNegativeFloat = 1e-4
    gradient_norm: PositiveFloat = 10.0
    """Gradients longer than this are shortened to it."""
    save_every: PositiveInt = 500
    """Steps between two saved states, from which an interrupted training goes on."""
    seed: int = Field(0, ge=0, lt=2**31)

    @model_validator(mode="after")
    def check_sides(self) -> Self:
        if self.long_side < self.short_side:
            raise ValueError(f"long_side ({self.long_side}) is shorter than short_side ({self.short_side})")
        return self
