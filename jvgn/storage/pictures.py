"""Pictures from strangers, as pixels in RGB. Every picture that is opened is opened here, under one limit."""

import re
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
from PIL import Image, ImageOps

from jvgn.storage.picture_hashes import check_picture
from parsers.errors import BrokenFile, UserError

FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "GIF")
"""Few: for some formats, Pillow starts another program."""
MOST_PIXELS = 2**26
"""A file of few bytes can be an image of very many pixels; cameras have up to 61 million."""
MOST_SCANS = 100
"""A progressive JPEG has about ten. Each goes over all pixels again, and can have a hundred bytes."""
MOST_SEGMENTS = 300
"""Of up to 64 kB each. A camera makes some dozens, a profile has at most 255; for each, Pillow may copy all before."""
JPEG, SCAN, END = b"\xff\xd8\xff", 0xDA, 0xD9
MARKER = re.compile(rb"\xff[\xc0-\xc7\xc9-\xcf\xd9-\xef\xfe]")
"""Of a JPEG's segments, which begin with their lengths; within a scan's data, another byte follows on 0xFF."""
DAMAGE = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError, SyntaxError, TypeError, ValueError),
    *(struct.error, zlib.error),
)
"""What Pillow raises in the midst of a damaged picture."""


class TooLarge(ValueError):
    """More pixels than anybody needs."""

    def __init__(self, pixels: str) -> None:
        super().__init__(f"it has {pixels}")
        self.pixels = pixels


@contextmanager
def opened(source: Path | IO[bytes], most_pixels: int = MOST_PIXELS) -> Iterator[Image.Image]:
    """The picture, before a pixel is read; unless no file is there, whatever is wrong with it is a ValueError."""
    try:
        with warnings.catch_warnings():
            # Of pixels, ours is the stricter limit; of what a camera noted, each note could give a line.
            warnings.simplefilter("ignore")
            check_segments(source)
            with Image.open(source, formats=FORMATS) as image:
                if image.width * image.height > most_pixels:
                    size = f"{image.width} x {image.height} pixels"
                    raise TooLarge(f"{size}, more than {most_pixels // 10**6} million")
                if any(tile.codec_name == "bmp_rle" for tile in image.tile):  # which goes pixel by pixel in Python
                    raise ValueError("it is a BMP packed in runs, as no photograph is")
                yield image
    except (FileNotFoundError, IsADirectoryError, TooLarge):
        raise
    except Image.DecompressionBombError as error:
        raise TooLarge("more pixels than any camera takes") from error
    except DAMAGE as error:
        raise ValueError(str(error) or type(error).__name__) from error


def check_segments(source: Path | IO[bytes]) -> None:
    """A JPEG has some segments and goes over its pixels some times, and no more."""
    with source.open("rb") if isinstance(source, Path) else nullcontext(source) as file:
        file.seek(0)
        start = file.read(len(JPEG))
        jpeg = start + file.read() if start == JPEG else b""
    markers = list(islice(markers_of(jpeg), MOST_SEGMENTS + 1))
    if len(markers) > MOST_SEGMENTS:
        raise ValueError(f"it has more than {MOST_SEGMENTS} segments")
    if markers.count(SCAN) > MOST_SCANS:
        raise ValueError(f"it has more than {MOST_SCANS} scans")


def markers_of(jpeg: bytes) -> Iterator[int]:
    """As a decoder meets them: those of a thumbnail in another segment, and what is behind the end, do not count."""
    place, scanned = 2, False
    while marker := MARKER.search(jpeg, place):
        kind, place = marker[0][1], marker.end()
        if kind == END and scanned:
            return
        if kind != END:  # before any scan, Pillow reads on
            yield kind
            scanned = scanned or kind == SCAN
            place += max(2, int.from_bytes(jpeg[place : place + 2]))


def read_picture(source: Path | IO[bytes], as_seen: bool = False, most_pixels: int = MOST_PIXELS) -> Image.Image:
    """In RGB, the first of several frames: as stored, whatever turn the camera noted, or as people see it."""
    with opened(source, most_pixels) as image:
        return as_rgb(upright(image) if as_seen else image)


def checked_picture(path: Path, as_seen: bool = False) -> Image.Image:
    """As `read_picture`; one that is missing, damaged, or not as we wrote it, is the user's to mend."""
    with naming(path):
        check_picture(path)
        return read_picture(path, as_seen)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """What keeps the picture from being read names it."""
    try:
        yield
    except FileNotFoundError as error:
        raise UserError(f"{path}: there is no such image; check its path") from error
    except IsADirectoryError as error:
        raise UserError(f"{path}: is a folder, expected an image file; give the path of one") from error
    except (OSError, ValueError) as error:
        raise BrokenFile(path, f"not a readable image ({error})", "give a whole JPEG or PNG file") from error


def as_rgb(image: Image.Image) -> Image.Image:
    """With 8 bits a channel: of 16, the upper ones."""
    if image.mode.startswith("I"):
        # Pillow would take all that is not nearly black for white.
        image = Image.fromarray((np.asarray(image).clip(0, 2**16 - 1) >> 8).astype(np.uint8))
    return image.convert("RGB")


def upright(image: Image.Image) -> Image.Image:
    """As people see it: turned as the camera noted."""
    try:
        return ImageOps.exif_transpose(image)
    except DAMAGE as error:  # notes that no camera would write
        raise ValueError("what its camera noted beside it cannot be read") from error
