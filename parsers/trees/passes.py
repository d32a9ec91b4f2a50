"""The passes over the dependencies that come before the rules, in their order.

With all passes and rules, the tree of a row gives the expected graph; without the row's pass it gives another one.
"""

from collections.abc import Callable
from dataclasses import dataclass

from parsers.trees import attachment, caption_passes, clause_passes, preposition_passes, word_passes
from parsers.trees.dependencies import Dependencies


@dataclass(frozen=True)
class Pass:
    name: str
    apply: Callable[[Dependencies], None]
    tree: str
    expected: str


PASSES = (
    Pass(
        "groups of words",
        word_passes.join_groups,
        "hot/ADJ/1/amod dog/NOUN/-1/root",
        "*hot dog",
    ),
    Pass(
        "introductions",
        word_passes.leave_out_introductions,
        "there/PRON/1/expl is/VERB/-1/root cat/NOUN/1/nsubj on/ADP/4/case bed/NOUN/1/obl",
        "*cat; bed | cat -on-> bed",
    ),
    Pass(
        "nouns of other classes",
        word_passes.name_nouns,
        "dog/NOUN/-1/root near/ADP/2/case someone/PRON/0/nmod",
        "*dog; someone | dog -near-> someone",
    ),
    Pass(
        "quantifiers",
        word_passes.count_quantities,
        "two/NUM/-1/root of/ADP/3/case the/DET/3/det men/NOUN/0/nmod",
        "*men(two)",
    ),
    Pass(
        "multi-word prepositions",
        preposition_passes.turn_prepositions,
        "dog/NOUN/-1/root in/ADP/2/case front/NOUN/0/nmod of/ADP/4/case car/NOUN/2/nmod",
        "*dog; car | dog -in front of-> car",
    ),
    Pass(
        "linking verbs",
        preposition_passes.leave_out_linking,
        "star/NOUN/-1/root located/VERB/0/acl above/ADP/3/case ring/NOUN/1/obl",
        "*star; ring | star -above-> ring",
    ),
    Pass(
        "modifiers by another name",
        preposition_passes.name_modifiers,
        "dog/NOUN/-1/root on/ADP/2/case mat/NOUN/0/obl",
        "*dog; mat | dog -on-> mat",
    ),
    Pass(
        "stranded prepositions",
        caption_passes.fix_stranded,
        "man/NOUN/-1/root with/ADP/2/case hat/NOUN/0/nmod on/ADP/2/case",
        "*man; hat(on) | man -with-> hat",
    ),
    Pass(
        "marks of owners",
        caption_passes.fix_marks,
        "boy/NOUN/2/nmod:poss 's/PART/0/case father/NOUN/4/nmod:poss 's/PART/0/case hat/NOUN/-1/root",
        "boy; father; *hat | boy -'s-> father, father -'s-> hat",
    ),
    Pass(
        "subjects after prepositions",
        caption_passes.fix_subjects,
        "woman/NOUN/-1/root in/ADP/2/case shirt/NOUN/4/nsubj is/AUX/4/aux sitting/VERB/0/acl:relcl",
        "*woman(sitting); shirt | woman -in-> shirt",
    ),
    Pass(
        "adjectives before objects",
        caption_passes.fix_adjectives,
        "man/NOUN/-1/root wearing/VERB/0/acl blue/ADJ/1/xcomp shirt/NOUN/1/obj",
        "*man; shirt(blue) | man -wearing-> shirt",
    ),
    Pass(
        "actions between nouns",
        caption_passes.fix_actions,
        "trees/NOUN/-1/root surrounding/VERB/2/amod lake/NOUN/0/nmod",
        "*trees; lake | trees -surrounding-> lake",
    ),
    Pass(
        "objects right after verbs",
        caption_passes.fix_objects,
        "man/NOUN/-1/root riding/VERB/0/acl skis/NOUN/0/nmod",
        "*man; skis | man -riding-> skis",
    ),
    Pass(
        "two nouns in a row",
        caption_passes.fix_gaps,
        "sand/NOUN/-1/root the/DET/2/det chairs/NOUN/0/nmod are/AUX/0/acl:relcl on/ADP/3/obl",
        "*sand; chairs | chairs -on-> sand",
    ),
    Pass(
        "two prepositions",
        preposition_passes.join_cases,
        "man/NOUN/-1/root holding/VERB/0/acl on/ADP/4/case to/ADP/4/case rope/NOUN/1/obl",
        "*man; rope | man -holding on to-> rope",
    ),
    Pass(
        "attachment of prepositions",
        attachment.attach_prepositions,
        "man/NOUN/-1/root holding/VERB/0/acl bat/NOUN/1/obj on/ADP/4/case field/NOUN/2/nmod",
        "*man; bat; field | man -holding-> bat, man -on-> field",
    ),
    Pass(
        "location words",
        preposition_passes.place_locations,
        "man/NOUN/-1/root on/ADP/3/case the/DET/3/det left/NOUN/0/nmod",
        "*man(left)",
    ),
    Pass(
        "negation",
        word_passes.join_negation,
        "man/NOUN/-1/root not/PART/2/advmod wearing/VERB/0/acl hat/NOUN/2/obj",
        "*man; hat | man -not wearing-> hat",
    ),
    Pass(
        "particles",
        word_passes.join_particles,
        "man/NOUN/-1/root picking/VERB/0/acl up/ADP/1/compound:prt ball/NOUN/1/obj",
        "*man; ball | man -picking up-> ball",
    ),
    Pass(
        "chains of verbs",
        word_passes.join_verbs,
        "man/NOUN/-1/root trying/VERB/0/acl to/PART/3/mark catch/VERB/1/xcomp ball/NOUN/3/obj",
        "*man; ball | man -trying to catch-> ball",
    ),
    Pass(
        "passives",
        clause_passes.turn_passives,
        "hill/NOUN/-1/root covered/VERB/0/acl in/ADP/3/case snow/NOUN/1/obl",
        "*hill; snow | snow -covered in-> hill",
    ),
    Pass(
        "main clauses",
        clause_passes.find_main_clause,
        "tree/NOUN/-1/root by/ADP/2/case boat/NOUN/0/nmod is/AUX/4/cop green/ADJ/2/acl:relcl",
        "*tree(green); boat | tree -by-> boat",
    ),
    Pass(
        "attachment of participles",
        attachment.attach_participles,
        "people/NOUN/-1/root in/ADP/2/case rain/NOUN/0/nmod carrying/VERB/2/acl umbrellas/NOUN/3/obj",
        "*people; rain; umbrellas | people -in-> rain, people -carrying-> umbrellas",
    ),
    Pass(
        "pronouns",
        clause_passes.name_antecedents,
        "bed/NOUN/-1/root with/ADP/2/case cat/NOUN/0/nmod on/ADP/4/case it/PRON/2/nmod",
        "*bed; cat | bed -with on-> cat",
    ),
    Pass(
        "gaps",
        clause_passes.fill_gaps,
        "bench/NOUN/-1/root the/DET/2/det woman/NOUN/4/nsubj is/AUX/4/aux sitting/VERB/0/acl:relcl on/ADP/4/obl",
        "*bench; woman | woman -sitting on-> bench",
    ),
    Pass(
        "loose places",
        clause_passes.loosen_obliques,
        "man/NOUN/1/nsubj holds/VERB/-1/root bat/NOUN/1/obj on/ADP/4/case field/NOUN/1/obl",
        "*man; bat; field | man -holds-> bat, man -on-> field",
    ),
    Pass(
        "subjects of clauses",
        clause_passes.share_subjects,
        "man/NOUN/1/nsubj walks/VERB/-1/root while/SCONJ/3/mark holding/VERB/1/advcl cup/NOUN/3/obj",
        "*man(walks); cup | man -holding-> cup",
    ),
    Pass(
        "conjunctions",
        clause_passes.share_conjuncts,
        "cat/NOUN/-1/root and/CCONJ/2/cc dog/NOUN/0/conj on/ADP/4/case bed/NOUN/0/nmod",
        "*cat; dog; bed | cat -on-> bed, dog -on-> bed",
    ),
)


def rewrite(sentence: Dependencies) -> None:
    for step in PASSES:
        step.apply(sentence)
