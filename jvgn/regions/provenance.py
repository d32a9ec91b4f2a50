"""What a detector was trained on: a JSON file beside its weights.

`format`: the version; `detector`: its settings; `seed`; `categories`: a list of [category id, name];
`training_image_ids`: sorted, or null where nobody knows; `weights_sha256`; `pretrained_sha256`: of the classification
weights it started from, or null; `tables`: the SHA-256 of the `images`, `objects` and `excluded` tables;
`versions`: of the libraries that trained it.
"""

import json
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from jvgn.settings.base import Frozen, describe
from jvgn.settings.detector import DetectorSettings
from parsers.files import BrokenFile, replacing


class Provenance(Frozen):
    format: Literal["1"] = "1"
    detector: DetectorSettings
    seed: int
    categories: tuple[tuple[int, str], ...]
    training_image_ids: tuple[int, ...] | None
    weights_sha256: str
    pretrained_sha256: str | None
    tables: dict[str, str]
    versions: dict[str, str]


def write_provenance(path: Path | str, provenance: Provenance) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(provenance.model_dump(mode="json"), indent=1) + "\n", encoding="utf8")


def read_provenance(path: Path | str) -> Provenance:
    try:
        return Provenance.model_validate_json(Path(path).read_bytes())
    except FileNotFoundError as error:
        raise BrokenFile(path, "there is no such file", "make it with the workflow") from error
    except ValidationError as error:
        raise BrokenFile(path, "not a detector's provenance: " + describe(error.errors()[0])) from error
