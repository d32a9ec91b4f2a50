"""Pretrained detectors in the place of given regions: the phrases that they look for, and what their scores mean."""

import numpy as np
import pytest
from PIL import Image

from jvgn.detector.interface import NamedRegions, ScoredRegions
from jvgn.grounding.rule_grounder import RuleGrounder
from jvgn.rules.pretrained_scenes import DetectedScenes, SearchedScenes, degree_of_score, phrase_of
from parsers import parse
from parsers.errors import UserError

PICTURE = Image.new("RGB", (200, 100), "white")
BOXES = np.array([[10, 20, 60, 90], [120, 20, 190, 90], [20, 30, 50, 60]], dtype=np.float32)
MAN, DOG, SHIRT = range(3)


class Closed:
    """Knows two boxes of zebras, one of them twice, and counts how often it is asked."""

    name, calls = "closed", 0

    def detect(self, pixels_HW3):
        self.calls += 1
        box_N4 = np.array([BOXES[0], BOXES[0] + 2, [-20, 20, 0, 90], [150, 10, 260, 90]], dtype=np.float32)
        return NamedRegions(box_N4, ("zebra",) * 4, np.array([0.9, 0.5, 0.9, 0.8]))


class Open:
    """Knows three boxes and their scores for some phrases."""

    name, threshold = "open", 0.2

    def __init__(self, **scores):
        self.scores = {phrase.replace("_", " "): score_N for phrase, score_N in scores.items()}
        self.asked = []

    def search(self, pixels_HW3, phrases):
        self.asked.append(list(phrases))
        nothing = (0.01,) * len(BOXES)
        return ScoredRegions(BOXES, np.array([self.scores.get(phrase, nothing) for phrase in phrases]))


def test_a_closed_vocabulary_is_detected_once_for_all_sentences():
    detector = Closed()
    grounder = RuleGrounder(finder=DetectedScenes(detector))
    seen = grounder.look(PICTURE)
    for sentence, box in [("the left zebra", (10, 20, 60, 90)), ("the zebra on the right", (150, 10, 200, 90))]:
        assert grounder.ground(seen, sentence)[0].box == box
    assert grounder.ground(seen, "man on the bench")[0].box is None
    assert detector.calls == 1


def test_detections_are_clipped_and_without_duplicates():
    scene = DetectedScenes(Closed()).look(PICTURE).scene(parse("a zebra"))
    np.testing.assert_array_equal(scene.box_N4, [BOXES[0], [150, 10, 200, 90]])


@pytest.mark.parametrize(
    ("sentence", "phrases"),
    [
        ("the man behind the red car", ["man", "red car"]),
        ("the second zebra from the left", ["zebra"]),
        ("the largest black dog", ["black dog"]),
        ("the white truck in front of the yellow one", ["white truck", "yellow truck"]),
        ("the dog next to the other dog", ["dog", "dog"]),
        ("the man in red", ["man", "red clothes"]),
        ("the Dog that is not black", ["dog"]),
    ],
)
def test_the_phrases_are_nouns_with_the_attributes_that_a_picture_shows(sentence, phrases):
    graph = parse(sentence)
    assert [phrase_of(graph, node) for node in range(len(graph.nodes))] == phrases


def test_the_threshold_is_between_found_and_not_found():
    low, even, high = degree_of_score(np.array([0.0, 0.25, 1.0]), 0.25)
    assert low == 0 and even == 0.5 and 0.9 < high <= 1


def test_scores_for_phrases_take_the_place_of_names():
    detector = Open(man=(0.7, 0.02, 0.1), wombat=(0.05, 0.6, 0.01))
    grounder = RuleGrounder(finder=SearchedScenes(detector))
    wombat, man = grounder.ground(PICTURE, "the wombat right of the man")
    assert (wombat.box, man.box) == (tuple(BOXES[DOG]), tuple(BOXES[MAN]))
    assert wombat.marginal > 0.8 and man.marginal > 0.8
    assert detector.asked == [["wombat", "man"]]


def test_a_phrase_with_low_scores_is_not_found():
    grounder = RuleGrounder(finder=SearchedScenes(Open(dog=(0.05, 0.6, 0.01))))
    wombat, dog = grounder.ground(PICTURE, "the wombat next to the dog")
    assert wombat.box is None and dog.box == tuple(BOXES[DOG])


def test_two_mentions_of_one_phrase_are_one_query_and_two_regions():
    detector = Open(dog=(0.6, 0.6, 0.01))
    first, second = RuleGrounder(finder=SearchedScenes(detector)).ground(PICTURE, "the dog left of the other dog")
    assert (first.box, second.box) == (tuple(BOXES[0]), tuple(BOXES[1]))
    assert detector.asked == [["dog"]]


def test_a_piece_of_clothing_has_a_box_of_its_own_inside_its_owner():
    detector = Open(man=(0.6, 0.65, 0.01), shirt=(0.01, 0.01, 0.6))
    man, shirt = RuleGrounder(finder=SearchedScenes(detector)).ground(PICTURE, "the man in a shirt")
    assert (man.box, shirt.box) == (tuple(BOXES[MAN]), tuple(BOXES[SHIRT]))


def test_a_grounder_without_a_detector_says_so():
    with pytest.raises(UserError, match="pretrained"):
        RuleGrounder().ground(PICTURE, "a dog")


def test_a_picture_that_is_too_slim_is_one_line():
    with pytest.raises(UserError, match="too slim"):
        RuleGrounder(finder=DetectedScenes(Closed())).look(Image.new("RGB", (1, 500)))
