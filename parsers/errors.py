"""Mistakes that a user can fix: reported as one line, never as a traceback."""

from pathlib import Path


class UserError(Exception):
    """A mistake that the user can fix. Commands print it as one line and exit with code 1."""


class BrokenFile(UserError):
    """A file with invalid content."""

    def __init__(self, path: Path | str, problem: str, cure: str = "delete it and run the workflow again") -> None:
        super().__init__(f"{path}: {problem}; {cure}")

    def __reduce__(self) -> tuple[type[UserError], tuple[str]]:
        """Reach another process as a message: `__init__` takes other arguments than `Exception` keeps."""
        return UserError, (str(self),)
