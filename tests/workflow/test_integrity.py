"""Every file of a finished run has a record of its origin; a changed byte is found and never used."""

import os
import random
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.storage.records import SUFFIX, read_origin

FLIPS = 50


@pytest.fixture
def results(finished, monkeypatch):
    monkeypatch.chdir(finished.folder)
    return Path("results")


def verify(folder):
    ran = CliRunner().invoke(main, ["verify", str(folder)])
    return ran.exit_code, [line.split()[:2] for line in ran.stdout.splitlines()]


def flip(path, generator):
    """Change one byte of a file and return its original content."""
    whole = path.read_bytes()
    place = generator.randrange(len(whole))
    changed = whole[place] ^ generator.randrange(1, 256)
    path.write_bytes(whole[:place] + bytes([changed]) + whole[place + 1 :])
    return whole


def test_an_untouched_run_is_verified(results):
    assert verify(results) == (0, [["results:", "every"]])


def test_every_changed_byte_is_found(results):
    """In the files and in their records."""
    generator = random.Random(0)
    files = [path for path in sorted(results.rglob("*")) if path.is_file() and path.stat().st_size]
    for _ in range(FLIPS):
        path = generator.choice(files)
        whole = flip(path, generator)
        code, found = verify(results)
        path.write_bytes(whole)
        named = path.with_name(path.name.removesuffix(SUFFIX)[1:]) if path.name.endswith(SUFFIX) else path
        assert code == 1 and found == [["broken", f"{named}:"]]


def test_a_record_names_the_inputs_and_the_code_that_the_rule_names(finished):
    """So that `jvgn verify` calls a file stale only if Snakemake would make it again."""
    plan = finished.snakemake("--dry-run", "--forceall", "--", "demo")
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
    whole = flip(nodes, random.Random(1))
    try:
        run = finished.snakemake("--quiet", "host", "--", "demo")
        assert run.returncode == 1
        said = " ".join((run.stdout + run.stderr).split())
        assert f"{nodes}: not as it was written by jvgn parse; delete it and run the workflow again" in said
        assert (results / "shapes_gt/model.safetensors").exists()
    finally:
        nodes.write_bytes(whole)
    assert finished.planned("demo") == set()


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
        table.with_name(f".{table.name}{SUFFIX}").unlink()
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
