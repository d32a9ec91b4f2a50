"""Mistakes that a user can fix: reported as one line, never as a traceback."""

from pathlib import Path


class UserError(Exception):
    """Something the user can mend: commands print it as one line and exit with code 1."""


class BrokenFile(UserError):
    """A file that cannot be what its name says."""

    def __init__(self, path: Path | str, problem: str, cure: str = "delete it and run the workflow again") -> None:
        super().__init__(f"{path}: {problem}; {cure}")

    def __reduce__(self) -> tuple[type[UserError], tuple[str]]:
        """It crosses to another process as its message: its parts are not kept, and without them it could not."""
        return UserError, (str(self),)


class Killed(UserError):
    """Of several processes at work, one has come to an end from outside."""

    def __str__(self) -> str:
        return "a process was killed in its work, mostly because memory ran out; run it again, with fewer --threads"
