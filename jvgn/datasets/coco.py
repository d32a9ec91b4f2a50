"""COCO's formats: annotations, JSON with `images`, `annotations` (boxes as x, y, width, height) and `categories`; and
results of a detector, a JSON list of boxes with scores.
"""

import json
import logging
import reprlib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
from pydantic import AfterValidator, BaseModel, FailFast, Field, PositiveInt, TypeAdapter, ValidationError

from jvgn.boxes import xyxy_from_xywh
from jvgn.datasets import tables
from jvgn.settings.base import describe
from jvgn.storage.files import reading
from jvgn.storage.parquet import write_table
from parsers.errors import BrokenFile

GET_AGAIN = "get the file again"

log = logging.getLogger(__name__)

Id = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Label = Annotated[int, Field(ge=0, lt=2**31)]
Side = Annotated[float, Field(ge=-1e9, le=1e9)]


def checked_name(name: str) -> str:
    if not tables.is_within(name):
        raise ValueError(f"expected a file name in the folder of images, found {reprlib.repr(name)}")
    return name


class Image(BaseModel):
    """An entry of COCO's `images`."""

    id: Id
    file_name: Annotated[str, AfterValidator(checked_name)]
    width: Annotated[PositiveInt, Field(lt=2**31)]
    height: Annotated[PositiveInt, Field(lt=2**31)]


class Annotation(BaseModel):
    """An entry of COCO's `annotations`: an object and its box."""

    id: Id
    image_id: Id
    category_id: Label
    bbox: tuple[Side, Side, Side, Side]
    iscrowd: int = 0


class Detection(BaseModel):
    """An entry of a file of results."""

    image_id: Id
    category_id: Label
    bbox: tuple[Side, Side, Side, Side]
    score: Annotated[float, Field(ge=0, le=1)]


Listed = TypeVar("Listed", Image, Annotation)


class Category(BaseModel):
    """An entry of COCO's `categories`."""

    id: Label
    name: str


class Instances(BaseModel):
    """A file of COCO's annotations; fields that we do not use are not read."""

    images: Annotated[list[Image], FailFast()]
    annotations: Annotated[list[Annotation], FailFast()]
    categories: Annotated[list[Category], FailFast()]


def read_instances(path: Path, cure: str = GET_AGAIN) -> Instances:
    """Return the annotations of a file, after a check of its ids and categories."""
    instances: Instances = checked(path, Instances, load_json(path, cure), cure)
    unknown = {note.category_id for note in instances.annotations} - {category.id for category in instances.categories}
    if unknown:
        raise BrokenFile(path, f"category {min(unknown)} has annotations but no name", cure)
    if image := first_duplicate(instances.images):
        raise BrokenFile(path, f"image {image.id} ({image.file_name}) is listed twice", cure)
    if note := first_duplicate(instances.annotations):
        raise BrokenFile(path, f"annotation {note.id} is listed twice", cure)
    return instances


def read_results(path: Path, cure: str = GET_AGAIN) -> list[Detection]:
    """Return the detections of a file in COCO's format of results: a list, each with image_id, bbox and score."""
    results: list[Detection] = checked(path, Annotated[list[Detection], FailFast()], load_json(path, cure), cure)
    return results


def first_duplicate(listed: list[Listed]) -> Listed | None:
    """Return the first item whose id occurred before, if any."""
    seen: set[int] = set()
    for one in listed:
        if one.id in seen:
            return one
        seen.add(one.id)
    return None


def read_training_set(parts: Sequence[tuple[str, Path]], folder: Path) -> None:
    """Write the tables of all annotated images and their objects to `folder`.

    A part is a file of annotations, and the folder of its images within that of all images.
    """
    joined = Instances(images=[], annotations=[], categories=[])
    names: dict[int, str] = {}
    for within, path in parts:
        found = read_instances(path)
        joined.images.extend(
            image.model_copy(update={"file_name": str(PurePosixPath(within, image.file_name))})
            for image in found.images
        )
        joined.annotations.extend(found.annotations)
        for category in found.categories:
            if names.setdefault(category.id, category.name) != category.name:
                problem = f"category {category.id} is {category.name}, but {names[category.id]} in another file"
                raise BrokenFile(path, problem, "give files of the same categories")
        for twice in (first_duplicate(joined.images), first_duplicate(joined.annotations)):
            if twice:
                raise BrokenFile(path, f"its id {twice.id} is in another file too", "give each file once")
    joined.categories.extend(Category(id=number, name=name) for number, name in names.items())
    write_annotations(with_area(joined), folder)


def described_part(instances: Instances, image_ids: set[int]) -> Instances:
    """Return the images with these ids and their annotations."""
    return Instances.model_construct(
        images=[image for image in instances.images if image.id in image_ids],
        annotations=[note for note in instances.annotations if note.image_id in image_ids],
        categories=instances.categories,
    )


def with_area(instances: Instances, referred: Collection[int] = ()) -> Instances:
    """Return the annotations that have an area or are referred to; COCO has some without, which no region can cover."""
    box_N4 = xyxy_from_xywh(np.array([note.bbox for note in instances.annotations], np.float32).reshape(-1, 4))
    has_area_N = np.all(box_N4[:, 2:] > box_N4[:, :2], axis=1)
    found = zip(instances.annotations, has_area_N, strict=True)
    kept = [note for note, has_area in found if has_area or note.id in referred]
    if dropped := len(instances.annotations) - len(kept):
        log.info("%d of %d annotations are dropped: they have no area", dropped, len(instances.annotations))
    return instances.model_copy(update={"annotations": kept})


def write_annotations(instances: Instances, folder: Path, left_out: int = 0) -> None:
    """Write the tables of images and objects to `folder`, and record how many annotated images were left out."""
    if left_out:
        log.info("%d of %d images have no expressions and are left out", left_out, left_out + len(instances.images))
    table = image_table(instances.images)
    write_table(folder / "images.parquet", table, tables.IMAGES, left_out=str(left_out))
    write_table(folder / "objects.parquet", object_table(instances.annotations, instances.categories), tables.OBJECTS)


def load_json(path: Path, cure: str) -> Any:
    with reading(path, "JSON file", cure):
        return json.loads(path.read_bytes())


def checked(path: Path, model: Any, value: Any, cure: str = GET_AGAIN) -> Any:
    """Return `value` as the model; otherwise raise an error that names the first invalid key."""
    try:
        return TypeAdapter(model).validate_python(value)
    except ValidationError as error:
        raise BrokenFile(path, describe(error.errors()[0]), cure) from error


def image_table(images: list[Image]) -> pa.Table:
    ordered = sorted(images, key=lambda image: image.id)
    rows = [(image.id, image.file_name, image.width, image.height) for image in ordered]
    return as_table(rows, tables.IMAGES)


def object_table(annotations: list[Annotation], categories: list[Category]) -> pa.Table:
    names = {category.id: category.name for category in categories}
    ordered = sorted(annotations, key=lambda annotation: annotation.image_id)
    boxes = xyxy_from_xywh(np.array([annotation.bbox for annotation in ordered], dtype=np.float32).reshape(-1, 4))
    rows = (
        (note.id, note.image_id, names[note.category_id], note.category_id, *box, bool(note.iscrowd))
        for note, box in zip(ordered, boxes.tolist(), strict=True)
    )
    return as_table(rows, tables.OBJECTS)


def as_table(rows: Iterable[tuple], schema: pa.Schema) -> pa.Table:
    frame = pd.DataFrame(list(rows), columns=schema.names)
    return pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
