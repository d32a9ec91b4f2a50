"""`make faults` disturbs every stage, and would notice what it is there to notice."""

import json
import re
import signal
import sys
import time
from itertools import islice
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jvgn.storage.records import write_origin
from tests.long.faults.choosing import Fault, faults
from tests.long.faults.content import contents
from tests.long.faults.damage import Damage, flip
from tests.long.faults.jobs import TOUCHED, Job, jobs_in
from tests.long.faults.kind import Kind
from tests.long.faults.kinds import KINDS
from tests.long.faults.miniature import TARGETS, configuration
from tests.long.faults.recovery import advised_deletions
from tests.long.faults.scene import Scene
from tests.long.faults.signals import Signal, one_of_the_job
from tests.long.faults.table import Outcome, summary, table, told
from tests.long.faults.trial import ATTEMPTS, THERE, Trial
from tests.long.faults.whole import EVERYTHING, Repeatedly
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
    if flaw == "leftover":
        Path("results/.other.txt.abcd.unfinished.txt").touch()
    make(output, "half" if flaw == "silent" else "whole", 0.7)

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
        if flaw == "changed":
            other.write_text("another")
        if flaw == "hang":
            time.sleep(600)
        if flaw == "traceback":
            print('  File "/project/parsers/files.py", line 7, in keep')
        if flaw != "half":
            output.unlink(missing_ok=True)
        print("it failed" if flaw == "unclear" else "Error in rule make")
    return code or flaw == "stuck"

job() if words == ["job"] else sys.exit(workflow())
"""
KILLED = Signal("kill job", signal.SIGKILL, one_of_the_job, "Error in rule")
JOB = Job("make", ("resources/given.txt",), ("results/made.txt",))
JOBS = [JOB, Job("give", (), ("resources/given.txt",))]


class Late(Kind):
    """Never in time."""

    def strike(self, scene, session):
        return False


class Harmless(Kind):
    """Does nothing, like a disk that has space enough."""

    must_harm = True


@pytest.fixture
def trial(tmp_path, monkeypatch):
    """Makes a trial of a workflow of one job, which has a flaw of its own."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    folder = tmp_path / "project"
    for name, content in (("resources/given", "given"), ("results/made", "whole"), ("results/other", "other")):
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        write_origin(path, "fake", {}, {}, {})
    script = tmp_path / "workflow.py"
    script.write_text(WORKFLOW)

    def make(flaw, kind=KILLED, limit=30.0):
        scene = Scene(folder, JOB, Random(0), usual=0.3)
        command = lambda *words: [sys.executable, str(script), flaw, *words]  # noqa: E731
        return Trial(scene, kind, contents(folder), JOBS, tmp_path / "said", limit, command)

    return make


@pytest.mark.parametrize(
    ("flaw", "verdicts"),
    [
        ("none", set()),
        ("half", {"wrong"}),
        ("lost", {"lost", "wrong"}),
        ("changed", {"lost", "wrong"}),
        ("unclear", {"unclear"}),
        ("traceback", {"unclear"}),
        ("leftover", {"left over"}),
        ("stuck", {"stuck", "wrong"}),
    ],
)
def test_what_a_killed_job_must_not_do_is_noticed(trial, flaw, verdicts):
    one = trial(flaw)
    assert one.run() and one.is_harmed
    assert {found.verdict for found in one.flaws} == verdicts


def test_a_workflow_that_does_not_end_is_noticed(trial):
    one = trial("hang", limit=2.0)
    assert one.run()
    assert "hang" in {found.verdict for found in one.flaws}


def test_a_trial_ends_in_time_however_often_it_must_be_run(trial):
    one = trial("stuck")
    one.longest = 3.0
    started = time.monotonic()
    assert one.run()
    assert time.monotonic() - started < 3.0 + ATTEMPTS
    assert {"hang", "stuck"} <= {found.verdict for found in one.flaws}


