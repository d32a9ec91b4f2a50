"""Faster R-CNN by torchvision, in the C4 layout: proposals and regions share one map; the last stage is the box head.

A region's feature is the box head's output for its *final* box. Torchvision's own detectors of COCO's categories are in
`torchvision_coco`; other modules import no torchvision.
Shape suffixes: N proposals or regions of an image, C classes without the background, D feature size, H, W pixels.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count, takewhile
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import interpolate
from torchvision.models import ResNet, resnet50, resnet101, vgg16
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor
from torchvision.models.detection.generalized_rcnn import GeneralizedRCNN
from torchvision.models.detection.image_list import ImageList
from torchvision.models.detection.roi_heads import RoIHeads
from torchvision.models.detection.rpn import RegionProposalNetwork, RPNHead
from torchvision.models.detection.transform import GeneralizedRCNNTransform
from torchvision.ops import FrozenBatchNorm2d, batched_nms, clip_boxes_to_image, roi_align

from jvgn.detector.interface import Found
from jvgn.settings.detector import RegionSettings, TorchvisionSettings

IMAGENET_MEAN, IMAGENET_DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
SMALLEST_SIDE = 1.0
"""Boxes narrower than this after clipping, in pixels, are dropped."""
TINY_STRIDE = 4
DEEP_SIZE, COLOUR_SIZE = 40, 20
TINY_MAP_SIZE = DEEP_SIZE + COLOUR_SIZE
TINY_FEATURE_SIZE = 128

State = Mapping[str, Tensor]
Network = TypeVar("Network", bound=nn.Module)


@dataclass(frozen=True)
class Backbone:
    """The parts of a classification network."""

    map: nn.Module
    map_size: int
    stride: int
    """Pixels per cell of the map."""
    pool: int
    """Cells per side of a pooled region."""
    head: nn.Module
    feature_size: int
    first: tuple[nn.Module, ...] = ()
    """Layers that are not trained if they are pretrained."""
    samples: int = 2
    """Sampling points per side of a cell of a pooled region."""


def tiny_backbone(pretrained: State | None) -> Backbone:
    network = loaded(TinyNetwork(), pretrained)
    return Backbone(network.layers, TINY_MAP_SIZE, TINY_STRIDE, 7, network.last_stage, TINY_FEATURE_SIZE, samples=1)


def resnet_backbone(build: Callable[..., ResNet], pretrained: State | None) -> Backbone:
    network = loaded(build(norm_layer=FrozenBatchNorm2d), pretrained)
    if pretrained is None:
        for name, layer in network.named_modules():
            if name.endswith("bn3"):
                layer.weight.fill_(0.1)  # the sum of many random residuals would be far too large
    stem = nn.Sequential(network.conv1, network.bn1, network.relu, network.maxpool)
    layers = nn.Sequential(stem, network.layer1, network.layer2, network.layer3)
    head = nn.Sequential(network.layer4, nn.AdaptiveAvgPool2d(1), nn.Flatten())
    return Backbone(layers, 1024, 16, 14, head, 2048, first=(stem, network.layer1))


def vgg16_backbone(pretrained: State | None) -> Backbone:
    network = loaded(vgg16(), pretrained)
    layers, head = network.features[:-1], nn.Sequential(nn.Flatten(), *network.classifier[:-1])
    return Backbone(layers, 512, 16, 7, head, 4096, first=(layers[:10],))


BACKBONES: dict[str, Callable[[State | None], Backbone]] = {
    "tiny": tiny_backbone,
    "resnet50": partial(resnet_backbone, resnet50),
    "resnet101": partial(resnet_backbone, resnet101),
    "vgg16": vgg16_backbone,
}


def loaded(network: Network, pretrained: State | None) -> Network:
    if pretrained is not None:
        network.load_state_dict(pretrained)
    return network


def convolution(inputs: int, outputs: int, cells: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, cells, stride, padding=cells // 2, bias=False), nn.BatchNorm2d(outputs)
    )


class Residual(nn.Module):
    """Two 3x3 convolutions beside a shortcut, at half the resolution."""

    def __init__(self, inputs: int, inner: int, outputs: int) -> None:
        super().__init__()
        self.residual = nn.Sequential(
            convolution(inputs, inner, 3, stride=2), nn.ReLU(inplace=True), convolution(inner, outputs, 3)
        )
        self.shortcut = convolution(inputs, outputs, 1, stride=2)

    def forward(self, x: Tensor) -> Tensor:
        return (self.residual(x) + self.shortcut(x)).relu()


class TinyLayers(nn.Module):
    """The map, 4 pixels per cell: appearance of the cell and its wide surroundings, then the cell's own colour."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(
            convolution(3, 24, 3, stride=2), nn.ReLU(inplace=True), Residual(24, DEEP_SIZE, DEEP_SIZE)
        )
        self.coarse = nn.Sequential(Residual(DEEP_SIZE, 64, 64), convolution(64, DEEP_SIZE, 1))
        self.colour = nn.Sequential(
            nn.AvgPool2d(TINY_STRIDE, ceil_mode=True), convolution(3, COLOUR_SIZE, 1), nn.ReLU(inplace=True)
        )

    def forward(self, images: Tensor) -> Tensor:
        fine = self.fine(images)
        height, width = fine.shape[-2:]
        coarse = interpolate(self.coarse(fine), scale_factor=2.0)[..., :height, :width]
        return torch.cat([(fine + coarse).relu(), self.colour(images)], dim=1)


