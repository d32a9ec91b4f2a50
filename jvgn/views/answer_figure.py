"""The paper's figure of an answer, one column wide: image, scene graph, and beliefs before and after message passing.

The image has numbered regions, in the colours of the nodes that are grounded in them. Below, each node is a row: its
place in the scene graph on the left, which grows downwards from the referent; on the right its most probable regions,
each with a hollow bar for its probability before message passing and a solid one for that after it. Regions are
counted from 1. Lengths are in inches, from the top left corner. Shape suffixes: K nodes, N regions, H, W pixels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from jvgn.grounding.answer import Answer, Box
from jvgn.views.figure_style import (
    COLOURS,
    GOLD,
    POINTS,
    LineStyle,
    check_ending,
    fitted,
    outline,
    save,
    text_width,
    wrapped,
)
from jvgn.views.graph_picture import printable
from parsers.tools.graph_drawing import TreeNode, places

WIDTH, MARGIN, DPI = 3.3, 0.06, 300
LARGE, SMALL = 8.0, 6.5
"""Sizes of letters, in points."""
LINE, SMALL_LINE = 0.145, 0.125
TALLEST_IMAGE = 2.5
MANY_NODES, BAR_ROW, ROW_GAP = 6, 0.15, 0.09
BARS_LEFT, BARS_WIDTH = 1.98, 0.62
BOX, TALL_BOX, INDENT = 0.19, 0.31, 0.16
VISIBLE = 0.005
INK, SOFT = "#1b1f24", "#5c6570"
STYLES: tuple[LineStyle, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)))
"""Line styles: solid for the first nodes, others when colours are used for a second and a third time."""


@dataclass(frozen=True)
class Gold:
    """The gold of an expression of a dataset."""

    box: Box
    is_found: bool
    remark: str
    """The name of the expression."""
    context: Mapping[int, Box] = field(default_factory=dict)
    """The gold boxes of other nodes."""


def draw_answer(picture_HW3: np.ndarray, answer: Answer, outputs: Sequence[Path], gold: Gold | None = None) -> None:
    """Draw the answer into `outputs`, in the formats of their endings."""
    for output in outputs:
        check_ending(output)
    figure = answer_figure(picture_HW3, answer, gold)
    for output in outputs:
        save(figure, output, DPI)


def answer_figure(picture_HW3: np.ndarray, answer: Answer, gold: Gold | None = None) -> Figure:
    title = answer.text if gold is None else f"{'✓' if gold.is_found else '✗'} {answer.text}"
    lines = wrapped(printable(title), WIDTH - 2 * MARGIN, LARGE)
    tree = places(answer.graph)
    image_top = MARGIN + len(lines) * LINE + (SMALL_LINE if gold else 0) + 0.04
    width, height = answer.size
    scale = min((WIDTH - 2 * MARGIN) / width, TALLEST_IMAGE / height)
    legend_top = image_top + height * scale + 0.05
    heights = [row_height(answer, place) for place in tree]
    tops = list(accumulate(heights, initial=legend_top + SMALL_LINE + 0.06))
    canvas = Canvas(tops[-1] + MARGIN)
    for line, text in enumerate(lines):
        canvas.text(MARGIN, MARGIN + (line + 0.5) * LINE, text, LARGE)
    if gold is not None:
        canvas.text(MARGIN, MARGIN + len(lines) * LINE + SMALL_LINE / 2, gold.remark, SMALL, SOFT)
    left = (WIDTH - width * scale) / 2
    draw_image(canvas.inset(left, image_top, width * scale, height * scale), picture_HW3, answer, scale, gold)
    draw_legend(canvas, legend_top + SMALL_LINE / 2, gold)
    draw_graph(canvas, answer, tree, tops[:-1])
    for place, top in zip(tree, tops[:-1], strict=True):
        draw_beliefs(canvas, answer, place.node, top)
    return canvas.figure


class Canvas:
    """A figure with coordinates in inches from the top left corner."""

    def __init__(self, height: float) -> None:
        self.figure, self.height = Figure(figsize=(WIDTH, height), dpi=DPI), height
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(0, WIDTH), ylim=(height, 0))
        self.axes.set_axis_off()

    def inset(self, left: float, top: float, width: float, height: float) -> Axes:
        bottom = self.height - top - height
        return self.figure.add_axes((left / WIDTH, bottom / self.height, width / WIDTH, height / self.height))

    def text(self, x: float, y: float, text: str, size: float, colour: str = INK, **style: Any) -> None:
        """Write text with its left end and its middle at (x, y). A dollar sign starts no formula."""
        place: dict[str, Any] = {"ha": "left", "va": "center_baseline"} | style
        self.axes.text(x, y, text, fontsize=size, color=colour, parse_math=False, **place)

    def box(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        self.axes.add_patch(Rectangle((x, y), width, height, **style))


def colours(answer: Answer) -> list[str]:
    """Return each node's colour: the first is the referent's, the next are in the order of mention."""
    return [COLOURS[rank % len(COLOURS)] for rank in ranks(answer)]


def styles(answer: Answer) -> list[LineStyle]:
    return [STYLES[rank // len(COLOURS) % len(STYLES)] for rank in ranks(answer)]


def ranks(answer: Answer) -> list[int]:
    referent = answer.graph.referent
    return [0 if node == referent else node + (node < referent) for node in range(len(answer.graph.nodes))]


def top_regions(answer: Answer, node: int) -> list[int]:
    """Return the most probable regions before or after, the chosen one first, without those that would read 0.00."""
    most_N = np.maximum(answer.unary_KN[node], answer.marginal_KN[node])
    chosen = answer.region_K[node]
    in_order = np.argsort(-most_N, kind="stable").tolist()
    others = [region for region in in_order if region != chosen and most_N[region] >= VISIBLE]
    shown = others[: 2 if len(answer.graph.nodes) < MANY_NODES else 1]
    return [chosen, *sorted(shown, key=lambda region: -answer.marginal_KN[node, region])]


def row_height(answer: Answer, place: TreeNode) -> float:
    graph_part = (SMALL_LINE if place.edge else 0) + box_height(answer, place.node)
    return max(graph_part, len(top_regions(answer, place.node)) * BAR_ROW) + ROW_GAP


def box_height(answer: Answer, node: int) -> float:
    return TALL_BOX if answer.graph.nodes[node].attributes else BOX


def draw_image(axes: Axes, picture_HW3: np.ndarray, answer: Answer, scale: float, gold: Gold | None) -> None:
    """Draw all regions that have a bar with their numbers, and chosen ones in the colours of their nodes."""
    width, height = answer.size
    axes.imshow(picture_HW3, extent=(0, width, height, 0))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    colour, style = colours(answer), styles(answer)
    nodes_in: dict[int, list[int]] = {}
    for node in range(len(colour)):
        for region in top_regions(answer, node):
            nodes_in.setdefault(region, [])
        nodes_in[answer.region_K[node]].append(node)
    boxes = {region: box for region in nodes_in if (box := answer.box(region))}
    in_order = sorted(boxes, key=lambda region: (len(nodes_in[region]), -area(boxes[region])))
    if gold is not None:
        room = 3.2 / POINTS / scale
        for node, box in gold.context.items():
            draw_gold(axes, box, room, "white", colour[node])
        draw_gold(axes, gold.box, room, "black", GOLD)
    for region in in_order:
        if not nodes_in[region]:
            outline(axes, boxes[region], SOFT, 0.6)
        for turn, node in enumerate(nodes_in[region]):  # one inside the other, where nodes share a region
            inside = grown(boxes[region], -turn * 2.2 / POINTS / scale)
            outline(axes, inside, colour[node], 1.7 if node == answer.graph.referent else 1.2, style[node])
    for region in in_order:
        own = [colour[node] for node in nodes_in[region]] or [SOFT]
        draw_tag(axes, str(region + 1), boxes[region], own[0], scale, answer.size)


def draw_gold(axes: Axes, box: Box, room: float, below: str, colour: str) -> None:
    """Draw dashes around the gold box, so that the box of a found object does not cover them."""
    x1, y1, x2, y2 = grown(box, room)
    for width, edge, style in ((2.2, below, "-"), (1.4, colour, (0, (2.5, 1.5)))):
        axes.add_patch(Rectangle((x1, y1), x2 - x1, y2 - y1, fill=False, ec=edge, lw=width, ls=style))


def grown(box: Box, by: float) -> Box:
    x1, y1, x2, y2 = box
    return x1 - by, y1 - by, max(x1 - by, x2 + by), max(y1 - by, y2 + by)


def area(box: Box) -> float:
    x1, y1, x2, y2 = box
    return (x2 - x1) * (y2 - y1)


def draw_tag(axes: Axes, text: str, box: Box, colour: str, scale: float, size: tuple[int, int]) -> None:
    """Draw a number above the box's corner, inside the image."""
    wide, tall = (0.05 + text_width(text, SMALL, "bold")) / scale, 0.105 / scale
    x = min(max(0.0, box[0]), size[0] - wide)
    y = max(0.0, box[1] - tall)
    axes.add_patch(Rectangle((x, y), wide, tall, fc=colour, ec="white", lw=0.4))
    place = (x + wide / 2, y + tall / 2)
    axes.text(*place, text, color=ink_on(colour), fontsize=SMALL, weight="bold", ha="center", va="center_baseline")


