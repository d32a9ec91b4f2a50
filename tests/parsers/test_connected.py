"""A sentence in which every object is related to another gives a connected graph."""

from hypothesis import given
from hypothesis import strategies as st

from parsers import parse
from parsers.trees.tree_graph import read

NOUNS = ("man", "woman", "dog", "table", "truck", "umbrella", "girl", "bench", "horse", "hat")
LINKS = (
    "on", "in", "near", "behind", "under", "with", "next to", "in front of", "to the left of", "holding", "wearing",
    "carrying", "that is on", "which is near", "sitting on", "surrounded by", "covered with",
)  # fmt: skip
PHRASES = st.builds(
    lambda article, adjective, noun: f"{article} {adjective} {noun}".replace("  ", " "),
    st.sampled_from(("a", "the")),
    st.sampled_from(("", "red", "small", "wooden")),
    st.sampled_from(NOUNS),
)
CASES = ("on", "in", "near", "behind", "under", "with")


def pieces(graph) -> int:
    """A graph without loops falls into as many pieces as its nodes outnumber its edges."""
    return len(graph.nodes) - len(graph.edges)


@given(PHRASES, st.lists(st.tuples(st.sampled_from(LINKS), PHRASES), max_size=5))
def test_related_phrases_give_a_connected_graph(first, others):
    sentence = " ".join([first, *(f"{link} {phrase}" for link, phrase in others)])
    graph = parse(sentence)
    assert len(graph.nodes) == 1 + len(others) and pieces(graph) == 1


@st.composite
def trees_of_nouns(draw):
    """Nouns that each modify an earlier one through a preposition."""
    words = [f"{draw(st.sampled_from(NOUNS))}/NOUN/-1/root"]
    for place in range(draw(st.integers(0, 5))):
        head = 2 * draw(st.integers(0, place))
        case, noun = draw(st.sampled_from(CASES)), draw(st.sampled_from(NOUNS))
        words += [f"{case}/ADP/{2 * place + 2}/case", f"{noun}/NOUN/{head}/nmod"]
    return " ".join(words)


@given(trees_of_nouns())
def test_a_tree_of_nouns_gives_a_connected_graph(read_tree, tree):
    graph = read(read_tree(tree))
    assert len(graph.nodes) == (len(graph.tokens) + 1) // 2 and pieces(graph) == 1


def test_unrelated_phrases_stay_unconnected():
    assert pieces(parse("blue jeans and brown boots")) == 2
