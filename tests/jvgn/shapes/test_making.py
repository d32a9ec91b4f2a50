"""A world depends on its settings alone, and replaces an old one."""

import pickle
from pathlib import Path

import pytest

from jvgn.settings.world import WorldSettings
from jvgn.shapes.world import make_world
from jvgn.storage import pictures as hashes
from parsers.errors import UserError

SMALL = WorldSettings(seed=5, train=3, val=2, test=3, adv=2)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def tokens_of(folder: Path, split: str) -> list[list[str]]:
    refs = pickle.loads((folder / "refs(jvgn).p").read_bytes())
    return [sentence["tokens"] for ref in refs if ref["split"] == split for sentence in ref["sentences"]]


def test_the_same_settings_give_the_same_bytes_and_another_seed_gives_others(tmp_path):
    for name, settings in {"one": SMALL, "two": SMALL, "other": SMALL.model_copy(update={"seed": 6})}.items():
        make_world(settings, tmp_path / name)
    one, two, other = (contents(tmp_path / name) for name in ("one", "two", "other"))
    assert one == two
    assert one.keys() == other.keys()
    assert not any(one[name] == other[name] for name in one)


def test_an_image_does_not_depend_on_the_number_of_others(tmp_path):
    make_world(SMALL, tmp_path / "small")
    make_world(SMALL.model_copy(update={"train": 4, "adv": 3}), tmp_path / "large")
    small, large = (tokens_of(tmp_path / name, "test") for name in ("small", "large"))
    assert small == large != []


def test_a_new_world_replaces_the_old_one_and_leaves_nothing_else(tmp_path):
    make_world(SMALL.model_copy(update={"train": 9}), tmp_path)
    make_world(SMALL, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["images", "instances.json", "refs(jvgn).p"]
    images = sorted(path.name for path in (tmp_path / "images").iterdir())
    assert len(images) == 11 and images[0] == hashes.NAME


def test_more_expressions_than_any_scene_has_are_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("jvgn.shapes.world.SCENES_TRIED", 3)
    with pytest.raises(UserError, match="lower expressions_per_image"):
        make_world(SMALL.model_copy(update={"expressions_per_image": 2000}), tmp_path)
    assert not list(tmp_path.iterdir())