class TinyStage(nn.Module):
    """Turns a pooled region into one vector: the mean of a residual stage, then the mean colour."""

    def __init__(self) -> None:
        super().__init__()
        self.stage = Residual(TINY_MAP_SIZE, 64, TINY_FEATURE_SIZE - COLOUR_SIZE)
        # Gives each dimension of the feature unit variance, whatever the stage learns.
        self.scale = nn.BatchNorm1d(TINY_FEATURE_SIZE, affine=False)

    def forward(self, pooled: Tensor) -> Tensor:
        means = [part.mean(dim=(2, 3)) for part in (self.stage(pooled), pooled[:, DEEP_SIZE:])]
        return self.scale(torch.cat(means, dim=1))


class TinyNetwork(nn.Module):
    """A residual network for small drawn images, small enough to train on two CPU cores.

    It is trained to tell shapes apart, and would learn to ignore colours, which sentences mention too. So a branch of
    its own carries colours from the pixels to the region feature.
    """

    def __init__(self) -> None:
        super().__init__()
        self.layers = TinyLayers()
        self.last_stage = TinyStage()


class RegionPool(nn.Module):
    """RoIAlign on the one map, with the signature of torchvision's box pooling."""

    def __init__(self, stride: int, cells: int, samples: int) -> None:
        super().__init__()
        self.scale, self.cells, self.samples = 1 / stride, cells, samples

    def forward(self, maps: Mapping[str, Tensor], boxes: list[Tensor], sizes: list[tuple[int, int]]) -> Tensor:
        (image_map,) = maps.values()
        return roi_align(image_map, boxes, self.cells, self.scale, sampling_ratio=self.samples, aligned=True)


class Detector(GeneralizedRCNN):
    """Called with images (3, H, W; uint8) and targets while training, it returns torchvision's losses."""

    def forward(self, images: list[Tensor], targets: list[dict[str, Tensor]]) -> dict[str, Tensor]:
        return super().forward([image.float() / 255 for image in images], targets)

    @property
    def dense_parts(self) -> list[nn.Module]:
        """The parts with nearly all operations. Everything else, such as matching and coding boxes, needs float32."""
        return [self.backbone, self.rpn.head, self.roi_heads.box_head, self.roi_heads.box_predictor]

    @property
    def feature_size(self) -> int:
        return self.roi_heads.box_predictor.cls_score.in_features

    @torch.inference_mode()
    def regions_of(self, images: list[Tensor], selection: RegionSettings) -> list[Found]:
        """Detect regions in images (3, H, W; uint8)."""
        view = self.look(images)
        proposals, _ = self.rpn(view.inputs, view.maps)
        logits, regression = self.roi_heads.box_predictor(self.pooled(view, proposals))
        counts = [len(proposal) for proposal in proposals]
        scores = logits.softmax(dim=1)[:, 1:].split(counts)
        decoded = self.roi_heads.box_coder.decode(regression, proposals)[:, 1:].split(counts)
        kept = []
        for box_NC4, score_NC, scale_4, image in zip(decoded, scores, view.scales, images, strict=True):
            box_NC4 = clip_boxes_to_image(box_NC4 / scale_4, image.shape[1:])
            kept.append(selected(box_NC4, score_NC, selection))
        features = self.features_in(view, [box for box, _, _ in kept])
        return [Found(box, feature, *rest) for (box, *rest), feature in zip(kept, features, strict=True)]

    @torch.inference_mode()
    def features_of(self, images: list[Tensor], boxes: list[Tensor]) -> list[Tensor]:
        """Return the features of the given boxes."""
        return self.features_in(self.look(images), boxes)

    def look(self, images: list[Tensor]) -> "View":
        inputs, _ = self.transform([image.float() / 255 for image in images])
        scales = [
            inputs.tensors.new_tensor([width / image.shape[2], height / image.shape[1]] * 2)
            for image, (height, width) in zip(images, inputs.image_sizes, strict=True)
        ]
        maps = self.backbone(inputs.tensors)
        return View(inputs, {"0": maps} if isinstance(maps, Tensor) else maps, scales)

    def features_in(self, view: "View", boxes: list[Tensor]) -> list[Tensor]:
        final = [box * scale_4 for box, scale_4 in zip(boxes, view.scales, strict=True)]
        return list(self.pooled(view, final).split([len(box) for box in final]))

    def pooled(self, view: "View", boxes: list[Tensor]) -> Tensor:
        """Return the box head's output for boxes in pixels of the resized images."""
        return self.roi_heads.box_head(self.roi_heads.box_roi_pool(view.maps, boxes, view.inputs.image_sizes))


