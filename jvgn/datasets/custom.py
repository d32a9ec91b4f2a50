"""A user's own dataset: annotations in COCO's format, a table of expressions, and pictures if any (docs/custom.md)."""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jvgn.boxes import Floats, iou, xyxy_from_xywh
from jvgn.datasets import tables
from jvgn.datasets.coco import Annotation, Image, as_table, described_part, read_instances, write_annotations
from jvgn.datasets.expression_table import BOX, FIX, Mention, Record, Records, Row, parsed_rows, read_records
from jvgn.settings.custom import CustomSettings
from jvgn.storage.parquet import write_table
from parsers.errors import BrokenFile, UserError

log = logging.getLogger(__name__)

SAME = 0.9
"""The least IoU of a row's box and the annotated object that it denotes."""

Tokeniser = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class CustomExpression:
    """A checked row of the user's table of expressions."""

    expression_id: int
    image_id: int
    object_id: int
    split: str
    text: str
    tokens: list[str]
    mentions: list[Mention]
    record: Record


class AnnotatedImages:
    """The annotated images and objects, in which rows are looked up."""

    def __init__(self, path: Path) -> None:
        self.path, self.instances = path, read_instances(path, FIX)
        self.images: dict[int, Image] = {}
        self.by_name: dict[str, Image] = {}
        self.objects: dict[int, Annotation] = {}
        self.in_image: dict[int, list[Annotation]] = {}
        self.boxes: dict[int, Floats] = {}
        for image in self.instances.images:
            if image.file_name in self.by_name:
                raise BrokenFile(path, f"image {image.id} ({image.file_name}) is listed twice", FIX)
            self.images[image.id] = self.by_name[image.file_name] = image
            self.in_image[image.id] = []
        for note in self.instances.annotations:
            if note.image_id not in self.images:
                raise BrokenFile(path, f"annotation {note.id} is in image {note.image_id}, which is not listed", FIX)
            self.objects[note.id] = note
            self.in_image[note.image_id].append(note)

    def image(self, record: Record, row: Row) -> Image:
        if row.image_id is None:
            if row.file_name is None:
                raise record.flaw("image_id or file_name", "is empty")
            if row.file_name not in self.by_name:
                raise record.flaw("file_name", f"{self.path} has no image named {row.file_name}")
            return self.by_name[row.file_name]
        if row.image_id not in self.images:
            raise record.flaw("image_id", f"{self.path} has no image {row.image_id}")
        image = self.images[row.image_id]
        if row.file_name not in (None, image.file_name):
            raise record.flaw("file_name", f"image {image.id} is {image.file_name}, found {row.file_name}")
        return image

    def referent(self, record: Record, row: Row, image: Image) -> int:
        if row.object_id is not None:
            self.check_object(record, "object_id", row.object_id, image)
            return row.object_id
        for column in BOX:
            if getattr(row, column) is None:
                raise record.flaw(column, "is empty, and so is object_id", "give the object or its whole box")
        return self.object_at(record, [getattr(row, column) for column in BOX], image)

    def check_object(self, record: Record, column: str, object_id: int, image: Image) -> None:
        if object_id not in self.objects:
            raise record.flaw(column, f"{self.path} has no annotation {object_id}")
        elsewhere = self.objects[object_id].image_id
        if elsewhere != image.id:
            raise record.flaw(column, f"annotation {object_id} is in image {elsewhere}, expected one in {image.id}")

    def boxes_in(self, image_id: int) -> Floats:
        """Return all boxes of an image; cached, because each row is compared with all of them."""
        if image_id not in self.boxes:
            self.boxes[image_id] = xyxy_from_xywh([note.bbox for note in self.in_image[image_id]])
        return self.boxes[image_id]

    def object_at(self, record: Record, box: list[float], image: Image) -> int:
        """Return the annotated object whose box is nearly this one."""
        notes = self.in_image[image.id]
        overlap_N = iou(self.boxes_in(image.id), box)[:, 0]
        if max(overlap_N, default=0) < SAME:
            nearest = f"the nearest overlaps by {max(overlap_N, default=0):.2f}, expected at least {SAME}"
            raise record.flaw("x1 to y2", f"no annotated object of image {image.id} has this box ({nearest})")
        best = np.flatnonzero(overlap_N == overlap_N.max())
        if len(best) > 1:
            alike = " and ".join(str(notes[index].id) for index in best)
            raise record.flaw("x1 to y2", f"annotations {alike} have the same box", "name one in a column object_id")
        return notes[best[0]].id


