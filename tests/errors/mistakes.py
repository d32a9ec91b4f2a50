"""Mistakes to make in a copy of the finished project. Each function returns an action for the current folder."""

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from PIL import Image

from jvgn.settings.presets import overlaid
from tests.errors.project import SETTINGS

Mistake = Callable[[], object]


def written(path: str, content: str | bytes | dict[str, Any]) -> Mistake:
    """Write this to the file; a dict is written as JSON."""
    text = json.dumps(content) if isinstance(content, dict) else content

    def make() -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(text.encode() if isinstance(text, str) else text)

    return make


def deleted(path: str) -> Mistake:
    return lambda: shutil.rmtree(path) if Path(path).is_dir() else Path(path).unlink()


def copied(path: str, to: str) -> Mistake:
    return lambda: shutil.copy(path, to)


def folder_at(path: str) -> Mistake:
    def make() -> None:
        Path(path).unlink(missing_ok=True)
        Path(path).mkdir(parents=True)

    return make


def chosen(path: str, **values: Any) -> Mistake:
    """Change these values of a settings file of the project."""
    return written(path, yaml.safe_dump(overlaid(SETTINGS.get(path, {}), values)))


def configured(**values: Any) -> Mistake:
    return chosen("config.yaml", **values)


def rows(path: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Mistake:
    """Change the rows of a Parquet table."""

    def make() -> None:
        table = pq.read_table(path)
        changed = pa.Table.from_pandas(change(table.to_pandas()), schema=table.schema, preserve_index=False)
        pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)

    return make


def regions(path: str, change: Callable[[h5py.File], object]) -> Mistake:
    """Change a file of regions."""

    def make() -> None:
        with h5py.File(path, "r+") as file:
            change(file)

    return make


def renumber_last(file: h5py.File) -> None:
    file["image_id"][-1] += 90


def cut_features(file: h5py.File) -> None:
    """Keep the features of a smaller network."""
    kept = file["feature"][:, :7]
    del file["feature"]
    file["feature"] = kept


def picture(width: int, height: int) -> bytes:
    """Return the content of an image file."""
    content = io.BytesIO()
    Image.new("1", (width, height)).save(content, "PNG")
    return content.getvalue()
