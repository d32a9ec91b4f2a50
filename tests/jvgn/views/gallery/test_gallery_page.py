"""The gallery's page from the predictions of a small model."""

import json
import re

import pytest
import torch

from jvgn.evaluation.predict import predict
from jvgn.evaluation.rule_model import predict_by_rules
from jvgn.training.run import train
from jvgn.views.gallery.gallery_page import GallerySources, rendered, write_gallery

CPU = torch.device("cpu")
FOUND_BEFORE = {"corrected": False, "broken": True, "ambiguous": True, "right": True, "wrong referent": False}
"""Whether the referent of an outcome was found before messages; other outcomes may be both."""


@pytest.fixture(scope="module")
def sources(small_world, run_settings, tmp_path_factory):
    """The predictions of a model trained for two epochs; no model is left when the gallery is written."""
    folder = tmp_path_factory.mktemp("gallery")
    model, predictions = folder / "model.safetensors", folder / "predictions.parquet"
    train(small_world, run_settings(epochs=2), model, folder / "history.parquet", CPU)
    predict(small_world, model, predictions, 0.5, CPU)
    model.unlink()
    return GallerySources(small_world.dataset, small_world.regions, small_world.nodes, small_world.edges, predictions)


@pytest.fixture(scope="module")
def written(sources, tmp_path_factory):
    """A function that writes the gallery and returns the page."""

    def write():
        output = tmp_path_factory.mktemp("page") / "index.html"
        write_gallery(sources, sources.regions.parent / "images", output, "small", 0.5)
        return output.read_text()

    return write


@pytest.fixture(scope="module")
def page(written):
    return written()


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def test_every_belief_is_a_distribution_over_the_regions_of_its_image(page):
    data = data_of(page)
    assert len(data["examples"]) > 50
    for example in data["examples"]:
        assert example["image"] in data["images"]
        for node in example["nodes"]:
            assert len(node["before"]) == len(node["after"]) == len(example["regions"])
            assert abs(sum(node["before"]) - 1) < 0.01 and abs(sum(node["after"]) - 1) < 0.01


def test_outcomes_agree_with_the_beliefs(page):
    examples = data_of(page)["examples"]
    assert {example["outcome"] for example in examples} > {"corrected", "broken", "right"}
    for example in examples:
        referent, gold = example["nodes"][example["referent"]], example["gold"]
        found = {
            belief: example["regions"][referent[belief].index(max(referent[belief]))] == gold
            for belief in ("before", "after")
        }
        assert found["after"] == (example["outcome"] in ("corrected", "ambiguous", "right"))
        if example["outcome"] in FOUND_BEFORE:
            assert found["before"] == FOUND_BEFORE[example["outcome"]]


def test_annotated_context_has_its_boxes_and_is_wrong_if_any_of_it_is_not_found(page):
    """Every context object of this world is annotated, and its regions are the annotated boxes."""
    examples = data_of(page)["examples"]
    assert {example["context"] for example in examples} == {"", "right", "wrong"}
    for example in examples:
        others = [node for place, node in enumerate(example["nodes"]) if place != example["referent"]]
        found = [example["regions"][node["region"]] == node["gold"] for node in others]
        assert all(node["gold"] in example["regions"] for node in others)
        assert example["context"] == ("" if not found else "right" if all(found) else "wrong")


def test_the_page_refers_to_nothing_outside_itself(page):
    assert not re.search(r'(?:src|href)="(?!data:|#)', page.split('id="data"')[0])
    assert "https://" not in page and "@import" not in page


def test_data_cannot_end_its_script_element():
    page = rendered({"title": "</title><b>", "counts": {}, "examples": [], "images": {"1": "</script><b>"}})
    assert "</script><b>" not in page and "</title><b>" not in page
    assert data_of(page)["images"]["1"] == "</script><b>"


def test_rules_show_how_probable_it_is_that_an_object_is_not_found(page, small_world, run_settings, tmp_path):
    assert all(node["notFound"] is None for example in data_of(page)["examples"] for node in example["nodes"])
    images, predictions = small_world.regions.parent / "images", tmp_path / "predictions.parquet"
    predict_by_rules(small_world, run_settings(), images, predictions, 0.5)
    sources = GallerySources(
        small_world.dataset, small_world.regions, small_world.nodes, small_world.edges, predictions
    )
    write_gallery(sources, images, tmp_path / "index.html", "rules", 0.5)
    examples = data_of((tmp_path / "index.html").read_text())["examples"]
    assert examples and all(0 < node["notFound"] < 1 for example in examples for node in example["nodes"])
