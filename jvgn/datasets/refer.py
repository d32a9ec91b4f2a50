"""Reads a dataset in REFER's format: `refs({split_by}).p`, a pickled list, and COCO's `instances.json`.

A ref describes one object of one image: ref_id, ann_id, image_id, split, and sentences with sent_id, sent, tokens.
A sentence may carry `mentions`, a list of {head_token, ann_id}: the objects its words stand for.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pydantic import BaseModel, NonNegativeInt, TypeAdapter, ValidationError

from jvgn.boxes import xyxy_from_xywh
from jvgn.datasets import tables
from jvgn.datasets.plain_pickle import load_plain_pickle
from jvgn.settings.base import describe
from parsers.files import BrokenFile, UserError
from parsers.table import write_table

GET_AGAIN = "get the file again"


class Mention(BaseModel):
    head_token: NonNegativeInt
    ann_id: int


class Sentence(BaseModel):
    sent_id: int
    sent: str
    tokens: list[str]
    mentions: list[Mention] = []


class Ref(BaseModel):
    ref_id: int
    ann_id: int
    image_id: int
    split: str
    sentences: list[Sentence]


class Image(BaseModel):
    id: int
    file_name: str
    width: int
    height: int


class Annotation(BaseModel):
    id: int
    image_id: int
    category_id: int
    bbox: tuple[float, float, float, float]
    iscrowd: int = 0


class Category(BaseModel):
    id: int
    name: str


class Instances(BaseModel):
    images: list[Image]
    annotations: list[Annotation]
    categories: list[Category]


def read_dataset(
    refs_path: Path, instances_path: Path, folder: Path, counts: Mapping[str, int] = MappingProxyType({})
) -> None:
    """`folder` holds the four tables of the dataset: its images are those that some ref describes.

    `counts` are the expressions that each split is known to have; empty, where nobody knows.
    """
    refs = checked(refs_path, list[Ref], load_plain_pickle(refs_path))
    check_counts(refs_path, refs, counts)
    instances = checked(instances_path, Instances, load_json(instances_path))
    described = {ref.image_id for ref in refs}
    images = [image for image in instances.images if image.id in described]
    annotations = [annotation for annotation in instances.annotations if annotation.image_id in described]
    check_categories(instances_path, annotations, instances.categories)
    check_references(refs_path, refs, {image.id for image in images}, {note.id: note.image_id for note in annotations})
    write_table(folder / "images.parquet", image_table(images), tables.IMAGES)
    write_table(folder / "objects.parquet", object_table(annotations, instances.categories), tables.OBJECTS)
    write_table(folder / "expressions.parquet", expression_table(refs), tables.EXPRESSIONS)
    write_table(folder / "mentions.parquet", mention_table(refs), tables.MENTIONS)


def read_training_set(instances_path: Path, folder: Path) -> None:
    """`folder` holds the tables of all annotated images and their objects."""
    instances = checked(instances_path, Instances, load_json(instances_path))
    check_categories(instances_path, instances.annotations, instances.categories)
    write_table(folder / "images.parquet", image_table(instances.images), tables.IMAGES)
    write_table(folder / "objects.parquet", object_table(instances.annotations, instances.categories), tables.OBJECTS)


def check_counts(path: Path, refs: list[Ref], counts: Mapping[str, int]) -> None:
    found: Counter[str] = Counter()
    for ref in refs:
        found[ref.split] += len(ref.sentences)
    differing = [split for split in {**counts, **found} if found[split] != counts.get(split, 0)]
    if counts and differing:
        said = ", ".join(f"{found[split]:,} of {split} (expected {counts.get(split, 0):,})" for split in differing)
        cure = (
            "get the published archive, or if these are other data, set `counts: {}` under their source in config.yaml"
        )
        raise BrokenFile(path, f"other numbers of expressions than published: {said}", cure)


def check_categories(path: Path, annotations: list[Annotation], categories: list[Category]) -> None:
    unknown = {note.category_id for note in annotations} - {category.id for category in categories}
    if unknown:
        raise BrokenFile(path, f"category {min(unknown)} has annotations but no name", GET_AGAIN)


def load_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); put the file there") from error
    except ValueError as error:
        raise BrokenFile(path, f"not readable as JSON ({error})", GET_AGAIN) from error


def checked(path: Path, model: Any, value: Any) -> Any:
    """`value` as the model describes it, or a complaint about the file's first flaw."""
    try:
        return TypeAdapter(model).validate_python(value)
    except ValidationError as error:
        raise BrokenFile(path, describe(error.errors()[0]), GET_AGAIN) from error


def check_references(path: Path, refs: list[Ref], image_ids: set[int], image_of_object: dict[int, int]) -> None:
    sentence_ids: set[int] = set()
    for ref in refs:
        if ref.image_id not in image_ids:
            raise BrokenFile(
                path, f"ref {ref.ref_id} describes image {ref.image_id}, which instances.json lacks", GET_AGAIN
            )
        mentioned = [mention.ann_id for sentence in ref.sentences for mention in sentence.mentions]
        for object_id in (ref.ann_id, *mentioned):
            if image_of_object.get(object_id) != ref.image_id:
                problem = f"ref {ref.ref_id} describes object {object_id}, which is not in image {ref.image_id}"
                raise BrokenFile(path, problem, GET_AGAIN)
        for sentence in ref.sentences:
            if sentence.sent_id in sentence_ids:
                raise BrokenFile(path, f"sentence {sentence.sent_id} occurs twice", GET_AGAIN)
            sentence_ids.add(sentence.sent_id)
            heads = [mention.head_token for mention in sentence.mentions]
            if len(set(heads)) < len(heads) or max(heads, default=-1) >= len(sentence.tokens):
                raise BrokenFile(path, f"the mentions of sentence {sentence.sent_id} are not words of it", GET_AGAIN)


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


def expression_table(refs: list[Ref]) -> pa.Table:
    rows = [
        (sentence.sent_id, ref.ref_id, ref.image_id, ref.ann_id, ref.split, sentence.sent, sentence.tokens)
        for ref in refs
        for sentence in ref.sentences
    ]
    return as_table(sorted(rows), tables.EXPRESSIONS)


def mention_table(refs: list[Ref]) -> pa.Table:
    rows = [
        (sentence.sent_id, mention.head_token, mention.ann_id, mention.ann_id == ref.ann_id)
        for ref in refs
        for sentence in ref.sentences
        for mention in sentence.mentions
    ]
    return as_table(sorted(rows), tables.MENTIONS)


def as_table(rows: Iterable[tuple], schema: pa.Schema) -> pa.Table:
    frame = pd.DataFrame(list(rows), columns=schema.names)
    return pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
