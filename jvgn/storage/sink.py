"""A file for libraries that do not bear a full disk: HDF5 cannot even close its file, and takes the process down.

So they are not told. What the disk refuses is noted here and passed over, and whoever writes looks afterwards.
"""

import io
from pathlib import Path
from typing import Any


class Sink(io.FileIO):
    """A new file that takes everything; the first trouble with the disk is kept."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "w+")
        self.trouble: OSError | None = None

    def write(self, content: Any) -> int:
        left = memoryview(content).cast("B")
        size = len(left)
        while left and self.trouble is None:
            try:
                left = left[super().write(left) :]
            except OSError as error:
                self.trouble = error
        return size

    def truncate(self, size: int | None = None) -> int:
        try:
            return super().truncate(size)
        except OSError as error:
            self.trouble = self.trouble or error
            return self.tell() if size is None else size

    def check(self) -> None:
        """All that was written so far is in the file."""
        if self.trouble is not None:
            raise self.trouble
