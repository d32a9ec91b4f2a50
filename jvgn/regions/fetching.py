"""Fetches the ImageNet weights that detectors start from, as torchvision publishes them.

What is there already of an interrupted download is in a file named as the weights, with `.part` behind it.
"""

from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tqdm import tqdm

from jvgn.regions.detector import PublishedWeights, published_weights
from parsers.files import UserError, sha256

CHUNK = 1 << 20
PARTIAL_CONTENT, NOTHING_LEFT = 206, 416
TIMEOUT = 60
"""In seconds, without a word from the server."""


def fetch_weights(backbone: str, output: Path) -> None:
    """`output` holds the weights of a classification network."""
    fetch(published_weights(backbone), output)


def fetch(published: PublishedWeights, output: Path) -> None:
    """`output` holds the published file, whole; a download that was interrupted goes on."""
    output.parent.mkdir(parents=True, exist_ok=True)
    part = output.with_name(output.name + ".part")
    try:
        download(published.address, part)
    except (OSError, HTTPException) as error:
        raise UserError(
            f"{output}: cannot be downloaded from {published.address} ({error}); run it again to go on,"
            " or put the file there yourself"
        ) from error
    found = sha256(part)
    if not found.startswith(published.sha256_prefix):
        part.unlink()
        raise UserError(
            f"{output}: expected a SHA-256 that starts with {published.sha256_prefix} from {published.address}, found"
            f" {found}; nothing was kept: run it again, or put the file there yourself"
        )
    part.replace(output)


def download(address: str, part: Path) -> None:
    """`part` holds all bytes of the address, of which it may have the first ones already."""
    there = part.stat().st_size if part.exists() else 0
    request = Request(address, headers={"Range": f"bytes={there}-"} if there else {})
    try:
        response = urlopen(request, timeout=TIMEOUT)
    except HTTPError as error:
        if error.code == NOTHING_LEFT:  # it ended after the last byte, before these were looked at
            return
        raise
    with response:
        # A server that knows no ranges, or a file's address, begins at the beginning.
        there = there if getattr(response, "status", None) == PARTIAL_CONTENT else 0
        length = response.headers.get("Content-Length")
        total = None if length is None else there + int(length)
        progress = tqdm(desc=part.stem, total=total, initial=there, unit="B", unit_scale=True, disable=None)
        with progress, part.open("ab" if there else "wb") as file:
            while chunk := response.read(CHUNK):
                file.write(chunk)
                progress.update(len(chunk))
    if total is not None and part.stat().st_size < total:
        raise OSError(f"it broke off after {part.stat().st_size} of {total} bytes")
