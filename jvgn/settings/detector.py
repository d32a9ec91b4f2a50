"""Settings of a detector: the library or files that regions come from (`source`), its training, and its regions."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

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

from jvgn.settings.base import UNION_TAG, Frozen, load_yaml, validated
from parsers.errors import UserError

CocoModel = Literal["fasterrcnn_resnet50_fpn_v2", "fasterrcnn_mobilenet_v3_large_fpn"]
COCO_MODELS: tuple[CocoModel, ...] = get_args(CocoModel)
"""Torchvision's detectors of COCO's categories, by their names there, the best first."""


def coco_weights(model: str) -> str:
    """Return the path of a detector's published weights."""
    return f"resources/weights/{model}.pth"


class NetworkSettings(Frozen):
    """A Faster R-CNN, given or trained by the workflow."""

    trained_on: str | None = None
    """A training set of the configuration; null: the train images of the dataset that is run."""
    pretrained: str | None = None
    """A file of classification weights to start from, with the library's names. Their first layers are not trained."""
    pretrained_on: Literal["imagenet", "unknown"] = "imagenet"
    """The images behind `pretrained`, or behind the start of given `weights`. ImageNet has no image of COCO; with
    unknown images, the leakage proof says `unproven`."""
    weights: str | None = None
    """A file of a trained detector, which is used without training."""
    training_images: str | None = None
    """A text file of the image ids that `weights` were trained on, one per line. Without it, the leakage proof says
    `unproven`."""
    short_side: PositiveInt = 600
    """Images are resized so that their short side has this length, unless their long side would exceed `long_side`."""
    long_side: PositiveInt = 1000
    test_proposals: PositiveInt = 300
    """Proposals per image after training. The box head runs on each, so this sets the cost of extraction."""
    epochs: NonNegativeInt = 16
    """The default shows about 1.2 million images of COCO. 0 leaves the detector untrained, which is enough to try the
    later stages."""
    batch_size: PositiveInt = 8
    """Images per step, over all processes."""
    flips: bool = True
    """Mirror half of the images left to right while training."""
    optimiser: Literal["sgd", "adamw"] = "sgd"
    learning_rate: PositiveFloat = 0.01
    """The highest learning rate, reached after `warm_up` steps. It then follows a cosine to 0."""
    warm_up: NonNegativeInt = 500
    """Steps over which the learning rate grows from 0."""
    weight_decay: NonNegativeFloat = 1e-4
    gradient_norm: PositiveFloat = 10.0
    """Longer gradients are cut to this length."""
    precision: Literal["float32", "bf16", "fp16"] = "float32"
    """Precision of convolutions and matrix products while training. Weights, boxes and losses stay in float32."""
    save_every: PositiveInt = 500
    """Steps between two saved states. An interrupted training resumes from the last one."""
    seed: int = Field(0, ge=0, lt=2**31)

    @model_validator(mode="after")
    def check_sides(self) -> Self:
        if self.long_side < self.short_side:
            raise ValueError(f"long_side ({self.long_side}) is shorter than short_side ({self.short_side})")
        return self

    @model_validator(mode="after")
    def check_given(self) -> Self:
        if self.training_images is not None and self.weights is None:
            raise ValueError("training_images needs given weights; name them in `weights`")
        return self


class TorchvisionSettings(NetworkSettings):
    """A Faster R-CNN by torchvision."""

    source: Literal["torchvision"] = "torchvision"
    backbone: Literal["tiny", "resnet50", "resnet101", "vgg16"] = "resnet101"
    """`tiny` is for small drawn images; the paper uses `resnet101` (2048-d), its appendix `vgg16` (4096-d). `resnet50`
    (2048-d) has half as many layers as `resnet101`."""
    anchor_sizes: tuple[PositiveInt, ...] = Field(default=(64, 128, 256, 512), min_length=1)
    """Sides of anchors, in pixels of the resized image."""
    anchor_ratios: tuple[PositiveFloat, ...] = Field(default=(0.5, 1.0, 2.0), min_length=1)
    proposals: PositiveInt = 2000
    """Proposals per image while training, before sampling."""
    anchor_samples: PositiveInt = 256
    """Anchors per image that the proposal network is trained on."""
    region_samples: PositiveInt = 256
    """Proposals per image that the box head is trained on."""
    positive_share: float = Field(default=0.25, gt=0, le=1)
    """The largest share of objects among `region_samples`."""


