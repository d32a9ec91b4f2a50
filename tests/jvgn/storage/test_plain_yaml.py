"""YAML from strangers: plain values are read, and neither code nor aliases without end."""

import time

import pytest

from jvgn.storage.text_formats import MOST_BYTES, load_yaml

BOMBS = {
    "aliases of aliases": "a0: &a0 [x]\n"
    + "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]\n" for k in range(1, 30)),
    "merges of merges": "a0: &a0 {x: 1}\n"
    + "".join(f"a{k}: &a{k} {{<<: [{', '.join([f'*a{k - 1}'] * 9)}]}}\n" for k in range(1, 30)),
    "a list in itself": "a: &a [*a]",
    "a mapping merged into itself": "a: &a {<<: *a}",
    "brackets without end": "[" * 5000,
    "dashes without end": "- " * 5000,
    "more than settings have": "a: b\n" * MOST_BYTES,
    "half a character": b"a: \xed\xa0\x80",
    "a sign that is none": "a: \x01",
    "another encoding": "a: é".encode("latin1"),
    "two documents": "--- a\n--- b\n",
    "a key that is a list in a list": "? [[a]]\n: b",
}
TAGS = ["!!timestamp soon", "!!int ''", "!!int x", "!!float x", "!!bool x", "!!binary é", "2001-99-99", "!unknown x"]


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_at_once(tmp_path, bomb):
    path = tmp_path / "settings.yaml"
    path.write_bytes(BOMBS[bomb].encode() if isinstance(BOMBS[bomb], str) else BOMBS[bomb])
    start = time.process_time()
    with pytest.raises(ValueError, match=r".+"):
        load_yaml(path)
    assert time.process_time() - start < 3


@pytest.mark.parametrize("value", TAGS)
def test_a_value_that_is_not_what_its_tag_says_is_refused(tmp_path, value):
    (tmp_path / "settings.yaml").write_text(f"a: {value}\n")
    with pytest.raises(ValueError, match=r".+"):
        load_yaml(tmp_path / "settings.yaml")


@pytest.mark.parametrize(
    "value",
    ["!!python/object/apply:os.mkdir [trap]", "!!python/name:os.system", "!!python/object/new:os.mkdir [trap]"],
)
def test_code_is_not_run(tmp_path, monkeypatch, value):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "settings.yaml").write_text(f"a: {value}\n")
    with pytest.raises(ValueError, match="could not determine a constructor"):
        load_yaml("settings.yaml")
    assert not (tmp_path / "trap").exists()


def test_plain_values_are_read_with_their_aliases(tmp_path):
    (tmp_path / "settings.yaml").write_text("a: &a {x: 1}\nb: *a\nc:\n  <<: *a\n  y: [1.5, true, null, text]\n")
    expected = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1, "y": [1.5, True, None, "text"]}}
    assert load_yaml(tmp_path / "settings.yaml") == expected


def test_an_empty_file_is_nothing(tmp_path):
    (tmp_path / "settings.yaml").write_text("# nothing\n")
    assert load_yaml(tmp_path / "settings.yaml") is None
