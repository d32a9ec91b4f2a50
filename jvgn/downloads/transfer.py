"""One try to get a file from one mirror: over HTTP, going on where an earlier try broke off, or from a file."""

import http.client
import re
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from tqdm import tqdm

from jvgn.downloads.part import Part, Whole, opened_for_writing, write_all

CHUNK = 1 << 20
WORTH_ANOTHER_TRY = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
HEADERS = {"User-Agent": "jvgn", "Accept-Encoding": "identity"}
ZIPPED, ZIPPED_CODINGS = (".gz", ".tgz"), ("gzip", "x-gzip")
"""Many servers tell of such a file's own compression as if it were theirs."""
COMPRESSED = (*ZIPPED_CODINGS, "deflate", "compress", "br", "zstd")
"""There are servers that write other words there, and send the file as it is."""


class TransferFailed(Exception):
    """Why a mirror did not give the file."""

    def __init__(self, reason: str, is_final: bool = False) -> None:
        super().__init__(reason)
        self.is_final = is_final
        """Asking the same mirror again would be no use."""


class WebRedirects(HTTPRedirectHandler):
    """A mirror may point to another place on the web: the library would also follow it to FTP."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage, newurl: str
    ) -> Request | None:
        if urlsplit(newurl).scheme not in ("http", "https"):
            raise HTTPError(newurl, code, f"{msg} - Redirection to url '{newurl}' is not allowed", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def transfer(mirror: str, part: Part, size: int | None, timeout: float) -> None:
    """`part` holds all bytes that the mirror has, of which it may have the first ones already."""
    if part.is_whole(mirror):
        return
    try:
        if urlsplit(mirror).scheme == "file":
            copy(mirror, part, size)
        else:
            receive(mirror, part, size, timeout)
    except HTTPError as error:
        is_final = error.code < HTTPStatus.INTERNAL_SERVER_ERROR and error.code not in WORTH_ANOTHER_TRY
        raise TransferFailed(f"HTTP {error.code} {error.reason}", is_final) from error
    except (OSError, http.client.HTTPException) as error:
        raise TransferFailed(plain_reason(error, timeout)) from error
    except ValueError as error:
        raise TransferFailed(f"it is no address that can be asked ({error})", is_final=True) from error


def plain_reason(error: Exception, timeout: float) -> str:
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, TimeoutError):
        return f"nothing came for {timeout:g} seconds"
    return str(cause) or type(cause).__name__


def copy(mirror: str, part: Part, size: int | None) -> None:
    """Of a `file:` address; one without slashes is relative to the working directory."""
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


def receive(mirror: str, part: Part, size: int | None, timeout: float) -> None:
    known = part.resumable(mirror)
    headers = dict(HEADERS)
    if known and known.validator:
        headers |= {"Range": f"bytes={part.size}-", "If-Range": known.validator}
    try:
        response = build_opener(WebRedirects).open(Request(mirror, headers=headers), timeout=timeout)
    except HTTPError as error:
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            part.discard()
            raise TransferFailed("it no longer has the bytes that follow; starting anew") from error
        raise
    with response:
        if response.headers.get_content_type() == "text/html":
            raise TransferFailed("it answers with a web page instead of the file", is_final=True)
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
    """The bytes are the file's own, as was asked for."""
    coding = (response.headers["Content-Encoding"] or "").strip().lower()
    if coding in COMPRESSED and not (coding in ZIPPED_CODINGS and file.name.endswith(ZIPPED)):
        raise TransferFailed(f"it sends the file compressed ({coding}), expected its own bytes", is_final=True)


def whole_of(mirror: str, response: http.client.HTTPResponse, expected: int | None) -> Whole:
    """What the answer says of itself. A weak ETag may stand for other bytes as well."""
    tag, length = response.headers["ETag"], response.headers["Content-Length"]
    validator = tag if tag and not tag.startswith("W/") else response.headers["Last-Modified"]
    found = int(length) if length and length.isdecimal() else expected
    if found is None and not response.chunked:  # only the last of several chunks says that it is the last
        reason = "it does not say how many bytes there are, so a part could be taken for all; give the source's `size`"
        raise TransferFailed(reason, is_final=True)
    check_size(found, expected)
    return Whole(mirror, validator, found)


def check_rest(response: http.client.HTTPResponse, part: Part, known: Whole | None) -> None:
    """The answer goes on where the part ends."""
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers["Content-Range"] or "")
    if not (known and found and int(found[1]) == part.size and found[2] in ("*", str(known.size))):
        part.discard()
        raise TransferFailed("it sent other bytes than those that follow; starting anew")


def append(part: Part, read: Callable[[int], bytes], total: int | None) -> None:
    """`part` has all that can be read behind what it had, and that is all there is; of more, nothing is kept."""
    name = part.file.name
    progress = tqdm(desc=name, total=total, initial=part.size, unit="B", unit_scale=True, disable=None)
    with progress, opened_for_writing(part.path, "ab") as file:
        while chunk := read(CHUNK):
            if total is not None and file.tell() + len(chunk) > total:
                part.discard()
                raise TransferFailed(f"it sends more than the {total:,} bytes that were expected", is_final=True)
            write_all(file, chunk, part.path)
            progress.update(len(chunk))
    if total is not None and part.size != total:
        raise TransferFailed(f"it broke off after {part.size:,} of {total:,} bytes")
