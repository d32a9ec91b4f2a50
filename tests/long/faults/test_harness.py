"""`make faults` carries out what it was asked for and ends, whatever goes wrong on the way."""

import errno
import math
import os
import shutil
import signal
import time
from contextlib import contextmanager
from random import Random
from types import SimpleNamespace

import pytest
from click import UsageError
from click.testing import CliRunner

from tests.long.faults import miniature
from tests.long.faults.__main__ import is_good, main, shown
from tests.long.faults.choosing import Fault
from tests.long.faults.content import files_in
from tests.long.faults.damage import DamagedState
from tests.long.faults.disks import FullDisk, may_mount, mount, small_disk
from tests.long.faults.harness import TRIES, Harness
from tests.long.faults.jobs import Job
from tests.long.faults.kind import Kind
from tests.long.faults.scene import Scene
from tests.long.faults.session import Session, hear_interrupts
from tests.long.faults.table import Outcome
from tests.long.faults.trial import TRACEBACK, Flaw
from tests.long.faults.whole import Repeatedly

JOBS = [Job(rule, ("results/in",), ("results/out",)) for rule in ("train", "score")]
HANG = Flaw("hang", "not ended")
FAULT = Fault(0, JOBS[0], Kind(), 0)


class Stub:
    """Carries out nothing, but keeps the faults that it was given."""

    def __init__(self, seconds=math.inf):
        self.undisturbed = SimpleNamespace(jobs=JOBS)
        self.end = time.monotonic() + seconds
        self.begun = []

    def carry_out(self, fault):
        self.begun.append(fault)
        time.sleep(0.01)
        return Outcome(fault, [], 0.01, True)


def outcomes_of(harness, number=None, whole=None, only=(), each=(), side_by_side=3):
    return [*shown(harness, number, whole, seed=0, only=only, each=each, side_by_side=side_by_side)]


@pytest.mark.parametrize("only", [("0",), ("7", "2")])
def test_faults_of_a_number_are_carried_out_once(only):
    found = outcomes_of(Stub(), only=only)
    assert sorted(outcome.fault.number for outcome in found) == sorted(map(int, only))


def test_faults_of_a_name_are_as_many_as_were_asked_for():
    found = outcomes_of(Stub(), 4, only=("train: kill",))
    assert len(found) == 4 and all("train: kill" in str(outcome.fault) for outcome in found)
    with pytest.raises(UsageError, match="there is no such fault; there are: score: "):
        outcomes_of(Stub(), 4, only=("train: rain",))


def test_no_fault_is_begun_that_was_not_asked_for_and_none_is_thrown_away():
    harness = Stub()
    assert len(outcomes_of(harness, 10)) == len(harness.begun) == 10


def test_no_fault_is_begun_when_time_is_up():
    harness = Stub(seconds=0.2)
    started = time.monotonic()
    assert 0 < len(outcomes_of(harness, whole=12)) == len(harness.begun)
    assert time.monotonic() - started < 2
    assert not any(isinstance(fault.kind, Repeatedly) for fault in harness.begun)
    assert outcomes_of(Stub(seconds=-1), whole=12) == []


@pytest.mark.parametrize(("number", "expected"), [(None, 1), (3, 4)])
def test_everything_is_disturbed_as_a_whole_after_the_faults_that_were_asked_for(number, expected):
    found = outcomes_of(Stub(), number, whole=12)
    assert len(found) == expected and found[-1].fault.kind == Repeatedly(12)


@pytest.mark.parametrize("option", ["--faults", "--minutes", "--whole", "--side-by-side"])
def test_none_is_no_way_to_ask_for_all(option):
    result = CliRunner().invoke(main, [option, "0"])
    assert result.exit_code == 2 and f"Invalid value for '{option}'" in result.output


def test_an_error_of_the_harness_is_a_flaw_of_its_fault_alone():
    class Broken(Stub):
        def carry_out(self, fault):
            if fault.number == 1:
                raise OSError("no such luck")
            return super().carry_out(fault)

    found = outcomes_of(Broken(), 5)
    assert {outcome.fault.number: len(outcome.flaws) for outcome in found} == {0: 0, 1: 1, 2: 0, 3: 0, 4: 0}
    flaw = next(flaw for outcome in found for flaw in outcome.flaws)
    assert flaw.verdict == "harness" and flaw.what.endswith("OSError: no such luck")


def test_a_run_is_good_if_a_fault_happened_and_none_showed_a_flaw():
    fine, late = Outcome(FAULT, [], 1.0, True), Outcome(FAULT, [], 1.0, is_harmed=False, is_late=True)
    assert is_good([fine, late])
    assert not is_good([]) and not is_good([late]) and not is_good([fine, Outcome(FAULT, [HANG], 1.0, True)])


def carried_out(tmp_path, flaws, end=math.inf):
    """The outcome of a fault that always comes too late, and how often it was tried."""
    tried = []

    class Late(Harness):
        @contextmanager
        def project(self, fault, random):
            yield SimpleNamespace(folder=tmp_path)

        @contextmanager
        def trial(self, fault, scene):
            tried.append(scene)
            yield SimpleNamespace(run=lambda: False, flaws=flaws, is_harmed=True)

    return Late(None, None, tmp_path, end).carry_out(FAULT), len(tried)


def test_a_fault_that_comes_too_late_is_tried_again_unless_it_showed_a_flaw_or_time_is_up(tmp_path):
    outcome, tried = carried_out(tmp_path, [])
    assert outcome.is_late and tried == TRIES
    outcome, tried = carried_out(tmp_path, [HANG])
    assert not outcome.is_late and outcome.flaws == [HANG] and tried == 1
    outcome, tried = carried_out(tmp_path, [], end=time.monotonic() - 1)
    assert outcome.is_late and tried == 1


