"""One try to transfer a file from one mirror: over HTTP, resumed where an earlier try stopped, or from a local file.

`FILE.part` holds the first bytes, `FILE.part.json` their origin: `mirror`, its address; `validator`, the ETag or date
by which the mirror recognises these bytes, or null; `size`, the bytes of the whole file, or null. A part belongs to one
mirror: bytes of another may differ.
"""

import http.client
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

from tqdm import tqdm

from jvgn.storage.files import disk_errors_named, write_text

CHUNK = 1 << 20
RETRIED = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
HEADERS = {"User-Agent": "jvgn", "Accept-Encoding": "identity"}
ZIPPED, ZIPPED_CODINGS = (".gz", ".tgz"), ("gzip", "x-gzip")
"""Many servers report the compression of such a file as if it were that of the transfer."""
COMPRESSED = (*ZIPPED_CODINGS, "deflate", "compress", "br", "zstd")
"""Some servers write other words there, and send the file as it is."""


@dataclass(frozen=True)
class Whole:
    """The file that a part belongs to."""

    mirror: str
    validator: str | None = None
    size: int | None = None


@dataclass(frozen=True)
class PartialFile:
    """A download that is not complete: its bytes so far, and a note of the file that they belong to."""

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


class TransferFailed(Exception):
    """The reason why a transfer failed."""

    def __init__(self, reason: str, is_final: bool = False) -> None:
        super().__init__(reason)
        self.is_final = is_final
        """Retrying the same mirror cannot help."""


def transfer(mirror: str, part: PartialFile, size: int | None, timeout: float) -> None:
    """Complete `part` from the mirror, resuming if possible."""
    if part.is_complete(mirror):
        return
    try:
        if urlsplit(mirror).scheme == "file":
            copy(mirror, part, size)
        else:
            receive(mirror, part, size, timeout)
    except HTTPError as error:
        is_final = error.code < HTTPStatus.INTERNAL_SERVER_ERROR and error.code not in RETRIED
        raise TransferFailed(f"HTTP {error.code} {error.reason}", is_final) from error
    except (OSError, http.client.HTTPException) as error:
        raise TransferFailed(plain_reason(error, timeout)) from error
    except ValueError as error:
        raise TransferFailed(f"invalid address ({error})", is_final=True) from error


def plain_reason(error: Exception, timeout: float) -> str:
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, TimeoutError):
        return f"no data for {timeout:g} seconds"
    return str(cause) or type(cause).__name__


def copy(mirror: str, part: PartialFile, size: int | None) -> None:
    """Copy from a `file:` address; one without slashes is relative to the working directory."""
    path = Path(unquote(urlsplit(mirror).path))
    try:
        found = path.stat().st_size
        file = path.open("rb")
    except OSError as error:
        raise TransferFailed(error.strerror or str(error), is_final=True) from error
    check_size(found, size)
    with file:
        part.begin(Whole(mirror, None, found))
        append(part, file.read, found)


def receive(mirror: str, part: PartialFile, size: int | None, timeout: float) -> None:
    known = part.resumable(mirror)
    headers = dict(HEADERS)
    if known and known.validator:
        headers |= {"Range": f"bytes={part.size}-", "If-Range": known.validator}
    try:
        response = urlopen(Request(mirror, headers=headers), timeout=timeout)
    except HTTPError as error:
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            part.discard()
            raise TransferFailed("it no longer has the remaining bytes; starting over") from error
        raise
    with response:
        if response.headers.get_content_type() == "text/html":
            raise TransferFailed("it sent a web page instead of the file", is_final=True)
        check_coding(response, part.file)
        if response.status == HTTPStatus.PARTIAL_CONTENT:
            check_rest(response, part, known)
        else:
            part.begin(whole_of(mirror, response, size))
        append(part, response.read1, (part.whole() or Whole(mirror)).size)


def check_size(found: int | None, expected: int | None) -> None:
    if None not in (found, expected) and found != expected:
        raise TransferFailed(f"it has {found:,} bytes, expected {expected:,}", is_final=True)


def check_coding(response: http.client.HTTPResponse, file: Path) -> None:
    """Refuse an answer that is compressed for the transfer: it was not asked for."""
    coding = (response.headers["Content-Encoding"] or "").strip().lower()
    if coding in COMPRESSED and not (coding in ZIPPED_CODINGS and file.name.endswith(ZIPPED)):
        raise TransferFailed(f"it sends the file compressed ({coding}), expected its own bytes", is_final=True)


def whole_of(mirror: str, response: http.client.HTTPResponse, expected: int | None) -> Whole:
    """Return what the answer says about the file. A weak ETag does not identify bytes."""
    tag, length = response.headers["ETag"], response.headers["Content-Length"]
    validator = tag if tag and not tag.startswith("W/") else response.headers["Last-Modified"]
    found = int(length) if length and length.isdecimal() else expected
    if found is None and not response.chunked:  # the last chunk is marked as such
        reason = "it does not send the size of the file, so a cut file would not be noticed; set the source's `size`"
        raise TransferFailed(reason, is_final=True)
    check_size(found, expected)
    return Whole(mirror, validator, found)


def check_rest(response: http.client.HTTPResponse, part: PartialFile, known: Whole | None) -> None:
    """Check that the answer continues where the part ends."""
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers["Content-Range"] or "")
    if not (known and found and int(found[1]) == part.size and found[2] in ("*", str(known.size))):
        part.discard()
        raise TransferFailed("it sent another range of bytes; starting over")


def append(part: PartialFile, read: Callable[[int], bytes], total: int | None) -> None:
    """Append all bytes to the part, and check that they are as many as expected."""
    name = part.file.name
    progress = tqdm(desc=name, total=total, initial=part.size, unit="B", unit_scale=True, disable=None)
    with disk_errors_named(part.path), progress, part.path.open("ab") as file:
        while chunk := read(CHUNK):
            if total is not None and file.tell() + len(chunk) > total:
                part.discard()
                raise TransferFailed(f"it sends more than the expected {total:,} bytes", is_final=True)
            file.write(chunk)
            progress.update(len(chunk))
    if total is not None and part.size != total:
        raise TransferFailed(f"it stopped after {part.size:,} of {total:,} bytes")
