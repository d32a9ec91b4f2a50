"""The `lexical` backend: word lists and patterns, no model. The same words always give the same graph.

The passes: `tagger.tag` -> `phrases.items` -> `clauses.walk` -> `guarantees.guaranteed`.
"""

from collections.abc import Iterable, Sequence

from parsers.guarantees import guaranteed
from parsers.lexical.clauses import walk
from parsers.lexical.phrases import Phrase, items
from parsers.lexical.subjects import Link
from parsers.lexical.tagger import Word, tag
from parsers.scene_graph import Backend, Edge, Node, SceneGraph
from parsers.words.lexicon import Tag, words
from parsers.words.negation import is_denial


def load() -> Backend:
    return parse_many


def parse_many(sentences: Sequence[Sequence[str]]) -> list[SceneGraph]:
    return [parse_tokens(tokens) for tokens in sentences]


def parse_tokens(tokens: Sequence[str]) -> SceneGraph:
    """Return the scene graph of one tokenised sentence."""
    tagged = tag(tokens)
    read = walk(items(tagged))
    marks = {word.tokens: word.text for word in tagged if word.tag is Tag.POSSESSIVE}
    nodes = [
        node(tokens, phrase, read.said.get(index, ()), marks.get(phrase.head.tokens, ""))
        for index, phrase in enumerate(read.phrases)
    ]
    edges = [edge(tokens, link) for link in read.links]
    return guaranteed(tokens, nodes, edges, read.referent or 0)


def node(tokens: Sequence[str], phrase: Phrase, said: Iterable[tuple[Word, ...]], mark: str) -> Node:
    """Return the node of a phrase and its attributes; `mark` is the 's inside the head's own token, as in "man's"."""
    spoken = [*phrase.attributes, *said]
    attributes = [indices(tokens, words) for words in spoken]
    labels = [written(tokens, indices(tokens, affirmed(words)[0])) for words in spoken]
    head = phrase.head.tokens
    text = written(tokens, head)
    used = sorted({*head, *(index for attribute in attributes for index in attribute)})
    negated = tuple(affirmed(words)[1] for words in spoken)
    return Node(text[: len(text) - len(mark)], head[-1], tuple(labels), tuple(used), negated)


def edge(tokens: Sequence[str], link: Link) -> Edge:
    kept, negated = affirmed(link.words)
    text = written(tokens, indices(tokens, kept))
    if link.words[0].tag is Tag.POSSESSIVE:
        text = text[-len(link.words[0].text) :]  # if "man's" is one token, only 's
    return Edge(link.subject, text, link.object, tuple(sorted(indices(tokens, link.words))), negated)


def affirmed(spoken: Sequence[Word]) -> tuple[Sequence[Word], bool]:
    """Return the words that remain without a negation, and whether they are denied."""
    kept = [word for word in spoken if word.tag is not Tag.NEGATION]
    return kept or spoken, len(kept) < len(spoken) or any(is_denial(word.text) for word in spoken)


def indices(tokens: Sequence[str], spoken: Iterable[Word]) -> tuple[int, ...]:
    """Return the token indices of the words; of "on the left", only that of "left"."""
    return tuple(
        index
        for word in spoken
        for index, text in zip(
            word.tokens, word.text.split() if word.tag is Tag.LOCATION else word.tokens, strict=False
        )
        if word.tag is not Tag.LOCATION or text in words("places") | words("place_modifiers") | words("nearness")
    )


def written(tokens: Sequence[str], chosen: Iterable[int]) -> str:
    return " ".join(tokens[index] for index in chosen)
