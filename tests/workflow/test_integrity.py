"""Every file of a finished run has a record of its origin; `jvgn verify` finds a flipped byte."""

import os
import random
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.storage.files import digest, record_of
from jvgn.storage.records import read_origin
from tests.workflow.conftest import MADE

FLIPS = 50


@pytest.fixture
def results(finished, monkeypatch):
    monkeypatch.chdir(finished.folder)
    return Path("results")


def verify(folder):
    digest.cache_clear()  # as in a new process
    ran = CliRunner().invoke(main, ["verify", str(folder)])
    return ran.exit_code, [line.split()[:2] for line in ran.stdout.splitlines()]


def flip(path, generator):
    """Change one byte of a file and return its original content. Its times stay the same, as on a failing disk."""
    whole, found = path.read_bytes(), path.stat()
    place = generator.randrange(len(whole))
    changed = whole[place] ^ generator.randrange(1, 256)
    path.write_bytes(whole[:place] + bytes([changed]) + whole[place + 1 :])
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    return whole


def test_an_untouched_run_is_verified(results):
    assert verify(results) == (0, [["results:", "every"]])


def test_every_flipped_byte_of_a_data_file_is_found(results):
    generator = random.Random(0)
    files = [path for path in sorted(results.rglob("[!.]*")) if path.is_file() and path.stat().st_size]
    for _ in range(FLIPS):
        path = generator.choice(files)
        whole = flip(path, generator)
        found = verify(results)
        path.write_bytes(whole)
        assert found == (1, [["broken", f"{path}:"]])


def test_a_record_names_the_inputs_and_the_code_that_the_rule_names(finished):
    """So that `jvgn verify` calls a file stale only if Snakemake would make it again."""
    plan = finished.snakemake("--dry-run", "--forceall", "--", *MADE)
    checked = set()
    for job in re.split(r"\n\[", plan.stdout + plan.stderr):
        inputs, outputs = (re.search(rf"^ +{key}: (.*)$", job, re.M) for key in ("input", "output"))
        for output in outputs[1].split(", ") if inputs and outputs else ():
            origin = read_origin(finished.folder / output)
            if origin is None or "merge-regions" in origin.stage:  # which inherits from its pieces
                continue
            folder = (finished.folder / output).parent
            recorded = {Path(os.path.normpath(folder / path)) for path in origin.inputs}
            recorded |= {finished.folder / name for name in origin.code}
            assert recorded <= {finished.folder / path for path in inputs[1].split(", ")}, output
            checked.add(origin.stage)
    assert len(checked) > 20


def test_a_changed_file_stops_the_workflow_before_its_results_are_removed(results, finished):
    nodes = results / "graphs/shapes/lexical/nodes.parquet"
    whole = nodes.read_bytes()
    nodes.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
    try:
        run = finished.snakemake("--quiet", "host", "--", *MADE)
        assert run.returncode == 1
        assert re.search(rf"{nodes}: .*jvgn parse", " ".join((run.stdout + run.stderr).split()))
        assert (results / "shapes_gt/model.safetensors").exists()
    finally:
        nodes.write_bytes(whole)


@pytest.mark.parametrize(
    ("option", "made"),
    [
        ("regions", "regions/shapes_gt/tiny.h5: made from another images.parquet"),
        ("nodes", "nodes.parquet: made from another expressions.parquet"),
        ("words", "words.parquet: made from another expressions.parquet"),
    ],
)
def test_inputs_made_from_another_dataset_are_refused(results, tmp_path, option, made):
    """Regions, graphs or words of one dataset with the tables of another."""
    own = tmp_path / "dataset"
    shutil.copytree(results / "datasets/shapes", own)
    for table in own.glob("*.parquet"):
        table.write_bytes(table.read_bytes() + b"\0")
        record_of(table).unlink()
    files = {
        "regions": results / "regions/shapes_gt/tiny.h5",
        "nodes": results / "graphs/shapes/lexical/nodes.parquet",
        "words": results / "vocabulary/shapes/small/words.parquet",
    }
    arguments = ["train", "--settings", results / "shapes_gt/settings.yaml", "--dataset", own]
    for name in ("regions", "nodes", "edges", "words", "vectors"):
        arguments += [f"--{name}", files[name] if name == option else tmp_path / name]
    arguments += ["--model", tmp_path / "model.safetensors", "--history", tmp_path / "history.parquet"]
    refused = CliRunner().invoke(main, list(map(str, arguments)))
    assert refused.exit_code == 1 and made in refused.stderr
