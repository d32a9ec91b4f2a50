"""Jobs of the workflow, read from the output of Snakemake, and the faults that disturb them in turn."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import count
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.long.faults.kinds import Kind

STAGES = {
    "freeze_*": "freeze",
    "download_source": "download",
    "provide_*": "provide",
    "mark_folder": "provide",
    "read_training_set": "read_dataset",
    "sweep_vocabulary": "build_vocabulary",
    "draw_*": "figures",
    "show_examples": "figures",
    "write_results": "figures",
    "write_table": "tables",
    "show_paper_table": "tables",
}
"""Stages of rules that have another name, by pattern."""
TOUCHED = ("mark_folder",)
"""Rules without a process: Snakemake itself touches their outputs."""
TEMPORARY = ("results/*.shards/*", "results/*/shards/*")
"""Files that the workflow removes once they are merged."""
BLOCK = re.compile(r"^(?:local)?rule (\w+):\n((?:    .*\n)*)", re.MULTILINE)
FIELD = re.compile(r"^    (input|output): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Job:
    """A job; its paths are relative to the folder of the project."""

    rule: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def stage(self) -> str:
        return next((stage for pattern, stage in STAGES.items() if fnmatch(self.rule, pattern)), self.rule)

    @property
    def is_process(self) -> bool:
        return self.rule not in TOUCHED

    @property
    def data(self) -> tuple[str, ...]:
        """Return the inputs that other jobs made; the others are code."""
        return tuple(path for path in self.inputs if Path(path).parts[0] in ("results", "resources"))


def jobs_in(said: str) -> list[Job]:
    """Return the jobs with outputs that Snakemake printed, in its order."""
    jobs = []
    for rule, block in BLOCK.findall(f"{said}\n"):
        files = {name: tuple(paths.split(", ")) for name, paths in FIELD.findall(block)}
        jobs.append(Job(rule, files.get("input", ()), files.get("output", ())))
    return [job for job in jobs if job.outputs]


def is_temporary(path: str) -> bool:
    return any(fnmatch(path, pattern) for pattern in TEMPORARY)


@dataclass(frozen=True)
class Fault:
    number: int
    job: Job
    kind: "Kind"
    seed: int

    def __str__(self) -> str:
        return f"{self.job.stage}: {self.kind.name}"


def faults(jobs: Sequence[Job], kinds: "Sequence[Kind]", seed: int) -> Iterator[Fault]:
    """Yield faults without end, one at each stage in turn; the same for the same seed."""
    random = Random(seed)
    stages = sorted({job.stage for job in jobs})
    random.shuffle(stages)
    turns = {stage: turns_of([job for job in jobs if job.stage == stage], kinds, random) for stage in stages}
    for number in count():
        stage = stages[number % len(stages)]
        job, kind = next(turns[stage])
        yield Fault(number, job, kind, seed)


def turns_of(jobs: Sequence[Job], kinds: "Sequence[Kind]", random: Random) -> "Iterator[tuple[Job, Kind]]":
    """Yield every kind that fits one of the jobs, in random order, then every kind again."""
    while True:
        for kind in random.sample(kinds, len(kinds)):
            fitting = [job for job in jobs if kind.fits(job)]
            if fitting:
                yield random.choice(fitting), kind
