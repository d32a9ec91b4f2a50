"""A missing, empty or damaged file is one error line or success: a few of the inputs of `make fuzz`."""

from tests.long.fuzz.inputs import FINE, VALID, Input, outcomes
from tests.long.fuzz.readers import READERS


def test_commands_accept_valid_files_and_refuse_damaged_ones_with_one_line():
    valid = list({one.command: one for one in (Input(name, 0, VALID) for name in READERS)}.values())
    damaged = [Input(name, seed=1, number=place % 8) for place, name in enumerate(READERS)]
    found = list(outcomes([*valid, *damaged], processes=1))
    assert len(found) == len(valid) + len(damaged)
    assert [(one.input, one.message) for one in found if one.input in valid and one.kind != "accepted"] == []
    assert [(one.input, one.kind, one.message) for one in found if one.kind not in FINE] == []
