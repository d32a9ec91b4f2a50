"""Scorer of a parser's graphs against graphs that people wrote (FACTUAL's format).

The gold file is a CSV with the columns `caption` and `scene_graph`, the latter like
"( man , hold , bat ) , ( bat , is , red )". A graph counts as its set of tuples: (object), (object, attribute),
(subject, relation, object). Words are compared as lemmas, without synonyms; a relation without its "be".
F1 is of the whole set, averaged over captions; objects, attributes and relations are pooled. All in percent.
"""

import csv
import functools
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from parsers.errors import BrokenFile, UserError
from parsers.factual.conventions import in_conventions
from parsers.parser import Parser
from parsers.scene_graph import SceneGraph
from parsers.words.tokens import tokenise

KINDS = ("objects", "attributes", "relations")
Bounds = tuple[int, int | None]
LENGTHS: tuple[Bounds, ...] = ((1, 4), (5, 6), (7, 9), (10, 13), (14, None))
"""Classes of captions by their number of words, separated by spaces."""

CURE = "give a file in FACTUAL's format"

NOTHING = "-"
"""Shown if there is nothing to measure."""
CHUNK = 500
"""Captions that are parsed at a time."""

Tuples = tuple[set[tuple[str, ...]], set[tuple[str, ...]], set[tuple[str, ...]]]
"""Objects, attributes, relations."""


@dataclass
class Tally:
    """Numbers of tuples: found and right, found, in the gold graphs."""

    right: int = 0
    found: int = 0
    gold: int = 0

    def add(self, found: set[tuple[str, ...]], gold: set[tuple[str, ...]]) -> None:
        self.right += len(found & gold)
        self.found += len(found)
        self.gold += len(gold)

    @property
    def precision(self) -> float:
        return 100 * self.right / max(self.found, 1)

    @property
    def recall(self) -> float:
        return 100 * self.right / max(self.gold, 1)

    @property
    def f1(self) -> float:
        return 200 * self.right / max(self.found + self.gold, 1)

    @property
    def text(self) -> str:
        """Return F1 as text; without any tuples it is undefined, not zero."""
        return f"{self.f1:.1f}" if self.found + self.gold else NOTHING


@dataclass
class Score:
    """Scores of the captions so far."""

    of_captions: list[float] = field(default_factory=list)
    kinds: tuple[Tally, Tally, Tally] = field(default_factory=lambda: (Tally(), Tally(), Tally()))

    def add(self, found: Tuples, gold: Tuples) -> None:
        whole = Tally()
        whole.add(set().union(*found), set().union(*gold))
        self.of_captions.append(whole.f1)
        for tally, found_kind, gold_kind in zip(self.kinds, found, gold, strict=True):
            tally.add(found_kind, gold_kind)

    @property
    def f1(self) -> float:
        return sum(self.of_captions) / max(len(self.of_captions), 1)


@dataclass
class Scores:
    """Scores of a parser, for all captions and by length, and the seconds of parsing."""

    overall: Score = field(default_factory=Score)
    by_length: dict[Bounds, Score] = field(default_factory=lambda: {bounds: Score() for bounds in LENGTHS})
    seconds: float = 0.0

    def named(self) -> Iterator[tuple[str, Score]]:
        yield "all", self.overall
        for (least, most), score in self.by_length.items():
            yield f"{least}-{most}" if most else f"{least}+", score


def score_parser(gold: Sequence[tuple[str, str]], parser: Parser, conventions: str) -> Scores:
    """Score the parser's graphs of the captions against the gold graphs."""
    scores, backend, form = Scores(), parser.load(), in_conventions(conventions)
    backend([tokenise(caption) for caption, _ in gold[:1]])  # load word lists and models before the clock starts
    for start in tqdm(range(0, len(gold), CHUNK), unit=f" times {CHUNK} captions", disable=None):
        rows = gold[start : start + CHUNK]
        clock = time.perf_counter()
        graphs = backend([tokenise(caption) for caption, _ in rows])
        scores.seconds += time.perf_counter() - clock
        for (caption, text), graph in zip(rows, graphs, strict=True):
            wanted = tuples_of_text(text)
            if not wanted[0]:
                raise UserError(f"caption {caption!r}: expected a graph like ( man , hold , bat ), found {text!r}")
            for score in (scores.overall, scores.by_length[length_class(caption)]):
                score.add(tuples_of_graph(form(graph)), wanted)
    return scores


