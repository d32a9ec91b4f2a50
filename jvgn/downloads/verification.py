"""Whether a file is the one that was published.

`FILE.sha256` beside a file records its hash, in the format of `sha256sum --check`. Where the settings know no hash, the
first download's, or that of the file which the user brought, is recorded, and holds from then on.
"""

import re
from pathlib import Path

from jvgn.downloads.unpacking import opened
from jvgn.settings.source import SourceSettings
from jvgn.storage.files import replacing, sha256
from parsers.errors import BrokenFile, UserError

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")


def record_of(file: Path) -> Path:
    return file.with_name(file.name + ".sha256")


def recorded(file: Path) -> str | None:
    """The hash that was recorded, if any."""
    record = record_of(file)
    if not record.exists():
        return None
    content = record.read_text(encoding="utf8", errors="replace") if record.is_file() else ""
    found = re.match(r"([0-9a-f]{64}) [ *]", content)
    if found is None:
        raise BrokenFile(record, "expected a SHA-256 and a file's name", "delete it, and the next download is recorded")
    return found[1]


def problem_with(content: Path, source: SourceSettings) -> str | None:
    """What is wrong with bytes that are to be the source's file; if nothing is, their hash is recorded."""
    file = Path(source.file)
    size = content.stat().st_size
    if size == 0:
        return "it is empty"
    if source.size not in (None, size):
        return f"it has {size:,} bytes, expected {source.size:,}"
    expected = source.sha256 or recorded(file)
    found = sha256(content)
    if expected is not None and not found.startswith(expected):
        origin = (
            ""
            if source.sha256
            else f", as recorded in {record_of(file)}: delete that, if the file it was made of was wrong"
        )
        return f"its SHA-256 is {found}, expected {expected}{origin}"
    if expected is None and file.name.endswith(ARCHIVES) and not is_archive(content):
        return "it is no readable archive: truncated, or something else"
    if recorded(file) != found:
        with replacing(record_of(file)) as temporary:
            temporary.write_text(f"{found}  {file.name}\n", encoding="utf8")
    return None


def is_archive(path: Path) -> bool:
    """Cut off, neither can be read: a zip archive has its table at the end, of a tar archive all headers are read."""
    try:
        with opened(path) as archive:
            return sum(1 for _ in archive.members()) > 0
    except BrokenFile:
        return False


def verify_given(source: SourceSettings) -> None:
    """A file that is there is the published one. It is the user's: whatever it is, it stays."""
    try:
        problem = problem_with(Path(source.file), source)
    except OSError as error:
        raise UserError(f"{source.file}: cannot be read ({error.strerror}); put a readable file there") from error
    if problem is not None:
        raise UserError(
            f"{source.file}: {problem}; put the right file there or move this one away, or if it is what you mean,"
            f" say so in config.yaml (sources: sha256, size) and delete {record_of(Path(source.file))}"
        )
