"""Tables, or a picture, as a page that needs nothing beside it. Every text is escaped."""

import base64
import io
from collections.abc import Sequence
from html import escape
from pathlib import Path

from jvgn.storage.files import replacing
from jvgn.storage.pictures import read_picture
from parsers.errors import BrokenFile

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; max-width: 60rem; margin: 1.5rem auto; padding: 0 1rem }}
h1 {{ font-size: 1.4rem }} h2 {{ font-size: 1.1rem; margin-top: 1.6rem }}
div {{ overflow-x: auto }} img {{ max-width: 100% }} p {{ max-width: 44rem }}
table {{ border-collapse: collapse }}
th, td {{ padding: .25rem .8rem; text-align: right; border-bottom: 1px solid #d9dee3; white-space: nowrap }}
th {{ font-weight: 600; vertical-align: bottom }}
th:first-child, td:first-child, table.words td, table.words th {{ text-align: left }}
small {{ color: #5c6570 }} code {{ font-size: .85em }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def write_page(title: str, body: Sequence[str], output: Path) -> None:
    """`output` is a page of parts that are HTML already, under a title that is not."""
    with replacing(output) as temporary:
        temporary.write_text(PAGE.format(title=escape(title), body="\n".join(body)), encoding="utf8")


def table(header: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "numbers") -> str:
    lines = ["".join(f"<th>{escape(cell)}</th>" for cell in header)]
    lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    return f'<div><table class="{kind}">' + "".join(f"<tr>{line}</tr>\n" for line in lines) + "</table></div>"


def write_picture_page(title: str, picture: Path, output: Path) -> None:
    """`output` shows a picture as large as there is room: taller than a window, it can be scrolled.

    As a JPEG: Chromium shows no page of more than 2 MB that is within another, as those of a report are.
    """
    written = io.BytesIO()
    try:
        read_picture(picture).save(written, "JPEG", quality=85)
    except (OSError, ValueError) as error:
        raise BrokenFile(picture, f"not a readable picture ({error})") from error
    url = f"data:image/jpeg;base64,{base64.b64encode(written.getvalue()).decode()}"
    write_page(title, [f'<img alt="{escape(title)}" src="{url}">'], output)
