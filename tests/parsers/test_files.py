import pickle

import pytest

from parsers.files import BrokenFile, UserError


@pytest.mark.parametrize("error", [UserError("no such thing"), BrokenFile("a.jar", "not a readable jar")])
def test_a_users_mistake_crosses_from_one_process_to_another(error):
    found = pickle.loads(pickle.dumps(error))
    assert isinstance(found, UserError) and str(found) == str(error)
