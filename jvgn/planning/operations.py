"""Operations of the networks; a multiplication and an addition count as two.

The detector runs forward and backward on `meta` tensors, which have a shape and no values, and every convolution and
product is counted. The model's computation depends on values (the structure of the graphs), so its products are
counted from their sizes; a test compares the formula with a real mini-batch.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from jvgn.detector.faster_rcnn import BACKBONES, build_detector
from jvgn.model import JVGN
from jvgn.settings.detector import TorchvisionSettings
from jvgn.settings.run import ModelSettings

FLOAT = 4  # bytes
WIDE = 4 / 3
"""Aspect ratio of most photographs and of the embedded world."""
BACK = 2
"""Operations of a product's backward pass divided by those of its forward pass: one product for each factor."""


@dataclass(frozen=True)
class DetectorWork:
    """The operations and the memory of a detector."""

    feature_size: int
    weight_bytes: int
    train_image: float
    """Operations of a training step per image."""
    train_bytes: float
    """Device memory while training: weights, gradients, optimiser state, and tensors saved for the backward pass."""
    image: float
    """Operations on an image before its regions: backbone and proposals."""
    region: float
    """Operations on a region."""


def detector_work(settings: TorchvisionSettings, class_count: int) -> DetectorWork:
    with torch.device("meta"):
        detector = build_detector(settings, class_count)
        backbone = BACKBONES[settings.backbone](None)
    frozen = sum(len(list(layer.parameters())) for layer in backbone.first) if settings.pretrained else 0
    for parameter in list(detector.backbone.parameters())[:frozen]:  # the first layers come first
        parameter.requires_grad_(False)
    pixels = torch.empty(1, 3, *padded_sides(settings, backbone.stride), device="meta")

    def propose() -> list[Tensor]:
        return [part for parts in detector.rpn.head([detector.backbone(pixels)]) for part in parts]

    def classify(count: int) -> list[Tensor]:
        """Classify regions as if they were pooled; pooling itself needs few operations."""
        pooled = torch.empty(count, backbone.map_size, backbone.pool, backbone.pool, device="meta")
        pooled.requires_grad_(detector.training)
        return list(detector.roi_heads.box_predictor(detector.roi_heads.box_head(pooled)))

    saved = Saved(detector)
    with FlopCounterMode(display=False) as training, saved:
        torch.stack([part.sum() for part in (*propose(), *classify(settings.region_samples))]).sum().backward()
    detector.eval()
    with torch.no_grad():
        with FlopCounterMode(display=False) as proposing:
            propose()
        with FlopCounterMode(display=False) as classifying:
            classify(1)
    trained = sum(value.numel() for value in detector.parameters() if value.requires_grad) * FLOAT
    weights = sum(value.numel() * value.element_size() for value in detector.state_dict().values())
    states = 2 if settings.optimiser == "sgd" else 3  # gradient, and one or two moments
    return DetectorWork(
        feature_size=backbone.feature_size,
        weight_bytes=weights,
        train_image=training.get_total_flops(),
        train_bytes=weights + states * trained + settings.batch_size * saved.bytes,
        image=proposing.get_total_flops(),
        region=classifying.get_total_flops(),
    )


def padded_sides(settings: TorchvisionSettings, stride: int) -> tuple[int, int]:
    """Return the height and width of a landscape image after resizing and padding."""
    short = min(settings.short_side, settings.long_side / WIDE)
    return math.ceil(short / stride) * stride, math.ceil(short * WIDE / stride) * stride


class Saved(torch.autograd.graph.saved_tensors_hooks):
    """A context that adds up the bytes saved for the backward pass, without weights."""

    def __init__(self, network: nn.Module) -> None:
        self.bytes = 0
        self.seen = {value.untyped_storage()._cdata for value in (*network.parameters(), *network.buffers())}
        self.kept: list[Tensor] = []
        super().__init__(self.add, lambda value: value)

    def add(self, value: Tensor) -> Tensor:
        storage = value.untyped_storage()
        if storage._cdata not in self.seen:
            self.seen.add(storage._cdata)
            self.kept.append(value)  # so that no later tensor gets its address
            self.bytes += storage.nbytes()
        return value


@dataclass(frozen=True)
class PaddedBatch:
    """Sizes of a padded mini-batch."""

    images: float
    regions: float
    """Per image; each is padded to the largest."""
    words: float
    """In total; each expression is padded to the longest."""
    nodes: float
    """In total; each image is padded to the fullest, for edges too."""
    edges: float


class ModelWork:
    """The model's parameters, and the operations and memory of a pass."""

    def __init__(self, settings: ModelSettings, words: int, vector_size: int, feature_size: int) -> None:
        with torch.device("meta"):
            model = JVGN(
                torch.empty(words, vector_size),
                feature_size,
                **settings.model_dump(exclude={"kind", "words", "position_scale"}),
            )
        self.settings, self.vector_size = settings, vector_size
        self.language_size, self.region_size = model.language.size, feature_size + settings.spatial_size
        self.weight_bytes = sum(value.numel() for value in model.parameters()) * FLOAT

    def forward(self, batch: PaddedBatch) -> float:
        """Return the operations of one forward pass."""
        return self.sentences(batch) + self.potentials(batch)

    def sentences(self, batch: PaddedBatch) -> float:
        hidden, inputs = self.settings.hidden_size, [self.vector_size]
        inputs += [hidden] * (self.settings.layers - 1)
        weights = sum(4 * hidden * (size + hidden) for size in inputs)
        return 2 * batch.words * 2 * weights  # forward and backward stacks

    def potentials(self, batch: PaddedBatch) -> float:
        every_region = batch.images * batch.regions
        position = every_region * 5 * self.settings.spatial_size
        projections = every_region * self.region_size * 3 * self.language_size
        unary = batch.nodes * 2 * batch.regions * self.language_size
        pairwise = batch.edges * (4 * batch.regions + batch.regions**2) * self.language_size
        messages = 2 * batch.edges * batch.regions**2
        return 2 * (position + projections + unary + pairwise + messages)

    def train_bytes(self, batch: PaddedBatch) -> float:
        """Return the bytes of weights, gradients, Adam's moments, and large tensors saved for the backward pass."""
        hidden, every_region = self.settings.hidden_size, batch.images * batch.regions
        recurrent = batch.words * 2 * self.settings.layers * 6 * hidden  # gates, cell and output
        regions = every_region * (self.region_size + 5 * self.language_size)
        weighted = batch.edges * batch.regions * self.language_size
        return 4 * self.weight_bytes + FLOAT * (recurrent + regions + weighted + 6 * batch.edges * batch.regions**2)
