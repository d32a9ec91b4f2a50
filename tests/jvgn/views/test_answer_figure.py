"""The figure of an answer: legible at a column's width, whatever the sentence, the graph and the image are."""

from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.text import Text

from jvgn.grounding.answer import Answer
from jvgn.views.answer_figure import (
    BARS_LEFT,
    SMALL,
    WIDTH,
    Gold,
    answer_figure,
    colours,
    draw_answer,
    styles,
    top_regions,
)
from jvgn.views.figure_style import COLOURS, GOLD
from parsers import parse
from parsers.scene_graph import Edge, Node, SceneGraph

SENTENCES = {
    "one node": "the small red circle",
    "arrows both ways": "the man's watch on the table",
    "long": "the tall man in a dark blue shirt and a white baseball cap who is standing to the right of the woman with "
    "long brown hair holding a green umbrella in front of the old brick building near a parked red car",
    "ten nodes": "the cup on the table next to the chair behind the man with a hat under the tree near the car beside "
    "the dog on the mat by the door",
    "no formula": r"a sign of $\frac{1$ or $5_^ <b>&amp;</b>",
    "no character": "the \x00 star\x1b beside \udcff a \x07 ring",
    "a word without end": f"the {'very' * 60} star beside the {'long' * 60}",
}
SOLID = ("-", "solid")
SIZES = [(640, 427), (144, 192), (1000, 100)]


def answer_to(text, size=(640, 427), regions=9, graph=None):
    graph = graph or parse(text)
    random, nodes = np.random.default_rng(0), len(graph.nodes)
    corner_N2 = random.uniform(0, 0.7, (regions, 2)) * size
    far_N2 = corner_N2 + random.uniform(0.02, 0.3, (regions, 2)) * size
    unary_KN, marginal_KN = (random.dirichlet(np.full(regions, share), size=nodes) for share in (0.5, 0.1))
    box_N4 = np.concatenate([corner_N2, far_N2], axis=1).astype(np.float32)
    return Answer(text, graph, size, box_N4, unary_KN, marginal_KN, tuple(marginal_KN.argmax(axis=1).tolist()))


def chain(nodes):
    """A graph of that many nodes, each related to the next; the last is the referent."""
    words = tuple(f"thing{k}" for k in range(nodes))
    own = tuple(Node(word, k, (), (k,)) for k, word in enumerate(words))
    return SceneGraph(words, own, tuple(Edge(k, "by", k + 1, (k,)) for k in range(nodes - 1)), referent=nodes - 1)


@pytest.mark.parametrize(("sentence", "size"), list(product(SENTENCES, SIZES)))
def test_all_text_is_inside_the_figure_and_large_enough_to_read(sentence, size):
    answer = answer_to(SENTENCES[sentence], size)
    gold = Gold((5, 5, 50, 50), True, "expression 12345, test, refcocog_det", {0: (5, 5, 90, 90)})
    figure = answer_figure(np.zeros((*size[::-1], 3), np.uint8), answer, gold)
    assert figure.get_figwidth() == WIDTH
    renderer = FigureCanvasAgg(figure).get_renderer()
    texts = [text for text in figure.findobj(Text) if text.get_text()]
    assert min(text.get_fontsize() for text in texts) >= SMALL >= 6.5
    for text in texts:
        extent = text.get_window_extent(renderer)
        assert figure.bbox.x0 <= extent.x0 and extent.x1 <= figure.bbox.x1, text
        assert figure.bbox.y0 <= extent.y0 and extent.y1 <= figure.bbox.y1, text


@pytest.mark.parametrize("sentence", SENTENCES)
def test_no_text_of_the_graph_and_the_bars_covers_another(sentence):
    answer = answer_to(SENTENCES[sentence])
    figure = answer_figure(np.zeros((427, 640, 3), np.uint8), answer)
    renderer = FigureCanvasAgg(figure).get_renderer()
    extents = [text.get_window_extent(renderer) for text in figure.axes[0].texts if text.get_text()]
    for place, one in enumerate(extents):
        assert not any(one.shrunk(0.9, 0.6).overlaps(other.shrunk(0.9, 0.6)) for other in extents[:place])


def test_annotated_context_is_dashed_in_the_colour_of_its_node():
    answer = answer_to("the cup on the table")
    gold = Gold((5, 5, 50, 50), True, "expression 1", {1: (100, 100, 200, 180)})
    picture = np.zeros((427, 640, 3), np.uint8)
    dashed = [box for box in answer_figure(picture, answer, gold).axes[1].patches if box.get_linestyle() not in SOLID]
    drawn = {to_hex(box.get_edgecolor()).lower(): box.get_bbox().extents for box in dashed}
    assert set(drawn) == {GOLD.lower(), colours(answer)[1].lower()}
    x1, y1, x2, y2 = drawn[colours(answer)[1].lower()]
    assert 80 < x1 < 100 and 80 < y1 < 100 and 200 < x2 < 220 and 180 < y2 < 200


def test_the_bars_of_a_node_are_its_probabilities():
    answer = answer_to("the small red circle")
    figure = answer_figure(np.zeros((427, 640, 3), np.uint8), answer)
    bars = [patch for patch in figure.axes[0].patches if getattr(patch, "get_x", lambda: 0)() == BARS_LEFT]
    widths = np.array([bar.get_width() for bar in bars]).reshape(-1, 2)
    regions = top_regions(answer, 0)
    expected = np.stack([answer.unary_KN[0, regions], answer.marginal_KN[0, regions]], axis=1)
    np.testing.assert_allclose(widths / widths.max(), expected / expected.max())


@pytest.mark.parametrize("regions", [1, 2, 9])
def test_the_regions_shown_are_the_grounding_first_and_the_best_before_and_after(regions):
    answer = answer_to("the cup on the table", regions=regions)
    for node, chosen in enumerate(answer.region_K):
        shown = top_regions(answer, node)
        assert shown[0] == chosen and len(shown) == len(set(shown)) <= 3
        assert all(max(answer.unary_KN[node, one], answer.marginal_KN[node, one]) >= 0.005 for one in shown)
        assert {answer.unary_KN[node].argmax(), answer.marginal_KN[node].argmax()} <= set(shown)


def test_the_referent_has_the_first_colour_and_no_two_nodes_look_the_same():
    answer = answer_to("", graph=chain(18))
    assert colours(answer)[17] == COLOURS[0] and colours(answer)[0] == COLOURS[1]
    assert len(set(zip(colours(answer), styles(answer), strict=True))) == 18


@pytest.mark.parametrize("sentence", ["no formula", "no character"])
def test_the_same_answer_draws_the_same_bytes(tmp_path, sentence):
    picture, answer = np.zeros((427, 640, 3), np.uint8), answer_to(SENTENCES[sentence])
    for name in ("one", "other"):
        draw_answer(picture, answer, [tmp_path / f"{name}.svg", tmp_path / f"{name}.png"])
    for ending in (".svg", ".png"):
        assert (tmp_path / f"one{ending}").read_bytes() == (tmp_path / f"other{ending}").read_bytes()
    assert ElementTree.parse(tmp_path / "one.svg").getroot().get("width") == f"{WIDTH * 72:g}pt"