@pytest.mark.parametrize(
    ("flaw", "limit", "verdicts"),
    [("none", 30.0, set()), ("stuck", 30.0, {"failed"}), ("none", 0.1, {"hang", "failed"})],
)
def test_what_goes_wrong_before_the_fault_is_noticed(trial, flaw, limit, verdicts):
    one = trial(flaw, Late(), limit)
    assert not one.run()
    assert {found.verdict for found in one.flaws} == verdicts


@pytest.mark.parametrize(("flaw", "verdicts"), [("none", set()), ("silent", {"wrong"})])
def test_what_must_harm_and_does_not_has_not_happened_but_is_judged(trial, flaw, verdicts):
    one = trial(flaw, Harmless())
    assert not one.run() and not one.is_harmed
    assert {found.verdict for found in one.flaws} == verdicts


def test_a_trial_that_is_stopped_leaves_no_process(trial):
    one = trial("none")
    one.scene.clear_outputs()
    session = one.start()
    assert session.until(session.has_job, 30.0)
    one.stop()
    assert session.has_ended() and session.processes() == []


def test_what_a_workflow_starts_before_it_names_a_job_is_none(trial):
    """Snakemake asks the system for this and that."""
    one = trial("none")
    start = "import subprocess; subprocess.run(['sleep', '1']); print('rule make:', flush=True)"
    one.command = lambda *words: [sys.executable, "-c", f"{start}; subprocess.run(['sleep', '1'])"]
    session = one.start()
    assert session.until(session.has_children, 30.0) and not session.has_job()
    assert session.until(session.has_job, 30.0) and session.has_children()
    one.stop()


def test_what_is_there_already_is_asked_for_no_more(trial):
    one = trial("none")
    there = f"import sys; 'b.txt' in sys.argv and sys.exit('b.txt: {THERE}'); open('a.txt', 'w')"
    one.command = lambda *words: [sys.executable, "-c", there, *words]
    one.recover("", "b.txt", "a.txt")
    assert one.flaws == [] and (one.scene.folder / "a.txt").exists()


def test_a_damaged_file_is_to_be_named_and_made_again(trial):
    one = trial("none", Damage("flip", flip))
    one.scene.random = Random(1)
    assert one.run()
    assert one.scene.damaged and one.flaws == []


def test_a_damaged_file_that_goes_unnoticed_is_noticed(trial):
    """The input is read as if nothing had happened, and its record is gone."""
    one = trial("blind", Damage("flip", flip))
    one.scene.random = Random(1)
    (one.scene.folder / "resources/.given.txt.origin").unlink()
    assert one.run()
    assert "wrong" in {found.verdict for found in one.flaws}


def test_jobs_are_read_from_what_snakemake_says():
    said = "[Tue]\nlocalrule draw_sizes:\n    input: results/a, jvgn/b.py\n    output: results/c, results/d\n"
    assert jobs_in(f"Select jobs\n{said}rule all:\n    input: results/c\n") == [
        Job("draw_sizes", ("results/a", "jvgn/b.py"), ("results/c", "results/d"))
    ]
    assert jobs_in(said)[0].stage == "figures" and jobs_in(said)[0].data == ("results/a",)


def test_a_job_comes_before_all_that_waits_for_it():
    first, second, third, other = (
        Job(name, inputs, (name,)) for name, inputs in (("a", ()), ("b", ("a",)), ("c", ("b", "d")), ("d", ()))
    )
    assert first.before([third, second, first, other]) == {first, second, third}
    assert other.before([third, second, first, other]) == {other, third}


def test_all_stages_are_disturbed(tmp_path):
    """A rule that is added has its place in the miniature."""
    project = copy_project(tmp_path / "project", configuration({}))
    plan = project.snakemake("--dry-run", "--", *TARGETS)
    listed = project.snakemake("--list-rules", "--quiet", "all").stdout.split()
    assert {job.rule for job in jobs_in(plan.stdout + plan.stderr)} == set(listed) - ELSEWHERE


