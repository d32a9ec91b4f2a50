"""The files of the world `shapes`, in REFER's format, which RefCOCO has too.

`images/`: JPEG files, and their checksums (`jvgn.storage.pictures`).
`instances.json`: COCO instances: images (id, file_name, width, height), annotations (id, image_id, category_id, bbox
xywh, area, iscrowd, segmentation), categories (id, name). A category is a shape; colours and sizes are in sentences
only.
`refs(jvgn).p`: a pickled list of refs, one for each object that sentences refer to: ref_id, ann_id, category_id,
file_name, image_id, split, sent_ids, sentences (sent_id, sent, raw, tokens). In addition to REFER, a sentence has
mentions (head_token, ann_id), in the order of the words: the object that each shape word denotes.

All ids count from 1. An image depends only on the seed, its split and its position in the split.
"""

import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence
from tqdm import tqdm

from jvgn.settings.world import WorldSettings
from jvgn.shapes.expressions import (
    Expression,
    Outline,
    sample_outlines,
    sample_pair_outlines,
    tell,
    tell_twice,
)
from jvgn.shapes.scenes import SHAPES, Scene, Thing, draw, sample_scene
from jvgn.storage.files import check_may_be_replaced, replacing, replacing_folder, write_text
from jvgn.storage.pictures import NAME, recorded_hashes, write_hashes
from jvgn.storage.processes import workers
from parsers.errors import UserError

SCENES_TRIED = 2000
SCENES_FOR_OUTLINES = 6
JPEG_QUALITY = 92
CATEGORY_IDS = {shape: number for number, shape in enumerate(SHAPES, 1)}


@dataclass(frozen=True)
class Plan:
    """The content of one split."""

    split: str
    images: int
    fewest_things: int
    number: int
    """Expressions, or pairs of them, per image."""
    outlines: Callable[[int, Generator], list[Outline]]
    tell: Callable[[Scene, list[Outline], Generator], list[Expression] | None]


@dataclass(frozen=True)
class Task:
    """One image to sample and to draw."""

    plan: Plan
    seed: SeedSequence
    path: Path

    def __call__(self) -> tuple[Scene, list[Expression]]:
        generator = np.random.default_rng(self.seed)
        scene, expressions = sample_image(self.plan, generator)
        draw(scene, generator).save(self.path, quality=JPEG_QUALITY, subsampling=0)
        return scene, expressions


def make_world(settings: WorldSettings, folder: Path, processes: int = 1) -> None:
    """Write the world to `folder`; its bytes do not depend on the number of processes."""
    usual = settings.expressions_per_image
    plans = [
        Plan("train", settings.train, 5, usual, sample_outlines, tell),
        Plan("val", settings.val, 5, usual, sample_outlines, tell),
        Plan("test", settings.test, 5, usual, sample_outlines, tell),
        Plan("adv", settings.adv, 8, settings.pairs_per_image, sample_pair_outlines, tell_twice),
    ]
    world = World()
    check_may_be_replaced(folder / "images", {NAME, *recorded_hashes(folder / "images")})
    with replacing_folder(folder / "images") as images:
        seeds = [
            (plan, SeedSequence(settings.seed, spawn_key=(number, index)))
            for number, plan in enumerate(plans)
            for index in range(plan.images)
        ]
        tasks = [Task(plan, seed, images / file_name(image_id)) for image_id, (plan, seed) in enumerate(seeds, 1)]
        progress = tqdm(carry_out(tasks, processes), "shapes", len(tasks), unit="image", disable=None)
        for task, (scene, expressions) in zip(tasks, progress, strict=True):
            world.add(scene, expressions, task.plan.split)
        write_hashes(images)
        world.write(folder)


def carry_out(tasks: list[Task], processes: int) -> Iterator[tuple[Scene, list[Expression]]]:
    if processes == 1:
        yield from map(Task.__call__, tasks)
    else:
        with workers(processes) as pool:
            yield from pool.map(Task.__call__, tasks, chunksize=8)


def file_name(image_id: int) -> str:
    return f"shapes_{image_id:06d}.jpg"


def sample_image(plan: Plan, generator: Generator) -> tuple[Scene, list[Expression]]:
    """Return the first scene that has the expressions that the plan asks for."""
    for attempt in range(SCENES_TRIED):
        if attempt % SCENES_FOR_OUTLINES == 0:  # hardly any scene fits some outlines: try others
            outlines = plan.outlines(plan.number, generator)
        scene = sample_scene(plan.fewest_things, generator)
        expressions = plan.tell(scene, outlines, generator)
        if expressions is not None:
            return scene, expressions
    raise UserError(
        f"shapes: none of {SCENES_TRIED} scenes has {plan.number} expressions as {plan.split} needs; "
        "lower expressions_per_image or pairs_per_image"
    )


class World:
    """The rows of both files, numbered in order."""

    def __init__(self) -> None:
        self.images: list[dict[str, Any]] = []
        self.annotations: list[dict[str, Any]] = []
        self.refs: list[dict[str, Any]] = []
        self.sentences = 0

    def add(self, scene: Scene, expressions: list[Expression], split: str) -> None:
        image_id = len(self.images) + 1
        name = file_name(image_id)
        self.images.append({"id": image_id, "file_name": name, "width": scene.width, "height": scene.height})
        first_id = len(self.annotations) + 1
        for ann_id, thing in enumerate(scene.things, first_id):
            self.annotations.append(annotation(ann_id, image_id, thing))
        for index, thing in enumerate(scene.things):
            own = [expression for expression in expressions if expression.chosen[0] == index]
            if own:
                sentences = [self.sentence(expression, first_id) for expression in own]
                ref = {
                    "ref_id": len(self.refs) + 1,
                    "ann_id": first_id + index,
                    "category_id": CATEGORY_IDS[thing.shape],
                    "file_name": name,
                    "image_id": image_id,
                    "split": split,
                    "sent_ids": [sentence["sent_id"] for sentence in sentences],
                    "sentences": sentences,
                }
                self.refs.append(ref)

    def sentence(self, expression: Expression, first_id: int) -> dict[str, Any]:
        self.sentences += 1
        text = " ".join(expression.sentence.tokens)
        mentions = zip(expression.sentence.heads, expression.chosen, strict=True)
        return {
            "sent_id": self.sentences,
            "sent": text,
            "raw": text,
            "tokens": list(expression.sentence.tokens),
            "mentions": [{"head_token": head, "ann_id": first_id + index} for head, index in mentions],
        }

    def write(self, folder: Path) -> None:
        categories = [{"id": number, "name": shape} for shape, number in CATEGORY_IDS.items()]
        instances = {"images": self.images, "annotations": self.annotations, "categories": categories}
        write_text(folder / "instances.json", json.dumps(instances))
        with replacing(folder / "refs(jvgn).p") as temporary:
            temporary.write_bytes(pickle.dumps(self.refs, protocol=2))


def annotation(ann_id: int, image_id: int, thing: Thing) -> dict[str, Any]:
    x1, y1, x2, y2 = thing.xyxy
    return {
        "id": ann_id,
        "image_id": image_id,
        "category_id": CATEGORY_IDS[thing.shape],
        "bbox": [x1, y1, round(x2 - x1, 2), round(y2 - y1, 2)],
        "area": round(thing.area, 2),
        "iscrowd": 0,
        "segmentation": [thing.points.ravel().tolist()],
    }
