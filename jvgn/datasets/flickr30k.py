"""Flickr30k Entities: five captions of each photograph, whose phrases have types and belong to entities with boxes.

`Sentences/{image id}.txt` has a caption on each line, its words between spaces, its phrases as
`[/EN#{entity}/{type} {words}]`. Several types may follow each other; the first one counts. Entity 0 is not visible.
`Annotations/{image id}.xml` has the size of the image and its objects: each has one or more entities (`name`) and
either a box (`bndbox`, whose pixels count from 1) or the flags `scene` and `nobndbox`.
`train.txt`, `val.txt` and `test.txt` have the image ids of the splits, one per line.

An expression is a caption with a boxed phrase, an object is an entity with the smallest box around all of its boxes
(with `boxes: any`, also with each of them), and a mention is a boxed phrase. The parser finds the head of each phrase
and of the caption. The referent is the entity of the phrase that has the caption's head, if it has a box, else of the
first boxed phrase.
"""

import logging
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa

from jvgn.datasets import tables
from jvgn.datasets.coco import GET_AGAIN, as_table
from jvgn.settings.entities import EntitiesSettings
from jvgn.storage.files import reading
from jvgn.storage.parquet import write_table
from parsers.errors import BrokenFile, UserError
from parsers.scene_graph import SceneGraph

log = logging.getLogger(__name__)

TYPES = ("people", "clothing", "bodyparts", "animals", "vehicles", "instruments", "scene", "other")
"""The types of phrases, which are the categories of objects; the first one has category id 1."""
PICTURE = re.compile(r"(\d+)(_\w+)?\.jpe?g", re.IGNORECASE)
OPENING = "[/EN#"
NOT_VISUAL = "0"
PHRASE = re.compile(r"\[/EN#(\d+)/(\w+)(?:/\w+)* ([^][\s][^][]*)\]")
CAPTIONS = re.compile(r"(\d+)\.txt")
LARGEST = 2**31 - 1
"""Of an int32."""
SIDES = ("xmin", "ymin", "xmax", "ymax")
REQUEST = "request the images from their owners, as docs/reproducing.md says"

Box = tuple[int, int, int, int]
Parse = Callable[[Sequence[str]], SceneGraph]


@dataclass(frozen=True)
class EntityPhrase:
    """A phrase of a caption, marked with the entity that it is about."""

    entity: str
    type: str
    words: range
    """The indices of its tokens."""


@dataclass(frozen=True)
class Caption:
    """A caption and its marked phrases."""

    tokens: list[str]
    phrases: list[EntityPhrase]


@dataclass(frozen=True)
class Photograph:
    """An image with the boxes and the captions of its entities."""

    image_id: int
    file_name: str
    split: str
    width: int
    height: int
    boxes: dict[str, list[Box]]
    """The boxes of each entity that has any."""
    captions: list[Caption]

    @cached_property
    def object_ids(self) -> dict[str, int]:
        """The object of each boxed entity. Ids of entities are not unique: a hundred occur in two images."""
        return {entity: 1000 * self.image_id + number for number, entity in enumerate(self.boxes, start=1)}

    def type_of(self, entity: str) -> str:
        """Return the most frequent type of the phrases about an entity; `other` if there are none."""
        types = Counter(
            phrase.type for caption in self.captions for phrase in caption.phrases if phrase.entity == entity
        )
        return types.most_common(1)[0][0] if types else "other"


@dataclass(frozen=True)
class BoxedPhrase:
    """A phrase whose entity has boxes, and its head."""

    head_token: int
    phrase: EntityPhrase


@dataclass(frozen=True)
class BoxedCaption:
    """A caption with at least one boxed phrase."""

    expression_id: int
    photograph: Photograph
    caption: Caption
    mentions: list[BoxedPhrase]
    """The boxed phrases, in order."""
    referent: BoxedPhrase

    @property
    def object_id(self) -> int:
        return self.photograph.object_ids[self.referent.phrase.entity]


