"""`metrics.json`: how well a run grounds each split. All shares are in percent.

`format` is the version. `splits` holds a `Split` for each split but train, `provenance` the hashes of all files that
the numbers depend on. Fields that are unknown are left out.
"""

import json
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, NonNegativeInt, PositiveInt, ValidationError

from jvgn.settings.base import describe
from jvgn.storage.files import reading, write_text
from parsers.errors import BrokenFile

FORMAT = "2"
Percent = Annotated[float, Field(ge=0, le=100)]


class MetricsPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)


class Supporting(MetricsPart):
    """Supporting objects found; see `jvgn.evaluation.supporting_objects`."""

    n: NonNegativeInt
    """Expressions that have supporting objects."""
    all: Percent
    at_least_one: Percent


class Shares(MetricsPart):
    """The objects found by one way to decode."""

    accuracy: Percent
    """Expressions whose referent was found."""
    context_accuracy: Percent | None = None
    """Gold mentions beside the referent that were grounded correctly; unknown without gold."""
    supporting: Supporting | None = None


class Split(MetricsPart):
    n: PositiveInt
    """Expressions."""
    accuracy: Percent
    context_accuracy: Percent | None = None
    oracle_recall: Percent
    """Expressions whose referent some region covers: no method can find more."""
    mean_regions: FiniteFloat
    """Regions of an image."""
    calibration_error: FiniteFloat | None = None
    """Expected calibration error of the referents' marginals, in 15 bins."""
    skipped: PositiveInt | None = None
    """Expressions whose image has no regions; they count as not found. Left out if there are none."""
    accuracy_by_nodes: dict[str, Percent] = {}
    accuracy_by_edges: dict[str, Percent] = {}
    supporting: Supporting | None = None
    by_decoding: dict[str, Shares] = {}
    """`unary` (without message passing), `marginal` and `map` (the best joint grounding)."""


class Provenance(MetricsPart):
    sha256: dict[str, str] = {}
    versions: dict[str, str] = {}
    seed: int
    detector_proof: str
    """Whether the detector provably saw no evaluation image: `proved`, `unproven` or `leaking`."""


class Metrics(MetricsPart):
    dataset: str
    setting: str
    run: str
    splits: dict[str, Split]
    provenance: Provenance

    @property
    def name(self) -> str:
        """The run's name for people, such as `shapes_det` or `shapes_det unmarginalised`."""
        return f"{self.dataset}_{self.setting}" + ("" if self.run == "default" else f" {self.run}")


def write_metrics(path: Path, metrics: Metrics) -> None:
    write_text(path, json.dumps({"format": FORMAT} | metrics.model_dump(exclude_none=True), indent=2) + "\n")


def read_metrics(path: Path) -> Metrics:
    if not path.exists():
        raise BrokenFile(path, "no such file", f"make it: snakemake --cores all {path}")
    with reading(path, "JSON file"):
        found = json.loads(path.read_bytes())
    version = found.get("format") if isinstance(found, dict) else None
    if version != FORMAT:
        raise BrokenFile(path, f"expected metrics of format version {FORMAT}, found {version or 'none'}")
    try:
        return Metrics.model_validate(found, strict=True)
    except ValidationError as error:
        raise BrokenFile(path, f"invalid metrics ({describe(error.errors()[0])})") from error
