"""Pictures as RGB pixels. Every picture is opened here."""

import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import IO

import numpy as np
from PIL import Image, ImageOps

from jvgn.storage.files import reading
from jvgn.storage.picture_hashes import check_picture
from parsers.errors import UserError

FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "GIF")
"""Few, because Pillow starts other programs for some formats."""
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
