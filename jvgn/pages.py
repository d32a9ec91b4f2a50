"""Pages that need nothing beside them: data as JSON and images as data URLs in one HTML file.

A package's `page/` has one style sheet, one script, and `index.html` with places for `{{title}}`, `{{style}}`,
`{{script}}` and `{{data}}`. Every text reaches a page as data, never as markup.
"""

import base64
import html
import io
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from PIL import Image

from jvgn.regions.images import read_image


def filled(package: str, title: str, data: dict[str, Any]) -> str:
    """The page of a package, with its data in it."""
    parts = {part.name.rpartition(".")[2]: part.read_text("utf8") for part in (files(package) / "page").iterdir()}
    values = {
        "title": html.escape(title),
        "style": parts["css"],
        "script": parts["js"],
        # Inside a script element, only "<" could end the data.
        "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
    }
    # All at once: a title or a text may itself look like a place to fill in.
    return re.sub(r"{{(\w+)}}", lambda place: values[place[1]], parts["html"])


def data_url(image: Path, longest_side: int) -> str:
    """An image as a data URL, small enough for a page with hundreds of them."""
    small = Image.fromarray(read_image(image).permute(1, 2, 0).numpy())
    small.thumbnail((longest_side, longest_side))
    written = io.BytesIO()
    small.save(written, "JPEG", quality=82)
    return f"data:image/jpeg;base64,{base64.b64encode(written.getvalue()).decode()}"
