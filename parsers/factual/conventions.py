"""The written graph -> FACTUAL's normal form, in which parsers are scored.

Every habit of that dataset is a row of `CONVENTIONS`, with the example that proves it, and its words are in
`words/factual_*.txt`. Heads, attributes and relations may then differ from the words; token indices still point to
the words they come from. Nothing but scoring reads this form.
"""

import enum
from collections.abc import Callable
from dataclasses import dataclass

from parsers.errors import UserError
from parsers.factual import attributes as factual_attributes
from parsers.factual import edges as factual_edges
from parsers.factual import nouns as factual_nouns
from parsers.factual import objects as factual_objects
from parsers.factual.draft import Draft
from parsers.scene_graph import SceneGraph


class Change(enum.Flag):
    """What a convention may do to the nodes and edges of a graph."""

    NAME = enum.auto()
    """A node is called otherwise."""
    SAY = enum.auto()
    """A node gets an attribute."""
    UNSAY = enum.auto()
    """A node loses an attribute."""
    ADD = enum.auto()
    """A node comes, and an edge that ties it to another."""
    DROP = enum.auto()
    """A node goes, with its edges or after they moved to another."""
    LINK = enum.auto()
    """An edge comes between two nodes that were there."""
    REWORD = enum.auto()
    """An edge is called otherwise."""
    TURN = enum.auto()
    """An edge changes its direction."""
    CUT = enum.auto()
    """An edge goes."""
    MOVE = enum.auto()
    """An edge, or being the referent, goes from one node to another."""


@dataclass(frozen=True)
class Convention:
    """What is done to the graph, which changes that may be, and an example whose finished graph proves it."""

    name: str
    apply: Callable[[Draft], None]
    changes: Change
    example: str
    expected: str


