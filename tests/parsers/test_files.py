"""What all files have in common: they appear whole or not at all, and mistakes are named."""

import pickle

import pytest

from parsers.files import BrokenFile, UserError, replacing


@pytest.mark.parametrize("error", [UserError("no such thing"), BrokenFile("a.jar", "not a readable jar")])
def test_a_users_mistake_crosses_from_one_process_to_another(error):
    found = pickle.loads(pickle.dumps(error))
    assert isinstance(found, UserError) and str(found) == str(error)


def test_a_place_where_no_file_can_be_is_named(tmp_path):
    (tmp_path / "file").write_text("whole")
    for path, problem in ((tmp_path, "is a folder"), (tmp_path / "file" / "a.json", "cannot be written")):
        with pytest.raises(UserError, match=f"^{path}: {problem}"), replacing(path):
            pass
    assert [found.name for found in tmp_path.iterdir()] == ["file"]
