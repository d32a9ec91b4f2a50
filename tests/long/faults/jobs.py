"""The jobs of the workflow, as Snakemake prints them before they run, and the stages that they belong to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

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
"""Rules that are no stage of their own, by pattern."""
TOUCHED = ("mark_folder",)
"""Rules whose outputs Snakemake itself touches: there is no process, and nothing that takes space."""
TEMPORARY = ("results/*.shards/*", "results/*/shards/*")
"""What the workflow removes itself once it is merged."""
BLOCK = re.compile(r"^(?:local)?rule (\w+):\n((?:    .*\n)*)", re.MULTILINE)
FIELD = re.compile(r"^    (input|output): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Job:
    """One job; its files are relative to the project's folder."""

    rule: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def stage(self) -> str:
        return next((stage for pattern, stage in STAGES.items() if fnmatch(self.rule, pattern)), self.rule)

    @property
    def is_process(self) -> bool:
        return self.rule not in TOUCHED

    def before(self, jobs: "Sequence[Job]") -> "set[Job]":
        """Itself, and those of the jobs that it comes before, directly or not."""
        found, waiting = {self}, [self]
        while waiting:
            made = set(waiting.pop().outputs)
            waiting += (following := [job for job in jobs if job not in found and not made.isdisjoint(job.inputs)])
            found.update(following)
        return found

    @property
    def data(self) -> tuple[str, ...]:
        """The inputs that other jobs made; the others are code."""
        return tuple(path for path in self.inputs if Path(path).parts[0] in ("results", "resources"))


def jobs_in(said: str) -> list[Job]:
    """The jobs that Snakemake named, in its order; a rule without outputs is none."""
    jobs = []
    for rule, block in BLOCK.findall(f"{said}\n"):
        files = {name: tuple(paths.split(", ")) for name, paths in FIELD.findall(block)}
        jobs.append(Job(rule, files.get("input", ()), files.get("output", ())))
    return [job for job in jobs if job.outputs]


def is_temporary(path: str) -> bool:
    return any(fnmatch(path, pattern) for pattern in TEMPORARY)
