"""Mistakes to be made in a copy of the finished project, and commands that must notice them."""

import io
import json
import os
import shlex
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import h5py
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from PIL import Image

from jvgn.settings.presets import overlaid
from jvgn.storage import picture_hashes as hashes
from jvgn.storage.files import sha256
from tests.errors.case import Bench
from tests.errors.project import DETECTOR, IMAGES, SETTINGS

Arrange = Callable[[Bench], list[Any]]
Mistake = Callable[[], object]
"""Made where the command starts: in the folder of a project."""

NOISE = bytes(range(255, 0, -1))
"""No text, and no file of any kind."""


def after(command: str, *mistakes: Mistake) -> Arrange:
    """A command in a project in which these mistakes were made; without any, it is in the command itself."""

    def arrange(bench: Bench) -> list[Any]:
        shutil.copytree(bench.fixture("finished_project"), bench.folder, dirs_exist_ok=True)
        for make in mistakes:
            make()
        return shlex.split(command)

    return arrange


def stopped(command: str, step: str) -> Arrange:
    """A scheduler's signal comes within a step of a command: as soon as that function is called."""

    def arrange(bench: Bench) -> list[Any]:
        function = resolve_name(step)

        def signalled(*arguments: Any) -> Any:
            os.kill(os.getpid(), signal.SIGTERM)
            return function(*arguments)

        arguments = after(command)(bench)
        bench.patch.setattr(step, signalled)
        return arguments

    return arrange


def written(path: str, content: str | bytes) -> Mistake:
    """The file holds this instead."""

    def make() -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(content.encode() if isinstance(content, str) else content)

    return make


def deleted(path: str) -> Mistake:
    return lambda: shutil.rmtree(path) if Path(path).is_dir() else Path(path).unlink()


without_hashes = deleted(f"{IMAGES}/{hashes.NAME}")
"""Nothing tells how the pictures were written, as where they are a user's own."""


def copied(path: str, to: str) -> Mistake:
    """A file stands in the place of another."""

    def make() -> None:
        Path(to).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)

    return make


def folder_at(path: str) -> Mistake:
    """A folder has the file's name."""

    def make() -> None:
        Path(path).unlink(missing_ok=True)
        Path(path).mkdir(parents=True)

    return make


def chosen(path: str, **values: Any) -> Mistake:
    """The project's settings of that name, with these values."""
    return written(path, yaml.safe_dump(overlaid(SETTINGS.get(path, {}), values)))


def said(path: str, **values: Any) -> Mistake:
    """The JSON file says this as well, or instead."""

    def make() -> None:
        Path(path).write_text(json.dumps(overlaid(json.loads(Path(path).read_text()), values)))

    return make


def rows(path: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Mistake:
    """The rows of a Parquet table are changed so."""

    def make() -> None:
        table = pq.read_table(path)
        changed = pa.Table.from_pandas(change(table.to_pandas()), schema=table.schema, preserve_index=False)
        pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)

    return make


def regions(path: str, change: Callable[[h5py.File], object]) -> Mistake:
    """A file of regions is changed so."""

    def make() -> None:
        with h5py.File(path, "r+") as file:
            change(file)

    return make


def last_renumbered(file: h5py.File) -> None:
    """The regions of the last image are said to be another's."""
    file["image_id"][-1] += 90


def features_cut(file: h5py.File) -> None:
    """The features are those of a smaller network."""
    kept = file["feature"][:, :7]
    del file["feature"]
    file["feature"] = kept


def tensors(path: str, change: Callable[[dict[str, Any], dict[str, Any]], object]) -> Mistake:
    """The tensors of a model or a detector, or what is said about them, are changed so."""

    def make() -> None:
        from safetensors import safe_open
        from safetensors.torch import load_file, save_file

        with safe_open(path, framework="pt") as file:
            ((kind, text),) = file.metadata().items()
        held, about = load_file(path), json.loads(text)
        change(held, about)
        save_file(held, path, {kind: json.dumps(about)})

    return make


def picture(width: int, height: int) -> bytes:
    """The content of an image file."""
    drawn = io.BytesIO()
    Image.new("1", (width, height)).save(drawn, "PNG")
    return drawn.getvalue()


def huge_features() -> None:
    """The detector has learned features that float16 cannot hold; its boxes do not depend on them."""

    def change(held: dict[str, Any], about: dict[str, Any]) -> None:
        held["roi_heads.box_head.scale.running_mean"].fill_(1e9)
        for name in ("cls_score", "bbox_pred"):
            held[f"roi_heads.box_predictor.{name}.weight"].zero_()

    weights = f"{DETECTOR}/weights.safetensors"
    tensors(weights, change)()
    said(f"{DETECTOR}/provenance.json", weights_sha256=sha256(weights))()