def ink_on(colour: str) -> str:
    """Return black or white, whichever is easier to read on the colour."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 135 else "white"


def draw_legend(canvas: Canvas, y: float, gold: Gold | None) -> None:
    x = MARGIN
    parts = [("before", {"fc": "white", "ec": SOFT}), ("after message passing", {"fc": SOFT, "ec": SOFT})]
    for text, style in parts:
        canvas.box(x, y - 0.025, 0.16, 0.05, lw=0.6, **style)
        canvas.text(x + 0.2, y, text, SMALL, SOFT)
        x += 0.3 + text_width(text, SMALL)
    if gold is not None:
        canvas.box(x, y - 0.035, 0.12, 0.07, fc="none", ec="black", lw=1.8)
        canvas.box(x, y - 0.035, 0.12, 0.07, fc="none", ec=GOLD, lw=1.1, ls=(0, (2.5, 1.5)))
        if gold.context:  # in the colours of their nodes; the second is that of the first context
            canvas.box(x + 0.19, y - 0.035, 0.12, 0.07, fc="none", ec=COLOURS[1], lw=1.1, ls=(0, (2.5, 1.5)))
            canvas.text(x + 0.36, y, "annotated", SMALL, SOFT)
        else:
            canvas.text(x + 0.17, y, "annotated referent", SMALL, SOFT)


def draw_graph(canvas: Canvas, answer: Answer, tree: Sequence[TreeNode], tops: Sequence[float]) -> None:
    """Draw boxes with head and attributes, and arrows from subject to object with the relation's words."""
    step = min(INDENT, 0.8 / max(1, max(place.depth for place in tree)))
    left = [MARGIN + 0.03 + place.depth * step for place in tree]
    box_top = [top + (SMALL_LINE if place.edge else 0) for place, top in zip(tree, tops, strict=True)]
    for row, place in enumerate(tree):
        room = BARS_LEFT - 0.16 - left[row]
        tall = box_height(answer, place.node)
        if place.edge is not None and place.parent is not None:
            parent_bottom = box_top[place.parent] + box_height(answer, tree[place.parent].node)
            start = (left[place.parent] + step / 2, parent_bottom)
            draw_edge(canvas, start, (left[row], box_top[row] + tall / 2), place.edge.object == place.node)
            relation = fitted(printable(place.edge.said), room, SMALL)
            canvas.text(left[row] + 0.03, tops[row] + 0.055, relation, SMALL, style="italic")
        draw_node(canvas, answer, place.node, (left[row], box_top[row]), room)


