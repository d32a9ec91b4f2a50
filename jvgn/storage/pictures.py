"""Pictures as RGB pixels, and their checksums. Every picture is opened here.

Pictures that are written many at a time have checksums in `.jvgn.sha256` in their folder, for `sha256sum --check`. It
is written with the folder. A file that it does not name is the user's own.
"""

import warnings
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import IO

import numpy as np
from PIL import Image, ImageOps

from jvgn.storage.files import reading, sha256
from parsers.errors import BrokenFile, UserError

FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "GIF")
"""Few, because Pillow starts other programs for some formats."""
NAME = ".jvgn.sha256"
CURE = "give a complete JPEG or PNG file"


def read_picture(source: Path | IO[bytes], as_seen: bool = False, most_pixels: int | None = None) -> Image.Image:
    """Return the first frame in RGB, as stored or, `as_seen`, turned as the camera noted.

    A picture of more than `most_pixels` is a UserError. Pillow refuses extremely large ones by itself.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about size, and about odd notes of cameras
        with (
            reading(source, "image", CURE) if isinstance(source, Path) else nullcontext(),
            Image.open(source, formats=FORMATS) as image,
        ):
            if most_pixels is not None and image.width * image.height > most_pixels:
                size = f"{image.width} x {image.height} pixels"
                raise UserError(f"the image has {size}, more than {most_pixels // 10**6} million; make it smaller")
            return as_rgb(ImageOps.exif_transpose(image) if as_seen else image)


def checked_picture(path: Path, as_seen: bool = False) -> Image.Image:
    """Return the picture as `read_picture` does, after a check that it is as we wrote it, if we did."""
    if path.is_dir():
        raise UserError(f"{path}: is a folder, expected an image file; give the path of one")
    if not path.exists():
        raise UserError(f"{path}: no such image; check its path")
    check_picture(path)
    return read_picture(path, as_seen)


def as_rgb(image: Image.Image) -> Image.Image:
    """Convert to 8 bits a channel; of 16 bits, take the upper ones."""
    if image.mode.startswith("I"):
        # Pillow would clip all that is not nearly black to white.
        image = Image.fromarray((np.asarray(image).clip(0, 2**16 - 1) >> 8).astype(np.uint8))
    return image.convert("RGB")


def write_hashes(folder: Path) -> None:
    """Write the checksums of the files in the folder and in every folder below it."""
    for within in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        files = sorted(path for path in within.iterdir() if path.is_file() and path.name != NAME)
        lines = "".join(f"{sha256(file)}  {file.name}\n" for file in files)
        (within / NAME).write_text(lines, encoding="utf8", errors="surrogateescape")


def recorded_hash(file: Path) -> str | None:
    """Return the checksum that a file was written with, if its folder records it."""
    return recorded_hashes(file.parent).get(file.name)


def recorded_hashes(folder: Path) -> dict[str, str]:
    """Return the recorded checksums by file name."""
    hashes = (folder / NAME).absolute()
    return parsed_hashes(hashes, hashes.stat().st_mtime_ns) if hashes.is_file() else {}


@cache
def parsed_hashes(hashes: Path, _: int) -> dict[str, str]:
    lines = hashes.read_text(encoding="utf8", errors="surrogateescape").split("\n")
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}


def check_picture(file: Path) -> None:
    """Refuse a picture that changed since we wrote it."""
    expected = recorded_hash(file)
    if expected is not None and file.is_file() and sha256(file) != expected:
        raise BrokenFile(file, "changed since it was written", f"delete {file.parent} and run the workflow again")