def read_entities(settings: EntitiesSettings, folder: Path, parse: Parse) -> None:
    """Write the four tables of the dataset to `folder`, with the images that have a caption with a boxed phrase."""
    counts: Counter[str] = Counter()
    described = [
        description for photograph in photographs(settings) for description in descriptions(photograph, parse, counts)
    ]
    for name, count in counts.items():
        log.info("%d %s", count, name)
    for split in ("train", "val"):
        if not any(one.photograph.split == split for one in described):
            raise UserError(f"{settings.images}: has no picture of split {split}, which training needs; {REQUEST}")
    images = {one.photograph.image_id: one.photograph for one in described}
    write(folder, "images", map(image_row, images.values()))
    objects = [row for photograph in images.values() for row in object_rows(photograph)]
    if settings.boxes == "any":
        write(folder, "objects", objects, tables.OBJECTS.append(tables.BOXES))
    else:
        write(folder, "objects", (row[:-1] for row in objects))
    write(folder, "expressions", map(expression_row, described))
    write(folder, "mentions", (row for one in described for row in mention_rows(one)))


# Files


def photographs(settings: EntitiesSettings) -> Iterator[Photograph]:
    """Yield the annotated photographs in ascending order of their ids."""
    root = annotation_root(Path(settings.entities))
    names, splits = picture_names(Path(settings.images)), read_splits(settings)
    files = (CAPTIONS.fullmatch(file.name) for file in (root / "Sentences").iterdir())
    image_ids = sorted(int(name[1]) for name in files if name)
    missing = [image_id for image_id in image_ids if image_id not in names]
    if missing and settings.missing_images == "stop":
        problem = f"{len(missing):,} of {len(image_ids):,} annotated pictures are missing, such as {missing[0]}.jpg"
        raise UserError(f"{settings.images}: {problem}; {REQUEST}, or set `missing_images: skip`")
    for image_id in image_ids:
        if image_id in names:
            size, boxes = read_boxes(root / "Annotations" / f"{image_id}.xml")
            captions = read_captions(root / "Sentences" / f"{image_id}.txt")
            yield Photograph(image_id, names[image_id], splits.get(image_id, "train"), *size, boxes, captions)


def annotation_root(path: Path) -> Path | zipfile.Path:
    """Return the folder, or the archive, that the annotations are in."""
    with reading(path, "archive of Flickr30k Entities", GET_AGAIN):
        root = zipfile.Path(path) if path.is_file() else path
        for name in ("Annotations", "Sentences"):
            if not (root / name).is_dir():
                raise BrokenFile(path, f"has no folder {name}", "give the published annotations.zip, or its content")
        return root


def picture_names(folder: Path) -> dict[int, str]:
    """Return the name of each image file by the id that it starts with."""
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; {REQUEST}")
    found = (PICTURE.fullmatch(file.name) for file in sorted(folder.iterdir()))
    return {int(name[1]): name[0] for name in found if name}


def split_lists(settings: EntitiesSettings) -> dict[str, Path]:
    """Return the list of image ids of each split."""
    return {split: Path(settings.split_lists, f"{split}.txt") for split in ("train", "val", "test")}


def read_splits(settings: EntitiesSettings) -> dict[int, str]:
    splits: dict[int, str] = {}
    for split, path in split_lists(settings).items():
        with reading(path, "list of image ids", GET_AGAIN):
            splits |= dict.fromkeys(map(int, path.read_text().split()), split)
    return splits


def read_boxes(path: Path | zipfile.Path) -> tuple[tuple[int, int], dict[str, list[Box]]]:
    """Return the width and height of an image, and the boxes of its entities."""
    boxes: dict[str, list[Box]] = {}
    with reading(str(path), "XML file", GET_AGAIN):
        root = ElementTree.fromstring(path.read_bytes())
        for annotated in root.iter("object"):
            for box in annotated.iter("bndbox"):
                x1, y1, x2, y2 = (number(box, side) for side in SIDES)
                for name in annotated.iter("name"):
                    # The first pixel is 1, and the last one is part of the box.
                    boxes.setdefault(name.text or "", []).append((x1 - 1, y1 - 1, x2, y2))
        return (number(root, "size/width"), number(root, "size/height")), boxes


def number(element: ElementTree.Element, tag: str) -> int:
    text = element.findtext(tag, "")
    if not text.isdecimal() or not 0 < int(text) <= LARGEST:
        raise ValueError(f"expected a number in {element.tag}/{tag}, found {text!r}")
    return int(text)


