"""Carry out faults, each in a copy of the undisturbed project on its own small disk."""

import math
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.jvgn.downloads.server import Server
from tests.long.faults.content import MADE, contents
from tests.long.faults.disks import small_disk
from tests.long.faults.jobs import Fault, Job
from tests.long.faults.kinds import SIGNALS, Download, Kind, Signal
from tests.long.faults.miniature import TARGETS, Undisturbed, configuration, mirrors
from tests.long.faults.scene import TO_START, Scene
from tests.long.faults.table import Outcome
from tests.long.faults.trial import LOCKED, Trial
from tests.workflow.conftest import Project

TRIES = 4
"""Attempts at a fault that comes too late for a quick job."""
ACCOMPANIED = 0.3
"""Share of faults with a second job in the same run."""
WHOLE_LIMIT = 1800.0
"""Seconds within which everything can be made."""
LONGEST = 20.0
"""Seconds from the first job of a run to its end, when everything is disturbed."""
EVERYTHING = Job("everything", (), TARGETS)
MOST_BYTES = 50_000
"""Bytes after which a server stops sending or closes the connection."""


@dataclass(frozen=True)
class Repeatedly(Kind):
    """Signals again and again while everything is made."""

    times: int
    name: str = "repeated"


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
        """Make everything from the start, disturbed so many times on the way."""
        started, random = time.monotonic(), Random(fault.seed)
        with self.project(fault, random) as project:
            scene = Scene(project.folder, fault.job, random)
            with self.trial(fault, scene, limit=WHOLE_LIMIT, longest=WHOLE_LIMIT) as trial:
                disturb_everything(trial, times, random)
        return Outcome(fault, trial.flaws, time.monotonic() - started, True)

    @contextmanager
    def trial(self, fault: Fault, scene: Scene, **limits: float) -> Iterator[Trial]:
        """Yield a trial; kill its processes in the end."""
        log = self.folder / f"fault_{fault.number}.log"
        log.unlink(missing_ok=True)
        trial = Trial(scene, fault.kind, self.undisturbed.contents, self.undisturbed.jobs, log, **limits)
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

    def companion(self, fault: Fault, random: Random) -> Job | None:
        """Return a second job that does not depend on this one, for some of the signals."""
        if not isinstance(fault.kind, Signal) or random.random() > ACCOMPANIED:
            return None
        jobs = self.undisturbed.jobs
        awaited = {path for job in jobs for path in job.inputs}
        after = fault.job.before(jobs)
        return random.choice([job for job in jobs if awaited.isdisjoint(job.outputs) and job not in after])

    def mirrors(self, fault: Fault, random: Random) -> dict[str, str]:
        """Return mirrors of a server that misbehaves, or that delays a download so that it can be disturbed."""
        behaviour = fault.kind.behaviour if isinstance(fault.kind, Download) else "stall_at"
        options = {behaviour: random.randrange(1, MOST_BYTES)} if fault.job.stage == "download" else {}
        return mirrors(self.server, self.undisturbed.published, str(fault.number), **options)


def disturb_everything(trial: Trial, times: int, random: Random) -> None:
    """Make everything from the start; send so many signals, each of another kind, and judge the end."""
    scene = trial.scene
    for made in MADE:
        shutil.rmtree(scene.folder / made)
    for _ in range(times):
        before = contents(scene.folder)
        trial.kind = kind = random.choice([one for one in SIGNALS if not one.leaves_job])
        session = trial.start("--rerun-incomplete", "--", *scene.targets)
        session.until(session.has_job, TO_START)
        time.sleep(random.uniform(0, LONGEST))
        session.send(kind.number, kind.to(scene, session))
        said = trial.end(session)
        trial.judge_disturbed(before, said, session.process.returncode)
        if kind.silent:
            trial.end(trial.start(LOCKED, "--", *scene.targets))
    trial.recover("")
    trial.judge_end()
