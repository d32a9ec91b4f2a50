"""A detector's weights: a safetensors file, never a pickle.

Its tensors are the detector's state; its metadata has one entry, `detector`, a JSON object: `format`, the version;
`settings`, the detector's settings in full; `categories`, a list of [category id, name]: the detector's label k,
from 1, stands for the k-th. (One entry, because safetensors writes several in no fixed order.)
"""

import json
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from jvgn.regions.detector import Detector, build_detector
from jvgn.regions.source import Categories, Found
from jvgn.settings.base import validated
from jvgn.settings.detector import TorchvisionSettings
from jvgn.settings.regions import RegionSettings
from parsers.files import BrokenFile, UserError, replacing

FORMAT = "1"


@dataclass(frozen=True)
class TrainedDetector:
    """A detector that knows what its labels stand for: a source of regions."""

    detector: Detector
    settings: TorchvisionSettings
    categories: Categories

    @property
    def feature_size(self) -> int:
        return self.detector.feature_size

    def to(self, device: str | torch.device) -> Self:
        self.detector.to(device)
        return self

    def regions_of(self, images: list[Tensor], selection: RegionSettings) -> list[Found]:
        return self.detector.regions_of(images, selection)

    def features_of(self, images: list[Tensor], boxes: list[Tensor]) -> list[Tensor]:
        return self.detector.features_of(images, boxes)


def save_detector(path: Path | str, trained: TrainedDetector) -> None:
    about = {
        "format": FORMAT,
        "settings": trained.settings.model_dump(mode="json"),
        "categories": trained.categories,
    }
    state = {name: value.contiguous() for name, value in trained.detector.state_dict().items()}
    with replacing(path) as temporary:
        save_file(state, temporary, metadata={"detector": json.dumps(about)})


def load_detector(path: Path | str, proposals: int | None = None) -> TrainedDetector:
    """The detector at `path`, ready to detect, after a check that the file is whole and of our format."""
    if not Path(path).exists():
        raise BrokenFile(path, "there is no such file", "make it with the workflow")
    try:
        with safe_open(path, framework="pt") as file:
            about = json.loads((file.metadata() or {}).get("detector", "{}"))
        state = load_file(path)
    except SafetensorError as error:
        raise BrokenFile(path, f"not a readable safetensors file ({error})") from error
    if about.get("format") != FORMAT:
        raise BrokenFile(path, f"expected a detector of format version {FORMAT}, found {about.get('format', 'none')}")
    settings = validated(TorchvisionSettings, about["settings"], f"{path}: settings")
    categories = [(int(category_id), str(name)) for category_id, name in about["categories"]]
    detector = build_detector(settings, len(categories), proposals)
    try:
        detector.load_state_dict(state)
    except RuntimeError as error:
        raise BrokenFile(path, f"not the weights of a {settings.backbone} detector") from error
    return TrainedDetector(detector.eval(), settings, categories)


def read_pretrained(path: Path | str) -> dict[str, Tensor]:
    """A classification network's weights, from a safetensors file or from torchvision's own."""
    try:
        if Path(path).suffix == ".safetensors":
            return load_file(path)
        return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise UserError(f"{path}: there are no such pretrained weights; mend the detector's `pretrained`") from error
    except (SafetensorError, RuntimeError, EOFError, OSError, pickle.UnpicklingError) as error:
        raise BrokenFile(path, "not a readable file of weights", "download it again") from error


def check_settings(weights: Path | str, found: TorchvisionSettings, expected: TorchvisionSettings) -> None:
    for key, value in expected.model_dump().items():
        if getattr(found, key) != value:
            raise UserError(
                f"{weights}: expected a detector with {key} {value}, found {getattr(found, key)}; train it again"
            )
