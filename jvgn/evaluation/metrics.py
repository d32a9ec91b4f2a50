"""`metrics.json`: what a run is worth. All shares are in percent.

`format`: the version; dataset, setting, run; `splits.{split}`: n, accuracy (referents found), oracle_recall (referents
that some region covers: the best any method could do), context_accuracy (gold mentions beside the referent that were
grounded right; absent without gold), supporting.{n, all, at_least_one} (see supporting.py; of the n expressions
that have supporting objects; absent where none is known), mean_regions (an image), skipped (expressions whose image was
left out of the regions, which count as not found; absent where none was), calibration_error (expected, of the
referents' marginals in 15 bins), accuracy_by_nodes and accuracy_by_edges, by_decoding.{unary, marginal, map} (accuracy,
context_accuracy and supporting of each way to decode; unary is without message passing); `provenance`: hashes of
everything the numbers depend on, versions, the seed, and the verdict of the detector's proof.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, FiniteFloat, NonNegativeInt, PositiveInt, ValidationError

from jvgn.settings.base import describe
from jvgn.storage.files import replacing
from jvgn.storage.text_formats import parsed_json
from parsers.errors import BrokenFile

FORMAT = "2"
KEYS = ("dataset", "setting", "run", "splits", "provenance")


Percent = Annotated[float, Field(ge=0, le=100)]


class Supporting(BaseModel):
    n: NonNegativeInt | None = None
    all: Percent | None = None
    at_least_one: Percent | None = None


class Shares(BaseModel):
    accuracy: Percent = 0.0
    context_accuracy: Percent | None = None
    supporting: Supporting = Supporting()


class Split(Shares):
    n: PositiveInt = 1
    oracle_recall: Percent = 0.0
    mean_regions: FiniteFloat = 0.0
    calibration_error: FiniteFloat | None = None
    by_decoding: dict[str, Shares] = {}


class Provenance(BaseModel):
    sha256: dict[str, str] = {}
    versions: dict[str, str] = {}
    seed: int = 0
    detector_proof: str = ""


class Metrics(BaseModel):
    """What each part is, as far as it is there: who reads metrics needs some parts and not others."""

    dataset: str
    setting: str
    run: str
    splits: dict[str, Split]
    provenance: Provenance


def write_metrics(path: Path, metrics: dict[str, Any]) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps({"format": FORMAT} | metrics, indent=2) + "\n")


def read_metrics(path: Path) -> dict[str, Any]:
    try:
        metrics: dict[str, Any] = parsed_json(path.read_bytes())
    except FileNotFoundError as error:
        raise BrokenFile(path, "there is no such file", f"make it: snakemake --cores all {path}") from error
    except OSError as error:
        raise BrokenFile(path, f"cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise BrokenFile(path, f"not readable as JSON ({error})") from error
    found = metrics.get("format") if isinstance(metrics, dict) else None
    if found != FORMAT:
        raise BrokenFile(path, f"expected metrics of format version {FORMAT}, found {found or 'none'}")
    if lacking := [key for key in KEYS if key not in metrics]:
        raise BrokenFile(path, f"expected metrics, found none of: {', '.join(lacking)}")
    try:
        Metrics.model_validate(metrics, strict=True)
    except ValidationError as error:
        raise BrokenFile(path, f"a part of a run's metrics is none ({describe(error.errors()[0])})") from error
    return metrics


@contextmanager
def needing(path: Path) -> Iterator[None]:
    """A part that the metrics at `path` lack names them."""
    try:
        yield
    except KeyError as error:
        raise BrokenFile(path, f"lacks a part of a run's metrics ({error!r})") from error
