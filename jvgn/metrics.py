"""`metrics.json`: what a run is worth. All shares are in percent.

`format`: the version; dataset, setting, run; `splits.{split}`: n, accuracy (referents found), oracle_recall (referents
that some region covers: the best any method could do), context_accuracy (gold mentions beside the referent that were
grounded right; absent without gold), supporting.{n, all, at_least_one} (see jvgn/supporting.py; of the n expressions
that have supporting objects; absent where none is known), mean_regions (an image), skipped (expressions whose image was
left out of the regions, which count as not found; absent where none was), calibration_error (expected, of the
referents' marginals in 15 bins), accuracy_by_nodes and accuracy_by_edges, by_decoding.{unary, marginal, map} (accuracy,
context_accuracy and supporting of each way to decode; unary is without message passing); `provenance`: hashes of
everything the numbers depend on, versions, the seed, and the verdict of the detector's proof.
"""

import json
from pathlib import Path
from typing import Any

from parsers.files import BrokenFile, replacing

FORMAT = "2"
KEYS = ("dataset", "setting", "run", "splits", "provenance")


def write_metrics(path: Path, metrics: dict[str, Any]) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps({"format": FORMAT} | metrics, indent=2) + "\n")


def read_metrics(path: Path) -> dict[str, Any]:
    try:
        metrics: dict[str, Any] = json.loads(path.read_text())
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
    return metrics
