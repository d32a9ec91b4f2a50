"""The settings of a detector: where regions come from (its `source`), and what its weights depend on."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Discriminator,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    RootModel,
    Tag,
    model_validator,
)

from jvgn.settings.base import UNION_TAG, Frozen, read_yaml, validated
from parsers.errors import UserError

LONGEST_SIDE, MOST_PROPOSALS, MOST_ANCHORS = 2000, 10_000, 64
"""Weights bring their settings with them, and those of a stranger shall not ask for any amount of work."""


class NetworkSettings(Frozen):
    """A Faster R-CNN, trained by the workflow or given, and whatever training depends on."""

    trained_on: str | None = None
    """A training set of the configuration; null: the train images of whatever dataset is run."""
    pretrained: str | None = None
    """A file of classification weights to start from, in the library's names; its first layers stay as they are."""
    pretrained_on: Literal["imagenet", "unknown"] = "imagenet"
    """What `pretrained`, or that which given `weights` started from, was trained on. ImageNet has no image of COCO;
    from unknown images, no proof is possible."""
    weights: str | None = None
    """A trained detector: nothing is trained, and these weights are taken."""
    training_images: str | None = None
    """A text file, an image id a line: what `weights` were trained on. Without it, the proof is `unproven`."""
    short_side: int = Field(600, gt=0, le=LONGEST_SIDE)
    """Images are resized until their short side has this length, or their long side has `long_side`."""
    long_side: int = Field(1000, gt=0, le=LONGEST_SIDE)
    test_proposals: int = Field(300, gt=0, le=MOST_PROPOSALS)
    """Proposals an image after training; the box head runs on each, so this sets the cost of extraction."""
    epochs: NonNegativeInt = 8
    """0 leaves the detector as it starts: enough to try the stages that follow."""
    batch_size: PositiveInt = 8
    """In images, over all processes."""
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
    precision: Literal["float32", "bf16", "fp16"] = "float32"
    """Of the arithmetic while training; the weights stay in float32."""
    save_every: PositiveInt = 500
    """Steps between two saved states, from which an interrupted training goes on."""
    seed: int = Field(0, ge=0, lt=2**31)

    @model_validator(mode="after")
    def check_sides(self) -> Self:
        if self.long_side < self.short_side:
            raise ValueError(f"long_side ({self.long_side}) is shorter than short_side ({self.short_side})")
        return self

    @model_validator(mode="after")
    def check_given(self) -> Self:
        if self.training_images is not None and self.weights is None:
            raise ValueError("training_images speaks of given weights; name them in `weights`")
        return self


class TorchvisionSettings(NetworkSettings):
    """A Faster R-CNN of ours."""

    source: Literal["torchvision"] = "torchvision"
    backbone: Literal["tiny", "resnet101", "vgg16"] = "resnet101"
    """`tiny` is for small drawn images; `resnet101` (2048-d) is the paper's, `vgg16` (4096-d) its appendix's."""
    anchor_sizes: tuple[PositiveInt, ...] = Field(default=(64, 128, 256, 512), min_length=1)
    """In pixels of the resized image."""
    anchor_ratios: tuple[PositiveFloat, ...] = Field(default=(0.5, 1.0, 2.0), min_length=1)
    proposals: int = Field(2000, gt=0, le=MOST_PROPOSALS)
    """Proposals an image while training, before sampling."""
    anchor_samples: PositiveInt = 256
    """Anchors an image that the proposal network learns from."""
    region_samples: PositiveInt = 256
    """Proposals an image that the box head learns from."""
    positive_share: float = Field(default=0.25, gt=0, le=1)
    """At most this share of `region_samples` are objects."""

    @model_validator(mode="after")
    def check_anchors(self) -> Self:
        sizes, ratios = len(self.anchor_sizes), len(self.anchor_ratios)
        if sizes * ratios > MOST_ANCHORS:
            raise ValueError(f"anchor_sizes x anchor_ratios are {sizes} x {ratios}, expected at most {MOST_ANCHORS}")
        return self


class Detectron2Settings(NetworkSettings):
    """A Faster R-CNN of detectron2's."""

    source: Literal["detectron2"]
    config: str = "COCO-Detection/faster_rcnn_R_101_C4_3x.yaml"
    """A configuration of its model zoo, or a file of your own; the settings beside this one take precedence."""


class PrecomputedSettings(Frozen):
    """Features that somebody else computed, in files of the user's."""

    source: Literal["precomputed"]
    format: Literal["tsv", "npz", "hdf5"]
    """Bottom-up attention's TSV file, a folder with an `.npz` file for each image, or regions as we store them."""
    detections: str | None = None
    """Where the regions of `det` are."""
    objects: str | None = None
    """Where the regions of `gt` are: features of the annotated objects' boxes."""
    training_images: str | None = None
    """A text file, an image id a line: what the detector was trained on. Without it, its proof says `unproven`."""

    @model_validator(mode="after")
    def check_files(self) -> Self:
        if self.detections is None and self.objects is None:
            raise ValueError("name the files of `detections`, of `objects`, or both")
        return self


def source_of(settings: Any) -> str | None:
    """The tag of a detector's settings: torchvision's, unless they say otherwise."""
    found = settings.get("source", "torchvision") if isinstance(settings, dict) else getattr(settings, "source", None)
    return UNION_TAG + str(found)


DetectorSettings = Annotated[
    Annotated[TorchvisionSettings, Tag(UNION_TAG + "torchvision")]
    | Annotated[Detectron2Settings, Tag(UNION_TAG + "detectron2")]
    | Annotated[PrecomputedSettings, Tag(UNION_TAG + "precomputed")],
    Discriminator(
        source_of,
        custom_error_type="unknown_source",
        custom_error_message="source: expected torchvision, detectron2 or precomputed",
    ),
]


class DetectorFile(RootModel[DetectorSettings]):
    """Settings of whatever source, as a file holds them."""

    def write(self, path: Path | str) -> None:
        self.root.write(path)


def read_network_settings(path: Path | str) -> TorchvisionSettings | Detectron2Settings:
    """The settings of a detector that is a network of ours or detectron2's."""
    found = read_detector_settings(path)
    if found.source == "precomputed":
        raise UserError(f"{path}: a detector of source precomputed has no network")
    return found


def read_detector_settings(path: Path | str) -> TorchvisionSettings | Detectron2Settings | PrecomputedSettings:
    """The settings in a YAML file, validated, whatever their source."""
    return validated(DetectorFile, read_yaml(path), str(path)).root
