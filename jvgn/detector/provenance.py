"""The images that a detector must not be trained on, and those that it was trained on.

`results/detectors/{trained_on}/excluded.parquet`: image_id int64, dataset string, split string: the dataset evaluates
on the image in that split (any but train). Ascending image_id; an image may have several rows.

`provenance.json`, beside the detector's weights, has the keys
`format`: the version; `detector`: its settings; `seed`; `categories`: a list of [category id, name];
`training_image_ids`: sorted, or null if unknown; `saw_all_of`: the name of a public collection that it was trained on
in full, or null; `weights_sha256`; `pretrained_sha256`: checksum of the classification weights it started from, or
null; `given_sha256`: checksum of the file it was taken from, or null if the workflow trained it; `tables`: the SHA-256
of the `images`, `objects` and `excluded` tables; `versions`: those of the libraries that trained it.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

from jvgn.datasets.tables import read_expressions
from jvgn.settings.base import Frozen, read_json
from jvgn.settings.detector import DetectorSettings
from jvgn.storage.files import reading, write_text
from jvgn.storage.parquet import read_table, write_table

EXCLUDED = pa.schema([("image_id", pa.int64()), ("dataset", pa.string()), ("split", pa.string())])
COCO_TRAIN2017 = "COCO train2017"
"""Includes train2014, and so every image of RefCOCO, RefCOCO+ and RefCOCOg."""

Verdict = Literal["proved", "leaking", "unproven"]


def exclude_images(expressions: Iterable[Path | str], output: Path | str) -> None:
    """Write the evaluation images of all `expressions.parquet` files to `output`."""
    rows = sorted(
        (image_id, Path(path).parent.name, split) for path in expressions for image_id, split in evaluated(path)
    )
    columns = zip(*rows, strict=True) if rows else ([], [], [])
    write_table(output, dict(zip(EXCLUDED.names, map(list, columns), strict=True)), EXCLUDED)


def evaluated(expressions: Path | str) -> set[tuple[int, str]]:
    """Return the images of every split but train, with their splits."""
    table = read_expressions(expressions)
    rows = zip(table["image_id"].to_pylist(), table["split"].to_pylist(), strict=True)
    return {(image_id, split) for image_id, split in rows if split != "train"}


def without(images: pa.Table, excluded: Path | str) -> pa.Table:
    """Return the rows of an images table that a detector may be trained on."""
    return images.filter(
        pc.invert(pc.is_in(images["image_id"], read_table(excluded, EXCLUDED)["image_id"].combine_chunks()))
    )


def held_out(images: pa.Table, excluded: Path | str, count: int) -> pa.Table:
    """Return at most `count` images, evenly spread over those in some val split and in no test split."""
    rows = read_table(excluded, EXCLUDED).to_pylist()
    in_val, elsewhere = (
        {row["image_id"] for row in rows if (row["split"] == "val") == is_val} for is_val in (True, False)
    )
    found = images.filter(pc.is_in(images["image_id"], pa.array(in_val - elsewhere, pa.int64())))
    taken = min(count, len(found))
    return found.take(pa.array([len(found) * number // taken for number in range(taken)], pa.int64()))


class Provenance(Frozen):
    format: Literal["1"] = "1"
    detector: DetectorSettings
    seed: int
    categories: tuple[tuple[int, str], ...]
    training_image_ids: tuple[int, ...] | None
    saw_all_of: str | None = None
    weights_sha256: str
    pretrained_sha256: str | None
    given_sha256: str | None = None
    tables: dict[str, str]
    versions: dict[str, str]


def write_provenance(path: Path | str, provenance: Provenance) -> None:
    write_text(path, json.dumps(provenance.model_dump(mode="json"), indent=1) + "\n")


def read_provenance(path: Path | str) -> Provenance:
    return read_json(path, Provenance, "detector's provenance")


def read_image_ids(path: Path | str) -> tuple[int, ...]:
    """Return the image ids of a text file, one per line, sorted."""
    with reading(path, "list of image ids", "fix the detector's `training_images`"):
        return tuple(sorted(set(map(int, Path(path).read_text(encoding="utf8").split()))))


def read_verdict(path: Path) -> str:
    with reading(path, "leakage proof"):
        verdict = json.loads(path.read_bytes())["verdict"]
        if verdict not in get_args(Verdict):
            raise ValueError(f"unknown verdict {verdict!r}")
        return str(verdict)
