"""Faster R-CNN by detectron2, as a source of regions and as a network to train.

The feature of a C4 network is the mean of res5 over the pooled *final* box (2048-d for ResNet-101), that of a network
with a feature pyramid is the output of its box head. Only this module imports detectron2.
Shape suffixes: N proposals or regions of an image, C classes, D feature size, H, W pixels.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn

from jvgn.detector.faster_rcnn import selected
from jvgn.detector.interface import Categories, Found
from jvgn.detector.provenance import COCO_TRAIN2017
from jvgn.detector.weights import read_detector
from jvgn.settings.base import validated
from jvgn.settings.detector import Detectron2Settings, RegionSettings
from jvgn.storage.files import reading
from jvgn.storage.pickles import load_array_pickle
from jvgn.storage.tensor_files import load_checkpoint, load_tensors
from parsers.errors import BrokenFile, UserError

try:
    import detectron2
    from detectron2.checkpoint import DetectionCheckpointer
    from detectron2.config import CfgNode, get_cfg
    from detectron2.data.datasets.builtin_meta import COCO_CATEGORIES
    from detectron2.data.transforms import ResizeShortestEdge
    from detectron2.modeling import build_model
    from detectron2.modeling.roi_heads import Res5ROIHeads, StandardROIHeads
    from detectron2.structures import Boxes, ImageList, Instances
    from detectron2.utils.events import EventStorage
except ImportError as error:
    raise UserError(
        f"a detector of source detectron2 needs the library detectron2 ({error}): "
        "conda install --channel conda-forge detectron2, or choose source torchvision"
    ) from error

MODEL_ZOO = Path(detectron2.__file__).parent / "model_zoo" / "configs"
ZOO_AUTHOR, ZOO_FILE = "detectron2 model zoo", re.compile(r"model_final_[0-9a-f]{6}\.pkl")
"""Files of the model zoo name their author, or have such a name. Its detectors were trained on all of train2017."""


def configured(settings: Detectron2Settings, class_count: int, proposals: int | None = None) -> CfgNode:
    """Return detectron2's configuration, changed as the settings say."""
    own, in_zoo = Path(settings.config), MODEL_ZOO / settings.config
    if not own.is_file() and not in_zoo.is_file():
        raise UserError(
            f"{settings.config}: neither a file nor a configuration of detectron2's model zoo; fix `config`"
        )
    config = get_cfg()
    try:
        config.merge_from_file(str(own if own.is_file() else in_zoo), allow_unsafe=False)
    except Exception as error:  # yacs passes on any exception about a bad value
        reason = " ".join(str(error).split())
        raise UserError(f"{settings.config}: not a detectron2 configuration ({reason}); fix `config`") from error
    proposals = proposals or settings.test_proposals
    config.MODEL.DEVICE, config.MODEL.WEIGHTS = "cpu", ""
    config.MODEL.ROI_HEADS.NUM_CLASSES = class_count
    config.MODEL.RPN.PRE_NMS_TOPK_TEST, config.MODEL.RPN.POST_NMS_TOPK_TEST = 6 * proposals, proposals
    return config


