"""Damage to any file that a command reads is one error line or success: a few of the inputs of `make fuzz`."""

from tests.long.fuzz.inputs import FINE, VALID, Input, inputs_of, outcomes
from tests.long.fuzz.readers import READERS

DAMAGED = 30


def test_commands_accept_valid_files_and_refuse_damaged_ones_with_one_line():
    valid = [Input(name, 0, VALID) for name in READERS]
    found = list(outcomes([*valid, *inputs_of(list(READERS), DAMAGED, seed=1)], processes=1))
    assert len(found) == DAMAGED + len(valid)
    assert [(one.input, one.message) for one in found if one.input in valid and one.kind != "accepted"] == []
    assert [(one.input, one.kind, one.message) for one in found if one.kind not in FINE] == []
