"""Files of tensors, read without running code: weights, and the state from which a training resumes.

Weights are safetensors files with JSON metadata, or torch files from elsewhere.

The state of a training is a `torch.save` file of plain tensors and numbers, followed by its SHA-256 in 64 digits,
which detects a changed byte; `torch.load` would not. The state holds the settings of its training and the
checksums of its inputs. It does not depend on the code: an edited comment must not cost a day of training. If the state
does not fit, the training starts again and keeps the old state under another name.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor, nn

from jvgn.storage.files import reading, replacing, sha256
from parsers.errors import BrokenFile, UserError

log = logging.getLogger(__name__)

Weights = dict[str, Tensor]
DIGITS = 64
STATE_FORMAT = 2
"""Increase it when older states of trainings no longer fit the code: other tensors, other steps, another meaning."""


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


class TrainingState:
    """The saved state at `path` of a training that depends on these values: settings, checksums of inputs."""

    def __init__(self, path: Path, depends_on: Mapping[str, Any]) -> None:
        self.path = path
        self.depends_on = {**depends_on, "format": STATE_FORMAT}
        self.is_in_the_way = False
        """Whether the file at `path` belongs to another training."""

    def save(self, **state: Any) -> None:
        self.set_aside()
        with replacing(self.path) as temporary:
            torch.save({"depends_on": self.depends_on, **state}, temporary)
            with temporary.open("ab") as file:
                file.write(sha256(temporary).encode())

    def load(self) -> dict[str, Any] | None:
        """Return the saved state, or None if there is no usable one."""
        if not self.path.exists():
            return None
        try:
            state = self.read()
        except (OSError, ValueError, UserError) as error:
            kept_as = self.kept_as
            log.warning("%s: %s; training starts again, and the file is kept as %s", self.path, error, kept_as)
            self.is_in_the_way = True
            return None
        return state

    def read(self) -> dict[str, Any]:
        """Return the saved state; raise a ValueError if it is damaged or does not fit."""
        content = self.path.read_bytes()
        if hashlib.sha256(content[:-DIGITS]).hexdigest().encode() != content[-DIGITS:]:
            raise ValueError("wrong checksum")
        state = load_checkpoint(self.path)
        if not isinstance(state, dict) or not isinstance(state.get("depends_on"), dict):
            raise ValueError("not a training state of this version")
        if changed := differences(state["depends_on"], self.depends_on):
            raise ValueError(f"saved with another {', '.join(changed)}")
        return state

    def set_aside(self) -> None:
        """Rename the state of another training, so that it is not overwritten."""
        if self.is_in_the_way:
            self.path.rename(self.kept_as)
            self.is_in_the_way = False

    @property
    def kept_as(self) -> Path:
        """The first free name for a state that does not fit."""
        names = (self.path.with_name(f"{self.path.stem}.{number}{self.path.suffix}") for number in count(1))
        return next(name for name in names if not name.exists())

    def remove(self) -> None:
        self.set_aside()
        self.path.unlink(missing_ok=True)


def differences(before: Mapping[str, Any], now: Mapping[str, Any], within: str = "") -> list[str]:
    """Return the keys whose values differ, with dots where mappings are nested: `settings.epochs (20, now 30)`."""
    found = []
    for key in sorted(before.keys() | now.keys()):
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            found += differences(old, new, f"{within}{key}.")
        elif old != new:
            is_checksum = isinstance(new, str) and len(new) == DIGITS
            found.append(f"{within}{key}" if is_checksum else f"{within}{key} ({old}, now {new})")
    return found
