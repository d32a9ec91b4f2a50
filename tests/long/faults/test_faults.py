"""`make faults` reaches every stage, and notices what it is there to notice."""

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
    "adopt_graphs",
    "copy_examples",
    "declare_detector",
    "demo",
    "fetch_corenlp",
    "freeze_custom",
    "freeze_entities",
    "import_regions",
    "predict_by_rules",
    "read_custom",
    "read_entities",
    "readme_pictures",
    "show_expression",
}
"""Rules for data that a user brings, for runs without training, and for pictures of the README."""

WORKFLOW = """
import subprocess, sys, time
from pathlib import Path
from jvgn.storage.files import leftovers, replacing
from jvgn.storage.records import write_origin

flaw, words = sys.argv[1], sys.argv[2:]
given, output = Path("resources/given.txt"), Path("results/made.txt")

def make(path, content, seconds):
    with replacing(path) as temporary:
        temporary.write_text(content)
        time.sleep(seconds)
    write_origin(path, "fake", {}, {}, {})

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
    if code:
        print("Error in rule make")
    if code and flaw == "half":
        output.write_text("wh")
    return code

make(output, "whole", 0.7) if words == ["job"] else sys.exit(workflow())
"""
KILLED = Signal("kill job", signal.SIGKILL, one_of_the_job, "Error in rule")
FLIPPED = Damage("flip", flip)
JOB = Job("make", ("resources/given.txt",), ("results/made.txt",))


@pytest.mark.parametrize(
    ("kind", "flaw", "is_noticed"),
    [(KILLED, "none", False), (KILLED, "half", True), (FLIPPED, "none", False), (FLIPPED, "blind", True)],
)
def test_a_flaw_of_a_workflow_is_noticed(tmp_path, monkeypatch, kind, flaw, is_noticed):
    """A killed job leaves half an output; neither a job nor `jvgn verify` reports a damaged input."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    if flaw == "blind":
        monkeypatch.setattr("tests.long.faults.trial.verify", lambda folder: iter(()))
    folder, script = tmp_path / "project", tmp_path / "workflow.py"
    script.write_text(WORKFLOW)
    for name, content in (("resources/given.txt", "given"), ("results/made.txt", "whole")):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(content)
        write_origin(folder / name, "fake", {}, {}, {})

    def command(*words):
        return [sys.executable, str(script), flaw, *(word for word in words if not word.startswith("--"))]

    scene, jobs = Scene(folder, JOB, Random(1), usual=0.3), [JOB, Job("give", (), JOB.inputs)]
    trial = Trial(scene, kind, contents(folder), jobs, tmp_path / "said", 30, command)
    assert trial.run() and trial.is_harmed == (flaw != "blind")
    assert ("wrong" in {found.verdict for found in trial.flaws}) == bool(trial.flaws) == is_noticed


def test_faults_reach_every_rule(tmp_path):
    project = copy_project(tmp_path / "project", configuration({}))
    named = set(project.snakemake("--list-rules").stdout.split())
    plan = project.snakemake("--dry-run", "--", *TARGETS)
    assert {job.rule for job in jobs_in(plan.stdout + plan.stderr)} == named - ELSEWHERE
