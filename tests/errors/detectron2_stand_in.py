"""In the place of detectron2, where it is not installed: as much of it as a mistake meets before it is noticed.

Its configurations know a few keys, its networks have two layers, and its checkpoints compare names.
"""

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import yaml
from torch import nn

ZOO = {
    "COCO-Detection/faster_rcnn_R_101_C4_3x.yaml": {"MODEL": {"ROI_HEADS": {"NAME": "Res5ROIHeads"}}},
    "Misc/cascade_mask_rcnn_R_50_FPN_1x.yaml": {"MODEL": {"ROI_HEADS": {"NAME": "CascadeROIHeads"}}},
}
KNOWN = {
    "MODEL": {
        "DEVICE": "cpu",
        "WEIGHTS": "",
        "ROI_HEADS": {"NAME": "", "NUM_CLASSES": 80},
        "RPN": {"PRE_NMS_TOPK_TEST": 6000, "POST_NMS_TOPK_TEST": 1000},
    },
    "INPUT": {"FORMAT": "BGR"},
}


class CfgNode(SimpleNamespace):
    def __init__(self, values: dict[str, Any]) -> None:
        nested = {key: CfgNode(value) if isinstance(value, dict) else value for key, value in values.items()}
        super().__init__(**nested)

    def merge_from_file(self, path: str, allow_unsafe: bool) -> None:
        self.merge(yaml.safe_load(Path(path).read_text()))

    def merge(self, values: dict[str, Any]) -> None:
        for key, value in values.items():
            if not hasattr(self, key):
                raise KeyError(f"Non-existent config key: {key}")
            if isinstance(value, dict):
                getattr(self, key).merge(value)
            else:
                setattr(self, key, value)


class Heads(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.box_predictor = nn.ModuleDict({"cls_score": nn.Linear(4, classes + 1)})


class Res5ROIHeads(Heads): ...


class StandardROIHeads(Heads): ...


class CascadeROIHeads(StandardROIHeads): ...


def build_model(config: CfgNode) -> nn.Module:
    heads = {kind.__name__: kind for kind in (Res5ROIHeads, StandardROIHeads, CascadeROIHeads)}[
        config.MODEL.ROI_HEADS.NAME
    ]
    stem = nn.ModuleDict({"stem": nn.Linear(3, 4)})
    return nn.ModuleDict({"backbone": stem, "roi_heads": heads(config.MODEL.ROI_HEADS.NUM_CLASSES)})


class DetectionCheckpointer:
    def __init__(self, model: nn.Module) -> None:
        self.model = model

    def _load_model(self, checkpoint: dict[str, Any]) -> SimpleNamespace:
        missing = [name for name in self.model.state_dict() if name not in checkpoint["model"]]
        return SimpleNamespace(missing_keys=missing, incorrect_shapes=[])


def modules(folder: Path) -> dict[str, ModuleType]:
    """By name; the model zoo is in the folder."""
    for name, values in ZOO.items():
        path = folder / "model_zoo/configs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(values))
    contents: dict[str, dict[str, Any]] = {
        "": {"__file__": str(folder / "__init__.py")},
        ".checkpoint": {"DetectionCheckpointer": DetectionCheckpointer},
        ".config": {"CfgNode": CfgNode, "get_cfg": lambda: CfgNode(KNOWN)},
        ".data": {},
        ".data.datasets": {},
        ".data.datasets.builtin_meta": {"COCO_CATEGORIES": [{"id": 1, "name": "person", "isthing": 1}]},
        ".data.transforms": {"ResizeShortestEdge": lambda sides, longest: None},
        ".modeling": {"build_model": build_model},
        ".modeling.roi_heads": {"Res5ROIHeads": Res5ROIHeads, "StandardROIHeads": StandardROIHeads},
        ".structures": dict.fromkeys(("Boxes", "ImageList", "Instances")),
        ".utils": {},
        ".utils.events": {"EventStorage": None},
    }
    found = {}
    for name, content in contents.items():
        module = ModuleType(f"detectron2{name}")
        vars(module).update(content)
        found[f"detectron2{name}"] = module
    return found
