"""Mistakes that a user can fix: reported as one line, never as a traceback."""

from pathlib import Path


class UserError(Exception):
    """A mistake that the user can fix: commands print it as one line and exit with code 1."""


class BrokenFile(UserError):
    """A file that is missing, damaged or in another format."""

    def __init__(self, path: Path | str, problem: str, cure: str = "delete it and run the workflow again") -> None:
        super().__init__(f"{path}: {problem}; {cure}")

    def __reduce__(self) -> tuple[type[UserError], tuple[str]]:
        """Pickle as a `UserError` with the message, because the parts of the message are not kept."""
        return UserError, (str(self),)
