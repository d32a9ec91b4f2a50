"""The world is checked from its files alone, against a plain second definition of the meaning of sentences."""

import json
import math
import pickle
import pickletools
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from jvgn.settings.world import WorldSettings
from jvgn.shapes.world import make_world

SHAPES = {"circle", "square", "triangle", "star", "cross", "ring", "heart"}
SIZES = {"big": "big", "large": "big", "small": "small", "tiny": "small", "little": "small"}
COLOURS = {
    "red": (220, 40, 40),
    "green": (40, 190, 70),
    "blue": (45, 85, 235),
    "yellow": (245, 220, 45),
    "purple": (165, 45, 200),
    "white": (240, 240, 240),
}
RELATIONS = {
    **dict.fromkeys(["left of", "to the left of", "on the left of"], "left"),
    **dict.fromkeys(["right of", "to the right of", "on the right of"], "right"),
    **dict.fromkeys(["above", "over"], "above"),
    **dict.fromkeys(["below", "under", "beneath"], "below"),
    **dict.fromkeys(["next to", "beside", "near", "close to"], "near"),
}
LINKS = ("that is ", "which is ", "that lies ", "is ")


@dataclass
class Seen:
    """An object as the files describe it."""

    ann_id: int
    looks: set[str]
    x: float
    y: float


@dataclass
class Said:
    """A sentence and its parts."""

    split: str
    image: dict
    objects: list[Seen]
    tokens: list[str]
    gold: list[int]
    phrases: list[set[str]]
    relations: list[tuple[int, str, int]]

    def fitting(self, mention: int) -> list[Seen]:
        return [thing for thing in self.objects if self.phrases[mention] <= thing.looks]

    def solutions(self, strict: bool) -> list[list[int]]:
        """Return every choice of objects for the mentions that makes the sentence true; two may be the same."""
        choices = product(*(self.fitting(mention) for mention in range(len(self.phrases))))
        return [
            [thing.ann_id for thing in choice]
            for choice in choices
            if all(holds(kind, choice[s], choice[o], self.image, strict) for s, kind, o in self.relations)
        ]


def holds(kind: str, one: Seen, other: Seen, image: dict, strict: bool) -> bool:
    width, height = image["width"], image["height"]
    if kind == "near":
        return math.dist((one.x, one.y), (other.x, other.y)) <= (0.16 if strict else 0.23) * math.hypot(width, height)
    if one is other:
        return False
    right, down = one.x - other.x, one.y - other.y
    along = {"left": -right, "right": right, "above": -down, "below": down}[kind]
    across = abs(down if kind in ("left", "right") else right)
    side = width if kind in ("left", "right") else height
    if strict:
        return along >= 0.12 * side and across <= 0.6 * along
    return along >= -0.02 * side and across <= along + 0.04 * side


def read(folder: Path) -> list[Said]:
    instances = json.loads((folder / "instances.json").read_text())
    images = {image["id"]: image for image in instances["images"]}
    names = {category["id"]: category["name"] for category in instances["categories"]}
    objects = defaultdict(list)
    for image_id, image in images.items():
        pixels = np.asarray(Image.open(folder / "images" / image["file_name"])).astype(int)
        for annotation in instances["annotations"]:
            if annotation["image_id"] == image_id:
                objects[image_id].append(see(annotation, names, pixels))
    return [
        take_apart(ref, sentence, images[ref["image_id"]], objects[ref["image_id"]])
        for ref in pickle.loads((folder / "refs(jvgn).p").read_bytes())
        for sentence in ref["sentences"]
    ]


def see(annotation: dict, names: dict, pixels: np.ndarray) -> Seen:
    x, y, width, height = annotation["bbox"]
    own = pixels[silhouette(annotation, pixels)]
    nearest = np.linalg.norm(own[:, None] - np.array(list(COLOURS.values())), axis=2).argmin(axis=1)
    colour = list(COLOURS)[np.bincount(nearest).argmax()]
    size = "big" if max(width, height) > 25 else "small"
    return Seen(annotation["id"], {names[annotation["category_id"]], colour, size}, x + width / 2, y + height / 2)


def silhouette(annotation: dict, pixels: np.ndarray) -> np.ndarray:
    mask = Image.new("1", (pixels.shape[1], pixels.shape[0]))
    ImageDraw.Draw(mask).polygon(annotation["segmentation"][0], fill=1)
    return np.asarray(mask)