def read_custom(settings: CustomSettings, folder: Path, tokenise: Tokeniser) -> None:
    """Write the four tables of the dataset to `folder`, with the images that some expression describes."""
    annotations = AnnotatedImages(Path(settings.annotations))
    records = read_records(Path(settings.expressions))
    expressions = [
        read_expression(record, row, number, annotations, tokenise)
        for number, (record, row) in enumerate(parsed_rows(records), start=1)
    ]
    check_ids(records, expressions)
    check_splits(expressions, settings)
    if settings.images is not None:
        check_pictures(expressions, annotations, Path(settings.images))
    described = {expression.image_id for expression in expressions}
    left_out = len(annotations.images) - len(described)
    write_annotations(described_part(annotations.instances, described), folder, left_out)
    write_expressions(expressions, folder)


def read_expression(
    record: Record, row: Row, number: int, annotations: AnnotatedImages, tokenise: Tokeniser
) -> CustomExpression:
    """Return the row as an expression; `number` is its id if the table has no ids."""
    image = annotations.image(record, row)
    referent = annotations.referent(record, row, image)
    tokens = row.tokens or list(tokenise(row.text))
    heads = Counter(mention.head_token for mention in row.mentions)
    for mention in row.mentions:
        annotations.check_object(record, "mentions", mention.object_id, image)
        if mention.head_token >= len(tokens):
            words = " ".join(tokens)
            raise record.flaw("mentions", f"head_token {mention.head_token}: there are {len(tokens)} words, {words}")
        if heads[mention.head_token] > 1:
            raise record.flaw("mentions", f"two objects have head_token {mention.head_token}")
    expression_id = number if row.expression_id is None else row.expression_id
    return CustomExpression(expression_id, image.id, referent, row.split, row.text, tokens, row.mentions, record)


def check_ids(records: Records, expressions: list[CustomExpression]) -> None:
    """Check that ids are unique, and that all rows or none have one."""
    seen: dict[int, str] = {}
    for expression in expressions:
        record = expression.record
        if "expression_id" in records.columns and "expression_id" not in record.values:
            raise record.flaw("expression_id", "is empty", "give every row one, or leave the column out")
        if expression.expression_id in seen:
            problem = f"{expression.expression_id} is also the id of {seen[expression.expression_id]}"
            raise record.flaw("expression_id", problem, "give every row its own")
        seen[expression.expression_id] = record.place


def check_splits(expressions: list[CustomExpression], settings: CustomSettings) -> None:
    for expression in expressions:
        if expression.split not in settings.splits:
            expected = f"expected one of {', '.join(settings.splits)}, found {expression.split!r}"
            raise expression.record.flaw("split", expected, "fix it, or add it to the dataset's `splits`")
    present = {expression.split for expression in expressions}
    for needed in ("train", "val"):
        if needed not in present:
            found = f"has no row of split {needed}, only of {', '.join(sorted(present))}"
            raise UserError(f"{settings.expressions}: {found}; training needs train and val")
    trained_on = {expression.image_id for expression in expressions if expression.split == "train"}
    both = {expression.image_id for expression in expressions if expression.split != "train"} & trained_on
    if both:
        log.info("%d images are in train and in another split, such as image %d", len(both), min(both))


def check_pictures(expressions: list[CustomExpression], annotations: AnnotatedImages, folder: Path) -> None:
    for image_id, record in {expression.image_id: expression.record for expression in reversed(expressions)}.items():
        picture = folder / annotations.images[image_id].file_name
        if not picture.is_file():
            described = f"{record.path}, {record.place}, describes it as image {image_id} of {annotations.path}"
            raise UserError(f"{picture}: no such picture; {described}")


def write_expressions(expressions: list[CustomExpression], folder: Path) -> None:
    """Write the tables of expressions and mentions; all expressions about an object have one ref_id."""
    rows = [
        (one.expression_id, one.object_id, one.image_id, one.object_id, one.split, one.text, one.tokens)
        for one in expressions
    ]
    mentions = [
        (one.expression_id, mention.head_token, mention.object_id, mention.object_id == one.object_id)
        for one in expressions
        for mention in one.mentions
    ]
    write_table(folder / "expressions.parquet", as_table(sorted(rows), tables.EXPRESSIONS), tables.EXPRESSIONS)
    write_table(folder / "mentions.parquet", as_table(sorted(mentions), tables.MENTIONS), tables.MENTIONS)
