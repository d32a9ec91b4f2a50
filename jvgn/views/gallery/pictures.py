"""Images as small JPEG files, for pages."""

import base64
import io
from pathlib import Path

import pandas as pd
from PIL import Image
from tqdm import tqdm

from jvgn.datasets import tables
from jvgn.storage.pictures import checked_picture

LONGEST_SIDE = 448
"""Of the gallery's images, in pixels: a few megabytes for all of them."""


def pictures(dataset: Path, folder: Path, image_ids: pd.Series) -> dict[str, str]:
    """Each image as a data URL, small enough for a page with hundreds of them."""
    names = tables.read_images(dataset / "images.parquet").to_pandas().set_index("image_id")["file_name"]
    urls = {}
    for image_id in tqdm(sorted(set(image_ids)), unit=" images", disable=None):
        jpeg = small_jpeg(checked_picture(folder / names[image_id]), LONGEST_SIDE)
        urls[str(image_id)] = f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"
    return urls


def small_jpeg(image: Image.Image, longest_side: int) -> bytes:
    """The image as a JPEG file, no side longer than given."""
    small = image.copy()
    small.thumbnail((longest_side, longest_side))
    written = io.BytesIO()
    small.save(written, "JPEG", quality=82)
    return written.getvalue()
