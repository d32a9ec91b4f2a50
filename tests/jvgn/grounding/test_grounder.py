"""The folder of a run's detector, and the answers of a Grounder."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import ExifTags, Image

from jvgn.grounding.grounder import Grounder
from jvgn.grounding.rule_grounder import RuleGrounder
from jvgn.grounding.run_folder import RunFolder
from jvgn.regions.hdf5_store import Regions
from jvgn.rules.scene import Scene
from jvgn.settings.detector import RegionSettings
from jvgn.training.checkpoint import TrainedModel, new_model
from parsers.errors import UserError
from parsers.parser import Parser

WORDS = ["<pad>", "<unk>", "cup", "box", "on", "left", "of", "disc"]
BOXES = np.array([[0, 0, 9, 9], [5, 5, 20, 20], [30, 2, 40, 30]], np.float32)


def run_in(tmp_path, *detectors):
    for folder in detectors:
        (tmp_path / "detectors" / folder).mkdir(parents=True)
    return RunFolder("shapes", "det", results=tmp_path)


@pytest.mark.parametrize(
    ("folders", "expected"),
    [(["shapes/tiny", "coco/tiny"], "shapes/tiny"), (["coco/tiny", "coco/resnet101"], "coco/tiny")],
)
def test_a_detector_is_the_datasets_own_or_that_of_a_training_set(tmp_path, folders, expected):
    assert run_in(tmp_path, *folders).detector("tiny") == tmp_path / "detectors" / expected


@pytest.mark.parametrize(("folders", "named"), [(["coco/tiny", "vg/tiny"], "coco, vg"), ([], "shapes/tiny")])
def test_a_missing_or_ambiguous_detector_is_named(tmp_path, folders, named):
    with pytest.raises(UserError, match=named):
        run_in(tmp_path, *folders).detector("tiny")


class ThreeRegions:
    """In the place of a detector: finds the same regions in any image."""

    settings = RegionSettings()
    largest = 1.0

    def regions_of(self, images):
        feature = self.largest * np.random.default_rng(0).normal(size=(len(BOXES), 4)).astype(np.float32)
        rest = (np.ones(len(BOXES), np.float32), np.ones(len(BOXES), np.int32), np.full(len(BOXES), -1))
        return [Regions(BOXES, feature, *rest) for _ in images]


def grounder_of(settings, names=None):
    torch.manual_seed(0)
    model = new_model(settings, np.random.default_rng(1).normal(size=(len(WORDS), 6)).astype(np.float32), 4).eval()
    trained = TrainedModel(Path("model"), model, settings, 4, WORDS)
    return Grounder(trained, ThreeRegions, Parser("lexical"), torch.device("cpu"), names=names)


@pytest.fixture
def grounder(run_settings):
    return grounder_of(run_settings())


PICTURE, SENTENCE = Image.new("RGB", (48, 40)), "the cup on a box left of a disc"


def listed_groundings(grounder):
    """Every joint grounding with its probability, by the definition; the most probable first."""
    batch = grounder.question(PICTURE, SENTENCE).batch
    with torch.no_grad():
        unary_KN, pairwise_ENN = grounder.trained.model.potentials(batch)
    scores = {
        regions: sum(unary_KN[k, region] for k, region in enumerate(regions))
        + sum(pairwise_ENN[e, regions[i], regions[j]] for e, (i, j) in enumerate(batch.edges_E2.tolist()))
        for regions in product(range(len(BOXES)), repeat=len(unary_KN))
    }
    probability = torch.stack(list(scores.values())).softmax(dim=0).tolist()
    return sorted(zip(probability, scores, strict=True), reverse=True)


def test_the_best_joint_groundings_are_those_of_the_whole_list(grounder):
    expected = listed_groundings(grounder)
    found = grounder.answer(PICTURE, SENTENCE, best=5).joint
    assert [joint.probability for joint in found] == pytest.approx([probability for probability, _ in expected[:5]])
    for joint, (_, regions) in zip(found, expected, strict=False):
        assert [one.box for one in joint.groundings] == [tuple(BOXES[region].tolist()) for region in regions]
        assert [one.phrase for one in joint.groundings] == ["cup", "box", "disc"]


def test_where_there_are_fewer_joint_groundings_all_are_given(grounder):
    found = grounder.answer(PICTURE, SENTENCE, best=1000).joint
    assert len(found) == 3**3
    assert sum(joint.probability for joint in found) == pytest.approx(1)


def test_a_joint_grounding_knows_the_marginals_of_its_boxes(grounder):
    alone = {one.node: one for one in grounder.ground(PICTURE, SENTENCE)}
    everywhere = grounder.answer(PICTURE, SENTENCE, best=27).joint
    for node, one in alone.items():
        own = [joint for joint in everywhere if joint.groundings[node].box == one.box]
        assert sum(joint.probability for joint in own) == pytest.approx(one.marginal)
        assert {joint.groundings[node] for joint in own} == {one}


def test_a_run_of_both_sees_detected_regions_by_the_names_of_their_categories(run_settings):
    grounder = grounder_of(run_settings().model_copy(update={"potentials": "both"}), {1: "box"})
    scene = Scene(BOXES, ("box",) * len(BOXES), np.ones(len(BOXES)), PICTURE.size, np.asarray(PICTURE))
    unary_KM, pairwise_EMM = RuleGrounder().question(scene, SENTENCE).rules.tensors()
    batch = grounder.question(PICTURE, SENTENCE).batch
    torch.testing.assert_close(batch.rule_unary_KN, unary_KM[:, :-1])
    torch.testing.assert_close(batch.rule_pairwise_ENN, pairwise_EMM[:, :-1, :-1])
    assert len(grounder.answer(PICTURE, SENTENCE, best=2).joint) == 2


def test_a_picture_whose_features_overflow_is_refused(grounder):
    grounder.extractor.largest = np.inf
    with pytest.raises(UserError, match="this image has a feature that is too large for float16"):
        grounder.ground(PICTURE, SENTENCE)


def test_beliefs_that_are_not_numbers_are_no_answer(grounder):
    for weights in grounder.trained.model.parameters():
        weights.data.fill_(torch.nan)
    with pytest.raises(UserError, match="model: its beliefs are not numbers, so its training failed"):
        grounder.answer(PICTURE, SENTENCE)


def test_a_photograph_is_looked_at_as_people_see_it(grounder, tmp_path):
    image, notes = Image.new("RGB", (40, 30), "red"), Image.Exif()
    notes[ExifTags.Base.Orientation] = 6  # to be turned by a quarter
    image.save(tmp_path / "turned.jpg", exif=notes)
    assert grounder.look(tmp_path / "turned.jpg").size == (30, 40)
    with Image.open(tmp_path / "turned.jpg") as opened:
        assert grounder.look(opened).size == (30, 40)
