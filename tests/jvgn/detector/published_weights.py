"""Random weights in the format that torchvision publishes, which detect something."""

from pathlib import Path

import torch

from jvgn.detector.torchvision_coco import build
from jvgn.settings.detector import TorchvisionCocoSettings

MODEL = "fasterrcnn_mobilenet_v3_large_fpn"
SMALL = {"short_side": 64, "long_side": 96, "test_proposals": 20}


def coco_settings(**more) -> TorchvisionCocoSettings:
    return TorchvisionCocoSettings(source="torchvision-coco", model=MODEL, **more)


def save_published(path: Path) -> Path:
    torch.manual_seed(0)
    state = build(coco_settings()).state_dict()
    # All of COCO's categories would have a score of 0.01.
    state["roi_heads.box_predictor.cls_score.weight"] *= 100
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(state, path)
    return path
