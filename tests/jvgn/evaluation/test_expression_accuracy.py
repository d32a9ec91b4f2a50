"""`jvgn evaluate` on a drawn picture with gold boxes, and how mentions find their nodes."""

import json

import pytest
from click.testing import CliRunner
from PIL import Image

from jvgn.cli import main
from jvgn.evaluation.expression_accuracy import AskedMention, nodes_of
from parsers import parse

ANNOTATIONS = {
    "images": [{"id": 1, "file_name": "a.png", "width": 200, "height": 100}],
    "annotations": [
        {"id": 10, "image_id": 1, "category_id": 1, "bbox": [10, 50, 30, 30]},
        {"id": 11, "image_id": 1, "category_id": 2, "bbox": [80, 50, 30, 30]},
        {"id": 12, "image_id": 1, "category_id": 1, "bbox": [150, 50, 30, 30]},
        {"id": 13, "image_id": 1, "category_id": 1, "bbox": [0, 0, 200, 100], "iscrowd": 1},
    ],
    "categories": [{"id": 1, "name": "cup"}, {"id": 2, "name": "bowl"}],
}
LEFT = {
    "expression": "the cup left of the bowl",
    "referent": 10,
    "mentions": [
        {"phrase": "the cup", "annotation": 10, "is_referent": True},
        {"phrase": "the bowl", "annotation": 11, "is_referent": False},
    ],
    "kind": ["relation"],
}
RIGHT = {"expression": "the cup on the right", "referent": 12, "mentions": [], "kind": ["location"]}
WRONG = {"expression": "the cup on the right", "referent": 10, "mentions": [], "kind": ["location"]}


@pytest.fixture
def evaluate(tmp_path):
    Image.new("RGB", (200, 100)).save(tmp_path / "a.png")
    (tmp_path / "annotations.json").write_text(json.dumps(ANNOTATIONS))
    rows = [row | {"image_id": 1, "file_name": "a.png"} for row in (LEFT, RIGHT, WRONG)]
    (tmp_path / "expressions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = ["--images", tmp_path, "--annotations", tmp_path / "annotations.json"]
    given += ["--expressions", tmp_path / "expressions.jsonl"]

    def run(*more):
        return CliRunner().invoke(main, ["evaluate", *map(str, given), *map(str, more)])

    return run


def test_the_result_counts_referents_and_context_in_total_and_by_kind(evaluate):
    found = json.loads(evaluate("--json", "-").stdout)
    assert (found["n"], found["accuracy"], found["context_n"], found["context_accuracy"]) == (3, 66.67, 1, 100.0)
    assert found["interval"][0] < 66.67 < found["interval"][1]
    assert found["kinds"]["relation"]["accuracy"] == 100
    assert found["kinds"]["location"]["accuracy"] == 50
    assert [row["correct"] for row in found["expressions"]] == [True, True, False]


def test_detections_replace_annotated_boxes_and_may_not_cover_a_referent(evaluate, tmp_path):
    boxes = [(1, [10, 50, 30, 30]), (1, [12, 50, 30, 30]), (2, [80, 50, 30, 30])]
    results = [{"image_id": 1, "category_id": kind, "bbox": box, "score": 0.9} for kind, box in boxes]
    (tmp_path / "results.json").write_text(json.dumps(results))
    found = json.loads(evaluate("--detections", tmp_path / "results.json", "--json", "-").stdout)
    assert (found["covered_n"], found["accuracy"], found["covered_accuracy"]) == (2, 66.67, 100)


def test_a_group_can_be_left_out(evaluate):
    whole, part = (json.loads(evaluate(*more, "--json", "-").stdout) for more in ([], ["--without", "places"]))
    assert part["kinds"]["location"]["accuracy"] <= whole["kinds"]["location"]["accuracy"]
    assert part["kinds"]["relation"] == whole["kinds"]["relation"]


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"expression": "a cup"}, "line 1"),
        (LEFT | {"image_id": 1, "file_name": "a.png", "referent": 99}, "annotation 99"),
        (LEFT | {"image_id": 2, "file_name": "b.png"}, "image 2"),
    ],
)
def test_a_wrong_row_is_named(evaluate, tmp_path, row, named):
    (tmp_path / "expressions.jsonl").write_text(json.dumps(row) + "\n")
    found = evaluate()
    assert found.exit_code == 1
    assert named in found.stderr


def test_a_mention_belongs_to_the_first_node_in_its_phrase_and_a_repeated_one_to_the_next():
    graph = parse("the man between the man with the ponytail and the man in the red cap")
    phrases = ["the man", "the man with the ponytail", "the ponytail", "the man in the red cap", "a dog"]
    nodes = nodes_of(graph, [AskedMention(phrase=phrase) for phrase in phrases])
    heads = [None if node is None else graph.nodes[node].head for node in nodes]
    assert heads == ["man", "man", "ponytail", "man", None]
    assert len({node for node in nodes if node is not None}) == 4
