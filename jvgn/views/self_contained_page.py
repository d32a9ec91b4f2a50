"""HTML pages that need no other file: scripts, styles, data and images are inside.

Text reaches a page as JSON data, never as markup.
"""

import base64
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image


def filled(folder: Path, parts: Mapping[str, str], data: Mapping[str, Any], **texts: str) -> str:
    """Return the page `index.html` of a folder with its `{{places}}` filled in.

    `parts` names the files beside the page, by place. `texts` must be HTML already. `{{data}}` gets the data as JSON.
    """
    values = texts | {place: (folder / name).read_text(encoding="utf8") for place, name in parts.items()}
    # Inside a script element, only "<" could end the data.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    values["data"] = text.replace("<", "\\u003c")
    # All places in one pass: a title or a sentence may itself look like a place.
    return re.sub(r"{{(\w+)}}", lambda place: values[place[1]], (folder / "index.html").read_text(encoding="utf8"))


def small_jpeg(image: Image.Image, longest_side: int) -> bytes:
    """Return the image as a JPEG file, no side longer than given."""
    small = image.copy()
    small.thumbnail((longest_side, longest_side))
    written = io.BytesIO()
    small.save(written, "JPEG", quality=82)
    return written.getvalue()


def jpeg_url(jpeg: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"
