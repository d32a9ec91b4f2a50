"""Published files: downloaded from the first mirror that has them, verified, and unpacked for the workflow.

`FILE.sha256` beside a file records its SHA-256, in the format of `sha256sum --check`. If the settings have no checksum,
that of the first download, or of the user's own file, is recorded and expected from then on.
"""

import logging
import os
import re
import shutil
import time
from pathlib import Path

from jvgn.downloads.archives import is_archive, unpack
from jvgn.downloads.resumable_transfer import PartialFile, TransferFailed, transfer
from jvgn.settings.source import DownloadSettings, SourceSettings
from jvgn.storage.files import replacing, sha256, write_text
from jvgn.storage.records import write_origin
from parsers.errors import BrokenFile, UserError

log = logging.getLogger(__name__)

GAIN = 1 << 20
"""A try that gains so many bytes resets the count of tries: a connection that breaks often still finishes."""
LONGEST_WAIT = 60.0
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")


def fetch(source: SourceSettings, settings: DownloadSettings) -> list[str]:
    """Download and unpack the missing files and folders of a source; return them. Existing ones are not changed."""
    absent = [target for target in source.provides if not Path(target).exists()]
    if absent:
        obtain(source, settings)
    for target in absent:
        provide(source, target)
    return absent


def obtain(source: SourceSettings, settings: DownloadSettings) -> None:
    """Download and verify the source's file; an existing file is verified and kept."""
    if Path(source.file).exists():
        verify_given(source)
    else:
        download(source, PartialFile(Path(source.file)), settings)


def download(source: SourceSettings, part: PartialFile, settings: DownloadSettings) -> None:
    reasons = []
    for mirror in in_order(source.mirrors, part):
        log.info("%s: from %s", part.file, mirror)
        reason = failure(mirror, part, source, settings)
        if reason is None:
            part.finish()
            return
        log.info("%s: not from %s: %s", part.file, mirror, reason)
        reasons.append(f"{mirror}: {reason}")
    raise UserError(
        f"{part.file}: no mirror has it ({'; '.join(reasons)}); run it again later, or put the file there yourself:"
        " it is then verified and used"
    )


def in_order(mirrors: tuple[str, ...], part: PartialFile) -> list[str]:
    """Return the mirrors as given, but first the one that the partial download is from."""
    begun = part.whole()
    return sorted(mirrors, key=lambda mirror: begun is None or mirror != begun.mirror)


def failure(mirror: str, part: PartialFile, source: SourceSettings, settings: DownloadSettings) -> str | None:
    """Download from one mirror; return why it failed, or None if the part is now the verified file."""
    tries, most = 0, part.size
    while True:
        try:
            transfer(mirror, part, source.size, settings.timeout)
            break
        except TransferFailed as error:
            tries, most = (0, part.size) if part.size >= most + GAIN else (tries + 1, most)
            if error.is_final or tries >= settings.tries:
                return str(error)
            wait = min(settings.wait * 2 ** max(tries - 1, 0), LONGEST_WAIT)
            log.info("%s: %s; retrying in %g seconds", part.file, error, wait)
            time.sleep(wait)
    problem = problem_with(part.path, source)
    if problem is not None:
        part.discard()
    return problem


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


def provide(source: SourceSettings, target: str) -> None:
    """Make `target` from the source's verified file, with a record beside it if it is a file."""
    if target not in source.provides:
        raise UserError(f"{target}: not provided by {source.file}; choose one of: {', '.join(source.provides)}")
    if Path(target).exists():
        return
    verify_given(source)
    member = source.provides[target]
    if member is None:
        link(Path(source.file), Path(target))
    else:
        unpack(Path(source.file), member, Path(target))
    if Path(target).is_file():
        published = {Path(source.file): recorded(Path(source.file)) or ""}
        write_origin(Path(target), "jvgn provide", published, {"member": member or ""}, {})
    log.info("%s: from %s", target, source.file)


def link(file: Path, target: Path) -> None:
    """Link `target` to the file, or copy it if the disk does not support links."""
    with replacing(target) as temporary:
        try:
            temporary.unlink()
            os.link(file.resolve(), temporary)
        except OSError:
            shutil.copyfile(file, temporary)
