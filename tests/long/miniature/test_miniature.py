"""From an empty folder to metrics, with small files in the published formats: the same commands, rules and code."""

import hashlib
import json
import shutil
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.long.miniature.conftest import PUBLISHED, clone

RUNS = ["refcocog_det", "refcocog_gt", "refcoco_det", "refcoco+_gt"]
SPLITS = {"refcocog": {"val", "test"}, "refcoco": {"val", "testA", "testB"}, "refcoco+": {"val", "testA", "testB"}}
FLICKR = ["results/flickr30k_gt/metrics.json", "results/datasets/flickr8k/images.parquet"]
SPLIT_BY = {"refcocog": "umd", "refcoco": "unc", "refcoco+": "unc"}


@pytest.fixture(scope="module")
def everything(internet, tmp_path_factory):
    """Return a project with finished experiments."""
    project = clone(tmp_path_factory.mktemp("project"))
    sources = internet.sources()
    for name, split_by in SPLIT_BY.items():
        sources[name]["counts"] = {split_by: internet.counts[name]}
    project.configure(sources)
    finish(project, "results/refcocog_det/metrics.json")
    finish(project, *(f"results/{run}/metrics.json" for run in RUNS))
    bring_photographs(project, internet)
    finish(project, *FLICKR)
    return project


def bring_photographs(project, internet):
    """Put the photographs where a user of Flickr30k or of Flickr8k, which has a part of them, puts them."""
    requested = shutil.copytree(internet.folder / "flickr30k-images", project.folder / "resources/flickr30k/images")
    part = project.folder / "resources/flickr8k/images"
    part.mkdir(parents=True)
    for picture in sorted(requested.iterdir())[2:]:
        shutil.copy(picture, part / f"{picture.stem}_693b08cb0e.jpg")


def finish(project, *targets):
    started = time.monotonic()
    run = project.snakemake("--show-failed-logs", "--", *targets)
    assert run.returncode == 0, run.stdout + run.stderr
    print(f"{time.monotonic() - started:.0f} seconds: snakemake --cores 2 {' '.join(targets)}")


@pytest.mark.parametrize("run", RUNS)
def test_the_workflow_runs_from_an_empty_folder_to_metrics(everything, internet, run):
    metrics = json.loads((everything.folder / f"results/{run}/metrics.json").read_text())
    dataset, _, setting = run.rpartition("_")
    assert (metrics["dataset"], metrics["setting"]) == (dataset, setting)
    assert set(metrics["splits"]) == SPLITS[dataset]
    for split, found in metrics["splits"].items():
        assert found["n"] == internet.counts[dataset][split]
        assert 0 <= found["accuracy"] <= found["oracle_recall"] <= 100
        assert setting == "det" or found["oracle_recall"] == 100


def test_flickr30k_runs_from_the_users_images_to_metrics(everything):
    metrics = json.loads((everything.folder / "results/flickr30k_gt/metrics.json").read_text())
    mentions = pd.read_parquet(everything.folder / "results/datasets/flickr30k/mentions.parquet")
    assert {split: found["oracle_recall"] for split, found in metrics["splits"].items()} == {"val": 100, "test": 100}
    assert all("context_accuracy" in found for found in metrics["splits"].values())
    assert mentions["type"].nunique() > 3
    assert "annotated referents have no node" in everything.log("training/flickr30k_gt.log")
    whole, part = (
        pd.read_parquet(everything.folder / f"results/datasets/{name}/images.parquet")
        for name in ("flickr30k", "flickr8k")
    )
    assert part["image_id"].tolist() == whole["image_id"].tolist()[2:]


def test_without_the_images_of_flickr30k_the_error_says_to_request_them(project):
    project.configure({})
    run = project.snakemake("--dry-run", "--", "results/flickr30k_gt/metrics.json")
    assert run.returncode == 1
    assert "resources/flickr30k/images: no such folder; request the images from their owners" in run.stdout + run.stderr


def test_the_detector_is_proved_to_have_seen_no_evaluation_image(everything):
    metrics = json.loads((everything.folder / "results/refcocog_det/metrics.json").read_text())
    assert "proved" in json.dumps(metrics["provenance"])
    learned = json.loads((everything.folder / "results/detectors/coco/resnet101/provenance.json").read_text())
    evaluated = set(pd.read_parquet(everything.folder / "results/detectors/coco/excluded.parquet")["image_id"])
    assert learned["training_image_ids"] and not evaluated & set(learned["training_image_ids"])


def test_words_start_from_the_published_vectors(everything, internet):
    with zipfile.ZipFile(internet.folder / PUBLISHED["glove"]) as archive:
        lines = archive.read("glove.840B.300d.txt").decode().splitlines()
    published = {line.rsplit(" ", 300)[0]: line.rsplit(" ", 300)[1:] for line in lines}
    folder = everything.folder / "results/vocabulary/refcocog/glove"
    words, vectors = pd.read_parquet(folder / "words.parquet")["word"], np.load(folder / "vectors.npy")
    found = [index for index, word in enumerate(words) if word in published]
    assert len(found) > len(words) / 2
    for index in found:
        assert np.allclose(vectors[index], np.array(published[words[index]], dtype=np.float32))


def test_every_file_is_downloaded_once(everything, internet):
    for name in PUBLISHED.values():
        assert internet.server.sent[name] == (internet.folder / name).stat().st_size


def test_a_second_run_does_nothing(everything):
    again = everything.snakemake("--", *(f"results/{run}/metrics.json" for run in RUNS), *FLICKR)
    assert again.returncode == 0 and "Nothing to be done" in again.stdout + again.stderr


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_files_that_the_user_brought_are_used_without_a_network(project, internet):
    """A published archive, and a dataset that was unpacked by hand."""
    project.configure({name: {"mirrors": ["http://127.0.0.1:9/gone"]} for name in PUBLISHED})
    brought = project.folder / "resources/downloads/refcoco.zip"
    brought.parent.mkdir(parents=True)
    brought.write_bytes((internet.folder / "refcoco.zip").read_bytes())
    with zipfile.ZipFile(internet.folder / "refcocog.zip") as archive:
        archive.extractall(project.folder / "resources")
    targets = [f"results/datasets/{name}/expressions.parquet" for name in ("refcoco", "refcocog", "refcocog-google")]
    finish(project, *targets)
    assert len(pd.read_parquet(project.folder / targets[1])) == sum(internet.counts["refcocog"].values())
    assert Path(f"{brought}.sha256").read_text().split()[0] == sha256(brought)
