"""Remarks of an answer: words that no rule read, and parts that have the box of their owner."""

from dataclasses import replace

import numpy as np
import pytest

from jvgn.grounding.rule_grounder import RuleGrounder
from jvgn.rules.rule_list import RULES
from jvgn.rules.scene import Scene

PICTURE = np.full((100, 200, 3), 128, dtype=np.uint8)
TWO = Scene(
    np.array([[10, 10, 60, 90], [120, 10, 170, 90]], dtype=np.float32),
    ("person", "cup"),
    np.ones(2),
    (200, 100),
    PICTURE,
)


@pytest.mark.parametrize(
    ("sentence", "unread"),
    [
        ("the smiling man next to the old cup", ["smiling", "old"]),
        ("two men on the left", ["two"]),
        ("the man with crossed arms", ["crossed"]),
        ("the second red cup from the left", []),
        ("the tall man left of the other one", []),
        ("the man without a cup", []),
        ("the big cup in the top right corner of the picture", []),
    ],
)
def test_an_answer_lists_the_words_that_no_rule_reads(sentence, unread):
    notes = [note for note in RuleGrounder().answer(TWO, sentence).notes if note.startswith("no rule reads")]
    assert [note.count("“") for note in notes] == ([len(unread)] if unread else [])
    assert all(f"“{word}”" in notes[0] for word in unread)


def test_the_example_of_every_rule_is_read_whole():
    for rule in RULES:
        notes = RuleGrounder().answer(rule.scene(), rule.example).notes
        assert not [note for note in notes if note.startswith("no rule reads")], rule.example


def test_a_part_says_that_it_has_the_box_of_its_owner():
    (note,) = RuleGrounder().answer(TWO, "the man in the red shirt").notes
    assert "“red shirt”" in note and "owner" in note
    assert not RuleGrounder().answer(replace(TWO, names=("person", "shirt")), "the man in the red shirt").notes
    assert not RuleGrounder().answer(replace(TWO, names=("cup", "cup")), "the man in the red shirt").notes