def test_all_stages_have_their_turn_and_all_kinds_that_fit_and_a_seed_decides_the_order():
    jobs = [Job(rule, ("results/in",), ("results/out",)) for rule in ("train", "score", "download_source")]
    first, again, other = ([*islice(faults(jobs, KINDS, seed), 60)] for seed in (0, 0, 1))
    assert first == again != other
    assert [fault.number for fault in first] == list(range(60))
    for number in range(0, 60, 3):
        assert {fault.job.stage for fault in first[number : number + 3]} == {"train", "score", "download"}
    fitting = {(job.stage, kind.name) for job in jobs for kind in KINDS if kind.fits(job)}
    assert {(fault.job.stage, fault.kind.name) for fault in first} == fitting


@pytest.mark.parametrize("rule", TOUCHED)
def test_what_happens_to_a_process_fits_no_rule_without_one(rule):
    """Snakemake would have to run a command for it: then it is to be disturbed, too."""
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    assert "shell:" not in re.search(rf"^rule {rule}:.*?(?=^rule |\Z)", rules, re.M | re.S)[0]
    fitting = {kind.name for kind in KINDS if kind.fits(Job(rule, (), ("resources/a.ready",)))}
    assert fitting == {"full disk", "read-only"}


def test_files_are_compared_without_the_seconds_they_tell(tmp_path):
    for name, seconds in (("one", 1.5), ("other", 2.5)):
        folder = tmp_path / name / "results"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"epoch": [1], "seconds": [seconds]}), folder / "history.parquet")
        (folder / "coverage.json").write_text(json.dumps({"nodes": 3, "seconds": seconds}))
        (folder / "learning.csv").write_text(f"epoch,seconds\n1,{seconds}\n")
        (folder / "metrics.json").write_text(json.dumps({"nodes": 3}))
    one, other = contents(tmp_path / "one"), contents(tmp_path / "other")
    assert one == other and len(one) == 4
    for file in sorted((tmp_path / "other/results").iterdir()):
        file.write_bytes(file.read_bytes().replace(b"3", b"4").replace(b"epoch", b"epoxy"))
    assert all(one[name] != digest for name, digest in contents(tmp_path / "other").items())


@pytest.mark.parametrize(
    ("said", "advised"),
    [
        (
            "Error: results/a.h5: not as it was written by jvgn x; delete it and run the workflow again",
            {"results/a.h5"},
        ),
        (
            "line 12:\nresources/s/refs(jvgn).p: damaged; delete it and run the workflow again\n",
            {"resources/s/refs(jvgn).p"},
        ),
        ("x/.a.origin: a damaged record; delete x/a and run the workflow again; or not", {"x/a"}),
        ("x/a.zip: it is empty; put the right file there or move this one away, or if", {"x/a.zip"}),
        ("Error: x/a: cannot be written (No space left on device); see to the disk", set()),
    ],
)
def test_what_is_advised_is_what_is_deleted(said, advised):
    assert advised_deletions(said) == advised


def test_the_table_counts_faults_and_flaws_by_stage_and_kind(trial):
    one = trial("lost")
    one.run()
    chosen = [*islice(faults([JOB], [KILLED], seed=3), 2)]
    outcomes = [Outcome(chosen[0], one.flaws, 1.0, True), Outcome(chosen[1], [], 2.0, False)]
    assert [line.split() for line in table(outcomes)] == [
        ["kill", "job", "all"],
        ["make", "2!1", "2!1"],
        ["all", "2!1", "2!1"],
        ["did", "harm", "1!1", "1!1"],
    ]
    assert summary(outcomes).startswith("2 faults: 1 wrong results, 1 lost finished outputs, 0 hangs, ")
    assert "python -m tests.long.faults --seed 3 --only 0" in next(told(outcomes))
    assert [outcome.line().split()[-1] for outcome in outcomes] == ["wrong", "unharmed"]
    late = Outcome(chosen[1], [], 2.0, is_harmed=False, is_late=True)
    assert [*table([*outcomes, late])] == [*table(outcomes)] and late.line().endswith("too late")
    assert summary([*outcomes, late]).startswith("2 faults") and summary([late]).endswith("; 1 more came too late")
    whole = Outcome(Fault(-1, EVERYTHING, Repeatedly(12), 3), one.flaws, 1.0, True)
    assert next(told([whole])).endswith("python -m tests.long.faults --seed 3 --whole 12")
