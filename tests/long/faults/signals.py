"""Processes that are killed or signalled, in whole or in part."""

import re
import signal
from collections.abc import Callable
from dataclasses import dataclass

from tests.long.faults.jobs import Job
from tests.long.faults.kind import Kind
from tests.long.faults.scene import Scene
from tests.long.faults.session import Session


@dataclass(frozen=True)
class Signal(Kind):
    """A signal to some of the processes, at some moment of the job."""

    name: str
    number: int
    to: Callable[[Scene, Session], list[int]]
    message: str = ""
    silent: bool = False
    leaves_job: bool = False

    def fits(self, job: Job) -> bool:
        return job.is_process

    def strike(self, scene: Scene, session: Session) -> bool:
        if not scene.await_moment(session):
            return False
        session.send(self.number, self.to(scene, session))
        return True

    def explains(self, scene: Scene, said: str) -> bool:
        return re.search(self.message, said) is not None


def one_of_the_job(scene: Scene, session: Session) -> list[int]:
    found = session.job_processes()
    return [scene.random.choice(found)] if found else []


def whole_job(scene: Scene, session: Session) -> list[int]:
    return session.job_processes()


def workflow(scene: Scene, session: Session) -> list[int]:
    return [session.process.pid]


def everything(scene: Scene, session: Session) -> list[int]:
    return session.processes()


SIGNALS = (
    Signal("kill job", signal.SIGKILL, one_of_the_job, "Error in rule"),
    Signal("kill all", signal.SIGKILL, everything, silent=True),
    Signal("orphan", signal.SIGKILL, workflow, silent=True, leaves_job=True),
    Signal("term job", signal.SIGTERM, whole_job, "stopped by a signal"),
    Signal("term", signal.SIGTERM, workflow, "Will exit after finishing currently running jobs"),
    Signal("interrupt", signal.SIGINT, everything, "Terminating processes on user request"),
)
