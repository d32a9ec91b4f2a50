"""A download that is not whole yet: `FILE.part` holds its first bytes, `FILE.part.json` says what they are part of.

The JSON object has `mirror`, its address; `validator`, the ETag or date by which the mirror knows these bytes again, or
null; `size`, the bytes of the whole, or null. The part of a file belongs to one mirror: another one's bytes may differ.
"""

import fcntl
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from jvgn.storage.files import replacing
from jvgn.storage.text_formats import parsed_json
from parsers.errors import UserError


@dataclass(frozen=True)
class Whole:
    """What a part is part of."""

    mirror: str
    validator: str | None = None
    size: int | None = None


@dataclass(frozen=True)
class Part:
    file: Path
    """The name that the bytes get once they are whole."""

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
        """What the bytes are part of; a note that cannot be read says nothing."""
        try:
            known = Whole(**parsed_json(self.note.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None
        is_plain = (
            isinstance(known.mirror, str)
            and isinstance(known.validator, str | None)
            and isinstance(known.size, int | None)
        )
        return known if is_plain else None

    def is_whole(self, mirror: str) -> bool:
        """Whether all bytes are there, which were never looked at."""
        known = self.whole()
        return known is not None and known.mirror == mirror and known.size is not None and known.size == self.size

    def resumable(self, mirror: str) -> Whole | None:
        """What to go on with, if the mirror can tell that it still has the same bytes, and we that they are all."""
        known = self.whole()
        return known if known and known.mirror == mirror and known.validator and known.size and self.size else None

    def begin(self, whole: Whole) -> None:
        """The part is empty, and one of this whole."""
        with writing(self.path):
            self.path.write_bytes(b"")
            with replacing(self.note) as temporary:
                temporary.write_text(json.dumps(asdict(whole)), encoding="utf8")

    def discard(self) -> None:
        """Nothing is kept but the file itself, which may be locked."""
        with writing(self.path):
            self.path.write_bytes(b"")
            self.note.unlink(missing_ok=True)

    def finish(self) -> None:
        """The file has its name."""
        self.path.replace(self.file)
        self.note.unlink(missing_ok=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Trouble with our own disk is no fault of a mirror's."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror}); see to the disk, then run it again") from error


def opened_for_writing(path: Path, mode: str) -> io.FileIO:
    """Without a buffer: a full disk is met by `write_all`, not on closing the file, when nobody would name it."""
    with writing(path):
        return io.FileIO(path, mode)


def write_all(file: io.FileIO, content: bytes, path: Path) -> None:
    left = memoryview(content)
    with writing(path):
        while left:
            left = left[file.write(left) :]


@contextmanager
def locked(path: Path, mode: str, waits: bool = False) -> Iterator[None]:
    """No other process of ours is at work on the file."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open(mode)
    with file:
        with suppress(OSError):  # some file systems know no locks
            try:
                fcntl.flock(file, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise UserError(f"{path}: another process is at work on it; wait for it") from error
        yield
