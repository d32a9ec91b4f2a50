"""What the lexicon says of a word where a tagger says otherwise.

Taggers learn from news and the web and misread captions, which are noun phrases: "white platter holding desserts".
The lexicon knows captions; where its class of a word is another one than the tagger's, the word gets the lexicon's,
with the finer tag and the features that UD's English treebanks have for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from parsers.lexical.tagging import tag
from parsers.words.lexicon import Tag


@dataclass(frozen=True, slots=True)
class WordClass:
    upos: str
    xpos: str
    feats: str | None = None


CLASSES = {
    Tag.NOUN: WordClass("NOUN", "NN", "Number=Sing"),
    Tag.PLURAL: WordClass("NOUN", "NNS", "Number=Plur"),
    Tag.ADJECTIVE: WordClass("ADJ", "JJ", "Degree=Pos"),
    Tag.VERB: WordClass("VERB", "VBZ", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"),
    Tag.ING: WordClass("VERB", "VBG", "Tense=Pres|VerbForm=Part"),
    Tag.POSTURE: WordClass("VERB", "VBG", "Tense=Pres|VerbForm=Part"),
    Tag.PARTICIPLE: WordClass("VERB", "VBN", "Tense=Past|VerbForm=Part"),
    Tag.PREPOSITION: WordClass("ADP", "IN"),
    Tag.OF: WordClass("ADP", "IN"),
    Tag.SUBORDINATOR: WordClass("SCONJ", "IN"),
    Tag.PUNCTUATION: WordClass("PUNCT", ","),
}
PLACE = WordClass("NOUN", "NN", "Number=Sing")
"""A word for a place that was taken for a verb: "to the left of"."""


def corrected(tokens: Sequence[str], tagged: Sequence[WordClass]) -> list[WordClass]:
    """The tagger's classes, but the lexicon's where the two differ; groups of words stay as they are."""
    found = list(tagged)
    for word in tag(tokens):
        index = word.tokens[0]
        wanted = CLASSES.get(word.tag)
        if word.tag is Tag.PLACE and found[index].upos == "VERB":
            wanted = PLACE
        if len(word.tokens) == 1 and wanted is not None and wanted.upos != found[index].upos:
            found[index] = wanted
    return found