def score_report(scores: Scores) -> Iterator[str]:
    """Yield the lines of a report: all captions, then by number of words."""
    yield f"{'words':10s} {'captions':>8s} {'F1':>6s}  {'objects':>8s} {'attributes':>11s} {'relations':>10s}"
    for name, score in scores.named():
        objects, attributes, relations = (tally.text for tally in score.kinds)
        captions, f1 = len(score.of_captions), f"{score.f1:.2f}" if score.of_captions else NOTHING
        yield f"{name:10s} {captions:8d} {f1:>6s}  {objects:>8s} {attributes:>11s} {relations:>10s}"
    for kind, tally in zip(KINDS, scores.overall.kinds, strict=True):
        yield f"{kind:10s} precision {tally.precision:5.1f}  recall {tally.recall:5.1f}  F1 {tally.f1:5.1f}"


def length_class(caption: str) -> Bounds:
    count = max(len(caption.split()), 1)
    return next(bounds for bounds in LENGTHS if bounds[1] is None or count <= bounds[1])


def read_gold(path: Path) -> list[tuple[str, str]]:
    """Return every caption with the text of its graph."""
    if not path.is_file():
        raise BrokenFile(path, "missing", "give a CSV with the columns caption and scene_graph")
    try:
        with path.open(encoding="utf8", newline="") as file:
            rows = csv.DictReader(file)
            if not {"caption", "scene_graph"} <= set(rows.fieldnames or ()):
                raise BrokenFile(path, "expected the columns caption and scene_graph", CURE)
            found = [gold_row(row, f"{path}: line {rows.line_num}") for row in rows]
    except OSError as error:
        raise BrokenFile(path, f"cannot be read ({error.strerror})", CURE) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise BrokenFile(path, f"not a CSV in UTF-8 ({error})", CURE) from error
    if not found:
        raise BrokenFile(path, "has no caption", CURE)
    return found


def gold_row(row: Mapping[str, str | None], where: str) -> tuple[str, str]:
    caption, graph = row["caption"], row["scene_graph"]
    if caption is None or graph is None:
        raise UserError(f"{where}: expected a caption and its scene_graph, found only {caption!r}; {CURE}")
    return caption.strip(), graph


def tuples_of_text(text: str) -> Tuples:
    """Return the tuples of a gold graph; (object, is, attribute) is an attribute."""
    found: Tuples = (set(), set(), set())
    for group in re.findall(r"\(([^()]*)\)", text):
        first, *middle, last = [part.strip() for part in group.split(",")] if "," in group else [group.strip()] * 2
        found[0].add((lemmas(first),))
        if "," in group and middle in ([], ["is"]):
            found[1].add((lemmas(first), lemmas(last)))
        elif middle:
            found[0].add((lemmas(last),))
            found[2].add((lemmas(first), relation_lemmas(" ".join(middle)), lemmas(last)))
    return found


def tuples_of_graph(graph: SceneGraph) -> Tuples:
    heads = [lemmas(node.head) for node in graph.nodes]
    attributes: set[tuple[str, ...]] = {
        (head, lemmas(attribute))
        for head, node in zip(heads, graph.nodes, strict=True)
        for attribute in node.attributes
    }
    relations: set[tuple[str, ...]] = {
        (heads[edge.subject], relation_lemmas(edge.relation), heads[edge.object]) for edge in graph.edges
    }
    return {(head,) for head in heads}, attributes, relations


def lemmas(text: str) -> str:
    return " ".join(lemma(word) for word in text.lower().split())


def relation_lemmas(text: str) -> str:
    """Return the lemmas without "be", unless it is the only word."""
    found = lemmas(text).split()
    return " ".join([word for word in found if word != "be"] or found)


@functools.cache
def lemma(word: str) -> str:
    return lemmatiser()(word, "en").lower()


@functools.cache
def lemmatiser() -> Callable[[str, str], str]:
    try:
        from simplemma import lemmatize
    except ImportError as error:
        raise UserError("scoring compares lemmas: pip install simplemma") from error
    return lemmatize