def take_apart(ref: dict, sentence: dict, image: dict, objects: list[Seen]) -> Said:
    tokens = sentence["tokens"]
    heads = [position for position, token in enumerate(tokens) if token in SHAPES]
    assert heads == [mention["head_token"] for mention in sentence["mentions"]]
    assert ref["ann_id"] == sentence["mentions"][0]["ann_id"]
    phrases: list[set[str]] = []
    relations: list[tuple[int, str, int]] = []
    for mention, (before, head) in enumerate(pairwise([-1, *heads])):
        words = tokens[before + 1 : head + 1]
        looks = [word for word in words if word in SHAPES | COLOURS.keys() | SIZES.keys()]
        phrases.append({SIZES.get(word, word) for word in looks})
        between = " ".join(words[: len(words) - len(looks)])
        if mention:
            again = between.startswith("and ")
            between = between.removeprefix("and ").removesuffix(" the").removesuffix(" a")
            for link in LINKS:
                between = between.removeprefix(link)
            relations.append((relations[-1][0] if again else mention - 1, RELATIONS[between], mention))
        else:
            assert between in ("", "the", "a")
    gold = [mention["ann_id"] for mention in sentence["mentions"]]
    return Said(ref["split"], image, objects, tokens, gold, phrases, relations)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("shapes")
    make_world(WorldSettings(seed=11, train=20, val=10, test=20, adv=100), path)
    return path


@pytest.fixture(scope="module")
def sentences(folder) -> list[Said]:
    return read(folder)


@pytest.fixture(scope="module")
def instances(folder) -> dict:
    return json.loads((folder / "instances.json").read_text())


def share(values) -> float:
    return float(np.mean(list(values)))


def test_every_expression_has_one_joint_solution_in_both_readings(sentences):
    for said in sentences:
        assert said.solutions(strict=True) == [said.gold], said.tokens
        assert said.solutions(strict=False) == [said.gold], said.tokens


@pytest.mark.parametrize("seed", range(20, 24))
def test_this_holds_for_any_seed(seed, tmp_path):
    make_world(WorldSettings(seed=seed, train=1, val=1, test=2, adv=3), tmp_path)
    sentences = read(tmp_path)
    assert Counter(said.split for said in sentences) == {"train": 8, "val": 8, "test": 16, "adv": 12}
    for said in sentences:
        assert said.solutions(strict=False) == said.solutions(strict=True) == [said.gold], said.tokens


@pytest.mark.parametrize("split", ["train", "val", "test", "adv"])
def test_most_expressions_mention_several_objects(split, sentences):
    assert share(len(said.gold) > 1 for said in sentences if said.split == split) >= 0.6


def test_expressions_mention_one_to_four_objects(sentences):
    mentions = Counter(len(said.gold) for said in sentences if said.split != "adv")
    assert mentions.keys() == {1, 2, 3, 4}
    assert min(mentions.values()) >= 0.05 * mentions.total()


@pytest.mark.parametrize("split", ["train", "val", "test", "adv"])
def test_relations_decide_most_expressions_with_several_objects(split, sentences):
    several = [said for said in sentences if said.split == split and len(said.gold) > 1]
    assert share(len(said.fitting(0)) > 1 for said in several) >= 0.75


def test_context_objects_are_often_ambiguous_on_their_own(sentences):
    assert share(len(said.fitting(k)) > 1 for said in sentences for k in range(1, len(said.gold))) >= 0.4


def test_relations_are_balanced(sentences):
    counts = Counter(kind for said in sentences for _, kind, _ in said.relations)
    assert len(counts) == 5
    assert max(counts.values()) < 2 * min(counts.values())


def test_the_outermost_object_is_often_not_the_referent_of_a_direction(sentences):
    """ "Left of" must not just mean the leftmost of the objects that the first phrase fits."""
    outermost = {"left": (-1, 0), "right": (1, 0), "above": (0, -1), "below": (0, 1)}
    right = []
    for said in sentences:
        if said.relations and said.relations[0][1] in outermost:
            dx, dy = outermost[said.relations[0][1]]
            guess = max(said.fitting(0), key=lambda thing: dx * thing.x + dy * thing.y)
            right.append(guess.ann_id == said.gold[0])
    assert share(right) <= 0.7


def test_adversarial_pairs_have_the_same_words_and_different_referents(sentences):
    pairs = defaultdict(list)
    for said in sentences:
        if said.split == "adv":
            pairs[said.image["id"], tuple(sorted(said.tokens))].append(said)
    assert len(pairs) == 200
    for one, other in pairs.values():
        assert one.tokens != other.tokens
        assert one.gold[0] != other.gold[0]
        assert len(one.fitting(0)) > 1 and len(other.fitting(0)) > 1


