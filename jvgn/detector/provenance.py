"""Provenance of a detector: the images it was trained on, in a JSON file beside its weights.

`format`: the version; `detector`: its settings; `seed`; `categories`: a list of [category id, name];
`training_image_ids`: sorted, or null if unknown; `saw_all_of`: the name of a public collection that it was trained on
in full, or null; `weights_sha256`; `pretrained_sha256`: checksum of the classification weights it started from, or
null; `given_sha256`: checksum of the file it was taken from, or null if the workflow trained it; `tables`: the SHA-256
of the `images`, `objects` and `excluded` tables; `versions`: those of the libraries that trained it.
"""

import json
from pathlib import Path
from typing import Literal, get_args

from jvgn.settings.base import Frozen, read_json
from jvgn.settings.detector import DetectorSettings
from jvgn.storage.files import reading, write_text

COCO_TRAIN2017 = "COCO train2017"
"""Includes train2014, and so every image of RefCOCO, RefCOCO+ and RefCOCOg."""

Verdict = Literal["proved", "leaking", "unproven"]


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
