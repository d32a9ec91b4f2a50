"""Projects share detectors and regions through Snakemake's cache between workflows."""

import re
from pathlib import Path

from jvgn.storage.records import record_of

DETECTOR = "results/detectors/shapes/tiny"
REGIONS = "results/regions/shapes_gt/tiny.h5"


def newly_cached(project, *targets):
    """Run Snakemake and return the outputs that it added to the cache."""
    run = project.snakemake("--cache", "--quiet", "host", "--", *targets)
    assert run.returncode == 0, run.stdout + run.stderr
    return set(re.findall(r"Moving output file (\S+) to cache", run.stdout + run.stderr))


def with_records(files):
    paths = [Path(file) for file in files]
    return {str(path) for file in paths for path in (file, record_of(file))}


def test_projects_share_detectors_and_regions_of_the_same_settings(another_project, tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKEMAKE_OUTPUT_CACHE", str(tmp_path))
    first, second = another_project(), another_project()
    of_detector = with_records(f"{DETECTOR}/{name}" for name in ("weights.safetensors", "provenance.json"))
    of_regions = with_records(["results/regions/shapes_gt/tiny.shards/1-of-1.h5"])
    assert newly_cached(first, REGIONS) == of_detector | of_regions
    assert newly_cached(second, REGIONS) == set()
    for name in of_detector:
        assert (second.folder / name).resolve().parent == tmp_path
    assert (first.folder / REGIONS).read_bytes() == (second.folder / REGIONS).read_bytes()
