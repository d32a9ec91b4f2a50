"""The written graph -> FACTUAL's normal form, in which parsers are scored.

Every habit of that dataset is a row of `CONVENTIONS`, with the example that proves it, and its words are in
`words/factual_*.txt`. Heads, attributes and relations may then differ from the words; token indices still point to
the words they come from. Nothing but scoring reads this form.
"""

from collections.abc import Callable
from dataclasses import dataclass

from parsers import factual_attributes, factual_edges, factual_nouns, factual_objects
from parsers.draft import Draft
from parsers.scene_graph import SceneGraph


@dataclass(frozen=True)
class Convention:
    """What is done to the graph, and an example whose finished graph proves it."""

    name: str
    apply: Callable[[Draft], None]
    example: str
    expected: str


CONVENTIONS = (
    Convention("spelling", factual_objects.spell, "the buiding", "*building"),
    Convention("parts that are the whole", factual_objects.dissolve, "body of water", "*water"),
    Convention("written words", factual_objects.leave_out_text, "the word stop", "*word"),
    Convention(
        "parts as adjectives", factual_objects.give_parts, "blond haired man", "hair(blonde); *man | man -have-> hair"
    ),
    Convention("shapes", factual_attributes.join_shapes, "arrow shaped sign", "*sign(arrow shaped)"),
    Convention("outside", factual_attributes.stand_outside, "a man walking outside", "*man(walking, outside)"),
    Convention(
        "places of parts",
        factual_edges.place_on,
        "cake with a cherry on top",
        "*cake; cherry | cherry -on top of-> cake",
    ),
    Convention(
        "places", factual_attributes.place_in_scene, "dog in the background", "*dog; background | dog -in-> background"
    ),
    Convention("coverings", factual_objects.cover, "snowy hill", "snow; *hill | snow -on-> hill"),
    Convention("nouns before nouns", factual_nouns.read_noun_modifiers, "kitchen rack", "*kitchen rack"),
    Convention("sides", factual_nouns.name_sides, "the right hand", "*right hand"),
    Convention(
        "each other",
        factual_objects.repeat_for_each_other,
        "dogs beside each other",
        "*dogs; dogs | dogs -beside-> dogs",
    ),
    Convention(
        "pronouns",
        factual_objects.resolve_pronouns,
        "a boy runs as he throws a ball",
        "*boy(runs); ball | boy -throw-> ball",
    ),
    Convention("what is not there", factual_objects.leave_out, "tree without leaves", "*tree"),
    Convention("both", factual_attributes.count_both, "both dogs", "*dogs(2)"),
    Convention(
        "stranded prepositions", factual_attributes.drop_stranded, "man with a hat on", "*man; hat | man -wear-> hat"
    ),
    Convention("names", factual_attributes.rename, "two guys", "*people(2)"),
    Convention(
        "neighbours", factual_edges.relate_neighbours, "a desk and a guitar", "*desk; guitar | desk -next to-> guitar"
    ),
    Convention("lemmas", factual_edges.lemmatise, "dog about to sit on a mat", "*dog; mat | dog -sit on-> mat"),
    Convention("passives", factual_edges.turn_passives, "hill covered in snow", "*hill; snow | snow -cover-> hill"),
    Convention(
        "turned relations", factual_edges.turn_listed, "tree dusted with snow", "*tree; snow | snow -cover-> tree"
    ),
    Convention("of", factual_edges.turn_of, "leg of a man", "*leg; man | man -have-> leg"),
    Convention("on it", factual_edges.turn_with, "bed with a cat on it", "*bed; cat | cat -on-> bed"),
    Convention("wearing", factual_edges.wear, "man in a hat", "*man; hat | man -wear-> hat"),
    Convention("having", factual_edges.have, "cat with its tail", "*cat; tail | cat -have-> tail"),
    Convention(
        "one each",
        factual_attributes.count_each,
        "two men wearing hats",
        "*men(2); hats(2) | men -wear-> hats",
    ),
    Convention("relations", factual_edges.rename_relations, "dog below a car", "*dog; car | dog -under-> car"),
)


def factual(graph: SceneGraph) -> SceneGraph:
    """The graph in FACTUAL's normal form."""
    draft = Draft.of(graph)
    for convention in CONVENTIONS:
        convention.apply(draft)
    return draft.finished()
