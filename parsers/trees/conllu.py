"""The `conllu` backend: trees that the user brings, as a file in CoNLL-U.

Option `parses` is the file. Its sentences are found by their words. If one word is parsed as two ("3-4 man's"), the
dataset may have either form. A sentence that is missing in the file is an error.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from parsers.errors import BrokenFile, UserError
from parsers.scene_graph import Backend, SceneGraph
from parsers.trees.dependencies import ROOT, Tree, TreeWord
from parsers.trees.tree_graph import read

COLUMNS = 10
CURE = "give a file in CoNLL-U, one sentence for each expression"

Tokens = tuple[str, ...]


def load(parses: str) -> Backend:
    path = Path(parses).expanduser()
    trees = read_trees(path)

    def parse_many(sentences: Sequence[Sequence[str]]) -> list[SceneGraph]:
        return [read(find(trees, tuple(tokens), path)) for tokens in sentences]

    return parse_many


def find(trees: dict[Tokens, Tree], tokens: Tokens, path: Path) -> Tree:
    if tokens not in trees:
        raise UserError(f"{path}: no sentence {' '.join(tokens)!r}; add its parse with exactly these words")
    return trees[tokens]


def read_trees(path: Path) -> dict[Tokens, Tree]:
    """Return the trees of the file by their words; of equal sentences, the first."""
    if not path.is_file():
        raise BrokenFile(path, "missing", CURE)
    trees: dict[Tokens, Tree] = {}
    for sentence in sentences(path):
        for tree in sentence.trees(path):
            trees.setdefault(tuple(word.text for word in tree.words), tree)
    return trees


@dataclass
class ConlluSentence:
    line: int
    """Where it starts."""
    words: list[TreeWord]
    ranges: list[tuple[int, int, str]]
    """First and last word, counted from 0, and the text of words that are written as one."""

    def trees(self, path: Path) -> Iterator[Tree]:
        where = f"{path}: line {self.line}"
        for first, last, _ in self.ranges:
            if last >= len(self.words):
                raise UserError(
                    f"{where}: the range {first + 1}-{last + 1} has {len(self.words) - first} words; {CURE}"
                )
        tree = checked(self.words, where)
        yield tree
        if self.ranges:
            yield self.contracted(tree)

    def contracted(self, tree: Tree) -> Tree:
        """Return the tree of the words as written: each takes the place of its part that depends on another word."""
        place: list[int] = []
        kept: list[TreeWord] = []
        within = {index: one for one in self.ranges for index in range(one[0], one[1] + 1)}
        for index, word in enumerate(tree.words):
            first, last, text = within.get(index, (index, index, word.text))
            if index == first:
                inside = range(first, last + 1)
                top = next(part for part in inside if tree.words[part].head not in inside)
                kept.append(word if index not in within else replace(tree.words[top], text=text))
            place.append(len(kept) - 1)
        return Tree(tuple(replace(word, head=place[word.head] if word.head != ROOT else ROOT) for word in kept))


def checked(words: Sequence[TreeWord], where: str) -> Tree:
    """Return the tree of the words; raise an error that names `where` if they are not a tree."""
    problem = first_problem([word.head for word in words])
    if problem is not None:
        index, text = problem
        named = f"word {index + 1} ({words[index].text!r}) " if words else ""
        raise UserError(f"{where}: {named}{text}; {CURE}")
    return Tree(tuple(words))


def first_problem(heads: Sequence[int]) -> tuple[int, str] | None:
    """Return the first word that keeps the heads from being a tree, and why."""
    if not heads:
        return 0, "there are no words"
    for index, head in enumerate(heads):
        if not ROOT <= head < len(heads):
            return index, f"has the head {head + 1}, but there are {len(heads)} words"
        if head == index:
            return index, "is its own head"
    roots = [index for index, head in enumerate(heads) if head == ROOT]
    if len(roots) > 1:
        return roots[1], f"is a second root; the first is word {roots[0] + 1}"
    unrooted = first_unrooted(heads)
    return None if unrooted is None else (unrooted, "is in a cycle of heads, or depends on one")


def first_unrooted(heads: Sequence[int]) -> int | None:
    """Return the first word that does not lead to the root, in linear time."""
    rooted: set[int] = {ROOT}
    for index in range(len(heads)):
        path: list[int] = []
        above = index
        while above not in rooted and len(path) <= len(heads):
            path.append(above)
            above = heads[above]
        if above not in rooted:
            return index
        rooted.update(path)
    return None


def sentences(path: Path) -> Iterator[ConlluSentence]:
    try:
        lines = path.read_text(encoding="utf8").split("\n")
    except OSError as error:
        raise BrokenFile(path, f"cannot be read ({error.strerror})", CURE) from error
    except UnicodeDecodeError as error:
        raise BrokenFile(path, f"not a text file in UTF-8 ({error.reason})", CURE) from error
    current = ConlluSentence(1, [], [])
    for number, line in enumerate([*lines, ""], start=1):
        if line.strip():
            if not line.startswith("#"):
                current.line = current.line if current.words or current.ranges else number
                add_line(current, line.rstrip("\r"), f"{path}: line {number}")
        elif current.words or current.ranges:
            yield current
            current = ConlluSentence(number + 1, [], [])


def is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 10


def add_line(sentence: ConlluSentence, line: str, where: str) -> None:
    columns = line.split("\t")
    if len(columns) != COLUMNS:
        raise UserError(f"{where}: expected {COLUMNS} columns separated by tabs, found {len(columns)}; {CURE}")
    number, form, _, upos, _, _, head, deprel, _, _ = columns
    if "." in number:
        return  # a word that is not in the text
    if "-" in number:
        first, _, last = number.partition("-")
        if not (is_number(first) and is_number(last) and len(sentence.words) + 1 == int(first) < int(last)):
            raise UserError(f"{where}: the range {number!r} does not start at word {len(sentence.words) + 1}; {CURE}")
        if sentence.ranges and int(first) - 1 <= sentence.ranges[-1][1]:
            raise UserError(f"{where}: the range {number!r} is within another; {CURE}")
        sentence.ranges.append((int(first) - 1, int(last) - 1, form))
        return
    if number != str(len(sentence.words) + 1):
        raise UserError(f"{where}: expected word {len(sentence.words) + 1}, found {number!r}; {CURE}")
    if not is_number(head):
        raise UserError(f"{where}: the head of {form!r} is {head!r}, expected a number; {CURE}")
    sentence.words.append(TreeWord(form, upos, int(head) - 1, deprel))