def read_captions(path: Path | zipfile.Path) -> list[Caption]:
    with reading(str(path), "file of captions", GET_AGAIN):
        return [caption_of(line) for line in path.read_text(encoding="utf8").splitlines() if line.strip()]


def caption_of(line: str) -> Caption:
    tokens: list[str] = []
    phrases = []
    end = 0
    for found in PHRASE.finditer(line):
        tokens += line[end : found.start()].split()
        if found[1] != NOT_VISUAL and found[2] not in TYPES:
            raise ValueError(f"expected a type among {', '.join(TYPES)}, found {found[2]}")
        words = found[3].split()
        phrases.append(EntityPhrase(found[1], found[2], range(len(tokens), len(tokens) + len(words))))
        tokens += words
        end = found.end()
    tokens += line[end:].split()
    if unread := [token for token in tokens if token.startswith(OPENING)]:
        raise ValueError(f"expected [/EN#entity/type words], found {unread[0]}")
    return Caption(tokens, phrases)


# Descriptions


def descriptions(photograph: Photograph, parse: Parse, counts: Counter[str]) -> Iterator[BoxedCaption]:
    """Yield the captions that have a boxed phrase, and count what all captions have."""
    counts["images"] += 1
    counts["objects"] += len(photograph.boxes)
    for index, caption in enumerate(photograph.captions, start=1):
        graph = parse(caption.tokens)
        heads = sorted(node.head_token for node in graph.nodes)
        boxed = [phrase for phrase in caption.phrases if phrase.entity in photograph.boxes]
        mentions = [BoxedPhrase(head_of(phrase, heads), phrase) for phrase in boxed]
        head = graph.nodes[graph.referent].head_token
        at_head = [mention for mention in mentions if head in mention.phrase.words]
        counts["captions"] += 1
        counts["captions without a boxed phrase, left out"] += not boxed
        counts["captions whose head has a box"] += bool(at_head)
        counts["boxed phrases"] += len(boxed)
        counts["boxed phrases with a node"] += sum(mention.head_token in heads for mention in mentions)
        if mentions:
            expression_id = 10 * photograph.image_id + index
            yield BoxedCaption(expression_id, photograph, caption, mentions, (at_head or mentions)[0])


def head_of(phrase: EntityPhrase, heads: Iterable[int]) -> int:
    """Return the first word of a phrase that is the head of a node; without one, its last word."""
    return next((head for head in heads if head in phrase.words), phrase.words[-1])


# Tables


def write(folder: Path, name: str, rows: Iterable[tuple], schema: pa.Schema | None = None) -> None:
    schema = schema or SCHEMAS[name]
    write_table(folder / f"{name}.parquet", as_table(rows, schema), schema)


SCHEMAS = {
    "images": tables.IMAGES,
    "objects": tables.OBJECTS,
    "expressions": tables.EXPRESSIONS,
    "mentions": tables.MENTIONS.append(tables.TYPE),
}


def image_row(photograph: Photograph) -> tuple:
    return photograph.image_id, photograph.file_name, photograph.width, photograph.height


def object_rows(photograph: Photograph) -> Iterator[tuple]:
    """Yield the objects with all their boxes, end to end, as the last column."""
    for entity, boxes in photograph.boxes.items():
        kind = photograph.type_of(entity)
        object_id, category = photograph.object_ids[entity], TYPES.index(kind) + 1
        yield (
            object_id,
            photograph.image_id,
            kind,
            category,
            *merged(boxes),
            False,
            [side for box in boxes for side in box],
        )


def merged(boxes: list[Box]) -> Box:
    """Return the smallest box around all of them."""
    x1, y1, x2, y2 = zip(*boxes, strict=True)
    return min(x1), min(y1), max(x2), max(y2)


def expression_row(one: BoxedCaption) -> tuple:
    """Return an expression; all those about an object have one ref_id."""
    text, image = " ".join(one.caption.tokens), one.photograph
    return one.expression_id, one.object_id, image.image_id, one.object_id, image.split, text, one.caption.tokens


def mention_rows(one: BoxedCaption) -> Iterator[tuple]:
    for mention in one.mentions:
        object_id = one.photograph.object_ids[mention.phrase.entity]
        is_referent = object_id == one.object_id
        yield one.expression_id, mention.head_token, object_id, is_referent, mention.phrase.type
