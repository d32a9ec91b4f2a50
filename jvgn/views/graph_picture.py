"""A scene graph as a file: SVG, DOT for Graphviz, JSON for programs.

The SVG is a tree from left to right: a column for each step away from the referent, a row for each leaf.
"""

import json
import unicodedata
from dataclasses import asdict
from html import escape
from pathlib import Path

from jvgn.storage.files import write_text
from parsers.errors import UserError
from parsers.guarantees import left_out
from parsers.scene_graph import SceneGraph
from parsers.tools.graph_drawing import TreeNode, places

REFERENT, OTHER, INK = "#f4c95d", "#cfe8f7", "#222222"
"""Orange and sky blue, which colour-blind people can distinguish; the referent also has a star and a thicker line."""

LETTER, MARGIN, PADDING, BEND = 7.6, 16, 10, 34
ROW, BOX, SMALL = 64, 44, 0.85
"""Pixels: width of a letter at 14 pixels, margin of the picture, padding of a box, width of an edge's curve, height of
a row and of a box. `SMALL` is the relative size of attributes and relations."""


def write_picture(graph: SceneGraph, path: Path) -> None:
    """Write the graph as SVG, DOT or JSON, by the suffix of `path`."""
    writers = {".svg": svg, ".dot": dot, ".json": as_json}
    if path.suffix not in writers:
        raise UserError(f"{path}: graphs are drawn as {', '.join(writers)}; choose one of these endings")
    write_text(path, writers[path.suffix](graph))


def as_json(graph: SceneGraph) -> str:
    return json.dumps(asdict(graph) | {"left_out": left_out(graph)}, indent=2) + "\n"


def dot(graph: SceneGraph) -> str:
    lines = ["digraph {", "  rankdir=LR;", '  node [shape=box, style="rounded,filled", fontname="sans-serif"];']
    for index, node in enumerate(graph.nodes):
        is_referent = index == graph.referent
        label = quoted(("★ " if is_referent else "") + node.head, ", ".join(node.said))
        style = f'fillcolor="{REFERENT}", penwidth=2' if is_referent else f'fillcolor="{OTHER}"'
        lines.append(f"  {index} [label={label}, {style}];")
    for edge in graph.edges:
        lines.append(f"  {edge.subject} -> {edge.object} [label={quoted(edge.said)}];")
    return "\n".join([*lines, "}"]) + "\n"


def quoted(*lines: str) -> str:
    texts = [printable(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines if line]
    return '"' + "\\n".join(texts) + '"'


def svg(graph: SceneGraph) -> str:
    tree = places(graph)
    left, widths = columns(graph, tree)
    middle = rows(tree)
    width = max(x + w for x, w in zip(left, widths, strict=True)) + MARGIN
    height = max(middle) + ROW / 2 + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="14" fill="{INK}">',
        f"<title>{escaped(' '.join(graph.tokens))}</title>",
        '<defs><marker id="arrow" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto-start-reverse">'
        f'<path d="M0,0 L9,4 L0,8 z" fill="{INK}"/></marker></defs>',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
    ]
    for index, place in enumerate(tree):
        if place.parent is not None:
            start = left[place.parent] + widths[place.parent], middle[place.parent]
            parts += line(place, start, (left[index], middle[index]))
    for index, place in enumerate(tree):
        parts += box(graph, place, left[index], middle[index], widths[index])
    return "\n".join([*parts, "</svg>"]) + "\n"


def columns(graph: SceneGraph, tree: list[TreeNode]) -> tuple[list[float], list[float]]:
    """Return the left end and the width of every box; columns fit their widest box, gaps their longest relation."""
    widths = [box_width(graph, place) for place in tree]
    depths = range(max(place.depth for place in tree) + 1)
    widest = [max(width for place, width in zip(tree, widths, strict=True) if place.depth == depth) for depth in depths]
    gaps = [
        max(
            (SMALL * text_width(place.edge.said) for place in tree if place.depth == depth and place.edge),
            default=0,
        )
        for depth in depths
    ]
    starts = [float(MARGIN)]
    for depth in depths[1:]:
        starts.append(starts[-1] + widest[depth - 1] + BEND + gaps[depth] + 2 * PADDING)
    return [starts[place.depth] for place in tree], widths


