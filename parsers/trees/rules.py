"""The rules for referents and edges, and the table of all rules. A new construction is a new row.

`attribute_rules.py` has the rules for attributes.
"""

from parsers.trees.attribute_rules import ATTRIBUTES
from parsers.trees.matcher import NOUN, THING, Rule

HEADS = (
    Rule(
        name="the subject of what is said",
        path=f"^said:* >nsubj|nsubj:pass|csubj head:{THING}",
        emits="*{head}",
        example="woman is tall",
        tree="woman/NOUN/2/nsubj is/AUX/2/cop tall/ADJ/-1/root",
        expected="*woman",
    ),
    Rule(
        name="the head noun",
        path=f"^head:{THING}",
        emits="*{head}",
        example="tall woman",
        tree="tall/ADJ/1/amod woman/NOUN/-1/root",
        expected="*woman",
    ),
    Rule(
        name="what a verb without a subject acts on",
        path=f"^verb:* >obj|obl|nmod head:{NOUN}",
        emits="*{head}",
        example="holding umbrella",
        tree="holding/VERB/-1/root umbrella/NOUN/0/obj",
        expected="*umbrella",
    ),
)

EDGES = (
    Rule(
        name="preposition",
        path=f"subject:* >nmod object:{THING} >case relation:*",
        emits="{subject} -{relation}-> {object}",
        example="man in hat",
        tree="man/NOUN/-1/root in/ADP/2/case hat/NOUN/0/nmod",
        expected="man -in-> hat",
    ),
    Rule(
        name="preposition that is said",
        path=f"subject:* <nsubj|nsubj:pass object:{THING} >case relation:*",
        emits="{subject} -{relation}-> {object}",
        example="woman is in the house",
        tree="woman/NOUN/4/nsubj is/AUX/4/cop in/ADP/4/case the/DET/4/det house/NOUN/-1/root",
        expected="woman -in-> house",
    ),
    Rule(
        name="preposition in a relative clause",
        path=f"subject:* >acl|acl:relcl object:{THING} !>nsubj|nsubj:pass >case relation:*",
        emits="{subject} -{relation}-> {object}",
        example="woman in the house",
        tree="woman/NOUN/-1/root in/ADP/3/case the/DET/3/det house/NOUN/0/acl",
        expected="woman -in-> house",
    ),
    Rule(
        name="participle with object",
        path=f"subject:* >acl|acl:relcl relation:VERB !>nsubj|nsubj:pass >obj object:{THING}",
        emits="{subject} -{relation}-> {object}",
        example="woman holding umbrella",
        tree="woman/NOUN/-1/root holding/VERB/0/acl umbrella/NOUN/1/obj",
        expected="woman -holding-> umbrella",
    ),
    Rule(
        name="verb with object",
        path=f"subject:* <nsubj|nsubj:pass relation:VERB >obj object:{THING}",
        emits="{subject} -{relation}-> {object}",
        example="man is riding a horse",
        tree="man/NOUN/2/nsubj is/AUX/2/aux riding/VERB/-1/root a/DET/4/det horse/NOUN/2/obj",
        expected="man -riding-> horse",
    ),
    Rule(
        name="participle with preposition",
        path=f"subject:* >acl|acl:relcl verb:VERB !>nsubj|nsubj:pass >obl object:{THING} >case preposition:*",
        emits="{subject} -{verb} {preposition}-> {object}",
        example="cat sitting in a chair",
        tree="cat/NOUN/-1/root sitting/VERB/0/acl in/ADP/4/case a/DET/4/det chair/NOUN/1/obl",
        expected="cat -sitting in-> chair",
    ),
    Rule(
        name="verb with preposition",
        path=f"subject:* <nsubj|nsubj:pass verb:VERB >obl object:{THING} >case preposition:*",
        emits="{subject} -{verb} {preposition}-> {object}",
        example="cat sits in a chair",
        tree="cat/NOUN/1/nsubj sits/VERB/-1/root in/ADP/4/case a/DET/4/det chair/NOUN/1/obl",
        expected="cat -sits in-> chair",
    ),
    Rule(
        name="place after a participle's object",
        path=f"subject:* >acl|acl:relcl|amod verb:* !>nsubj|nsubj:pass >loose object:{THING} >case relation:*",
        emits="{subject} -{relation}-> {object}",
        example="man holding bat on field",
        tree="man/NOUN/-1/root holding/VERB/0/acl bat/NOUN/1/obj on/ADP/4/case field/NOUN/1/obl",
        expected="man -on-> field",
    ),
    Rule(
        name="place after a verb's object",
        path=f"subject:* <nsubj|nsubj:pass verb:* >loose object:{THING} >case relation:*",
        emits="{subject} -{relation}-> {object}",
        example="man holds bat on field",
        tree="man/NOUN/1/nsubj holds/VERB/-1/root bat/NOUN/1/obj on/ADP/4/case field/NOUN/1/obl",
        expected="man -on-> field",
    ),
    Rule(
        name="passive participle",
        path=f"object:* >acl|acl:relcl verb:VERB|ADJ !>nsubj|nsubj:pass >agent subject:{THING} >case preposition:*",
        emits="{subject} -{verb} {preposition}-> {object}",
        example="umbrella held by a woman",
        tree="umbrella/NOUN/-1/root held/VERB/0/acl by/ADP/4/case a/DET/4/det woman/NOUN/1/obl",
        expected="woman -held by-> umbrella",
    ),
    Rule(
        name="passive verb",
        path=f"object:* <nsubj|nsubj:pass verb:VERB|ADJ >agent subject:{THING} >case preposition:*",
        emits="{subject} -{verb} {preposition}-> {object}",
        example="grass was eaten by horses",
        tree="grass/NOUN/2/nsubj:pass was/AUX/2/aux:pass eaten/VERB/-1/root by/ADP/4/case horses/NOUN/2/obl",
        expected="horses -eaten by-> grass",
    ),
    Rule(
        name="adjective with preposition",
        path=f"subject:* >acl|acl:relcl|amod adjective:* !>nsubj >compared object:{THING} >case preposition:*",
        emits="{subject} -{adjective} {preposition}-> {object}",
        example="giraffe taller than others",
        tree="giraffe/NOUN/-1/root taller/ADJ/0/amod than/ADP/3/case others/NOUN/1/obl",
        expected="giraffe -taller than-> others",
    ),
    Rule(
        name="adjective with preposition that is said",
        path=f"subject:* <nsubj adjective:* >compared object:{THING} >case preposition:*",
        emits="{subject} -{adjective} {preposition}-> {object}",
        example="giraffe is taller than others",
        tree="giraffe/NOUN/2/nsubj is/AUX/2/cop taller/ADJ/-1/root than/ADP/4/case others/NOUN/2/obl",
        expected="giraffe -taller than-> others",
    ),
    Rule(
        name="possessor",
        path=f"object:* >nmod:poss subject:{THING} >case mark:*",
        emits="{subject} -{mark}-> {object}",
        example="the man 's watch",
        tree="the/DET/1/det man/NOUN/3/nmod:poss 's/PART/1/case watch/NOUN/-1/root",
        expected="man -'s-> watch",
    ),
    Rule(
        name="possessor in one word with its mark",
        path="object:* >nmod:poss subject:NOUN|PROPN !>case",
        emits="{subject} -{subject}-> {object}",
        example="the man's watch",
        tree="the/DET/1/det man's/NOUN/2/nmod:poss watch/NOUN/-1/root",
        expected="man's -man's-> watch",
    ),
    Rule(
        name="whose",
        path="subject:* >acl:relcl|acl said:* >nsubj|nsubj:pass|obj object:* >nmod:poss mark:*@whose",
        emits="{subject} -{mark}-> {object}",
        example="giraffe whose face is visible",
        tree="giraffe/NOUN/-1/root whose/PRON/2/nmod:poss face/NOUN/4/nsubj is/AUX/4/cop visible/ADJ/0/acl:relcl",
        expected="giraffe -whose-> face",
    ),
)

RULES = (*HEADS, *ATTRIBUTES, *EDGES)
