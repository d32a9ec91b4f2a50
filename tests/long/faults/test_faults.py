"""`make faults` reaches every stage, and notices what it is there to notice."""

import re
import signal
import sys
from random import Random

import pytest

from jvgn.storage.records import write_origin
from tests.long.faults.content import contents
from tests.long.faults.jobs import Job, jobs_in
from tests.long.faults.kinds import Damage, Signal, flip, one_of_the_job
from tests.long.faults.miniature import TARGETS, configuration
from tests.long.faults.scene import Scene
from tests.long.faults.trial import Trial
from tests.workflow.conftest import ROOT, copy_project

ELSEWHERE = {
    "adopt_detector",
    "copy_examples",
    "declare_detector",
    "demo",
    "fetch_corenlp",
    "freeze_custom",
    "import_regions",
    "read_custom",
    "readme_pictures",
    "show_expression",
}
"""Rules for data that a user brings, and for pictures of the README."""

WORKFLOW = """
import subprocess, sys, time
from pathlib import Path
from jvgn.storage.files import leftovers, replacing
from jvgn.storage.records import write_origin

flaw, words = sys.argv[1], sys.argv[2:]
given, output, other = (Path(name) for name in ("resources/given.txt", "results/made.txt", "results/other.txt"))

def make(path, content, seconds):
    with replacing(path) as temporary:
        temporary.write_text(content)
        time.sleep(seconds)
    write_origin(path, "fake", {}, {}, {})

def job():
    if flaw == "half":
        output.write_text("wh")
    make(output, "whole", 0.7)

def workflow():
    print("rule make:\\n    input: resources/given.txt\\n    output: results/made.txt\\n", flush=True)
    for path in leftovers(output):
        path.unlink()
    if not given.exists():
        make(given, "given", 0)
    if flaw != "blind" and given.read_text(errors="replace") != "given":
        print("resources/given.txt: damaged; delete it and run the workflow again")
        return 1
    code = subprocess.run([sys.executable, __file__, flaw, "job"]).returncode
    if code or flaw == "stuck":
        if flaw == "lost":
            other.unlink()
        if flaw == "traceback":
            print('  File "/project/jvgn/storage/files.py", line 7, in keep')
        if flaw != "half":
            output.unlink(missing_ok=True)
        print("it failed" if flaw == "unclear" else "Error in rule make")
    return code or flaw == "stuck"

job() if words == ["job"] else sys.exit(workflow())
"""
KILLED = Signal("kill job", signal.SIGKILL, one_of_the_job, "Error in rule")
JOB = Job("make", ("resources/given.txt",), ("results/made.txt",))
JOBS = [JOB, Job("give", (), ("resources/given.txt",))]


@pytest.fixture
def trial(tmp_path, monkeypatch):
    """Make a trial of a workflow of one job that has a flaw."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    folder = tmp_path / "project"
    for name, content in (("resources/given", "given"), ("results/made", "whole"), ("results/other", "other")):
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        write_origin(path, "fake", {}, {}, {})
    script = tmp_path / "workflow.py"
    script.write_text(WORKFLOW)

    def make(flaw, kind=KILLED):
        def command(*words):
            return [sys.executable, str(script), flaw, *(word for word in words if not word.startswith("--"))]

        return Trial(
            Scene(folder, JOB, Random(1), usual=0.3), kind, contents(folder), JOBS, tmp_path / "said", 30, command
        )

    return make


@pytest.mark.parametrize(
    ("flaw", "verdicts"),
    [
        ("none", set()),
        ("half", {"wrong"}),
        ("lost", {"lost", "wrong"}),
        ("unclear", {"unclear"}),
        ("traceback", {"unclear"}),
        ("stuck", {"stuck", "wrong"}),
    ],
)
def test_a_flaw_of_a_workflow_whose_job_is_killed_is_noticed(trial, flaw, verdicts):
    one = trial(flaw)
    assert one.run() and one.is_harmed
    assert {found.verdict for found in one.flaws} == verdicts


def test_a_damaged_input_has_to_be_reported_and_made_again(trial):
    one = trial("none", Damage("flip", flip))
    assert one.run() and one.is_harmed
    assert one.scene.damaged == {"resources/given.txt"} and one.flaws == []


def test_damage_that_neither_a_job_nor_verify_finds_is_noticed(trial, monkeypatch):
    monkeypatch.setattr("tests.long.faults.trial.verify", lambda folder: iter(()))
    one = trial("blind", Damage("flip", flip))
    assert one.run() and not one.is_harmed
    assert "wrong" in {found.verdict for found in one.flaws}


def test_faults_reach_every_rule(tmp_path):
    project = copy_project(tmp_path / "project", configuration({}))
    plan = project.snakemake("--dry-run", "--", *TARGETS)
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    named = set(re.findall(r"^rule (\w+):", rules, re.M))
    assert {job.rule for job in jobs_in(plan.stdout + plan.stderr)} == named - ELSEWHERE
