import json
import re

import numpy as np
import pandas as pd
import pytest
import torch

from jvgn.datasets import tables
from jvgn.storage.parquet import write_table
from jvgn.training.checkpoint import new_model, save_model
from jvgn.training.run import train
from jvgn.views.gallery.pictures import pictures
from jvgn.views.gallery.writing import rendered, write_gallery
from jvgn.vocabulary.words import Vocabulary
from parsers.errors import UserError

CPU = torch.device("cpu")
SHOWN_BEFORE = {"corrected": False, "broken": True, "ambiguous": True, "right": True, "wrong referent": False}
"""Whether an outcome's referent was found by its own words; the others do not say."""


@pytest.fixture(scope="module")
def written(small_world, run_settings, tmp_path_factory):
    """A function that writes the gallery of a model trained for two epochs, and gives the page."""
    folder = tmp_path_factory.mktemp("gallery")
    model = folder / "model.safetensors"
    train(small_world, run_settings(epochs=2), model, folder / "history.parquet", CPU)

    def write(name):
        output = folder / name / "index.html"
        write_gallery(small_world, model, small_world.regions.parent / "images", output, "small", 0.5, CPU)
        return output.read_text()

    return write


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def test_the_same_run_writes_the_same_page(written):
    assert written("one") == written("two")


def test_every_belief_is_a_distribution_over_the_regions_of_its_image(written):
    data = data_of(written("one"))
    assert len(data["examples"]) > 50
    for example in data["examples"]:
        assert example["image"] in data["images"]
        for node in example["nodes"]:
            assert len(node["before"]) == len(node["after"]) == len(example["regions"])
            assert abs(sum(node["before"]) - 1) < 0.01 and abs(sum(node["after"]) - 1) < 0.01


def test_outcomes_say_what_the_beliefs_show(written):
    examples = data_of(written("one"))["examples"]
    assert {example["outcome"] for example in examples} > {"corrected", "broken", "right"}
    for example in examples:
        referent, gold = example["nodes"][example["referent"]], example["gold"]
        found = {
            belief: example["regions"][referent[belief].index(max(referent[belief]))] == gold
            for belief in ("before", "after")
        }
        assert found["after"] == (example["outcome"] in ("corrected", "ambiguous", "right"))
        if example["outcome"] in SHOWN_BEFORE:
            assert found["before"] == SHOWN_BEFORE[example["outcome"]]


def test_the_page_refers_to_nothing_outside_itself(written):
    page = written("one")
    assert not re.search(r'(?:src|href)="(?!data:|#)', page.split('id="data"')[0])
    assert "https://" not in page and "@import" not in page


def test_a_model_whose_beliefs_are_not_numbers_is_named(small_world, run_settings, tmp_path):
    settings, vectors = run_settings(), np.load(small_world.vectors)
    examples = small_world.examples(settings)
    model = new_model(settings, vectors * np.nan, examples.store.feature_size)
    words = Vocabulary.read(small_world.words).words
    save_model(tmp_path / "model", model, settings, examples.store.feature_size, words)
    images, output = small_world.regions.parent / "images", tmp_path / "index.html"
    with pytest.raises(UserError, match="model: its beliefs are not numbers"):
        write_gallery(small_world, tmp_path / "model", images, output, "small", 0.5, CPU)
    assert not output.exists()


def test_an_image_that_is_not_one_is_named(tmp_path):
    columns = {"image_id": [7, 8], "file_name": ["7.png", "8.png"], "width": [4, 4], "height": [4, 4]}
    write_table(tmp_path / "images.parquet", columns, tables.IMAGES)
    (tmp_path / "7.png").write_bytes(b"half of it")
    with pytest.raises(UserError, match=r"7.png: not a readable image"):
        pictures(tmp_path, tmp_path, pd.Series([7]))
    with pytest.raises(UserError, match=r"8.png: there is no such image"):
        pictures(tmp_path, tmp_path, pd.Series([8]))


def test_data_is_not_taken_for_the_page():
    page = rendered({"title": "{{data}}", "counts": {}, "examples": ["{{style}}"], "images": {}})
    assert "<h1>{{data}}</h1>" in page
    assert data_of(page)["examples"] == ["{{style}}"]


def test_data_cannot_end_its_script_element():
    page = rendered({"title": "</title><b>", "counts": {}, "examples": [], "images": {"1": "</script><b>"}})
    assert "</script><b>" not in page and "</title><b>" not in page
    assert data_of(page)["images"]["1"] == "</script><b>"
