"""The table of attachment: its first line that fits decides."""

import pytest

from parsers.words.attachment import is_far, noun_classes, relation_classes, table


@pytest.mark.parametrize(
    ("relation", "target", "here", "inbound", "subject", "expected"),
    [
        ("on", "field", "bat", ("holding", True, ""), "man", True),
        ("with", "logo", "bat", ("holding", True, ""), "man", False),
        ("with", "knife", "cake", ("cutting", True, ""), "man", True),
        ("with", "stripe", "shirt", ("in", False, "in"), "man", False),
        ("with", "racket", "shirt", ("in", False, "in"), "man", True),
        ("than", "slice", "fork", ("closer to", False, "to"), "food", True),
    ],
)
def test_a_preposition_belongs_to_the_noun_that_the_table_names(relation, target, here, inbound, subject, expected):
    asked = (relation_classes(relation, False, relation), noun_classes(target), noun_classes(here))
    assert is_far(*asked, relation_classes(*inbound), noun_classes(subject)) is expected


def test_every_line_has_five_cells():
    assert all(len(row.cells) == 5 for row in table())
