"""The written graph -> FACTUAL's normal form, in which parsers are scored.

Each habit of FACTUAL's annotators that is worth its code is a row of `CONVENTIONS`, with an example that proves it.
Its words are in `words/lists/factual_*.txt`. Heads, attributes and relations of the normal form may differ from the
words of the sentence; token indices still point to the words that they come from. Only scoring reads this form.
"""

from collections.abc import Callable
from dataclasses import dataclass

from parsers.errors import UserError
from parsers.factual import object_conventions as objects
from parsers.factual import relation_conventions as relations
from parsers.factual.draft import Draft
from parsers.scene_graph import SceneGraph


@dataclass(frozen=True)
class Convention:
    name: str
    apply: Callable[[Draft], None]
    example: str
    expected: str
    """The normal form of the example."""


CONVENTIONS = (
    Convention("spelling", objects.correct_spelling, "the buiding", "*building"),
    Convention("written words", objects.leave_out_text, "the word stop", "*word"),
    Convention("parts as adjectives", objects.name_parts, "blond haired man", "hair(blonde); *man | man -have-> hair"),
    Convention("places", objects.relate_to_scene, "dog in the background", "*dog; background | dog -in-> background"),
    Convention("coverings", objects.name_coverings, "snowy hill", "snow; *hill | snow -on-> hill"),
    Convention("nouns before nouns", objects.interpret_noun_modifiers, "kitchen rack", "*kitchen rack"),
    Convention("sides", objects.name_sides, "the right hand", "*right hand"),
    Convention(
        "each other", objects.repeat_for_each_other, "dogs beside each other", "*dogs; dogs | dogs -beside-> dogs"
    ),
    Convention("absent objects", objects.leave_out_absent, "tree without leaves", "*tree"),
    Convention("stranded prepositions", objects.drop_stranded, "man with a hat on", "*man; hat | man -wear-> hat"),
    Convention("names", objects.rename, "two guys", "*people(2)"),
    Convention("lemmas", relations.lemmatise, "dog about to sit on a mat", "*dog; mat | dog -sit on-> mat"),
    Convention("passives", relations.shorten_passives, "hill covered in snow", "*hill; snow | snow -cover-> hill"),
    Convention("of", relations.invert_of, "leg of a man", "*leg; man | man -have-> leg"),
    Convention("on it", relations.invert_with, "bed with a cat on it", "*bed; cat | cat -on-> bed"),
    Convention("clothes", relations.wear_clothes, "man in a hat", "*man; hat | man -wear-> hat"),
    Convention("relations", relations.rename_relations, "dog below a car", "*dog; car | dog -under-> car"),
)
"""In the order in which they are applied. Leaving any of them out costs 0.04 to 3.6 points of F1 on unread captions."""


def in_conventions(name: str) -> Callable[[SceneGraph], SceneGraph]:
    """Return a function that brings a parsed graph into the form `name`: `written` or `factual`."""
    if name not in ("written", "factual"):
        raise UserError(f"conventions {name!r}: unknown; expected written, factual")
    return factual if name == "factual" else lambda graph: graph


def factual(graph: SceneGraph) -> SceneGraph:
    """Return the graph in FACTUAL's normal form."""
    draft = Draft.of(graph)
    for convention in CONVENTIONS:
        convention.apply(draft)
    return draft.finished()
