"""Every reader, given broken and contrived files, reads them or says in one line what is wrong, and does nothing else.

`make fuzz` gives them a hundred thousand; here are some of these, and what earlier ones have found.
"""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.long.fuzz import worker as worker_module
from tests.long.fuzz.inputs import Input, Inputs
from tests.long.fuzz.payloads import CANARY
from tests.long.fuzz.readers import READERS
from tests.long.fuzz.running import jobs_of, run_jobs
from tests.long.fuzz.safety import MOST_MEMORY
from tests.long.fuzz.worker import Worker

INPUTS = 2_000
CORPUS = Path(__file__).with_name("corpus")
SHARES = {name: reader.share for name, reader in READERS.items()}


def test_no_input_makes_a_reader_crash_hang_or_run_code():
    run = run_jobs(jobs_of(SHARES, INPUTS, seed=11), processes=1)
    assert run.findings == []
    whole = [sum(counts) for counts in zip(*((t.inputs, t.beyond_header) for t in run.tallies.values()), strict=True)]
    assert whole[0] == INPUTS and whole[1] > INPUTS / 2  # mutations that get past the header


def test_what_was_found_once_is_not_found_again():
    jobs = [
        {"reader": folder.name, "files": [str(file) for file in sorted(folder.iterdir())]}
        for folder in sorted(CORPUS.iterdir())
    ]
    assert {job["reader"] for job in jobs} <= READERS.keys()
    run = run_jobs(jobs, processes=1)
    assert run.findings == []
    assert sum(tally.inputs for tally in run.tallies.values()) == sum(len(job["files"]) for job in jobs) > 40


def test_a_number_of_an_input_is_the_same_input_everywhere(tmp_path):
    for name in ("REFER's pickle", "settings of a run", "CoNLL-U", "JPEG"):
        one, other = (Inputs(READERS[name], tmp_path / f"{name}{turn}") for turn in range(2))
        for number in range(20):
            assert one.input(0, number).content == other.input(0, number).content


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    """In this process, and one for all: who listens to what Python does cannot be sent away."""
    folder = tmp_path_factory.mktemp("worker")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield Worker(folder)


class Misread:
    """The inputs of a reader, read in another way."""

    def __init__(self, made, read):
        self.reader, self.restore, self.folder = replace(made.reader, read=read), made.restore, made.folder


def write_elsewhere(path):
    (Path(__file__).parent / "escaped").open("w").close()


def write_beside_its_folder(path):
    (path.parents[1] / f"{path.parent.name}.escaped").touch()


def rename_into_another_folder(path):
    (path.parent / "made").touch()
    (path.parent / "made").rename(path.parents[1] / "escaped")


def take_memory(path):
    b"x" * (MOST_MEMORY + (1 << 26))


def take_time(path):
    until = time.process_time() + 2 * worker_module.MOST_SECONDS
    while time.process_time() < until:
        pass


def start_a_program(path):
    import subprocess

    subprocess.run(["true"], check=True)


def run_foreign_code(path):
    exec("1 + 1")


def leave_a_canary(path):
    Path(CANARY).touch()


def raise_anything(path):
    raise KeyError("a bug")


@pytest.mark.parametrize(
    ("read", "kind"),
    [
        (write_elsewhere, "misbehaved"),
        (write_beside_its_folder, "misbehaved"),
        (rename_into_another_folder, "misbehaved"),
        (take_memory, "misbehaved"),
        (take_time, "slow"),
        (start_a_program, "misbehaved"),
        (run_foreign_code, "misbehaved"),
        (leave_a_canary, "misbehaved"),
        (raise_anything, "raised"),
    ],
)
def test_what_a_reader_must_not_do_is_noticed(worker, monkeypatch, read, kind):
    monkeypatch.setattr(worker_module, "MOST_SECONDS", 0.2)
    name = "record of a hash"
    worker.prepare(name)
    made = worker.inputs[name]
    try:
        assert worker.outcome(Misread(made, read), made.input(0, 0))["kind"] == kind
    finally:
        (Path(__file__).parent / "escaped").unlink(missing_ok=True)


def unpack_beside(path):
    (path.parent / "unpacked.trap").touch()


@pytest.mark.parametrize("name", ["zip", "tar", "tar.gz"])
def test_an_archive_may_fill_its_folder_alone(worker, name):
    worker.prepare(name)
    made = worker.inputs[name]
    [(path, content)] = made.seeds.items()
    assert worker.outcome(made, Input(content, path, True))["said"] == ""
    assert worker.outcome(Misread(made, unpack_beside), made.input(0, 0))["kind"] == "misbehaved"


def test_a_peak_of_memory_is_of_one_input(worker):
    """What an earlier one took does not hide what the next one takes."""
    worker.prepare("record of a hash")
    made = worker.inputs["record of a hash"]
    for _ in range(2):
        assert "of memory" in worker.outcome(Misread(made, take_memory), made.input(0, 0))["said"]


def test_a_reader_that_refuses_is_fine(worker):
    worker.prepare("record of a hash")
    made = worker.inputs["record of a hash"]
    assert worker.outcome(made, Input(b"no hash", next(iter(made.seeds)), True))["kind"] == "refused"
