"""Torchvision's published detectors of COCO's categories. Only this module imports them.

They were trained on all of COCO train2017, so their leakage proof on RefCOCO says `leaking`.
Shape suffixes: N regions, H, W pixels.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torchvision.models import get_model_weights
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_fpn, fasterrcnn_resnet50_fpn_v2
from torchvision.models.detection.faster_rcnn import FasterRCNN

from jvgn.detector.faster_rcnn import Detector
from jvgn.detector.interface import Categories, NamedRegions
from jvgn.detector.weights import TrainedDetector, read_detector
from jvgn.settings.base import validated
from jvgn.settings.detector import CocoModel, TorchvisionCocoSettings
from jvgn.storage.tensor_files import Weights, fits, load_tensors
from parsers.errors import BrokenFile

BUILDERS = {
    "fasterrcnn_resnet50_fpn_v2": fasterrcnn_resnet50_fpn_v2,
    "fasterrcnn_mobilenet_v3_large_fpn": fasterrcnn_mobilenet_v3_large_fpn,
}


def coco_categories(model: CocoModel) -> Categories:
    """Return the category of each label. Labels are COCO's ids; those that COCO does not use are named N/A."""
    names = get_model_weights(model).DEFAULT.meta["categories"]
    return list(enumerate(names))[1:]


def build(settings: TorchvisionCocoSettings, proposals: int | None = None) -> FasterRCNN:
    """Return the network with random weights. The first layers of its backbone are frozen like the published ones."""
    return BUILDERS[settings.model](
        weights=None,
        weights_backbone=None,
        num_classes=len(coco_categories(settings.model)) + 1,
        min_size=settings.short_side,
        max_size=settings.long_side,
        rpn_post_nms_top_n_test=proposals or settings.test_proposals,
    )


def read_published(settings: TorchvisionCocoSettings, path: Path | str) -> Weights:
    """Read a file of weights that torchvision published for this model."""
    state = load_tensors(path)
    if not fits(state, lambda: build(settings)):
        raise BrokenFile(path, f"not the weights of torchvision's {settings.model}", "get the published file")
    return state


def loaded_network(settings: TorchvisionCocoSettings, state: Mapping[str, Tensor], proposals: int | None) -> FasterRCNN:
    network = build(settings, proposals)
    network.load_state_dict(state)
    return network.eval()


class CocoDetector:
    """A published detector for pictures: boxes with the names of COCO's categories."""

    def __init__(self, network: FasterRCNN, model: CocoModel, device: str | torch.device) -> None:
        self.network, self.device = network.to(device), device
        self.names = dict(coco_categories(model))
        self.name = f"torchvision-coco ({model})"

    @torch.inference_mode()
    def detect(self, pixels_HW3: np.ndarray) -> NamedRegions:
        image_3HW = torch.from_numpy(pixels_HW3).to(self.device).permute(2, 0, 1).float() / 255
        (found,) = self.network([image_3HW])
        names = tuple(self.names[label] for label in found["labels"].tolist())
        return NamedRegions(found["boxes"].cpu().numpy(), names, found["scores"].cpu().numpy())


def load_coco_detector(model: CocoModel, weights: Path | str, device: str | torch.device = "cpu") -> CocoDetector:
    """Return a detector for pictures from the published file."""
    settings = TorchvisionCocoSettings(source="torchvision-coco", model=model)
    return CocoDetector(loaded_network(settings, read_published(settings, weights), None), model, device)


def load_torchvision_coco(path: Path | str, proposals: int | None = None) -> TrainedDetector:
    """Return the detector at `path`, in our own format, as a source of regions with features for the workflow."""
    stored = read_detector(path)
    settings = validated(TorchvisionCocoSettings, stored.settings, f"{path}: settings")
    if not fits(stored.state, lambda: build(settings)):
        raise BrokenFile(path, f"not the weights of torchvision's {settings.model}")
    network = loaded_network(settings, stored.state, proposals)
    detector = Detector(network.backbone, network.rpn, network.roi_heads, network.transform)
    return TrainedDetector(detector.eval(), settings, stored.categories)
