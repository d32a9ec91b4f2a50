"""A dependency tree gives the graph that its sentence means. In a comment: what the rows show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.scene_graph import SceneGraph
from parsers.trees import clause_passes, tree_graph, unit_passes
from parsers.trees.conllu import first_problem
from parsers.trees.dependencies import ROOT, Tree, TreeWord
from parsers.trees.tree_graph import PASSES, read, rewritten

EXAMPLES = {
    unit_passes.join_groups: (
        "hot/ADJ/1/amod dog/NOUN/-1/root",
        "*hot dog",
    ),
    unit_passes.leave_out_introductions: (
        "there/PRON/1/expl is/VERB/-1/root cat/NOUN/1/nsubj on/ADP/4/case bed/NOUN/1/obl",
        "*cat; bed | cat -on-> bed",
    ),
    unit_passes.name_nouns: (
        "dog/NOUN/-1/root near/ADP/2/case someone/PRON/0/nmod",
        "*dog; someone | dog -near-> someone",
    ),
    unit_passes.count_quantities: (
        "two/NUM/-1/root of/ADP/3/case the/DET/3/det men/NOUN/0/nmod",
        "*men(two)",
    ),
    unit_passes.turn_prepositions: (
        "dog/NOUN/-1/root in/ADP/2/case front/NOUN/0/nmod of/ADP/4/case car/NOUN/2/nmod",
        "*dog; car | dog -in front of-> car",
    ),
    unit_passes.leave_out_linking: (
        "star/NOUN/-1/root located/VERB/0/acl above/ADP/3/case ring/NOUN/1/obl",
        "*star; ring | star -above-> ring",
    ),
    unit_passes.name_modifiers: (
        "dog/NOUN/-1/root on/ADP/2/case mat/NOUN/0/obl",
        "*dog; mat | dog -on-> mat",
    ),
    unit_passes.join_cases: (
        "man/NOUN/-1/root holding/VERB/0/acl on/ADP/4/case to/ADP/4/case rope/NOUN/1/obl",
        "*man; rope | man -holding on to-> rope",
    ),
    unit_passes.place_locations: (
        "man/NOUN/-1/root on/ADP/3/case the/DET/3/det left/NOUN/0/nmod",
        "*man(left)",
    ),
    unit_passes.join_negation: (
        "man/NOUN/-1/root not/PART/2/advmod wearing/VERB/0/acl hat/NOUN/2/obj",
        "*man; hat | man -!wearing-> hat",
    ),
    unit_passes.join_particles: (
        "man/NOUN/-1/root picking/VERB/0/acl up/ADP/1/compound:prt ball/NOUN/1/obj",
        "*man; ball | man -picking up-> ball",
    ),
    clause_passes.turn_passives: (
        "hill/NOUN/-1/root covered/VERB/0/acl in/ADP/3/case snow/NOUN/1/obl",
        "*hill; snow | snow -covered in-> hill",
    ),
    clause_passes.name_antecedents: (
        "bed/NOUN/-1/root with/ADP/2/case cat/NOUN/0/nmod on/ADP/4/case it/PRON/2/nmod",
        "*bed; cat | bed -with on-> cat",
    ),
    clause_passes.fill_gaps: (
        "bench/NOUN/-1/root the/DET/2/det woman/NOUN/4/nsubj is/AUX/4/aux sitting/VERB/0/acl:relcl on/ADP/4/obl",
        "*bench; woman | woman -sitting on-> bench",
    ),
    clause_passes.loosen_obliques: (
        "man/NOUN/1/nsubj holds/VERB/-1/root bat/NOUN/1/obj on/ADP/4/case field/NOUN/1/obl",
        "*man; bat; field | man -holds-> bat, man -on-> field",
    ),
    clause_passes.share_subjects: (
        "man/NOUN/1/nsubj walks/VERB/-1/root while/SCONJ/3/mark holding/VERB/1/advcl cup/NOUN/3/obj",
        "*man(walks); cup | man -holding-> cup",
    ),
    clause_passes.share_conjuncts: (
        "cat/NOUN/-1/root and/CCONJ/2/cc dog/NOUN/0/conj on/ADP/4/case bed/NOUN/0/nmod",
        "*cat; dog; bed | cat -on-> bed, dog -on-> bed",
    ),
}

TREES = [
    # referents
    ("woman/NOUN/2/nsubj is/AUX/2/cop tall/ADJ/-1/root", "*woman(tall)"),
    ("tall/ADJ/1/amod woman/NOUN/-1/root", "*woman(tall)"),
    ("holding/VERB/-1/root umbrella/NOUN/0/obj", "*umbrella"),
    # attributes
    ("two/NUM/1/nummod men/NOUN/-1/root", "*men(two)"),
    ("kitchen/NOUN/1/compound table/NOUN/-1/root", "*table(kitchen)"),
    ("group/NOUN/-1/root of/ADP/2/case men/NOUN/0/nmod", "*men(group)"),
    ("door/NOUN/-1/root fully/ADV/2/advmod open/ADJ/0/acl", "*door(open)"),
    ("man/NOUN/3/nsubj is/AUX/3/cop a/DET/3/det rider/NOUN/-1/root", "*man(rider)"),
    ("man/NOUN/-1/root standing/VERB/0/acl", "*man(standing)"),
    ("man/NOUN/2/nsubj is/AUX/2/aux standing/VERB/-1/root", "*man(standing)"),
    # pronouns that are no objects of their own
    ("man/NOUN/-1/root looking/VERB/0/acl at/ADP/3/case himself/PRON/1/obl", "*man(looking at)"),
    ("man/NOUN/2/nsubj is/AUX/2/aux looking/VERB/-1/root at/ADP/4/case himself/PRON/2/obl", "*man(looking at)"),
    ("dog/NOUN/1/nsubj has/VERB/-1/root it/PRON/1/obj", "*dog(has)"),
    ("dog/NOUN/-1/root licking/VERB/0/acl itself/PRON/1/obj", "*dog(licking)"),
    ("with/ADP/2/case his/PRON/2/nmod:poss arm/NOUN/-1/root up/ADP/2/compound:prt", "*arm(up)"),
    ("dogs/NOUN/-1/root beside/ADP/2/case themselves/PRON/0/nmod", "*dogs(beside)"),
    # relations
    ("man/NOUN/-1/root in/ADP/2/case hat/NOUN/0/nmod", "*man; hat | man -in-> hat"),
    (
        "woman/NOUN/4/nsubj is/AUX/4/cop in/ADP/4/case the/DET/4/det house/NOUN/-1/root",
        "*woman; house | woman -in-> house",
    ),
    ("woman/NOUN/-1/root in/ADP/3/case the/DET/3/det house/NOUN/0/acl", "*woman; house | woman -in-> house"),
    ("woman/NOUN/-1/root holding/VERB/0/acl umbrella/NOUN/1/obj", "*woman; umbrella | woman -holding-> umbrella"),
    (
        "man/NOUN/2/nsubj is/AUX/2/aux riding/VERB/-1/root a/DET/4/det horse/NOUN/2/obj",
        "*man; horse | man -riding-> horse",
    ),
    (
        "cat/NOUN/-1/root sitting/VERB/0/acl in/ADP/4/case a/DET/4/det chair/NOUN/1/obl",
        "*cat; chair | cat -sitting in-> chair",
    ),
    (
        "cat/NOUN/1/nsubj sits/VERB/-1/root in/ADP/4/case a/DET/4/det chair/NOUN/1/obl",
        "*cat; chair | cat -sits in-> chair",
    ),
    (
        "man/NOUN/-1/root holding/VERB/0/acl bat/NOUN/1/obj on/ADP/4/case field/NOUN/1/obl",
        "*man; bat; field | man -holding-> bat, man -on-> field",
    ),
    # agents and comparisons
    (
        "umbrella/NOUN/-1/root held/VERB/0/acl by/ADP/4/case a/DET/4/det woman/NOUN/1/obl",
        "*umbrella; woman | woman -held by-> umbrella",
    ),
    (
        "grass/NOUN/2/nsubj:pass was/AUX/2/aux:pass eaten/VERB/-1/root by/ADP/4/case horses/NOUN/2/obl",
        "*grass; horses | horses -eaten by-> grass",
    ),
    (
        "giraffe/NOUN/-1/root taller/ADJ/0/amod than/ADP/3/case others/NOUN/1/obl",
        "*giraffe; others | giraffe -taller than-> others",
    ),
    (
        "giraffe/NOUN/2/nsubj is/AUX/2/cop taller/ADJ/-1/root than/ADP/4/case others/NOUN/2/obl",
        "*giraffe; others | giraffe -taller than-> others",
    ),
    # owners
    ("the/DET/1/det man/NOUN/3/nmod:poss 's/PART/1/case watch/NOUN/-1/root", "man; *watch | man -'s-> watch"),
    ("the/DET/1/det man's/NOUN/2/nmod:poss watch/NOUN/-1/root", "man; *watch | man -'s-> watch"),
    (
        "giraffe/NOUN/-1/root whose/PRON/2/nmod:poss face/NOUN/4/nsubj is/AUX/4/cop visible/ADJ/0/acl:relcl",
        "*giraffe; face(visible) | giraffe -whose-> face",
    ),
    (
        "t/NOUN/2/compound -/PUNCT/2/punct shirt's/NOUN/3/nmod:poss logo/NOUN/-1/root",
        "t - shirt; *logo | t - shirt -'s-> logo",
    ),
    # several at once
    (
        "star/NOUN/1/compound right/NOUN/-1/root of/ADP/4/case the/DET/4/det ring/NOUN/1/nmod",
        "*star; ring | star -right of-> ring",
    ),
    ("a/DET/1/det lot/NOUN/-1/root of/ADP/4/case big/ADJ/4/amod dogs/NOUN/1/nmod", "*dogs(lot, big)"),
    ("second/ADJ/1/amod guy/NOUN/-1/root from/ADP/3/case left/NOUN/1/nmod", "*guy(second, left)"),
    ("man/NOUN/-1/root with/ADP/3/case no/DET/3/det hat/NOUN/0/nmod", "*man; hat | man -!with-> hat"),
    (
        "plate/NOUN/-1/root of/ADP/2/case food/NOUN/0/nmod sitting/VERB/0/acl on/ADP/5/case table/NOUN/3/obl",
        "*plate; food; table | plate -of-> food, plate -sitting on-> table",
    ),
    ("man/NOUN/-1/root without/ADP/2/case hat/NOUN/0/nmod", "*man; hat | man -!without-> hat"),
    ("the/DET/2/det yellow/ADJ/2/amod one/NOUN/-1/root", "*one(yellow)"),
    (
        "dog/NOUN/-1/root which/PRON/2/nsubj chases/VERB/0/acl:relcl cats/NOUN/2/obj",
        "*dog; cats | dog -chases-> cats",
    ),
    ("far/ADJ/1/amod right/NOUN/2/compound suitcase/NOUN/-1/root", "*suitcase(far right)"),
    ("two/NUM/1/nummod dogs/NOUN/-1/root", "*dogs(two)"),
]


@pytest.mark.parametrize(("tree", "expected"), [*EXAMPLES.values(), *TREES])
def test_a_tree_gives_its_graph(tree, expected, read_tree, form):
    assert form(read(read_tree(tree))) == expected


@pytest.mark.parametrize("one", PASSES, ids=lambda one: one.__name__)
def test_each_pass_is_needed_for_its_example(one, read_tree, form, monkeypatch):
    tree, expected = EXAMPLES[one]
    monkeypatch.setattr(tree_graph, "PASSES", tuple(other for other in PASSES if other is not one))
    assert form(read(read_tree(tree))) != expected


def test_the_tree_decides_to_which_noun_a_preposition_belongs(read_tree, form):
    words = "man/NOUN/-1/root holding/VERB/0/acl bat/NOUN/1/obj on/ADP/4/case field/NOUN/{}/{}"
    of_man, of_bat = words.format(1, "obl"), words.format(2, "nmod")
    assert form(read(read_tree(of_man))) == "*man; bat; field | man -holding-> bat, man -on-> field"
    assert form(read(read_tree(of_bat))) == "*man; bat; field | man -holding-> bat, bat -on-> field"


WORDS = """
man dogs bench hat front left right top side group lot photo there is of in on with to next by up the a two one some no
not and who it them that which whose he himself each other red tall covered located holding sitting standing wearing
about has lies 's man's hot dog , xyzzy
"""
CLASSES = "NOUN PROPN VERB AUX ADJ ADV ADP DET PRON NUM PART CCONJ SCONJ PUNCT X"
RELATIONS = """
acl acl:relcl advcl advmod amod appos aux aux:pass case cc ccomp compound compound:prt conj cop dep det expl mark nmod
nmod:poss nsubj nsubj:pass nummod obj obl punct xcomp
"""


@st.composite
def trees(draw):
    """Draw a tree of any words: each new word depends on one before it, then all are shuffled."""
    texts = draw(st.lists(st.sampled_from([*WORDS.split(), ""]), min_size=1, max_size=12))
    heads = [ROOT, *(draw(st.integers(0, index - 1)) for index in range(1, len(texts)))]
    place = draw(st.permutations(range(len(texts))))
    moved = {place[index]: ROOT if head == ROOT else place[head] for index, head in enumerate(heads)}
    classes, relations = st.sampled_from(CLASSES.split()), st.sampled_from(RELATIONS.split())
    return Tree(tuple(TreeWord(text, draw(classes), moved[index], draw(relations)) for index, text in enumerate(texts)))


def assert_whole(graph: SceneGraph) -> None:
    """Check what the graph's own checks leave out: no two edges join the same nodes, indices are in order."""
    pairs = [frozenset((edge.subject, edge.object)) for edge in graph.edges]
    assert len(set(pairs)) == len(pairs) and all(len(pair) == 2 for pair in pairs)
    assert all(node.head_token in node.tokens for node in graph.nodes)
    for part in (*graph.nodes, *graph.edges):
        assert list(part.tokens) == sorted(set(part.tokens))


@given(trees())
def test_any_tree_gives_a_whole_graph_and_always_the_same(tree):
    graph = read(tree)
    assert_whole(graph)
    assert graph.tokens == tuple(word.text for word in tree.words)
    assert read(tree) == graph


@given(trees())
def test_passes_keep_a_tree_in_which_no_word_occurs_twice(tree):
    sentence = rewritten(tree)
    units = list(sentence.units)
    place = {unit: index for index, unit in enumerate(units)}
    assert first_problem([place.get(sentence.head(unit), ROOT) for unit in units]) is None
    tokens = [token for unit in sentence.units.values() for token in unit.tokens]
    assert len(set(tokens)) == len(tokens)


def test_a_verb_without_letters_is_read():
    assert_whole(read(Tree((TreeWord("man", "NOUN", ROOT, "root"), TreeWord("", "VERB", 0, "acl")))))
