"""Scene graphs as SVG, DOT and JSON files."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

from jvgn.views.graph_picture import as_json, dot, rows, svg
from parsers import parse
from parsers.scene_graph import Edge, Node, SceneGraph
from parsers.tools.graph_drawing import places

HOSTILE = SceneGraph(
    ('<b>"&', "\x01\x00", "\\", "]]>", "\ud800"),
    (Node('<b>"&', 0, ("\x01\x00", "\\"), (0, 1, 2)), Node("\ud800", 4, (), (4,))),
    (Edge(1, "]]>", 0, (3,)),),
    0,
)
LONG = parse(" on the ".join(f"table{number}" for number in range(1500)))


@pytest.mark.parametrize("graph", [HOSTILE, LONG, parse("a dog"), parse("the man's watch on a table near a lamp")])
def test_an_svg_is_well_formed_and_has_all_words(graph):
    root = ElementTree.fromstring(svg(graph).encode())
    texts = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sum(text.startswith("★ ") for text in texts) == 1
    expected = [edge.relation for edge in graph.edges] + [node.head for node in graph.nodes]
    assert {re.sub(r"[\ud800]", "�", word) for word in expected} <= {text.removeprefix("★ ") for text in texts}
    assert len(set(rows(places(graph)))) <= len(graph.nodes)


def test_no_two_boxes_of_an_svg_overlap():
    graph = parse("a man in a hat and a woman with a dog near a red car behind a house holding a bag")
    namespace = "{http://www.w3.org/2000/svg}"
    boxes = [
        tuple(float(box.get(side)) for side in ("x", "y", "width", "height"))
        for box in ElementTree.fromstring(svg(graph)).iter(f"{namespace}rect")
        if box.get("x")
    ]
    assert len(boxes) == len(graph.nodes) > 4
    for index, (x, y, width, height) in enumerate(boxes):
        for left, top, wide, high in boxes[index + 1 :]:
            assert x + width <= left or left + wide <= x or y + height <= top or top + high <= y


def test_dot_escapes_quotation_marks_and_backslashes():
    assert '0 [label="★ <b>\\"&\\n��, \\\\", ' in dot(HOSTILE)
    assert '1 -> 0 [label="]]>"];' in dot(HOSTILE)


def test_json_holds_the_whole_graph():
    found = json.loads(as_json(parse("a very big dog on a mat")))
    assert [node["head"] for node in found["nodes"]] == ["dog", "mat"]
    assert found["edges"] == [{"subject": 0, "relation": "on", "object": 1, "tokens": [4], "negated": False}]
    assert (found["referent"], found["left_out"]) == (0, [1])
