"""A dependency tree in Universal Dependencies, from any library or file.

In the compact notation of examples a word is `text/UPOS/head/relation`, its head counted from 0 and -1 for the root:
"woman/NOUN/-1/root holding/VERB/0/acl umbrella/NOUN/1/obj".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from parsers.errors import UserError

ROOT = -1


@dataclass(frozen=True, slots=True)
class TreeWord:
    text: str
    lemma: str
    upos: str
    head: int
    """The index of the word it depends on, or `ROOT`."""
    deprel: str


@dataclass(frozen=True, slots=True)
class Tree:
    """Words that all lead to one root; `checked` and `repaired` make it."""

    words: tuple[TreeWord, ...]

    @property
    def root(self) -> int:
        return next(index for index, word in enumerate(self.words) if word.head == ROOT)


def checked(words: Sequence[TreeWord], where: str) -> Tree:
    """Return the tree of the words; raise an error that names `where` if they are not a tree."""
    problem = first_problem([word.head for word in words])
    if problem is not None:
        index, text = problem
        named = f"word {index + 1} ({words[index].text!r}) " if words else ""
        raise UserError(f"{where}: {named}{text}")
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
    return None if unrooted is None else (unrooted, "is in a cycle of heads, or hangs from one")


def first_unrooted(heads: Sequence[int]) -> int | None:
    """Return the first word that does not lead to the root, in linear time."""
    rooted: set[int] = {ROOT}
    for index in range(len(heads)):
        way: list[int] = []
        seen = index
        while seen not in rooted and len(way) <= len(heads):
            way.append(seen)
            seen = heads[seen]
        if seen not in rooted:
            return index
        rooted.update(way)
    return None


def reaches_root(heads: Sequence[int], index: int) -> bool:
    for _ in heads:
        index = heads[index]
        if index == ROOT:
            return True
    return False


def repaired(words: Sequence[TreeWord]) -> Tree:
    """Return a tree of any words, without raising an error.

    The root is the first word without a head, otherwise the first word. A second root, and a word whose head is itself
    or outside the sentence, depends on the root; so does the leftmost word of every cycle.
    """
    heads = [word.head for word in words]
    root = heads.index(ROOT) if ROOT in heads else 0
    heads = [
        head if 0 <= head < len(heads) and head != index and index != root else root for index, head in enumerate(heads)
    ]
    heads[root] = ROOT
    for index in range(len(heads)):
        if not reaches_root(heads, index) and is_in_cycle(heads, index):
            heads[index] = root
    return Tree(tuple(moved(word, head) for word, head in zip(words, heads, strict=True)))


def moved(word: TreeWord, head: int) -> TreeWord:
    """Return the word under another head, with UD's relation for an unclear dependency."""
    return word if word.head == head else replace(word, head=head, deprel="root" if head == ROOT else "dep")


def is_in_cycle(heads: Sequence[int], start: int) -> bool:
    index = start
    for _ in heads:
        index = heads[index]
        if index in (start, ROOT):
            break
    return index == start


def read_tree(text: str) -> Tree:
    """Return the tree of the compact notation."""
    words = []
    for entry in text.split():
        parts = entry.rsplit("/", 3)
        if len(parts) != 4 or not all(parts) or not parts[2].lstrip("-").isdecimal():
            raise ValueError(f"tree {text!r}: expected text/UPOS/head/relation, found {entry!r}")
        word, upos, head, deprel = parts
        words.append(TreeWord(word, word.lower(), upos, int(head), deprel))
    return checked(words, f"tree {text!r}")


def write_tree(tree: Tree) -> str:
    return " ".join(f"{word.text}/{word.upos}/{word.head}/{word.deprel}" for word in tree.words)
