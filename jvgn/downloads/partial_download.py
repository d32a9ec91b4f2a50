"""Partial download, from which a download resumes: `FILE.part` holds the first bytes, `FILE.part.json` their origin.

The JSON object has `mirror`, its address; `validator`, the ETag or date by which the mirror recognises these bytes, or
null; `size`, the bytes of the whole file, or null. A part belongs to one mirror: bytes of another may differ.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from jvgn.storage.files import disk_errors_named, write_text


@dataclass(frozen=True)
class Whole:
    """The file that a part belongs to."""

    mirror: str
    validator: str | None = None
    size: int | None = None


@dataclass(frozen=True)
class Part:
    file: Path
    """The path of the file once it is complete."""

    @property
    def path(self) -> Path:
        return self.file.with_name(self.file.name + ".part")

    @property
    def note(self) -> Path:
        return self.file.with_name(self.file.name + ".part.json")

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def whole(self) -> Whole | None:
        """Return the file that the bytes belong to, or None if the note is missing or invalid."""
        try:
            return Whole(**json.loads(self.note.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def is_complete(self, mirror: str) -> bool:
        """Return whether all bytes were downloaded, but not verified before the process ended."""
        known = self.whole()
        return known is not None and known.mirror == mirror and known.size is not None and known.size == self.size

    def resumable(self, mirror: str) -> Whole | None:
        """Return the file to resume, if the mirror can tell whether its bytes changed, and its size is known."""
        known = self.whole()
        return known if known and known.mirror == mirror and known.validator and known.size and self.size else None

    def begin(self, whole: Whole) -> None:
        """Start a new, empty part."""
        with disk_errors_named(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(b"")
            write_text(self.note, json.dumps(asdict(whole)))

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)

    def finish(self) -> None:
        """Rename the verified part to the file."""
        self.path.replace(self.file)
        self.note.unlink(missing_ok=True)
