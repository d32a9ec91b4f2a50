"""Paths of runs."""

from pathlib import Path

import pytest

from jvgn.layout import RunPaths, models_under, results_of_regions


@pytest.mark.parametrize(
    ("paths", "folder"),
    [
        (RunPaths("shapes", "gt"), "results/shapes_gt"),
        (RunPaths("refcoco+", "det", "wide"), "results/refcoco+_det/runs/wide"),
        (
            RunPaths("my_data", "det", "x-seed1", Path("elsewhere/results")),
            "elsewhere/results/my_data_det/runs/x-seed1",
        ),
    ],
)
def test_a_run_is_found_from_its_folder(paths, folder):
    assert paths.folder == Path(folder) and RunPaths.of(Path(folder)) == paths


def test_models_of_default_and_named_runs_are_found(tmp_path):
    runs = [RunPaths("shapes", "gt", results=tmp_path), RunPaths("shapes", "det", "wide", tmp_path)]
    for run in runs:
        run.folder.mkdir(parents=True)
        run.model.touch()
    assert models_under(tmp_path) == sorted(run.model for run in runs)


def test_a_regions_file_is_in_the_results_folder_of_its_run():
    run = RunPaths("shapes", "det", results=Path("results").resolve())
    assert results_of_regions(run.regions("tiny")) == run.results