def test_taking_the_first_noun_solves_at_most_55_percent_of_the_adversarial_split(sentences):
    adversarial = [said for said in sentences if said.split == "adv"]
    assert share(1 / len(said.fitting(0)) for said in adversarial) <= 0.55
    assert share(said.fitting(0)[0].ann_id == said.gold[0] for said in adversarial) <= 0.55


def test_splits_share_no_image(sentences):
    splits = defaultdict(set)
    for said in sentences:
        splits[said.image["id"]].add(said.split)
    assert all(len(of_image) == 1 for of_image in splits.values())
    assert len(splits) == 150


def test_ids_count_from_one(folder, instances):
    refs = pickle.loads((folder / "refs(jvgn).p").read_bytes())
    sentence_ids = [sentence["sent_id"] for ref in refs for sentence in ref["sentences"]]
    assert sentence_ids == [number for ref in refs for number in ref["sent_ids"]]
    annotation_ids = [row["id"] for row in instances["annotations"]]
    for ids in ([row["id"] for row in instances["images"]], annotation_ids, [r["ref_id"] for r in refs], sentence_ids):
        assert ids == list(range(1, len(ids) + 1))
    assert len({ref["ann_id"] for ref in refs}) == len(refs)


def test_the_pickle_holds_plain_containers_only(folder):
    raw = (folder / "refs(jvgn).p").read_bytes()
    assert not {"GLOBAL", "STACK_GLOBAL", "REDUCE"} & {opcode.name for opcode, _, _ in pickletools.genops(raw)}
    assert raw[:2] == b"\x80\x02"


def test_boxes_are_inside_the_image_and_touch_the_outline_on_every_side(instances):
    images = {image["id"]: image for image in instances["images"]}
    for annotation in instances["annotations"]:
        x, y, width, height = annotation["bbox"]
        image = images[annotation["image_id"]]
        assert x >= 0 and y >= 0 and x + width <= image["width"] and y + height <= image["height"]
        points = np.array(annotation["segmentation"][0]).reshape(-1, 2)
        np.testing.assert_allclose([*points.min(axis=0), *np.ptp(points, axis=0)], [x, y, width, height], atol=0.01)
        assert 0.2 * width * height < annotation["area"] <= 1.001 * width * height


def test_pictures_show_bright_objects_where_the_boxes_are_and_muted_ground_elsewhere(folder, instances):
    palette = np.array(list(COLOURS.values()))
    for image in instances["images"][:25]:
        pixels = np.asarray(Image.open(folder / "images" / image["file_name"])).astype(int)
        assert pixels.shape == (image["height"], image["width"], 3)
        objects = np.zeros(pixels.shape[:2], dtype=bool)
        for annotation in (row for row in instances["annotations"] if row["image_id"] == image["id"]):
            mask = silhouette(annotation, pixels)
            objects |= mask
            bright = np.linalg.norm(pixels[mask][:, None] - palette, axis=2).min(axis=1) < 60
            assert bright.mean() > 0.7  # the rest is the edge, half object and half ground
        x1, y1, x2, y2 = 1, 1, image["width"] - 1, image["height"] - 1
        ground = pixels[y1:y2, x1:x2][~grown(objects)[y1:y2, x1:x2]]
        assert np.ptp(ground, axis=1).max() < 70


def grown(mask: np.ndarray) -> np.ndarray:
    """Return the mask and three pixels around it: JPEG blurs edges."""
    reach = range(-3, 4)
    return np.any([np.roll(mask, (down, right), axis=(0, 1)) for down in reach for right in reach], axis=0)


def test_no_more_than_a_fifth_of_an_object_is_hidden(instances):
    rows = defaultdict(list)
    for annotation in instances["annotations"]:
        rows[annotation["image_id"]].append(annotation)
    overlapping = 0
    for annotations in rows.values():
        blank = np.zeros((192, 192))
        masks = [silhouette(annotation, blank) for annotation in annotations]
        for position, mask in enumerate(masks):
            hidden = mask & np.any([*masks[position + 1 :], blank.astype(bool)], axis=0)
            overlapping += hidden.any()
            assert hidden.sum() <= 0.25 * mask.sum()  # a fifth, and what drawing on another grid may round
    assert overlapping > 20
    assert all(5 <= len(annotations) <= 10 for annotations in rows.values())
