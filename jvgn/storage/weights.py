"""Network weights: safetensors files with JSON metadata, and torch files from elsewhere, read without running code."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor, nn

from jvgn.storage.files import reading
from parsers.errors import BrokenFile

Weights = dict[str, Tensor]


def read_safetensors(path: Path | str) -> tuple[Weights, dict[str, Any]]:
    """Return the tensors by name, and the metadata with each value parsed from JSON."""
    with reading(path, "file of weights"), safe_open(path, framework="pt") as file:
        metadata = {key: json.loads(value) for key, value in (file.metadata() or {}).items()}
        return {name: file.get_tensor(name) for name in file.keys()}, metadata  # noqa: SIM118


def read_versioned(path: Path | str, kind: str, version: str) -> tuple[Weights, dict[str, Any]]:
    """Return the tensors and the metadata's object `kind`, after a check of its format version."""
    weights, metadata = read_safetensors(path)
    about = metadata.get(kind)
    found = about.get("format") if isinstance(about, dict) else None
    if not isinstance(about, dict) or found != version:
        raise BrokenFile(path, f"expected a {kind} of format version {version}, found {found or 'none'}")
    return weights, about


def load_checkpoint(path: Path | str) -> Any:
    """Return what a torch file holds, on the CPU."""
    with reading(path, "torch file", "get the file again from a source you trust"):
        return torch.load(path, map_location="cpu", weights_only=True)


def load_tensors(path: Path | str) -> Weights:
    """Return the tensors of a torch file or of a safetensors file, by name."""
    if Path(path).suffix == ".safetensors":
        with reading(path, "file of weights"):
            return load_file(path)
    found = load_checkpoint(path)
    with reading(path, "file of weights", "give a state dict: tensors by their names"):
        if not all(isinstance(name, str) and isinstance(value, Tensor) for name, value in found.items()):
            raise TypeError("it does not hold tensors by their names")
        return dict(found)


def fits(weights: Mapping[str, Tensor], build: Callable[[], nn.Module]) -> bool:
    """Return whether the network that `build` makes has weights of these names, shapes and types."""
    with torch.device("meta"):
        expected = build().state_dict()
    return {name: (value.shape, value.dtype) for name, value in expected.items()} == {
        name: (value.shape, value.dtype) for name, value in weights.items()
    }