@dataclass(frozen=True)
class View:
    """Resized images and their maps: one, or those of a feature pyramid."""

    inputs: ImageList
    maps: dict[str, Tensor]
    scales: list[Tensor]
    """Resized pixels per pixel of each image, along x, y, x, y."""


def select(box_NC4: Tensor, score_NC: Tensor, selection: RegionSettings) -> tuple[Tensor, Tensor]:
    """Return proposal and class of each box that MAttNet's rule keeps, highest score first.

    Thresholding before suppression gives the same boxes as after it: only a better box suppresses a box.
    """
    is_region_NC = ((box_NC4[..., 2:] - box_NC4[..., :2]) >= SMALLEST_SIDE).all(dim=2)
    best = float(score_NC.where(is_region_NC, 0).amax()) if is_region_NC.any() else 0.0
    lowest = lowest_score(best, selection.score, selection.step)
    proposal_N, class_N = (is_region_NC & (score_NC >= lowest)).nonzero(as_tuple=True)
    kept_N = batched_nms(box_NC4[proposal_N, class_N], score_NC[proposal_N, class_N], class_N, selection.nms)
    kept_N = kept_N[: selection.cap if lowest > 0 else 1]
    return proposal_N[kept_N], class_N[kept_N]


def selected(box_NC4: Tensor, score_NC: Tensor, selection: RegionSettings) -> tuple[Tensor, Tensor, Tensor]:
    """Return the boxes that are kept, their scores and their labels, which count classes from 1."""
    proposal_N, class_N = select(box_NC4, score_NC, selection)
    return box_NC4[proposal_N, class_N], score_NC[proposal_N, class_N], class_N + 1


def lowest_score(best: float, score: float, step: float) -> float:
    """Lower `score` by `step` until `best` reaches it, but not below 0."""
    lowered = takewhile(lambda low: low > 0, (round(score - times * step, 9) for times in count()))
    return next((low for low in lowered if best >= low), 0.0)


def build_detector(
    settings: TorchvisionSettings, class_count: int, proposals: int | None = None, pretrained: State | None = None
) -> Detector:
    """Return a detector of `class_count` classes besides the background, random where not pretrained.

    `proposals` overrides the number of proposals per image when not training.
    """
    backbone = BACKBONES[settings.backbone](pretrained)
    if pretrained is not None:
        for layer in backbone.first:
            layer.requires_grad_(False)
    proposals = proposals or settings.test_proposals
    anchors = AnchorGenerator((settings.anchor_sizes,), (settings.anchor_ratios,))
    rpn = RegionProposalNetwork(
        anchors,
        RPNHead(backbone.map_size, anchors.num_anchors_per_location()[0]),
        fg_iou_thresh=0.7,
        bg_iou_thresh=0.3,
        batch_size_per_image=settings.anchor_samples,
        positive_fraction=0.5,
        pre_nms_top_n={"training": 6 * settings.proposals, "testing": 6 * proposals},
        post_nms_top_n={"training": settings.proposals, "testing": proposals},
        nms_thresh=0.7,
    )
    heads = RoIHeads(
        RegionPool(backbone.stride, backbone.pool, backbone.samples),
        backbone.head,
        FastRCNNPredictor(backbone.feature_size, class_count + 1),
        fg_iou_thresh=0.5,
        bg_iou_thresh=0.5,
        batch_size_per_image=settings.region_samples,
        positive_fraction=settings.positive_share,
        bbox_reg_weights=None,
        # Switch off torchvision's selection: see `select`.
        score_thresh=0.0,
        nms_thresh=1.0,
        detections_per_img=proposals,
    )
    transform = GeneralizedRCNNTransform(
        settings.short_side, settings.long_side, IMAGENET_MEAN, IMAGENET_DEVIATION, size_divisible=backbone.stride
    )
    return Detector(backbone.map, rpn, heads, transform).to(memory_format=torch.channels_last)
