"""Pictures from strangers, as pixels in RGB. Every picture that is opened is opened here, under one limit."""

import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from PIL import Image, ImageOps

from parsers.files import BrokenFile, UserError
from parsers.hashes import check_picture

FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "GIF")
"""Few: for some formats, Pillow starts another program."""
MOST_PIXELS = 2**26
"""A file of few bytes can be an image of very many pixels; cameras have up to 61 million."""
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
    """The picture, before a pixel is read; unless it is not there, whatever is wrong with it is a ValueError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # ours is the stricter limit
            image = Image.open(source, formats=FORMATS)
        with image:
            if image.width * image.height > most_pixels:
                size = f"{image.width} x {image.height} pixels"
                raise TooLarge(f"{size}, more than {most_pixels // 10**6} million")
            yield image
    except (FileNotFoundError, TooLarge):
        raise
    except Image.DecompressionBombError as error:
        raise TooLarge("more pixels than any camera takes") from error
    except DAMAGE as error:
        raise ValueError(str(error) or type(error).__name__) from error


def read_picture(source: Path | IO[bytes], as_seen: bool = False, most_pixels: int = MOST_PIXELS) -> Image.Image:
    """In RGB, the first of several frames: as stored, whatever turn the camera noted, or as people see it."""
    with opened(source, most_pixels) as image:
        return as_rgb(upright(image) if as_seen else image)


def checked_picture(path: Path, as_seen: bool = False) -> Image.Image:
    """As `read_picture`; one that is missing, damaged, or not as we wrote it, is the user's to mend."""
    check_picture(path)
    try:
        return read_picture(path, as_seen)
    except FileNotFoundError as error:
        raise UserError(f"{path}: there is no such image; check its path") from error
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
