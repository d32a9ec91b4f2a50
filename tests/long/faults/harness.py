"""Carry out faults, each in a copy of the undisturbed project on its own small disk."""

import math
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.jvgn.downloads.server import Server
from tests.long.faults.disks import small_disk
from tests.long.faults.jobs import Fault
from tests.long.faults.miniature import Undisturbed, configuration, mirrors
from tests.long.faults.outcome import Outcome
from tests.long.faults.scene import Scene
from tests.long.faults.trial import Trial
from tests.workflow.conftest import Project

TRIES = 4
"""Attempts at a fault that comes too late for a quick job."""
MOST_BYTES = 50_000
"""Bytes after which a server may stop sending."""


@dataclass(frozen=True)
class Harness:
    undisturbed: Undisturbed
    server: Server
    folder: Path
    """Folder of copies and logs."""
    end: float = math.inf
    """Time after which no fault is started."""
    usual: dict[str, float] = field(default_factory=dict)
    """Seconds that the jobs of a rule took."""

    def carry_out(self, fault: Fault) -> Outcome:
        """Return the outcome of the first attempt that was in time or showed a flaw."""
        started = time.monotonic()
        for attempt in range(TRIES):
            if attempt and time.monotonic() > self.end:
                break
            random = Random(f"{fault.seed} {fault.number} {attempt}")
            usual = self.usual.get(fault.job.rule, 3.0) * 0.6**attempt
            with self.project(fault, random) as project:
                scene = Scene(project.folder, fault.job, random, usual)
                with self.trial(fault, scene) as trial:
                    is_in_time = trial.run()
            if is_in_time:
                self.usual[fault.job.rule] = trial.job_seconds
            if is_in_time or trial.flaws:
                return Outcome(fault, trial.flaws, time.monotonic() - started, trial.is_harmed)
        return Outcome(fault, [], time.monotonic() - started, is_harmed=False, is_late=True)

    @contextmanager
    def trial(self, fault: Fault, scene: Scene) -> Iterator[Trial]:
        """Yield a trial; kill its processes in the end."""
        log = self.folder / f"fault_{fault.number}.log"
        log.unlink(missing_ok=True)
        trial = Trial(scene, fault.kind, self.undisturbed.contents, self.undisturbed.jobs, log)
        try:
            yield trial
        finally:
            trial.stop()

    @contextmanager
    def project(self, fault: Fault, random: Random) -> Iterator[Project]:
        """Yield a copy of the undisturbed project."""
        place = self.folder / f"fault_{fault.number}"
        with small_disk(place):
            project = Project(place / "project")
            # `cp --archive` keeps hard links.
            subprocess.run(["cp", "--archive", self.undisturbed.folder, project.folder], check=True)
            project.configure(configuration(self.mirrors(fault, random)))
            yield project

    def mirrors(self, fault: Fault, random: Random) -> dict[str, str]:
        """Return mirrors of a server that delays a download, so that it can be disturbed."""
        delay = {"stall_at": random.randrange(1, MOST_BYTES)} if fault.job.stage == "download" else {}
        return mirrors(self.server, self.undisturbed.published, str(fault.number), **delay)
