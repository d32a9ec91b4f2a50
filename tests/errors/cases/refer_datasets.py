"""Mistakes in a world's settings, and in datasets of REFER's format."""

import json
import pickle
from collections.abc import Callable
from typing import Any

from jvgn.storage.picture_hashes import NAME
from tests.errors.case import Bench, Case

GET_AGAIN = "get the file again"
ABSENT = "…: cannot be read (…); put the file there"
REFUSED = "…: refused as a pickle: …; get the file again from a source you trust"
BAD_COUNTS = '--counts: expected a number for each split, found …; write it as: {"val": 10}'

Arrange = Callable[[Bench], list[Any]]


def sentence(number: int, **values: Any) -> dict[str, Any]:
    return {"sent_id": number, "sent": "the cat", "tokens": ["the", "cat"]} | values


def ref(number: int, **values: Any) -> dict[str, Any]:
    return {"ref_id": number, "ann_id": 1, "image_id": 1, "split": "train", "sentences": [sentence(number)]} | values


def instances(**values: Any) -> dict[str, Any]:
    return {
        "images": [{"id": 1, "file_name": "one.jpg", "width": 9, "height": 9}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5]}],
        "categories": [{"id": 1, "name": "cat"}],
    } | values


def read(refs: Any = (), annotated: Any = None, counts: str = "{}") -> Arrange:
    """Reads refs (bytes are no pickle of ours) and annotations (text is no JSON of ours)."""

    def arrange(bench: Bench) -> list[Any]:
        pickled = refs if isinstance(refs, bytes) else pickle.dumps(list(refs) or [ref(1)], protocol=2)
        text = annotated if isinstance(annotated, str) else json.dumps(annotated or instances())
        files = ["--refs", bench.write("refs.p", pickled), "--instances", bench.write("instances.json", text)]
        return ["read-dataset", *files, "--output", bench.folder / "out", "--counts", counts]

    return arrange


def without(name: str) -> Arrange:
    def arrange(bench: Bench) -> list[Any]:
        arguments = read()(bench)
        (bench.folder / name).unlink()
        return arguments

    return arrange


def too_many_expressions(bench: Bench) -> list[Any]:
    bench.patch.setattr("jvgn.shapes.world.SCENES_TRIED", 6)
    settings = bench.write("settings.yaml", "{train: 1, val: 1, test: 1, adv: 1, expressions_per_image: 500}")
    return ["world", "--settings", settings, "--folder", bench.folder / "world"]


def pictures_that_are(*files: str) -> Callable[[Bench], list[Any]]:
    """Where a world is to be drawn whose pictures would replace these."""

    def arrange(bench: Bench) -> list[Any]:
        for file in files:
            bench.write(f"world/{file}", "")
        return ["world", "--settings", bench.write("settings.yaml", "{}"), "--folder", bench.folder / "world"]

    return arrange


MENTIONS = [{"head_token": 1, "ann_id": 1}]
CASES = [
    Case(
        "shapes: none of … scenes admits what … asks of an image (…); lower expressions_per_image or pairs_per_image",
        too_many_expressions,
    ),
    *(
        Case(
            "…: holds …, which was not made here and would be lost; give another folder",
            pictures_that_are("images/shapes_000001.jpg", f"images/{NAME}", mine),
        )
        for mine in ("images/mine.jpg", "images/COCO_train2014_000000000009.jpg", "images/mine/shapes_000002.jpg")
    ),
    Case("…: is a file, expected a folder; give another name", pictures_that_are("images")),
    Case('--counts: not readable as JSON (…); write it as: {"val": 10}', read(counts="val=10")),
    Case(BAD_COUNTS, read(counts="[10]")),
    Case(BAD_COUNTS, read(counts='{"val": "ten"}')),
    Case(ABSENT, without("refs.p")),
    Case(ABSENT, without("instances.json")),
    Case(REFUSED, read(refs=pickle.dumps(print))),
    Case(REFUSED, read(refs=b"")),
    Case(f"…: not readable as JSON (…); {GET_AGAIN}", read(annotated="{images: []}")),
    Case(f"…: …: Field required; {GET_AGAIN}", read(refs=[{"ref_id": 1}])),
    Case(f"…: …: Field required; {GET_AGAIN}", read(annotated={"images": []})),
    Case(f"…: …: Input should be …, found …; {GET_AGAIN}", read(refs=[ref("one")])),
    Case(
        f"…: …: Input should be …, found …; {GET_AGAIN}",
        read(annotated=instances(images=[{"id": 1, "file_name": "one.jpg", "width": 0, "height": 9}])),
    ),
    Case(
        f"…: …: Value error, expected the name of a file in the folder of images, found …; {GET_AGAIN}",
        read(annotated=instances(images=[{"id": 1, "file_name": "/etc/passwd", "width": 9, "height": 9}])),
    ),
    Case(f"…: category … has annotations but no name; {GET_AGAIN}", read(annotated=instances(categories=[]))),
    Case(
        "…: other numbers of expressions than published: …; get the published archive, or if these are other data, set"
        " `counts: {}` under their source in config.yaml",
        read(counts='{"train": 7}'),
    ),
    Case(f"…: ref … describes image …, which instances.json lacks; {GET_AGAIN}", read(refs=[ref(1, image_id=2)])),
    Case(f"…: ref … describes object …, which is not in image …; {GET_AGAIN}", read(refs=[ref(1, ann_id=2)])),
    Case(f"…: sentence … occurs twice; {GET_AGAIN}", read(refs=[ref(1), ref(2, sentences=[sentence(1)])])),
    Case(
        f"…: the mentions of sentence … are not words of it; {GET_AGAIN}",
        read(refs=[ref(1, sentences=[sentence(1, mentions=MENTIONS * 2)])]),
    ),
    Case(
        f"…: the mentions of sentence … are not words of it; {GET_AGAIN}",
        read(refs=[ref(1, sentences=[sentence(1, mentions=[{"head_token": 2, "ann_id": 1}])])]),
    ),
]
