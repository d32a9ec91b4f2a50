"""Download of a source's file from the first mirror that has it, with retries, resumed and verified."""

import logging
import time
from pathlib import Path

from jvgn.downloads.checksums import problem_with, verify_given
from jvgn.downloads.partial_download import Part
from jvgn.downloads.transfer import TransferFailed, transfer
from jvgn.settings.source import DownloadSettings, SourceSettings
from parsers.errors import UserError

log = logging.getLogger(__name__)

GAIN = 1 << 20
"""A try that gains so many bytes resets the count of tries: a connection that breaks often still finishes."""
LONGEST_WAIT = 60.0


def obtain(source: SourceSettings, settings: DownloadSettings) -> None:
    """Download and verify the source's file; an existing file is verified and kept."""
    if Path(source.file).exists():
        verify_given(source)
    else:
        download(source, Part(Path(source.file)), settings)


def download(source: SourceSettings, part: Part, settings: DownloadSettings) -> None:
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


def in_order(mirrors: tuple[str, ...], part: Part) -> list[str]:
    """Return the mirrors as given, but first the one that the partial download is from."""
    begun = part.whole()
    return sorted(mirrors, key=lambda mirror: begun is None or mirror != begun.mirror)


def failure(mirror: str, part: Part, source: SourceSettings, settings: DownloadSettings) -> str | None:
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
