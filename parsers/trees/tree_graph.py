"""A dependency tree -> its scene graph.

The passes rewrite the dependencies, so that different constructions look alike: "the man is holding a bat", "man
holding a bat" and "man who holds a bat". `Statements` collects what the dependencies say about each noun, and the
guarantees make it a graph. The tree is trusted: if it attaches a preposition to the wrong noun, so does the graph.

Passes add the classes PLACE ("left"), LOCATION ("on the left") and INTRODUCTION ("there is"), and the relations
`place`, `quantity` ("a lot of"), `agent` ("held by"), `compared` ("taller than") and `loose` (a preposition that does
not need its verb).
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from parsers.guarantees import guaranteed
from parsers.scene_graph import Edge, Node, SceneGraph
from parsers.trees import clause_passes, unit_passes
from parsers.trees.attachment_pass import attach_prepositions
from parsers.trees.dependencies import Dependencies, Tree
from parsers.trees.unit_passes import NOUNS, SUBJECTS
from parsers.words.lexicon import words
from parsers.words.negation import NO, affirmed

PASSES = (
    unit_passes.join_groups,
    unit_passes.leave_out_introductions,
    unit_passes.name_nouns,
    unit_passes.count_quantities,
    unit_passes.turn_prepositions,
    unit_passes.leave_out_linking,
    unit_passes.name_modifiers,
    unit_passes.join_cases,
    unit_passes.place_locations,
    unit_passes.join_negation,
    unit_passes.join_particles,
    clause_passes.turn_passives,
    clause_passes.name_antecedents,
    clause_passes.fill_gaps,
    clause_passes.loosen_obliques,
    clause_passes.share_subjects,
    clause_passes.share_conjuncts,
)
"""In the order in which they are applied."""

THINGS = NOUNS | {"NUM", "ADJ", "PLACE", "X", "SYM"}
"""Classes of words that may be an object of the scene: "man in black", "the two on the left"."""
SAID = NOUNS | {"ADJ", "ADV", "NUM", "PLACE"}
"""Classes of words that "is" makes an attribute: "the man is tall", "the man is a rider"."""
MODIFIERS = frozenset(
    {"amod", "nummod", "compound", "flat", "nmod:desc", "nmod:unmarked", "quantity", "place", "compound:prt"}
)
MARK = re.compile(r"(?<=.)['’]s$")
MOST_WORDS, MOST_BELOW = 2000, 300
"""Time grows with the square of the words, and with the cube of the dependents of one word."""

Tokens = tuple[int, ...]


def read(tree: Tree, is_trusted: bool = True) -> SceneGraph:
    """Return the graph of a tree; of one that is not trusted, the table of attachment moves prepositions."""
    if is_contrived(tree):
        return guaranteed([word.text for word in tree.words], [], [], 0)  # counted as a fallback
    sentence = rewritten(tree, is_trusted)
    statements = Statements(sentence)
    for unit in sentence.in_order():
        statements.collect(unit)
    return graph_of(sentence, statements, referent_of(sentence))


def is_contrived(tree: Tree) -> bool:
    """Return whether the tree is so large that it would take minutes."""
    most_below = max(Counter(word.head for word in tree.words).values())
    return len(tree.words) > MOST_WORDS or most_below > MOST_BELOW


def rewritten(tree: Tree, is_trusted: bool = True) -> Dependencies:
    sentence = Dependencies(tree)
    for apply in PASSES:
        apply(sentence)
        if apply is unit_passes.join_cases and not is_trusted:
            attach_prepositions(sentence)
    return sentence


@dataclass
class Statements:
    """What a sentence says about its nouns. Nouns are units; words are token indices."""

    sentence: Dependencies
    attributes: dict[int, set[Tokens]] = field(default_factory=dict)
    edges: set[tuple[int, Tokens, int]] = field(default_factory=set)
    qualifiers: set[int] = field(default_factory=set)
    """Units that are an attribute."""

    def collect(self, noun: int) -> None:
        for relation, child in self.sentence.dependents(noun):
            self.modifier(noun, relation, child)
        for predicate in self.predicates(noun):
            self.predicate(noun, predicate)

    def modifier(self, noun: int, relation: str, child: int) -> None:
        """ "tall woman", "man in a hat", "the man's watch"."""
        if relation == "nmod":
            self.preposition(noun, (), child)
        elif relation == "nmod:poss":
            self.possessor(noun, child)
        elif relation in MODIFIERS and self.sentence.text(child) not in words("determiners") - {NO}:
            if "compared" not in self.relations(child):
                self.describe(noun, child)
            self.places(noun, child)

    def predicates(self, noun: int) -> list[int]:
        """Return what the noun is the subject of: "the man is riding", "the man riding", but not "which he rides"."""
        clauses = [child for relation, child in self.sentence.dependents(noun) if relation in ("acl", "acl:relcl")]
        participles = [clause for clause in clauses if self.relations(clause).isdisjoint(SUBJECTS)]
        return [head for relation, head in self.sentence.heads(noun) if relation in SUBJECTS] + participles

    def predicate(self, noun: int, predicate: int) -> None:
        """ "is riding a horse", "is in the house", "is tall"."""
        upos, relations = self.sentence.upos(predicate), self.relations(predicate)
        if upos == "VERB":
            self.action(noun, predicate)
        elif "case" in relations:
            self.preposition(noun, (), predicate)
        elif upos in SAID and "compared" not in relations:
            self.describe(noun, predicate)
        self.places(noun, predicate)

    def action(self, noun: int, verb: int) -> None:
        """ "holding an umbrella", "sitting in a chair"; without an object, "standing" is an attribute."""
        if self.relations(verb).isdisjoint({"obj", "obl", "agent", "ccomp"}):
            self.describe(noun, verb)
        for relation, object_ in self.sentence.dependents(verb):
            if relation == "obl":
                self.preposition(noun, (verb,), object_)
            elif relation == "obj" and self.is_thing(object_):
                self.relate(noun, (verb,), object_)
            elif relation == "obj" and self.sentence.upos(object_) == "PRON":
                self.describe(noun, verb)  # "licking itself"

    def places(self, noun: int, predicate: int) -> None:
        """ "taller than others", "held by a woman", and "on a field" after "holding a bat"."""
        for relation, object_ in self.sentence.dependents(predicate):
            for case in self.cases(object_) if self.is_thing(object_) else ():
                if relation == "agent":
                    self.relate(object_, (predicate, case), noun)
                elif relation == "compared":
                    self.relate(noun, (predicate, case), object_)
                elif relation == "loose":
                    self.relate(noun, (case,), object_)

    def preposition(self, noun: int, verb: tuple[int, ...], object_: int) -> None:
        for case in self.cases(object_):
            if self.is_thing(object_):
                self.relate(noun, (*verb, case), object_)
            elif self.sentence.upos(object_) == "PRON":
                self.describe(noun, *verb, case)  # "looking at himself"

    def possessor(self, noun: int, owner: int) -> None:
        """ "the man 's watch", "the man's watch", "giraffe whose face"."""
        for mark in self.cases(owner) or [owner]:
            if self.is_thing(owner):
                self.relate(owner, (mark,), noun)

    def describe(self, noun: int, *units: int) -> None:
        self.attributes.setdefault(self.meant(noun), set()).add(self.tokens(units))
        self.qualifiers.update(units)

    def relate(self, subject: int, units: tuple[int, ...], object_: int) -> None:
        self.edges.add((self.meant(subject), self.tokens(units), self.meant(object_)))

    def meant(self, unit: int) -> int:
        """Return the noun that a pronoun refers to, otherwise the unit itself."""
        return self.sentence.stands_for.get(unit, unit)

    def is_thing(self, unit: int) -> bool:
        return self.sentence.upos(unit) in THINGS

    def relations(self, unit: int) -> set[str]:
        return {relation for relation, _ in self.sentence.dependents(unit)}

    def cases(self, unit: int) -> list[int]:
        return [child for relation, child in self.sentence.dependents(unit) if relation == "case"]

    def tokens(self, units: Iterable[int]) -> Tokens:
        return tuple(sorted(token for unit in units for token in spoken(self.sentence, unit)))


def spoken(sentence: Dependencies, unit: int) -> Tokens:
    """Return the tokens that a unit adds to a label; of "on the left", only "left"."""
    tokens = sentence.units[unit].tokens
    if sentence.upos(unit) != "LOCATION":
        return tokens
    places = words("places") | words("place_modifiers")
    return tuple(token for token in tokens if sentence.tokens[token].lower() in places) or tokens


def referent_of(sentence: Dependencies) -> int | None:
    """Return the subject of the sentence, or its head; for a verb without a subject, what it acts on."""
    root = sentence.root
    arcs = sentence.dependents(root)
    subjects = [child for name, child in arcs if name in (*SUBJECTS, "csubj") and sentence.upos(child) in THINGS]
    objects = [child for name, child in arcs if name in ("obj", "obl", "nmod") and sentence.upos(child) in NOUNS]
    found = subjects or ([root] if sentence.upos(root) in THINGS else objects)
    return sentence.stands_for.get(found[0], found[0]) if found else None


def graph_of(sentence: Dependencies, said: Statements, referent: int | None) -> SceneGraph:
    ends = {end for subject, _, object_ in said.edges for end in (subject, object_)}
    nouns = {unit for unit in sentence.units if sentence.upos(unit) in NOUNS} - set(sentence.stands_for)
    heads = set() if referent is None else {referent}
    chosen = sorted(ends | heads | (nouns - said.qualifiers) | (nouns & set(said.attributes)))
    place = {unit: index for index, unit in enumerate(chosen)}
    nodes = [node(sentence, unit, said.attributes.get(unit, ())) for unit in chosen]
    edges = [edge(sentence, *one, place) for one in said.edges]
    return guaranteed(sentence.tokens, nodes, edges, 0 if referent is None else place[referent])


def node(sentence: Dependencies, unit: int, attributes: Iterable[Tokens]) -> Node:
    head = sentence.units[unit].tokens
    said = sorted(attributes)
    used = sorted({*head, *(token for attribute in said for token in attribute)})
    text = MARK.sub("", written(sentence, head)) or written(sentence, head)
    labels = [polar(sentence, label) for label in said]
    negated = tuple(denied for _, denied in labels)
    return Node(text, head[-1], tuple(written(sentence, label) for label, _ in labels), tuple(used), negated)


def polar(sentence: Dependencies, label: Tokens) -> tuple[Tokens, bool]:
    """Return the tokens of a label without those that deny it, and whether it is denied."""
    kept, negated = affirmed([sentence.tokens[index] for index in label])
    return tuple(label[place] for place in kept), negated


def edge(sentence: Dependencies, subject: int, label: Tokens, object_: int, place: dict[int, int]) -> Edge:
    kept, negated = polar(sentence, label)
    return Edge(place[subject], relation(sentence, subject, kept), place[object_], label, negated)


def relation(sentence: Dependencies, subject: int, label: Tokens) -> str:
    """Return the words of an edge; if "man's" is one word, only 's."""
    text = written(sentence, label)
    mark = MARK.search(text)
    return mark.group() if mark and label == sentence.units[subject].tokens else text


def written(sentence: Dependencies, chosen: Iterable[int]) -> str:
    return " ".join(sentence.tokens[index] for index in chosen)
