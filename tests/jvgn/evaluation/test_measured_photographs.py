"""What docs/rules.md promises about real photographs, measured again."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.grounding.rule_grounder import RuleGrounder
from jvgn.rules.given_regions import GivenRegions

DATA = Path(os.environ.get("JVGN_SHARED", "../shared")).resolve() / "data"
COCO, PHOTOS = DATA / "coco128", DATA / "photos"
ANNOTATIONS, DETECTIONS = COCO / "instances_train2017.json", PHOTOS / "detections.json"

pytestmark = pytest.mark.skipif(not PHOTOS.exists(), reason=f"no photographs in {DATA}; set JVGN_SHARED")


def measured(*options):
    files = ["--images", COCO / "images", "--annotations", ANNOTATIONS, "--expressions", PHOTOS / "dev.jsonl"]
    found = CliRunner().invoke(main, [str(word) for word in ("evaluate", *files, "--json", "-", *options)])
    assert found.exit_code == 0, found.stderr
    return json.loads(found.stdout)


def test_rules_find_referents_and_context_of_photographs_and_need_relations():
    annotated = measured()
    assert annotated["accuracy"] >= 65 and annotated["context_accuracy"] >= 80
    related, unrelated = (found["kinds"]["relation"] for found in (annotated, measured("--without", "relations")))
    assert related["accuracy"] - unrelated["accuracy"] >= 8
    detected = measured("--detections", DETECTIONS)
    covered = [one["covered"] for one in detected["expressions"]]
    same = [one["correct"] for one, is_covered in zip(annotated["expressions"], covered, strict=True) if is_covered]
    assert detected["covered_accuracy"] >= 0.8 * 100 * sum(same) / len(same)


@pytest.mark.parametrize("detections", [None, DETECTIONS])
@pytest.mark.parametrize("zebras", ["000000014276.jpg", "000000067414.jpg"])
def test_there_is_no_man_on_a_bench_in_a_photograph_of_zebras(zebras, detections):
    grounder = RuleGrounder(finder=GivenRegions.read(ANNOTATIONS, detections))
    for found in grounder.ground(COCO / "images" / zebras, "man on the bench"):
        assert found.box is None and 0.5 < found.marginal < 1
