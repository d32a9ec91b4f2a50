"""From an empty folder to metrics, with small files in the published formats: the same commands, rules and code."""

import hashlib
import json
import os
import signal
import subprocess
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from jvgn.storage.files import record_of
from tests.long.miniature.conftest import PUBLISHED, clone

RUNS = [f"{dataset}_{setting}" for dataset in ("refcocog", "refcoco", "refcoco+") for setting in ("det", "gt")]
SPLITS = {"refcocog": {"val", "test"}, "refcoco": {"val", "testA", "testB"}, "refcoco+": {"val", "testA", "testB"}}
SPLIT_BY = {"refcocog": "umd", "refcoco": "unc", "refcoco+": "unc"}


@pytest.fixture(scope="module")
def everything(internet, tmp_path_factory):
    """Return a project with finished experiments; each archive of REFER has two bad mirrors before the good one."""
    project = clone(tmp_path_factory.mktemp("project"))
    sources = internet.sources()
    for name, split_by in SPLIT_BY.items():
        file = internet.folder / PUBLISHED[name]
        bad = [
            internet.server.serve(f"dead/{name}", file, status=503),
            internet.server.serve(f"truncated/{name}", file, cut_at=9_000),
        ]
        sources[name]["mirrors"] = bad + sources[name]["mirrors"]
        sources[name]["counts"] = {split_by: internet.counts[name]}
    project.configure(sources, downloads={"tries": 2, "wait": 0.1})
    finish(project, "results/refcocog_det/metrics.json")
    finish(project, *(f"results/{run}/metrics.json" for run in RUNS))
    return project


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


@pytest.mark.parametrize("name", SPLIT_BY)
def test_bad_mirrors_are_skipped(everything, internet, name):
    said = everything.log(f"sources/downloads/{name}.zip.log")
    assert "HTTP 503" in said and "9,000" in said
    asked = [
        path for path, _ in internet.server.asked if path in (f"dead/{name}", f"truncated/{name}", PUBLISHED[name])
    ]
    assert asked == [f"dead/{name}"] * 2 + [f"truncated/{name}"] * 2 + [PUBLISHED[name]]
    record = everything.folder / f"resources/downloads/{name}.zip.sha256"
    assert record.read_text().split()[0] == sha256(internet.folder / PUBLISHED[name])


def test_every_file_is_downloaded_once(everything, internet):
    for name in PUBLISHED.values():
        assert internet.server.sent[name] == (internet.folder / name).stat().st_size


def test_a_second_run_does_nothing(everything):
    again = everything.snakemake("--", *(f"results/{run}/metrics.json" for run in RUNS))
    assert again.returncode == 0 and "Nothing to be done" in again.stdout + again.stderr


def test_only_needed_files_are_unpacked(everything):
    resources = everything.folder / "resources"
    for folder, names in {
        "coco/annotations": ["instances_train2014.json"],
        "refcoco": ["refs(unc).p", "instances.json"],
    }.items():
        with_records = {*names, *(record_of(Path(name)).name for name in names)}
        assert {path.name for path in (resources / folder).iterdir()} == with_records
    assert not list(resources.rglob("*.part*")) and not list(resources.rglob("*MACOSX*"))


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


REFS = "resources/refcocog/refs(umd).p"


def test_a_wrong_checksum_is_refused(project, internet):
    sources = internet.sources()
    sources["refcocog"]["sha256"] = "0" * 64
    project.configure(sources, downloads={"tries": 1})
    run = project.snakemake("--", "results/datasets/refcocog/expressions.parquet")
    assert run.returncode == 1
    said = project.log("sources/downloads/refcocog.zip.log")
    assert "resources/downloads/refcocog.zip" in said
    assert sha256(internet.folder / "refcocog.zip") in said and "0" * 64 in said
    assert "Traceback" not in said and not list((project.folder / "resources").rglob("refcocog*"))


def test_an_archive_that_writes_outside_its_folder_is_refused(project, internet):
    evil = internet.folder / "evil.zip"
    evil.write_bytes((internet.folder / "refcocog.zip").read_bytes())
    with zipfile.ZipFile(evil, "a") as archive:
        archive.writestr("../../evil.txt", "evil")
    project.configure({"refcocog": {"mirrors": [internet.server.serve("evil.zip", evil)]}})
    run = project.snakemake("--", REFS)
    assert run.returncode == 1
    said = project.log(f"sources/{REFS.removeprefix('resources/')}.log")
    assert "../../evil.txt" in said
    assert "Traceback" not in said and not (project.folder / REFS).exists()
    assert not list(project.folder.parent.rglob("evil.txt"))


def test_a_killed_download_resumes(project, internet):
    name, path = "resnet101-63fe2227.pth", "weights/resnet101-63fe2227.pth"
    size = (internet.folder / name).stat().st_size
    mirror = internet.server.serve(path, internet.folder / name, stall_at=size // 2)
    project.configure({"resnet101": {"mirrors": [mirror]}})
    target = project.command("--", "resources/weights/resnet101.pth")
    workflow = subprocess.Popen(
        target, cwd=project.folder, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    part = project.folder / f"resources/downloads/{name}.part"
    wait_for(lambda: part.exists() and part.stat().st_size > size // 2 - 1_000_000)
    os.killpg(workflow.pid, signal.SIGKILL)
    workflow.wait()
    there = part.stat().st_size
    assert project.snakemake("--unlock").returncode == 0
    run = project.snakemake("--", "resources/weights/resnet101.pth")
    assert run.returncode == 0, run.stdout + run.stderr
    assert sha256(project.folder / "resources/weights/resnet101.pth") == sha256(internet.folder / name)
    assert internet.server.asked[-1] == (path, f"bytes={there}-")
    assert internet.server.sent[path] == size


def wait_for(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


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


def test_other_numbers_of_expressions_than_published_are_refused(project, internet):
    """Also for a file that the user brought, unless the settings of the source allow it."""
    with zipfile.ZipFile(internet.folder / "refcocog.zip") as archive:
        archive.extractall(project.folder / "resources")
    project.configure({})
    run = project.snakemake("--", "results/datasets/refcocog/expressions.parquet")
    assert run.returncode == 1
    found = internet.counts["refcocog"]
    said = project.log("datasets/refcocog.log")
    assert str(found["train"]) in said and "80,512" in said
    project.configure({"refcocog": {"counts": {}}})
    finish(project, "results/datasets/refcocog/expressions.parquet")
