"""Weights: trained models and detectors, pretrained networks, states of interrupted trainings."""

import hashlib
from pathlib import Path

from tests.long.fuzz.formats.weights import CHECKPOINT, SAFETENSORS
from tests.long.fuzz.reader import Reader
from tests.long.fuzz.world import copied_world


def make_model(folder: Path) -> list[Path]:
    return [copied_world(folder).model]


def read_model(path: Path) -> None:
    import torch

    from jvgn.training.checkpoint import load_model

    load_model(path, torch.device("cpu")).check_features(6)


def make_detector(folder: Path) -> list[Path]:
    from jvgn.detector.faster_rcnn import build_detector
    from jvgn.detector.weights import save_detector
    from jvgn.settings.detector import TorchvisionSettings

    settings = TorchvisionSettings(backbone="tiny", anchor_sizes=(16,), short_side=32, long_side=64)
    path = folder / "weights.safetensors"
    save_detector(path, build_detector(settings, 2).state_dict(), settings, [(1, "dog"), (2, "cat")])
    return [path]


def read_detector(path: Path) -> None:
    from jvgn.detector.weights import load_detector

    load_detector(path)


def make_pretrained(folder: Path) -> list[Path]:
    import torch

    from jvgn.detector.tiny_backbone import TinyNetwork

    state = TinyNetwork().state_dict()
    torch.save(state, folder / "tiny.pth")
    torch.save(state, folder / "old.pth", _use_new_zipfile_serialization=False)
    return [folder / "tiny.pth", folder / "old.pth"]


def read_pretrained(path: Path) -> None:
    from jvgn.detector.weights import start_detector
    from jvgn.settings.detector import TorchvisionSettings

    start_detector(TorchvisionSettings(backbone="tiny", pretrained=str(path), short_side=32, long_side=64), 2)


def make_state(folder: Path) -> list[Path]:
    import torch

    path = folder / "training_state.pt"
    torch.save({"fingerprint": "other", "model": {"w": torch.ones(3)}, "progress": {"steps": 2, "loss": 0.5}}, path)
    return [path]


def read_state(path: Path) -> None:
    """Its hash is made to fit, or nothing of it would be read."""
    from jvgn.runtime.resume import TrainingState

    content = path.read_bytes()
    path.write_bytes(content + hashlib.sha256(content).hexdigest().encode())
    TrainingState(path, "jvgn.training.run").load()


READERS = [
    Reader("model", SAFETENSORS, make_model, read_model, share=4),
    Reader("detector", SAFETENSORS, make_detector, read_detector, share=2),
    Reader("pretrained network", CHECKPOINT, make_pretrained, read_pretrained, share=2),
    Reader("state of a training", CHECKPOINT, make_state, read_state, share=3),
]
