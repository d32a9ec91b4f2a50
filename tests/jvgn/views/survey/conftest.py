"""Groundings of two models, read from files, and a survey of them."""

import json

import pytest
from PIL import Image

from jvgn.views.survey.form import write_form
from jvgn.views.survey.rated_models import FileModel

SENTENCES = [f"star {number} left of a ring" for number in range(8)]


def line(sentence, box, **changes):
    objects = [
        {"phrase": "ring", "box": [50, 10, 70, 30], "after": 0.9, "before": 0.4},
        {"phrase": sentence.split(" left")[0], "box": box, "after": 0.8, "before": 0.3, "is_referent": True},
    ]
    relations = [{"subject": 1, "relation": "left of", "object": 0}]
    return {"image": "7.png", "sentence": sentence, "objects": objects, "relations": relations} | changes


@pytest.fixture
def written(tmp_path):
    """Writes groundings into a file of the name, one a line."""
    Image.new("RGB", (96, 64), "#bbccdd").save(tmp_path / "7.png")

    def write(name, lines):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        return path

    return write


@pytest.fixture
def models(written):
    """Two models of the same sentences, whose boxes differ."""
    paths = {
        "zebra": written("zebra", [line(sentence, [5, 5, 25, 25]) for sentence in SENTENCES]),
        "quokka": written("quokka", [line(sentence, [30, 5, 45, 25]) for sentence in SENTENCES[::-1]]),
    }
    return [FileModel(name, path, None) for name, path in paths.items()]


@pytest.fixture
def survey(models, tmp_path):
    """A form of five sentences and its key, in their places."""
    write_form(models, 5, 3, tmp_path / "form.html", tmp_path / "key.json")
    return tmp_path / "form.html", tmp_path / "key.json"
