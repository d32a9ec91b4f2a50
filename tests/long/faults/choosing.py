"""Which faults happen: all stages in turn, each with all kinds in turn, in an order that a seed decides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tests.long.faults.jobs import Job
from tests.long.faults.kind import Kind


@dataclass(frozen=True)
class Fault:
    number: int
    job: Job
    kind: Kind
    seed: int

    def __str__(self) -> str:
        return f"{self.job.stage}: {self.kind.name}"


def faults(jobs: Sequence[Job], kinds: Sequence[Kind], seed: int) -> Iterator[Fault]:
    """Without end; the same for the same seed."""
    random = Random(seed)
    stages = sorted({job.stage for job in jobs})
    random.shuffle(stages)
    turns = {stage: without_end([job for job in jobs if job.stage == stage], kinds, random) for stage in stages}
    number = 0
    while True:
        for stage in stages:
            job, kind = next(turns[stage])
            yield Fault(number, job, kind, seed)
            number += 1


def without_end(jobs: Sequence[Job], kinds: Sequence[Kind], random: Random) -> Iterator[tuple[Job, Kind]]:
    """Every kind that fits one of the jobs, then every kind again."""
    while True:
        for kind in random.sample(kinds, len(kinds)):
            fitting = [job for job in jobs if kind.fits(job)]
            if fitting:
                yield random.choice(fitting), kind