def rows(tree: list[TreeNode]) -> list[float]:
    """Return the vertical centre of every box: leaves one below the other, a parent in the middle of its children."""
    branches: list[list[int]] = [[] for _ in tree]
    for index, place in enumerate(tree):
        if place.parent is not None:
            branches[place.parent].append(index)
    found = [0.0] * len(tree)
    ends = [index for index in range(len(tree)) if not branches[index]]
    for row, index in enumerate(ends):
        found[index] = MARGIN + ROW / 2 + row * ROW
    for index in reversed(range(len(tree))):
        if branches[index]:
            found[index] = (found[branches[index][0]] + found[branches[index][-1]]) / 2
    return found


def line(place: TreeNode, start: tuple[float, float], end: tuple[float, float]) -> list[str]:
    """Return a curve from a box to the row of the next one, then a straight line under the relation's words."""
    assert place.edge is not None
    (x, y), (right, below) = start, end
    straight = right - SMALL * text_width(place.edge.said) - 2 * PADDING
    bend = (x + min(straight, x + BEND)) / 2
    path = f"M{x:.1f},{y:.1f} C{bend:.1f},{y:.1f} {bend:.1f},{below:.1f} {x + BEND:.1f},{below:.1f} H{right:.1f}"
    arrow = "marker-end" if place.edge.object == place.node else "marker-start"
    return [
        f'<path d="{path}" fill="none" stroke="{INK}" {arrow}="url(#arrow)"/>',
        f'<text x="{(straight + right) / 2:.1f}" y="{below - 6:.1f}" text-anchor="middle" font-style="italic"'
        f' font-size="{14 * SMALL:.1f}">{escaped(place.edge.said)}</text>',
    ]


def box(graph: SceneGraph, place: TreeNode, left: float, middle: float, width: float) -> list[str]:
    head, attributes = labels(graph, place)
    is_referent = place.node == graph.referent
    fill, stroke = (REFERENT, 2.5) if is_referent else (OTHER, 1)
    centre = left + width / 2
    return [
        f'<rect x="{left:.1f}" y="{middle - BOX / 2:.1f}" width="{width:.1f}" height="{BOX}" rx="8"'
        f' fill="{fill}" stroke="{INK}" stroke-width="{stroke}"/>',
        f'<text x="{centre:.1f}" y="{middle + (-3 if attributes else 5):.1f}" text-anchor="middle"'
        f' font-weight="bold">{escaped(head)}</text>',
        f'<text x="{centre:.1f}" y="{middle + 14:.1f}" text-anchor="middle" font-size="{14 * SMALL:.1f}">'
        f"{escaped(attributes)}</text>",
    ]


def labels(graph: SceneGraph, place: TreeNode) -> tuple[str, str]:
    node = graph.nodes[place.node]
    return ("★ " if place.node == graph.referent else "") + node.head, ", ".join(node.said)


def box_width(graph: SceneGraph, place: TreeNode) -> float:
    head, attributes = labels(graph, place)
    return max(1.1 * text_width(head), SMALL * text_width(attributes)) + 2 * PADDING


def text_width(text: str) -> float:
    """Estimate the width of a text; East Asian letters and emoji are twice as wide."""
    return sum(LETTER * (2 if unicodedata.east_asian_width(letter) in "WF" else 1) for letter in text)


def escaped(text: str) -> str:
    return escape(printable(text))


def printable(text: str) -> str:
    """Replace what an XML file must not contain: control characters and halves of surrogate pairs."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(letter) in ("Cc", "Cs", "Cn") else letter for letter in text
    )