class Detectron2Settings(NetworkSettings):
    """A Faster R-CNN by detectron2."""

    source: Literal["detectron2"]
    config: str = "COCO-Detection/faster_rcnn_R_101_C4_3x.yaml"
    """A configuration of its model zoo, or your own file. The settings beside this one override it."""


class TorchvisionCocoSettings(NetworkSettings):
    """A detector that torchvision publishes, trained on COCO train2017. The workflow uses it as it is."""

    source: Literal["torchvision-coco"]
    model: CocoModel = "fasterrcnn_resnet50_fpn_v2"
    """`fasterrcnn_resnet50_fpn_v2` finds more, `fasterrcnn_mobilenet_v3_large_fpn` is smaller and faster."""
    weights: str | None = None
    """The published file; null: `resources/weights/{model}.pth`, which is downloaded when it is needed."""
    short_side: PositiveInt = 800
    long_side: PositiveInt = 1333
    test_proposals: PositiveInt = 1000

    @model_validator(mode="before")
    @classmethod
    def name_published(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("weights") is None:
            return values | {"weights": coco_weights(values.get("model", COCO_MODELS[0]))}
        return values


class PrecomputedSettings(Frozen):
    """Features that were computed elsewhere, in the user's files."""

    source: Literal["precomputed"]
    format: Literal["tsv", "npz", "hdf5"]
    """A TSV file of bottom-up attention, a folder with one `.npz` file per image, or an HDF5 file of regions."""
    detections: str | None = None
    """File or folder of the regions of `det`."""
    objects: str | None = None
    """File or folder of the regions of `gt`: features of the annotated boxes."""
    training_images: str | None = None
    """A text file of the image ids that the detector was trained on, one per line. Without it, the leakage proof says
    `unproven`."""

    @model_validator(mode="after")
    def check_files(self) -> Self:
        if self.detections is None and self.objects is None:
            raise ValueError("name the files of `detections`, of `objects`, or both")
        return self


def source_of(settings: Any) -> str | None:
    """Return the tag of a detector's settings; the default is torchvision."""
    found = settings.get("source", "torchvision") if isinstance(settings, dict) else getattr(settings, "source", None)
    return UNION_TAG + str(found)


AnyNetwork = TorchvisionSettings | Detectron2Settings | TorchvisionCocoSettings

DetectorSettings = Annotated[
    Annotated[TorchvisionSettings, Tag(UNION_TAG + "torchvision")]
    | Annotated[Detectron2Settings, Tag(UNION_TAG + "detectron2")]
    | Annotated[TorchvisionCocoSettings, Tag(UNION_TAG + "torchvision-coco")]
    | Annotated[PrecomputedSettings, Tag(UNION_TAG + "precomputed")],
    Discriminator(
        source_of,
        custom_error_type="unknown_source",
        custom_error_message="source: expected torchvision, torchvision-coco, detectron2 or precomputed",
    ),
]


class DetectorFile(RootModel[DetectorSettings]):
    """Settings of any source, as a file holds them."""

    def write(self, path: Path | str) -> None:
        self.root.write(path)


def read_network_settings(path: Path | str) -> AnyNetwork:
    """Read the settings of a detector that has a network."""
    found = read_detector_settings(path)
    if found.source == "precomputed":
        raise UserError(f"{path}: a detector of source precomputed has no network; choose another detector")
    return found


def read_detector_settings(path: Path | str) -> AnyNetwork | PrecomputedSettings:
    """Read the settings of a detector of any source."""
    return validated(DetectorFile, load_yaml(path), str(path)).root


class RegionSettings(Frozen):
    """The selection of a detector's boxes, and their storage."""

    proposals: PositiveInt | None = None
    """Proposals per image; null: the detector's `test_proposals`."""
    nms: float = Field(default=0.3, gt=0, le=1)
    """If two boxes of one class overlap more than this, the one with the lower score is dropped."""
    score: float = Field(default=0.65, gt=0, lt=1)
    """The lowest score of a region; lowered for an image that would have no region."""
    step: float = Field(default=0.1, ge=0.001)
    """`score` is lowered by this until the image has a region. At 0, only the best box is kept."""
    cap: PositiveInt | None = None
    """The largest number of regions per image; those with the highest scores are kept."""
    on_bad_input: Literal["stop", "skip"] = "stop"
    """For an image that is missing, unreadable or without regions, and a box outside of its image or without area: stop
    with an error, or skip it, list it beside the regions, and count its expressions as not found."""
    precision: Literal["float16", "float32"] = "float16"
    batch_size: PositiveInt = 8
    """Images per step."""
