"""A detector's weights: a safetensors file, never a pickle.

Its tensors are the detector's state; its metadata has one entry, `detector`, a JSON object: `format`, the version;
`settings`, the detector's settings in full; `categories`, a list of [category id, name]: the detector's label k,
from 1, stands for the k-th. (One entry, because safetensors writes several in no fixed order.)
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from jvgn.detector.faster_rcnn import Detector, State, build_detector
from jvgn.detector.interface import Categories, Found
from jvgn.settings.base import Frozen, validated
from jvgn.settings.detector import NetworkSettings, TorchvisionSettings
from jvgn.settings.regions import RegionSettings
from jvgn.storage.files import replacing, sha256
from jvgn.storage.text_formats import parsed_json
from jvgn.storage.weights import fits, load_tensors
from parsers.errors import BrokenFile, UserError

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


def save_detector(path: Path | str, state: State, settings: NetworkSettings, categories: Categories) -> str:
    """`path` holds the detector; the SHA-256 of the file is returned."""
    with replacing(path) as temporary:
        write_detector(temporary, state, settings, categories)
        return sha256(temporary)


def write_detector(path: Path, state: State, settings: NetworkSettings, categories: Categories) -> None:
    about = {"format": FORMAT, "settings": settings.model_dump(mode="json"), "categories": categories}
    tensors = {name: value.contiguous() for name, value in state.items()}
    save_file(tensors, path, metadata={"detector": json.dumps(about)})


class About(Frozen):
    format: Literal["1"]
    settings: dict[str, Any]
    categories: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Stored:
    """What a file of weights holds."""

    path: Path
    settings: dict[str, Any]
    categories: Categories
    state: dict[str, Tensor]


def read_detector(path: Path | str) -> Stored:
    """The content of the file, after a check that it is whole and of our format."""
    if not Path(path).exists():
        raise BrokenFile(path, "there is no such file", "make it with the workflow")
    try:
        with safe_open(path, framework="pt") as file:
            about = parsed_json((file.metadata() or {}).get("detector", "{}"))
        state = load_file(path)
    except Exception as error:
        raise BrokenFile(path, f"not a readable safetensors file ({error})") from error
    found = about.get("format") if isinstance(about, dict) else None
    if found != FORMAT:
        raise BrokenFile(path, f"expected a detector of format version {FORMAT}, found {found or 'none'}")
    told = validated(About, about, f"{path}: metadata")
    return Stored(Path(path), told.settings, list(told.categories), state)


def load_detector(path: Path | str, proposals: int | None = None) -> TrainedDetector:
    """The detector at `path`, ready to detect."""
    stored = read_detector(path)
    settings = validated(TorchvisionSettings, stored.settings, f"{path}: settings")
    if not fits(stored.state, lambda: build_detector(settings, len(stored.categories), proposals)):
        raise BrokenFile(path, f"not the weights of a {settings.backbone} detector")
    detector = build_detector(settings, len(stored.categories), proposals)
    detector.load_state_dict(stored.state)
    return TrainedDetector(detector.eval(), settings, stored.categories)


def start_detector(settings: TorchvisionSettings, class_count: int) -> Detector:
    """A detector before its first step."""
    if settings.pretrained is None:
        return build_detector(settings, class_count)
    try:
        return build_detector(settings, class_count, pretrained=read_pretrained(settings.pretrained))
    except (RuntimeError, TypeError) as error:
        raise BrokenFile(settings.pretrained, f"not the weights of a {settings.backbone}", "choose others") from error


def pretrained_sha256(settings: NetworkSettings) -> str | None:
    """Of the weights that a detector starts from, if any."""
    if settings.pretrained is None:
        return None
    if not Path(settings.pretrained).is_file():
        raise UserError(f"{settings.pretrained}: there are no such pretrained weights; mend the `pretrained` setting")
    return sha256(settings.pretrained)


def read_pretrained(path: Path | str) -> dict[str, Tensor]:
    """A classification network's weights, from a safetensors file or from torchvision's own."""
    try:
        return load_file(path) if Path(path).suffix == ".safetensors" else load_tensors(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise BrokenFile(path, "not a readable file of weights", "download it again") from error


def check_settings(weights: Path | str, found: NetworkSettings, expected: NetworkSettings) -> None:
    for key, value in expected.model_dump().items():
        if getattr(found, key) != value:
            raise UserError(
                f"{weights}: expected a detector with {key} {value}, found {getattr(found, key)}; train it again"
            )
