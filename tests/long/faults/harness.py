"""Carries out faults: each in a copy of the undisturbed project, on a small disk of its own."""

import math
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.jvgn.downloads.server import Server
from tests.long.faults.choosing import Fault
from tests.long.faults.disks import small_disk
from tests.long.faults.jobs import Job
from tests.long.faults.kinds import Download
from tests.long.faults.miniature import Undisturbed, configuration, mirrors
from tests.long.faults.scene import Scene
from tests.long.faults.signals import Signal
from tests.long.faults.table import Outcome
from tests.long.faults.trial import Trial
from tests.long.faults.whole import Repeatedly, run_whole
from tests.workflow.conftest import Project

TRIES = 4
"""How often a fault may come too late, for a job that is quick."""
ACCOMPANIED = 0.3
"""How often a job has another one beside it."""
WHOLE_LIMIT = 1800.0
"""Seconds within which everything can be made."""
MOST_BYTES = 50_000
"""After which a server falls silent or breaks off."""


@dataclass(frozen=True)
class Harness:
    undisturbed: Undisturbed
    server: Server
    folder: Path
    """For the copies, and for what was said."""
    end: float = math.inf
    """The moment after which nothing is begun."""
    usual: dict[str, float] = field(default_factory=dict)
    """Seconds that the jobs of a rule take, as far as they were seen."""

    def carry_out(self, fault: Fault) -> Outcome:
        """What came of it, at the first time that was not too late or showed a flaw."""
        if isinstance(fault.kind, Repeatedly):
            return self.carry_out_whole(fault, fault.kind.times)
        started = time.monotonic()
        for attempt in range(TRIES):
            if attempt and time.monotonic() > self.end:
                break
            random = Random(f"{fault.seed} {fault.number} {attempt}")
            usual = self.usual.get(fault.job.rule, 3.0) * 0.6**attempt
            with self.project(fault, random) as project:
                scene = Scene(project.folder, fault.job, random, self.companion(fault, random), usual)
                with self.trial(fault, scene) as trial:
                    is_in_time = trial.run()
            if is_in_time:
                self.usual[fault.job.rule] = trial.job_seconds
            if is_in_time or trial.flaws:
                return Outcome(fault, trial.flaws, time.monotonic() - started, trial.is_harmed)
        return Outcome(fault, [], time.monotonic() - started, is_harmed=False, is_late=True)

    def carry_out_whole(self, fault: Fault, times: int) -> Outcome:
        """Everything from nothing, disturbed so many times on the way."""
        started, random = time.monotonic(), Random(fault.seed)
        with self.project(fault, random) as project:
            scene = Scene(project.folder, fault.job, random)
            with self.trial(fault, scene, limit=WHOLE_LIMIT, longest=WHOLE_LIMIT) as trial:
                run_whole(trial, times, random)
        return Outcome(fault, trial.flaws, time.monotonic() - started, True)

    @contextmanager
    def trial(self, fault: Fault, scene: Scene, **limits: float) -> Iterator[Trial]:
        """Yields one of which no process is left after the block."""
        log = self.folder / f"fault_{fault.number}.log"
        log.unlink(missing_ok=True)
        trial = Trial(scene, fault.kind, self.undisturbed.contents, self.undisturbed.jobs, log, **limits)
        try:
            yield trial
        finally:
            trial.stop()

    @contextmanager
    def project(self, fault: Fault, random: Random) -> Iterator[Project]:
        """Yields a copy of the undisturbed project."""
        place = self.folder / f"fault_{fault.number}"
        with small_disk(place):
            project = Project(place / "project")
            # Hard links stay what they are.
            subprocess.run(["cp", "--archive", self.undisturbed.folder, project.folder], check=True)
            project.configure(configuration(self.mirrors(fault, random)))
            yield project

    def companion(self, fault: Fault, random: Random) -> Job | None:
        """Sometimes, for what happens to processes: a job that no other waits for, and that waits not for this one."""
        if not isinstance(fault.kind, Signal) or random.random() > ACCOMPANIED:
            return None
        jobs = self.undisturbed.jobs
        awaited = {path for job in jobs for path in job.inputs}
        after = fault.job.before(jobs)
        return random.choice([job for job in jobs if awaited.isdisjoint(job.outputs) and job not in after])

    def mirrors(self, fault: Fault, random: Random) -> dict[str, str]:
        """Of a server that misbehaves where that is the fault; any other download it holds up, to be disturbed."""
        behaviour = fault.kind.behaviour if isinstance(fault.kind, Download) else "stall_at"
        told = {behaviour: random.randrange(1, MOST_BYTES)} if fault.job.stage == "download" else {}
        return mirrors(self.server, self.undisturbed.published, str(fault.number), **told)
