"""File of a detector's weights, in safetensors.

Its tensors are the detector's state; its metadata has one entry, `detector`, a JSON object: `format`, the version;
`settings`, the detector's settings in full; `categories`, a list of [category id, name]: label k, from 1, is the k-th.
(One entry, because safetensors writes several in no fixed order.)
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import torch
from safetensors.torch import save_file
from torch import Tensor

from jvgn.detector.faster_rcnn import Detector, State, build_detector
from jvgn.detector.interface import Categories, Found
from jvgn.settings.base import Frozen, validated
from jvgn.settings.detector import NetworkSettings, RegionSettings, TorchvisionCocoSettings, TorchvisionSettings
from jvgn.storage.files import replacing, sha256
from jvgn.storage.tensor_files import fits, load_tensors, read_versioned
from parsers.errors import BrokenFile, UserError

FORMAT = "1"


@dataclass(frozen=True)
class TrainedDetector:
    """A detector with the categories of its labels: a source of regions."""

    detector: Detector
    settings: TorchvisionSettings | TorchvisionCocoSettings
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


def save_detector(path: Path | str, state: State, settings: NetworkSettings, categories: Categories) -> str:
    """Write the detector to `path`; return the SHA-256 of the file."""
    with replacing(path) as temporary:
        write_detector(temporary, state, settings, categories)
        return sha256(temporary)


def write_detector(path: Path, state: State, settings: NetworkSettings, categories: Categories) -> None:
    about = {"format": FORMAT, "settings": settings.model_dump(mode="json"), "categories": categories}
    tensors = {name: value.contiguous() for name, value in state.items()}
    save_file(tensors, path, metadata={"detector": json.dumps(about)})


class DetectorMetadata(Frozen):
    format: Literal["1"]
    settings: dict[str, Any]
    categories: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Stored:
    """The content of a file of weights."""

    path: Path
    settings: dict[str, Any]
    categories: Categories
    state: dict[str, Tensor]


def read_detector(path: Path | str) -> Stored:
    """Return the content of the file, after a check of its format."""
    state, about = read_versioned(path, "detector", FORMAT)
    checked = validated(DetectorMetadata, about, f"{path}: metadata")
    return Stored(Path(path), checked.settings, list(checked.categories), state)


def load_detector(path: Path | str, proposals: int | None = None) -> TrainedDetector:
    """Return the detector at `path`, ready to detect."""
    stored = read_detector(path)
    settings = validated(TorchvisionSettings, stored.settings, f"{path}: settings")
    if not fits(stored.state, lambda: build_detector(settings, len(stored.categories), proposals)):
        raise BrokenFile(path, f"not the weights of a {settings.backbone} detector")
    detector = build_detector(settings, len(stored.categories), proposals)
    detector.load_state_dict(stored.state)
    return TrainedDetector(detector.eval(), settings, stored.categories)


def start_detector(settings: TorchvisionSettings, class_count: int) -> Detector:
    """Return a detector before its first step."""
    if settings.pretrained is None:
        return build_detector(settings, class_count)
    try:
        return build_detector(settings, class_count, pretrained=load_tensors(settings.pretrained))
    except (RuntimeError, TypeError) as error:
        raise BrokenFile(settings.pretrained, f"not the weights of a {settings.backbone}", "choose others") from error


def pretrained_sha256(settings: NetworkSettings) -> str | None:
    """Return the checksum of the weights that a detector starts from, if any."""
    if settings.pretrained is None:
        return None
    if not Path(settings.pretrained).is_file():
        raise UserError(f"{settings.pretrained}: no such file; fix the `pretrained` setting")
    return sha256(settings.pretrained)


def check_settings(weights: Path | str, found: NetworkSettings, expected: NetworkSettings) -> None:
    for key, value in expected.model_dump().items():
        if getattr(found, key) != value:
            problem = f"expected a detector with {key} {value}, found {getattr(found, key)}"
            raise UserError(f"{weights}: {problem}; train it again")
