"""The explorer with rules: given regions, example photographs, and "not found" as one more region."""

import json

import numpy as np
import pytest
from PIL import Image

from jvgn.grounding.rule_grounder import RuleGrounder
from jvgn.rules.given_regions import GivenRegions
from jvgn.views.explorer.answers import Asked, answer
from jvgn.views.explorer.example_photographs import ABSENT, REGIONS, example_photographs
from jvgn.views.explorer.image_list import ImageList
from jvgn.views.explorer.server import explorer
from parsers.errors import UserError

ZEBRAS = {
    "images": [{"id": 1, "file_name": "a.png", "width": 200, "height": 100}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 20, 60, 60]},
        {"id": 2, "image_id": 1, "category_id": 1, "bbox": [120, 20, 60, 60]},
    ],
    "categories": [{"id": 1, "name": "zebra"}],
}


@pytest.fixture
def zebras(tmp_path):
    """The grounder and the images of a photograph of two zebras."""
    Image.new("RGB", (200, 100), "white").save(tmp_path / "a.png")
    (tmp_path / "zebras.json").write_text(json.dumps(ZEBRAS))
    grounder = RuleGrounder(finder=GivenRegions.read(tmp_path / "zebras.json"))
    return grounder, ImageList.of_regions(grounder, tmp_path)


def test_a_man_in_a_photograph_of_zebras_is_not_found(zebras):
    answered = answer(*zebras, Asked(picture="1", text="man on the bench"))
    assert len(answered["regions"]) == 2 and answered["names"] == ("zebra", "zebra")
    for node in answered["nodes"]:
        assert node["region"] == 2 and len(node["after"]) == 3
        assert 0.5 < node["after"][2] < 1


def test_messages_between_regions_and_not_found_end_in_the_marginals_of_the_grounder(zebras, tmp_path):
    grounder, images = zebras
    text = "the zebra left of the zebra on the right"
    answered = answer(grounder, images, Asked(picture="1", text=text))
    plain = grounder.answer(tmp_path / "a.png", text)
    believed = [node["before"] for node in answered["nodes"]]
    for message in answered["messages"]:
        believed[message["target"]] = message["after"]
    np.testing.assert_allclose(believed, plain.marginal_KN, atol=2e-6)
    assert [node["region"] for node in answered["nodes"]] == [0, 1]


def test_each_object_shows_what_the_rules_said(zebras):
    answered = answer(*zebras, Asked(picture="1", text="the old zebra on the right"))
    (node,), (note,) = answered["nodes"], answered["notes"]
    assert node["region"] == 1 and "“old”" in note
    assert {"noun", "place"} <= {rule["rule"] for rule in node["rules"]}


def test_an_edited_graph_is_grounded_by_rules_too(zebras):
    graph = {"nodes": [{"head": "zebra", "attributes": ["left"]}], "referent": 0}
    answered = answer(*zebras, Asked.model_validate({"picture": "1", "text": "the zebra on the right", "graph": graph}))
    assert answered["edited"] and answered["nodes"][0]["region"] == 0


def test_an_upload_without_a_detector_is_refused_with_the_cure(zebras, encoded):
    with pytest.raises(UserError, match="--detector"):
        zebras[1].upload(encoded())


def test_a_folder_without_the_images_of_the_regions_is_named(zebras, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="empty"):
        ImageList.of_regions(zebras[0], tmp_path / "empty")


def test_the_page_of_rules_opens_with_a_picture_and_a_sentence(zebras):
    client = explorer("rules", *zebras, 8765, opens=True).test_client()
    about = client.get("/about", base_url="http://127.0.0.1:8765").json
    assert about["opens"] and about["pictures"][0]["sentences"] == ["the zebra on the left"]


@pytest.fixture(scope="module")
def examples():
    """The grounder and the images of the page without any option."""
    grounder = RuleGrounder(finder=GivenRegions.read(REGIONS))
    return grounder, ImageList(example_photographs(), grounder.look)


def test_example_photographs_are_answered_and_what_is_absent_is_not_found(examples):
    images = examples[1]
    for one in images.listed():
        assert images.thumbnail(one["name"]) and images[one["name"]].jpeg
        answered = answer(*examples, Asked(picture=one["name"], text=one["sentences"][0]))
        assert answered["nodes"][answered["referent"]]["region"] < len(answered["regions"])
        lost = answer(*examples, Asked(picture=one["name"], text=ABSENT))
        assert all(node["region"] == len(lost["regions"]) for node in lost["nodes"])


def test_the_first_sentence_needs_its_relation(examples):
    first = examples[1].listed()[0]
    answered = answer(*examples, Asked(picture=first["name"], text=first["sentences"][0]))
    referent = answered["nodes"][answered["referent"]]
    assert max(referent["before"]) < 0.5 < max(referent["after"])
    assert referent["before"][referent["region"]] < max(referent["before"])