def test_a_small_disk_takes_the_place_of_one_that_was_left_and_leaves_nothing(tmp_path):
    folder = tmp_path / "disk"
    (folder / "closed").mkdir(parents=True)
    (folder / "closed/file").touch()
    (folder / "closed").chmod(0o555)
    if may_mount():
        mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", folder)
    with pytest.raises(OSError, match="no such luck"), small_disk(folder):
        assert not any(folder.iterdir())
        (folder / "file").touch()
        raise OSError("no such luck")
    assert not folder.exists()


def test_a_disk_is_filled_though_a_job_takes_some_of_the_space_meanwhile(tmp_path, monkeypatch):
    sizes = []

    def allocate(file, start, size):
        sizes.append(size)
        if len(sizes) == 1:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", allocate)
    monkeypatch.setattr("tests.long.faults.disks.free_bytes", lambda folder: [1000, 600, 0][len(sizes)])
    (tmp_path / "project").mkdir()
    scene = Scene(tmp_path / "project", JOBS[0], Random(0))
    FullDisk("disk fills", is_early=False).fill(scene)
    assert sizes == [1000, 600] and scene.spare.exists()


@pytest.mark.skipif(not may_mount(), reason="only root may mount a small disk")
@pytest.mark.parametrize("seed", range(5))
def test_a_full_disk_has_less_space_than_the_outputs_took(tmp_path, seed):
    folder = tmp_path / "disk/project"
    with small_disk(folder.parent):
        (folder / "results").mkdir(parents=True)
        (folder / "results/out").write_bytes(bytes(50_000))
        FullDisk("full disk", is_early=True).prepare(Scene(folder, JOBS[0], Random(seed)))
        with pytest.raises(OSError, match="No space left on device"):
            (folder / "results/out").write_bytes(bytes(50_000))


def test_a_kind_that_is_asked_for_at_each_stage_comes_first_and_no_fault_twice():
    found = [outcome.fault for outcome in outcomes_of(Stub(), 10, each=["disk fills"], side_by_side=1)]
    first = sorted((fault.kind.name, fault.job.stage) for fault in found[:2])
    assert first == ([("disk fills", "score"), ("disk fills", "train")] if may_mount() else first)
    assert len({fault.number for fault in found}) == len(found) == (12 if may_mount() else 10)
    assert len(outcomes_of(Stub(), each=["disk fills"])) == (2 if may_mount() else 0)


def test_sessions_hear_an_interrupt_though_a_shell_started_all_in_its_background(tmp_path):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        hear_interrupts()
        session = Session(["sleep", "30"], tmp_path, tmp_path / "said")
        session.send_all(signal.SIGINT)
        assert session.wait(10) and session.process.returncode == -signal.SIGINT
    finally:
        signal.signal(signal.SIGINT, before)


def test_folders_that_vanish_are_no_trouble(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    found = files_in(tmp_path)
    first = next(found)
    shutil.rmtree(tmp_path / ({"a", "b"} - {first.parent.name}).pop())
    assert [*found] == []


def test_states_that_vanish_are_none(tmp_path, monkeypatch):
    gone = tmp_path / "results/training_state.pt"
    monkeypatch.setattr("tests.long.faults.damage.files_in", lambda folder: [gone])
    assert DamagedState().states(Scene(tmp_path, JOBS[0], Random(0))) == []


def test_the_undisturbed_project_is_made_again_if_sources_changed_or_it_was_not_finished(tmp_path, monkeypatch):
    made = []

    def make(folder, server):
        (folder / "project").mkdir(parents=True)
        made.append(folder)
        if len(made) == 1:
            raise RuntimeError("no such luck")
        return "rule train:\n    output: results/out\n"

    monkeypatch.setattr(miniature, "make_project", make)
    with pytest.raises(RuntimeError, match="no such luck"):
        miniature.undisturbed_in(tmp_path / "undisturbed", None)
    for sources, times in (("one", 2), ("one", 2), ("other", 3)):
        monkeypatch.setattr(miniature, "hash_of", lambda root, sources=sources: sources)
        undisturbed = miniature.undisturbed_in(tmp_path / "undisturbed", None)
        assert len(made) == times and undisturbed.jobs == (Job("train", (), ("results/out",)),)
        assert undisturbed.folder.is_dir()


def test_the_hash_of_the_sources_is_another_if_one_changes(tmp_path):
    for name in miniature.SOURCES:
        source = miniature.ROOT / name
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    assert miniature.hash_of(tmp_path) == (before := miniature.hash_of(miniature.ROOT))
    with (tmp_path / "jvgn/cli.py").open("a") as code:
        code.write("# edited\n")
    assert miniature.hash_of(tmp_path) != before


@pytest.mark.parametrize("project", ["/home/ada/jvgn", "/home/ada/grounding"])
def test_only_a_traceback_of_our_own_code_is_unclear_whatever_the_clone_is_called(project):
    assert TRACEBACK.search(f'  File "{project}/jvgn/training.py", line 3, in train')
    assert TRACEBACK.search(f'  File "{project}/parsers/files.py", line 3, in replacing')
    for other in (".venv/lib/python3.11/site-packages/snakemake/cli.py", ".venv/bin/snakemake", "workflow/rules/x.smk"):
        assert not TRACEBACK.search(f'  File "{project}/{other}", line 3, in x')
