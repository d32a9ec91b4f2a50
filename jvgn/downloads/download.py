"""A source's file from the first of its mirrors that has it: tried again, gone on with, verified, then named."""

import logging
import time
from contextlib import suppress
from pathlib import Path

from jvgn.downloads.part import Part, locked
from jvgn.downloads.transfer import TransferFailed, transfer
from jvgn.downloads.verification import problem_with, verify_given
from jvgn.settings.source import DownloadSettings, SourceSettings
from parsers.errors import UserError

log = logging.getLogger(__name__)

GAIN = 1 << 20
"""So many more bytes than ever before are progress: a connection that breaks often still gets through."""
LONGEST_WAIT = 60.0


def obtain(source: SourceSettings, settings: DownloadSettings) -> None:
    """The source's file is there and is the published one; a file that was there before is verified and stays."""
    if Path(source.file).exists():
        verify_given(source)
        return
    part = Part(Path(source.file))
    with locked(part.path, "ab"):
        try:
            download(source, part, settings)
        finally:
            if not part.size:
                with suppress(OSError):  # of a disk that has become read-only
                    part.path.unlink(missing_ok=True)


def download(source: SourceSettings, part: Part, settings: DownloadSettings) -> None:
    """The part has become the source's file."""
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
        f"{part.file}: none of its mirrors has it ({'; '.join(reasons)}); run it again later, or get the file yourself"
        " and put it there: it is then verified and used, and nothing is downloaded"
    )


def in_order(mirrors: tuple[str, ...], part: Part) -> list[str]:
    """As given, but first the mirror of which there are bytes already."""
    begun = part.whole()
    return sorted(mirrors, key=lambda mirror: begun is None or mirror != begun.mirror)


def failure(mirror: str, part: Part, source: SourceSettings, settings: DownloadSettings) -> str | None:
    """Why the mirror does not give the right file; None, if the part is now the right file."""
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
            log.info("%s: %s; again in %g seconds", part.file, error, wait)
            time.sleep(wait)
    problem = problem_with(part.path, source)
    if problem is not None:
        part.discard()
    return problem