class Detectron2Network(nn.Module):
    """Called with images (3, H, W; RGB, uint8) and targets while training, it returns detectron2's losses."""

    def __init__(self, config: CfgNode, short_side: int, long_side: int) -> None:
        super().__init__()
        self.model = build_model(config)
        heads = getattr(self.model, "roi_heads", None)
        if type(heads) not in (Res5ROIHeads, StandardROIHeads):
            raise UserError(
                f"expected a Faster R-CNN, found {type(heads).__name__} as its box head; choose another `config`"
            )
        self.in_bgr = config.INPUT.FORMAT == "BGR"
        self.resize = ResizeShortestEdge([short_side, short_side], long_side)
        self.pooled: Callable[[dict[str, Tensor], list[Boxes]], Tensor]
        self.pooled = self.pooled_by_res5 if type(heads) is Res5ROIHeads else self.pooled_by_box_head

    @property
    def dense_parts(self) -> list[nn.Module]:
        """The parts with nearly all operations, as in `faster_rcnn.Detector`."""
        heads = self.model.roi_heads
        box_head = heads.res5 if type(heads) is Res5ROIHeads else heads.box_head
        return [self.model.backbone, self.model.proposal_generator.rpn_head, box_head, heads.box_predictor]

    def pooled_by_res5(self, maps: dict[str, Tensor], boxes: list[Boxes]) -> Tensor:
        heads = self.model.roi_heads
        return heads.res5(heads.pooler([maps[name] for name in heads.in_features], boxes)).mean(dim=(2, 3))

    def pooled_by_box_head(self, maps: dict[str, Tensor], boxes: list[Boxes]) -> Tensor:
        heads = self.model.roi_heads
        return heads.box_head(heads.box_pooler([maps[name] for name in heads.box_in_features], boxes))

    def seen(self, image: Tensor) -> Tensor:
        """Prepare an image as detectron2 does: resized by Pillow in eight bits, channels in the network's order."""
        array_HW3 = image.permute(1, 2, 0).cpu().numpy()
        array_HW3 = array_HW3[:, :, ::-1] if self.in_bgr else array_HW3
        resized_HW3 = self.resize.get_transform(array_HW3).apply_image(array_HW3)
        return torch.from_numpy(resized_HW3.astype("float32")).permute(2, 0, 1).contiguous()

    def forward(self, images: list[Tensor], targets: list[dict[str, Tensor]]) -> dict[str, Tensor]:
        inputs = []
        for image, target in zip(images, targets, strict=True):
            seen = self.seen(image)
            size = (seen.shape[1], seen.shape[2])
            scale_4 = target["boxes"].new_tensor([size[1] / image.shape[2], size[0] / image.shape[1]] * 2)
            instances = Instances(size, gt_boxes=Boxes(target["boxes"] * scale_4), gt_classes=target["labels"] - 1)
            inputs.append({"image": seen, "instances": instances})
        with EventStorage():  # detectron2 logs to it, and fails without one
            return self.model(inputs)


@dataclass(frozen=True)
class Detectron2View:
    """Resized images and their maps."""

    inputs: ImageList
    maps: dict[str, Tensor]
    scales: list[Tensor]
    """Resized pixels per pixel of each image, along x, y, x, y."""


