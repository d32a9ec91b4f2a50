"""What all kinds of faults have in common."""

from tests.long.faults.jobs import Job
from tests.long.faults.scene import Scene
from tests.long.faults.session import Session


class Kind:
    """A kind of fault; one that does nothing, to a job that has to run."""

    name: str
    silent: bool = False
    """Whether nobody is left who could say something."""
    leaves_job: bool = False
    """Whether the job goes on without the workflow."""
    must_harm: bool = False
    """Whether it has not happened yet if the workflow ended well."""

    def fits(self, job: Job) -> bool:
        return True

    def prepare(self, scene: Scene) -> None:
        """What is so before the workflow starts."""
        scene.clear_outputs()

    def strike(self, scene: Scene, session: Session) -> bool:
        """What happens while it runs; whether that was in time."""
        return True

    def mend(self, scene: Scene) -> None:
        """What a user does before running it again, whatever was said."""

    def explains(self, scene: Scene, said: str) -> bool:
        """Whether a user can tell from what was said what has happened, and to which file."""
        return True
