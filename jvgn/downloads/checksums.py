"""Checksums of published files.

`FILE.sha256` beside a file records its SHA-256, in the format of `sha256sum --check`. If the settings have no checksum,
that of the first download, or of the user's own file, is recorded and expected from then on.
"""

import re
from pathlib import Path

from jvgn.downloads.archives import is_archive
from jvgn.settings.source import SourceSettings
from jvgn.storage.files import sha256, write_text
from parsers.errors import BrokenFile, UserError

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")


def checksum_file(file: Path) -> Path:
    return file.with_name(file.name + ".sha256")


def recorded(file: Path) -> str | None:
    """Return the recorded checksum, if any."""
    record = checksum_file(file)
    if not record.exists():
        return None
    content = record.read_text(encoding="utf8", errors="replace") if record.is_file() else ""
    found = re.match(r"([0-9a-f]{64}) [ *]", content)
    if found is None:
        raise BrokenFile(record, "expected a SHA-256 and a file name", "delete it; it is then recorded again")
    return found[1]


def problem_with(content: Path, source: SourceSettings) -> str | None:
    """Return what is wrong with the content of a source's file; if it is right, record its checksum and return None."""
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
            else f" as recorded in {checksum_file(file)}, which you may delete if the earlier file was wrong"
        )
        return f"its SHA-256 is {found}, expected {expected}{origin}"
    if expected is None and file.name.endswith(ARCHIVES) and not is_archive(content):
        return "it is not a readable archive"
    if recorded(file) != found:
        write_text(checksum_file(file), f"{found}  {file.name}\n")
    return None


def verify_given(source: SourceSettings) -> None:
    """Check an existing file. It may be the user's own, so it is never deleted."""
    try:
        problem = problem_with(Path(source.file), source)
    except OSError as error:
        raise UserError(f"{source.file}: cannot be read ({error.strerror}); replace the file") from error
    if problem is not None:
        raise UserError(
            f"{source.file}: {problem}; replace it or move it away, or to use it, change sha256 and size under sources"
            f" in config.yaml and delete {checksum_file(Path(source.file))}"
        )
