"""Everything made from nothing, while it is killed and interrupted again and again."""

import shutil
import time
from dataclasses import dataclass
from random import Random

from tests.long.faults.content import MADE, contents
from tests.long.faults.jobs import Job
from tests.long.faults.kind import Kind
from tests.long.faults.miniature import TARGETS
from tests.long.faults.scene import TO_START
from tests.long.faults.signals import SIGNALS
from tests.long.faults.trial import Trial

EVERYTHING = Job("everything", (), TARGETS)
LONGEST = 20.0
"""Seconds from the first job of a run to its end."""


@dataclass(frozen=True)
class Repeatedly(Kind):
    times: int
    name: str = "repeated"


def run_whole(trial: Trial, times: int, random: Random) -> None:
    """The fault comes so many times, each of another kind, unless all is done before; then all is judged."""
    scene = trial.scene
    for made in MADE:
        shutil.rmtree(scene.folder / made)
    for _ in range(times):
        before = contents(scene.folder)
        trial.kind = kind = random.choice([one for one in SIGNALS if not one.leaves_job])
        session = trial.start("--", *scene.targets)
        session.until(session.has_job, TO_START)
        time.sleep(random.uniform(0, LONGEST))
        session.send(kind.number, kind.to(scene, session))
        said = trial.end(session)
        trial.judge_disturbed(before, said, session.process.returncode)
        if kind.silent:
            trial.end(trial.start("--unlock", "--", *scene.targets))
    trial.recover("")
    trial.judge_end()