@dataclass(frozen=True)
class Detectron2Source:
    """A network with the categories of its labels: a source of regions."""

    network: Detectron2Network
    settings: Detectron2Settings
    categories: Categories

    @property
    def feature_size(self) -> int:
        return self.network.model.roi_heads.box_predictor.cls_score.in_features

    def to(self, device: str | torch.device) -> Self:
        self.network.to(device)
        return self

    @torch.inference_mode()
    def regions_of(self, images: list[Tensor], selection: RegionSettings) -> list[Found]:
        view, predictor = self.look(images), self.network.model.roi_heads.box_predictor
        proposals, _ = self.network.model.proposal_generator(view.inputs, view.maps, None)
        predicted = predictor(self.network.pooled(view.maps, [found.proposal_boxes for found in proposals]))
        decoded = predictor.predict_boxes(predicted, proposals)
        scores = predictor.predict_probs(predicted, proposals)
        kept = []
        for boxes, score_NC, scale_4, image in zip(decoded, scores, view.scales, images, strict=True):
            score_NC = score_NC[:, :-1]  # the last is the background
            own = Boxes(boxes.reshape(-1, 4) / scale_4)
            own.clip((image.shape[1], image.shape[2]))
            box_NC4 = own.tensor.reshape(len(score_NC), boxes.shape[1] // 4, 4).expand(-1, score_NC.shape[1], 4)
            kept.append(selected(box_NC4, score_NC, selection))
        features = self.features_in(view, [box for box, _, _ in kept])
        return [Found(box, feature, *rest) for (box, *rest), feature in zip(kept, features, strict=True)]

    @torch.inference_mode()
    def features_of(self, images: list[Tensor], boxes: list[Tensor]) -> list[Tensor]:
        return self.features_in(self.look(images), boxes)

    def look(self, images: list[Tensor]) -> Detectron2View:
        inputs = self.network.model.preprocess_image([{"image": self.network.seen(image)} for image in images])
        scales = [
            inputs.tensor.new_tensor([width / image.shape[2], height / image.shape[1]] * 2)
            for image, (height, width) in zip(images, inputs.image_sizes, strict=True)
        ]
        return Detectron2View(inputs, self.network.model.backbone(inputs.tensor), scales)

    def features_in(self, view: Detectron2View, boxes: list[Tensor]) -> list[Tensor]:
        final = [Boxes(box * scale_4) for box, scale_4 in zip(boxes, view.scales, strict=True)]
        return list(self.network.pooled(view.maps, final).split([len(box) for box in final]))


class PlainCheckpointer(DetectionCheckpointer):
    """Reads the formats that detectron2 reads, without running code from the file."""

    def _load_file(self, filename: str) -> dict[str, Any]:
        if not filename.endswith(".pkl"):
            found = load_tensors(filename) if filename.endswith(".safetensors") else load_checkpoint(filename)
            return {"model": found.get("model", found)}
        found = load_array_pickle(filename)
        if "model" in found and "__author__" in found:
            return found
        # The remaining pickles are Caffe2's; detection models keep their weights in `blobs`.
        blobs = {name: value for name, value in found.get("blobs", found).items() if not name.endswith("_momentum")}
        return {"model": blobs, "__author__": "Caffe2", "matching_heuristics": True}


def load_file_into(network: Detectron2Network, path: str) -> tuple[list[str], str | None]:
    """Load the file's weights into the network; return the names of missing weights, and the author of the file."""
    checkpointer = PlainCheckpointer(network.model)
    with reading(path, "file of weights", "choose others"):
        checkpoint = checkpointer._load_file(path)
        author = checkpoint.get("__author__")
        found = checkpointer._load_model(checkpoint)
    return [*found.missing_keys, *(name for name, _, _ in found.incorrect_shapes)], author


def start_detectron2(settings: Detectron2Settings, class_count: int) -> Detectron2Network:
    """Return a network before its first step."""
    network = Detectron2Network(configured(settings, class_count), settings.short_side, settings.long_side)
    if settings.pretrained is not None:
        missing, _ = load_file_into(network, settings.pretrained)
        if any("stem" in name for name in missing):
            raise BrokenFile(settings.pretrained, f"not the weights of {settings.config}'s backbone", "choose others")
    return network


def load_detectron2(path: Path | str, proposals: int | None = None) -> Detectron2Source:
    """Return the detector at `path`, in our own format, ready to detect."""
    stored = read_detector(path)
    settings = validated(Detectron2Settings, stored.settings, f"{path}: settings")
    config = configured(settings, len(stored.categories), proposals)
    network = Detectron2Network(config, settings.short_side, settings.long_side)
    try:
        network.load_state_dict(stored.state)
    except RuntimeError as error:
        raise BrokenFile(path, f"not the weights of a {settings.config}") from error
    return Detectron2Source(network.eval(), settings, stored.categories)


@dataclass(frozen=True)
class GivenDetector:
    """A detector that was trained elsewhere."""

    state: dict[str, Tensor]
    categories: Categories
    saw_all_of: str | None


def read_given(settings: Detectron2Settings, path: str) -> GivenDetector:
    """Read the weights of a detector of COCO's categories, in any format that detectron2 reads."""
    categories = [(each["id"], each["name"]) for each in COCO_CATEGORIES if each["isthing"]]
    network = Detectron2Network(configured(settings, len(categories)), settings.short_side, settings.long_side)
    missing, author = load_file_into(network, path)
    if missing:
        raise BrokenFile(
            path,
            f"not a {settings.config} for COCO's {len(categories)} categories: it lacks {missing[0]}",
            "choose others",
        )
    is_the_zoos = str(author).lower() == ZOO_AUTHOR or ZOO_FILE.fullmatch(Path(path).name) is not None
    return GivenDetector(network.state_dict(), categories, COCO_TRAIN2017 if is_the_zoos else None)
