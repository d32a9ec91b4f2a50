"""Projects share detectors and regions through Snakemake's cache between workflows."""

import re
import shutil
from pathlib import Path

from jvgn.storage.records import record_of

DETECTOR = "results/detectors/shapes/tiny"
SHARDS = [f"results/regions/shapes_{setting}/tiny.shards/1-of-1.h5" for setting in ("gt", "det")]
REGIONS = "results/regions/shapes_gt/tiny.h5"


def newly_cached(said):
    """Return the outputs that a run of Snakemake added to the cache."""
    return set(re.findall(r"Moving output file (\S+) to cache", said))


def test_projects_share_detectors_and_regions_of_the_same_settings(finished, demonstrated, monkeypatch):
    made = ("weights.safetensors", "provenance.json", "losses.parquet")
    files = [*(f"{DETECTOR}/{name}" for name in made), *SHARDS]
    shared = {str(path) for file in map(Path, files) for path in (file, record_of(file))}
    assert newly_cached((demonstrated / "said").read_text()) == shared
    expected = (finished.folder / REGIONS).read_bytes()
    shutil.rmtree(finished.folder / DETECTOR)
    shutil.rmtree(finished.folder / "results/regions")
    monkeypatch.setenv("SNAKEMAKE_OUTPUT_CACHE", str(demonstrated / "cache"))
    run = finished.snakemake("--cache", "--quiet", "host", "--", REGIONS)
    assert run.returncode == 0, run.stdout + run.stderr
    assert newly_cached(run.stdout + run.stderr) == set()
    for name in made:
        assert (finished.folder / DETECTOR / name).resolve().parent == demonstrated / "cache"
    assert (finished.folder / REGIONS).read_bytes() == expected