CONVENTIONS = (
    Convention("spelling", factual_objects.spell, Change.NAME | Change.SAY | Change.UNSAY, "the buiding", "*building"),
    Convention(
        "parts that are the whole",
        factual_objects.dissolve,
        Change.SAY | Change.DROP | Change.REWORD | Change.MOVE,
        "body of water",
        "*water",
    ),
    Convention(
        "quotations",
        factual_objects.mention_quotations,
        Change.NAME | Change.UNSAY | Change.ADD | Change.REWORD | Change.TURN,
        'a sign that says "keep off"',
        "*sign; words | words -on-> sign",
    ),
    Convention(
        "written words",
        factual_objects.leave_out_text,
        Change.NAME | Change.UNSAY | Change.DROP | Change.MOVE,
        "the word stop",
        "*word",
    ),
    Convention(
        "parts as adjectives",
        factual_objects.give_parts,
        Change.UNSAY | Change.ADD,
        "blond haired man",
        "hair(blonde); *man | man -have-> hair",
    ),
    Convention(
        "shapes", factual_attributes.join_shapes, Change.SAY | Change.UNSAY, "arrow shaped sign", "*sign(arrow shaped)"
    ),
    Convention(
        "sizes of groups",
        factual_attributes.forget_sizes,
        Change.UNSAY,
        "a large group of dogs",
        "*dogs(group of)",
    ),
    Convention(
        "likeness",
        factual_attributes.likeness,
        Change.SAY | Change.UNSAY | Change.DROP,
        "a kite shaped like a dragon",
        "*kite(dragon shaped)",
    ),
    Convention(
        "outside",
        factual_attributes.stand_outside,
        Change.SAY | Change.UNSAY | Change.REWORD,
        "a man walking outside",
        "*man(walking, outside)",
    ),
    Convention(
        "places of parts",
        factual_edges.place_on,
        Change.UNSAY | Change.REWORD | Change.TURN,
        "cake with a cherry on top",
        "*cake; cherry | cherry -on top of-> cake",
    ),
    Convention(
        "places",
        factual_attributes.place_in_scene,
        Change.SAY | Change.UNSAY | Change.ADD,
        "dog in the background",
        "*dog; background | dog -in-> background",
    ),
    Convention(
        "coverings", factual_objects.cover, Change.UNSAY | Change.ADD, "snowy hill", "snow; *hill | snow -on-> hill"
    ),
    Convention(
        "lines",
        factual_edges.stand_in_line,
        Change.UNSAY | Change.ADD | Change.REWORD,
        "cars lined up on a road",
        "*cars; line; road | cars -in-> line, cars -on-> road",
    ),
    Convention(
        "tricks",
        factual_edges.do_tricks,
        Change.NAME | Change.UNSAY | Change.DROP | Change.REWORD | Change.MOVE,
        "boy doing a trick on a ramp",
        "*boy; ramp | boy -trick on-> ramp",
    ),
    Convention(
        "nouns before nouns",
        factual_nouns.read_noun_modifiers,
        Change.NAME | Change.SAY | Change.UNSAY | Change.ADD,
        "kitchen rack",
        "*kitchen rack",
    ),
    Convention("sides", factual_nouns.name_sides, Change.NAME | Change.UNSAY, "the right hand", "*right hand"),
    Convention(
        "each other",
        factual_objects.repeat_for_each_other,
        Change.UNSAY | Change.ADD | Change.LINK,
        "dogs beside each other",
        "*dogs; dogs | dogs -beside-> dogs",
    ),
    Convention(
        "pronouns",
        factual_objects.resolve_pronouns,
        Change.NAME | Change.SAY | Change.DROP | Change.MOVE,
        "a boy runs as he throws a ball",
        "*boy(runs); ball | boy -throw-> ball",
    ),
    Convention(
        "what is not there", factual_objects.leave_out, Change.SAY | Change.DROP, "tree without leaves", "*tree"
    ),
    Convention(
        "numerals",
        factual_attributes.leave_out_numerals,
        Change.UNSAY,
        "the number 8 on a shirt",
        "*number; shirt | number -on-> shirt",
    ),
    Convention("both", factual_attributes.count_both, Change.SAY, "both dogs", "*dogs(2)"),
    Convention(
        "stranded prepositions",
        factual_attributes.drop_stranded,
        Change.UNSAY,
        "man with a hat on",
        "*man; hat | man -wear-> hat",
    ),
    Convention("names", factual_attributes.rename, Change.NAME | Change.SAY | Change.UNSAY, "two guys", "*people(2)"),
    Convention(
        "neighbours",
        factual_edges.relate_neighbours,
        Change.LINK,
        "a desk and a guitar",
        "*desk; guitar | desk -next to-> guitar",
    ),
    Convention(
        "said once",
        factual_edges.say_once,
        Change.REWORD,
        "a man talking to a woman next to him",
        "*man; woman | man -talk to-> woman",
    ),
    Convention(
        "lemmas", factual_edges.lemmatise, Change.REWORD, "dog about to sit on a mat", "*dog; mat | dog -sit on-> mat"
    ),
    Convention(
        "passives",
        factual_edges.turn_passives,
        Change.REWORD,
        "hill covered in snow",
        "*hill; snow | snow -cover-> hill",
    ),
    Convention(
        "turned relations",
        factual_edges.turn_listed,
        Change.REWORD | Change.TURN,
        "tree dusted with snow",
        "*tree; snow | snow -cover-> tree",
    ),
    Convention("of", factual_edges.turn_of, Change.REWORD | Change.TURN, "leg of a man", "*leg; man | man -have-> leg"),
    Convention(
        "on it",
        factual_edges.turn_with,
        Change.REWORD | Change.TURN,
        "bed with a cat on it",
        "*bed; cat | cat -on-> bed",
    ),
    Convention(
        "folded and parked",
        factual_edges.lie_folded,
        Change.SAY | Change.UNSAY | Change.REWORD,
        "towel folded on a bed",
        "*towel(folded); bed | towel -on-> bed",
    ),
    Convention(
        "sitting beside",
        factual_edges.sit_beside,
        Change.REWORD,
        "man sitting on a bench next to a dog",
        "*man; bench; dog | man -sit on-> bench, man -sit next to-> dog",
    ),
    Convention(
        "means",
        factual_edges.use_means,
        Change.REWORD,
        "man hits a ball with a bat",
        "*man; ball; bat | man -hit-> ball, man -hit with-> bat",
    ),
    Convention("wearing", factual_edges.wear, Change.REWORD, "man in a hat", "*man; hat | man -wear-> hat"),
    Convention(
        "colours worn",
        factual_edges.clothe,
        Change.NAME | Change.SAY | Change.DROP | Change.REWORD,
        "words written in pink on a sign",
        "*words(pink); sign | words -write on-> sign",
    ),
    Convention("having", factual_edges.have, Change.REWORD, "cat with its tail", "*cat; tail | cat -have-> tail"),
    Convention(
        "one each",
        factual_attributes.count_each,
        Change.SAY,
        "two men wearing hats",
        "*men(2); hats(2) | men -wear-> hats",
    ),
    Convention(
        "relations", factual_edges.rename_relations, Change.REWORD, "dog below a car", "*dog; car | dog -under-> car"
    ),
    Convention(
        "loose relations",
        factual_edges.leave_out_loose,
        Change.CUT,
        "a man holding a leash for his dog",
        "*man; leash; dog | man -hold-> leash",
    ),
)


def in_conventions(name: str) -> Callable[[SceneGraph], SceneGraph]:
    """What brings a graph as it was parsed into the form `name`: `written`, which it has already, or `factual`."""
    if name not in ("written", "factual"):
        raise UserError(f"there are no conventions {name!r}; there are: written, factual")
    return factual if name == "factual" else lambda graph: graph


def factual(graph: SceneGraph) -> SceneGraph:
    """The graph in FACTUAL's normal form."""
    draft = Draft.of(graph)
    for convention in CONVENTIONS:
        convention.apply(draft)
    return draft.finished()
