"""Output file for HDF5, whose library ends the process with a segmentation fault if the disk is full."""

import io
from pathlib import Path
from typing import Any


class HDF5Output(io.FileIO):
    """A new file that accepts every write, and keeps the first error of the disk for `check`."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "w+")
        self.error: OSError | None = None

    def write(self, content: Any) -> int:
        left = memoryview(content).cast("B")
        size = len(left)
        while left and self.error is None:
            try:
                left = left[super().write(left) :]
            except OSError as error:
                self.error = error
        return size

    def truncate(self, size: int | None = None) -> int:
        try:
            return super().truncate(size)
        except OSError as error:
            self.error = self.error or error
            return self.tell() if size is None else size

    def check(self) -> None:
        """Raise the error of an earlier write, if any."""
        if self.error is not None:
            raise self.error