def draw_node(canvas: Canvas, answer: Answer, node: int, corner: tuple[float, float], room: float) -> None:
    """Draw a box with the head, marked if it is the referent, and the attributes below."""
    (x, y), own, is_referent = corner, answer.graph.nodes[node], node == answer.graph.referent
    head = fitted(("★ " if is_referent else "") + printable(own.head), room - 0.1, LARGE, "bold")
    attributes = fitted(printable(", ".join(own.said)), room - 0.1, SMALL)
    box = FancyBboxPatch(
        corner,
        0.1 + max(text_width(head, LARGE, "bold"), text_width(attributes, SMALL)),
        box_height(answer, node),
        boxstyle="round,pad=0,rounding_size=0.04",
        fc="white",
        ec=colours(answer)[node],
        lw=1.8 if is_referent else 1.1,
        ls=styles(answer)[node],
    )
    canvas.axes.add_patch(box)
    canvas.text(x + 0.05, y + BOX / 2, head, LARGE, weight="bold")
    canvas.text(x + 0.05, y + TALL_BOX - 0.08, attributes, SMALL)


def draw_edge(canvas: Canvas, start: tuple[float, float], end: tuple[float, float], is_forward: bool) -> None:
    """Draw a line down from the parent's box, then right to the child's.

    The arrow's head is at the child even if it points away from it, because other edges share the line above.
    """
    (x, y), (right, below) = start, end
    canvas.axes.plot([x, x, right], [y, below, below], color=SOFT, lw=0.8, solid_capstyle="butt", zorder=0)
    tail, head = ((x, below), (right, below)) if is_forward else ((right, below), (x, below))
    arrow = FancyArrowPatch(tail, head, arrowstyle="-|>", mutation_scale=5, color=SOFT, lw=0.8, shrinkA=0, shrinkB=0)
    canvas.axes.add_patch(arrow)


def draw_beliefs(canvas: Canvas, answer: Answer, node: int, top: float) -> None:
    """Draw the node's most probable regions: number, hollow and solid bar, and both probabilities."""
    colour = colours(answer)[node]
    for row, region in enumerate(top_regions(answer, node)):
        y = top + (row + 0.5) * BAR_ROW
        is_chosen = region == answer.region_K[node]
        weight = "bold" if is_chosen else "normal"
        number = "not found" if answer.is_null(region) else str(region + 1)
        canvas.text(BARS_LEFT - 0.05, y, number, SMALL, ha="right", weight=weight)
        before, after = float(answer.unary_KN[node, region]), float(answer.marginal_KN[node, region])
        canvas.axes.plot([BARS_LEFT] * 2, [y - BAR_ROW / 2, y + BAR_ROW / 2], color=SOFT, lw=0.6)
        canvas.box(BARS_LEFT, y - 0.056, before * BARS_WIDTH, 0.05, fc="white", ec=colour, lw=0.7)
        canvas.box(BARS_LEFT, y + 0.006, after * BARS_WIDTH, 0.05, fc=colour, ec=colour, lw=0.7)
        figures = f"{before:.2f} → {after:.2f}"
        canvas.text(WIDTH - MARGIN, y, figures, SMALL, ha="right", weight=weight)
