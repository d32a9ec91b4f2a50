"""The written graph and its normal form are one graph: whatever differs, a convention that says so accounts for it."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from parsers import parse
from parsers.factual import conventions
from parsers.factual.conventions import CONVENTIONS, Change, Convention, factual
from parsers.factual.draft import Draft
from parsers.factual.scorer import read_gold
from parsers.scene_graph import Edge, Node, SceneGraph

SENTENCES = (
    *(convention.example for convention in CONVENTIONS),
    "a large amount of snow on the sunny side of the buiding",
    "a statue of a man",
    "a white truck in front of a yellow one",
    "a person taking a picture of a cat that is sking",
    "a skiier in a buiding",
    "a long white sign that says farmers market",
    "girl standing outside near a street",
    "person riding a bike outside",
    "people on the beach in the distance",
    "a boy doing a skateboard trick with two friends",
    "boy doing a dangerous trick",
    "ham slices on a tree branch by a kitchen rack",
    "two pizza slices",
    "parked cars on a street",
    "two dogs standing next to each other",
    "a man and a dog next to each other",
    "a boy runs as he throws a ball and he is young",
    "girl taking a picture",
    "a woman walking in a red coat",
    "two guys with a green colored umbrella",
    "white plate of food with a silver spoon on it",
    "a bowl of soup on the table beside a glass of milk",
    "the man's watch and the leg of a chair",
    "hill covered in snow and surrounded by trees",
    "he is wearing a hat below a sign in the background",
    "a tall man in blue is talking to a small boy with a red ball",
    'a "one way" sign near a bus that says "42"',
    "buses lined up",
    "",
    "on the of and",
)


def snapshot(draft: Draft) -> Draft:
    return replace(
        draft,
        nodes=list(draft.nodes),
        edges=list(draft.edges),
        lowered=list(draft.lowered),
        dropped=set(draft.dropped),
        cut=set(draft.cut),
    )


def changes_between(before: Draft, after: Draft) -> Change:
    """Every kind of change from one state to the next; raises on what is no change of a convention at all.

    Nodes and edges keep their places in a draft's lists, so that what became of each can be seen.
    """
    if (
        len(after.nodes) < len(before.nodes)
        or len(after.edges) < len(before.edges)
        or not before.dropped <= after.dropped
        or not before.cut <= after.cut
    ):
        raise AssertionError("a node or an edge vanished without being dropped")
    if (before.tokens, before.is_fallback) != (after.tokens, after.is_fallback):
        raise AssertionError("the sentence itself changed")
    found = Change(0)
    for old, new in zip(before.nodes, after.nodes, strict=False):
        found |= changes_of_node(old, new)
    gone = after.dropped - before.dropped
    for old_edge, new_edge in zip(before.edges, after.edges, strict=False):
        found |= changes_of_edge(old_edge, new_edge)
    added = range(len(before.nodes), len(after.nodes))
    for edge in after.edges[len(before.edges) :]:
        found |= Change.ADD if {edge.subject, edge.object} & set(added) else Change.LINK
    found |= Change.ADD if added else Change(0)
    found |= Change.DROP if gone else Change(0)
    found |= Change.CUT if after.cut - before.cut else Change(0)
    return found | (Change.MOVE if before.referent != after.referent else Change(0))


def changes_of_node(old: Node, new: Node) -> Change:
    if old.tokens != new.tokens:
        raise AssertionError(f"{old.head} is no longer tied to its words")
    found = Change.NAME if (old.head, old.head_token) != (new.head, new.head_token) else Change(0)
    found |= Change.SAY if set(new.attributes) - set(old.attributes) else Change(0)
    return found | (Change.UNSAY if set(old.attributes) - set(new.attributes) else Change(0))


def changes_of_edge(old: Edge, new: Edge) -> Change:
    if old.tokens != new.tokens:
        raise AssertionError(f"{old.relation} is no longer tied to its words")
    found = Change.REWORD if old.relation != new.relation else Change(0)
    before, after = (old.subject, old.object), (new.subject, new.object)
    if after == before:
        return found
    return found | (Change.TURN if after == before[::-1] else Change.MOVE)


def steps(graph: SceneGraph, table: Sequence[Convention]) -> list[tuple[Convention, Change]]:
    """What each convention changes, one after the other."""
    draft = Draft.of(graph)
    found = []
    for convention in table:
        before = snapshot(draft)
        convention.apply(draft)
        found.append((convention, changes_between(before, draft)))
    return found


def undeclared(sentences: Sequence[str], table: Sequence[Convention] = CONVENTIONS) -> list[str]:
    """Every change that its convention does not declare."""
    return [
        f"{convention.name} makes {change & ~convention.changes} of {sentence!r}"
        for sentence in sentences
        for convention, change in steps(parse(sentence), table)
        if change & ~convention.changes
    ]


def unaccounted(written: SceneGraph, normal: SceneGraph, made: Change) -> list[str]:
    """Nodes and edges of one form without a counterpart in the other, where no change that was made explains it."""
    heads = {node.head_token: node for node in written.nodes}
    found = [
        f"{node.head} came from nowhere"
        for node in normal.nodes
        if node.head_token not in heads and not made & (Change.ADD | Change.NAME)
    ]
    kept = {token for node in normal.nodes for token in node.tokens}
    found += [
        f"{node.head} is lost" for node in written.nodes if not set(node.tokens) & kept and not made & Change.DROP
    ]
    before, after = ends_of_edges(written), ends_of_edges(normal)
    found += [
        f"{words} lost its edge"
        for words in before.keys() - after.keys()
        if not made & (Change.DROP | Change.MOVE | Change.CUT)
    ]
    found += [f"{words} got an edge" for words in after.keys() - before.keys() if not made & (Change.ADD | Change.LINK)]
    return found + [
        f"{words} is attached elsewhere"
        for words in before.keys() & after.keys()
        if before[words] != after[words] and not made & (Change.TURN | Change.MOVE | Change.NAME | Change.DROP)
    ]


def ends_of_edges(graph: SceneGraph) -> dict[tuple[int, ...], set[tuple[int, int]]]:
    """For the words of an edge, the nodes it ties, each by its first word."""
    ends: dict[tuple[int, ...], set[tuple[int, int]]] = {}
    for edge in graph.edges:
        pair = min(graph.nodes[edge.subject].tokens), min(graph.nodes[edge.object].tokens)
        ends.setdefault(edge.tokens, set()).add(pair)
    return ends


def differences(sentences: Sequence[str], table: Sequence[Convention] = CONVENTIONS) -> list[str]:
    found = []
    for sentence in sentences:
        written, normal = parse(sentence), parse(sentence, conventions="factual")
        made = Change(0)
        for convention, change in steps(written, table):
            made |= change & convention.changes
        found += [f"{sentence!r}: {line}" for line in unaccounted(written, normal, made)]
    return found


def captions() -> list[str]:
    path = Path(os.environ.get("JVGN_SHARED", "../shared")) / "data/factual/train.csv"
    if not path.exists():
        pytest.skip(f"no captions at {path}; set JVGN_SHARED to the folder that holds data/factual")
    return [caption for caption, _ in read_gold(path)][::20]


def test_a_convention_makes_only_the_changes_it_declares():
    assert undeclared(SENTENCES) == []


def test_over_many_captions_a_convention_makes_only_the_changes_it_declares():
    assert undeclared(captions()) == []


def test_no_node_edge_or_attachment_differs_but_by_a_declared_change():
    assert differences(SENTENCES) == []


def test_over_many_captions_nothing_differs_but_by_a_declared_change():
    assert differences(captions()) == []


def test_every_declared_change_is_made_somewhere():
    made = dict.fromkeys((convention.name for convention in CONVENTIONS), Change(0))
    for sentence in SENTENCES:
        for convention, change in steps(parse(sentence), CONVENTIONS):
            made[convention.name] |= change
    idle = {convention.name: convention.changes & ~made[convention.name] for convention in CONVENTIONS}
    assert {name: change for name, change in idle.items() if change} == {}


def test_without_conventions_the_normal_form_is_the_written_graph(monkeypatch):
    monkeypatch.setattr(conventions, "CONVENTIONS", ())
    for sentence in SENTENCES:
        assert factual(parse(sentence)) == parse(sentence)


def drop_last(draft: Draft) -> None:
    draft.dropped.add(len(draft.nodes) - 1)


def turn_first(draft: Draft) -> None:
    for index, edge in enumerate(draft.edges[:1]):
        draft.edges[index] = replace(edge, subject=edge.object, object=edge.subject)


def move_first(draft: Draft) -> None:
    for index, edge in enumerate(draft.edges[:1]):
        draft.edges[index] = replace(edge, object=len(draft.nodes) - 1)


def link_ends(draft: Draft) -> None:
    draft.edges.append(Edge(0, "near", len(draft.nodes) - 1, (0,)))


def cut_first(draft: Draft) -> None:
    draft.cut.add(0)


def forget_first(draft: Draft) -> None:
    draft.edges = draft.edges[1:]


MUTATIONS: dict[str, Callable[[Draft], None]] = {
    "names a node": lambda draft: draft.change_node(0, head="thing"),
    "moves an attribute": lambda draft: draft.say(0, "odd"),
    "adds a node": lambda draft: draft.add_edge(0, "on", draft.add_node("thing", 0), 0),
    "drops a node": drop_last,
    "turns an edge": turn_first,
    "moves an edge": move_first,
    "adds an edge": link_ends,
    "cuts an edge": cut_first,
    "forgets an edge": forget_first,
}


@pytest.mark.parametrize("mutation", MUTATIONS.values(), ids=MUTATIONS)
def test_a_convention_that_does_more_than_it_declares_is_found(mutation):
    """ "passives" may only reword edges."""

    def apply(draft: Draft) -> None:
        passives.apply(draft)
        mutation(draft)

    (passives,) = (convention for convention in CONVENTIONS if convention.name == "passives")
    table = [replace(one, apply=apply) if one is passives else one for one in CONVENTIONS]
    try:
        found = undeclared(SENTENCES, table)
    except AssertionError as error:
        found = [str(error)]
    assert found


@pytest.mark.parametrize("mutation", MUTATIONS.values(), ids=MUTATIONS)
def test_what_is_done_to_the_normal_form_outside_the_table_is_found(mutation, monkeypatch):
    def other(graph: SceneGraph) -> SceneGraph:
        draft = Draft.of(factual(graph))
        mutation(draft)
        return draft.finished()

    monkeypatch.setattr(conventions, "factual", other)
    assert replayed_differently(SENTENCES)


def replayed_differently(sentences: Sequence[str]) -> list[str]:
    """Sentences whose normal form is not the written graph after each convention in turn."""
    found = []
    for sentence in sentences:
        draft = Draft.of(parse(sentence))
        for convention in CONVENTIONS:
            convention.apply(draft)
        if draft.finished() != parse(sentence, conventions="factual"):
            found.append(sentence)
    return found


def test_the_normal_form_is_the_written_graph_after_each_convention_in_turn():
    assert replayed_differently(SENTENCES) == []
