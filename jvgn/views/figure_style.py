"""Style of all figures: colours for colour-blind readers, legible boxes, text that fits, and reproducible files.

Lengths are in inches, sizes of letters in points.
"""

from bisect import bisect_right
from functools import lru_cache
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.textpath import text_to_path

from jvgn.storage.files import replacing
from parsers.errors import UserError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's, which colour-blind readers can tell apart. The referent's comes first."""
GOLD = "#F0E442"
"""Their yellow, for annotated boxes."""
UNDATED: dict[str, dict[str, None]] = {".png": {"Software": None}, ".svg": {"Date": None}}
"""Metadata without dates and versions, so that the same run gives the same bytes."""
POINTS = 72
"""In an inch."""
LineStyle = str | tuple[float, tuple[float, ...]]
"""A name of matplotlib's, or the start and the lengths of dashes and gaps."""


def check_ending(output: Path) -> None:
    if output.suffix not in UNDATED:
        raise UserError(f"{output}: figures are written as {' or '.join(UNDATED)}; choose one of these endings")


def save(figure: Figure, output: Path, dpi: int = 150) -> None:
    check_ending(output)
    for text in figure.findobj(Text):
        if "$" in text.get_text():  # a price, which matplotlib would read as a formula
            text.set_parse_math(False)
    with replacing(output) as temporary, matplotlib.rc_context({"svg.hashsalt": "jvgn"}):
        figure.savefig(temporary, dpi=dpi, format=output.suffix[1:], metadata=UNDATED[output.suffix])


def outline(
    axes: Axes, box: tuple[float, float, float, float], colour: str, width: float, style: LineStyle = "-"
) -> None:
    """Draw a box with a white rim, legible on any background."""
    x1, y1, x2, y2 = box
    for line, edge, drawn in ((1.8 * width, "white", "-"), (width, colour, style)):
        axes.add_patch(Rectangle((x1, y1), x2 - x1, y2 - y1, fill=False, ec=edge, lw=line, ls=drawn))


@lru_cache(4096)
def text_width(text: str, size: float, weight: str = "normal") -> float:
    font = FontProperties(size=size, weight=weight)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return width / POINTS


def fitted(text: str, room: float, size: float, weight: str = "normal") -> str:
    """Return the text, shortened if it is too long."""
    if text_width(text, size, weight) <= room:
        return text
    too_long = bisect_right(range(len(text)), room, key=lambda end: text_width(f"{text[:end]}…", size, weight))
    return f"{text[: max(0, too_long - 1)].rstrip()}…"


def wrapped(text: str, room: float, size: float) -> list[str]:
    """Return the text in lines that fit; a word that is too long is shortened."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return [fitted(line, room, size) for line in lines]
