"""All kinds of faults."""

from dataclasses import dataclass

from tests.long.faults.damage import DAMAGES
from tests.long.faults.disks import DISKS
from tests.long.faults.jobs import Job
from tests.long.faults.kind import Kind
from tests.long.faults.scene import Scene
from tests.long.faults.signals import SIGNALS


@dataclass(frozen=True)
class Download(Kind):
    """The server falls silent, or breaks off."""

    name: str
    behaviour: str
    """What the server is told, with a number of bytes."""

    def fits(self, job: Job) -> bool:
        return job.stage == "download"

    def explains(self, scene: Scene, said: str) -> bool:
        return "none of its mirrors has it" in said


KINDS: tuple[Kind, ...] = (
    *SIGNALS,
    *DISKS,
    *DAMAGES,
    Download("stall", "stall_at"),
    Download("break off", "breaks_every"),
)
