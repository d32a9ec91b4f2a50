"""A dataset of any size with tiny features: tables, regions and settings for the stages.

A larger dataset begins with the smaller one. Its sentences follow the grammar of the embedded world, with more of the
words that the parsers know and with misspellings: most occur once, and the vocabulary has a long tail.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from jvgn.datasets import tables
from jvgn.regions.hdf5_store import Regions, RegionWriter
from jvgn.settings.evaluation import EvaluationSettings
from jvgn.settings.parser import LexicalSettings
from jvgn.settings.run import ModelSettings, RunSettings, TrainingSettings, VocabularySettings
from jvgn.shapes.descriptions import Description, Phrase
from jvgn.shapes.expressions import MENTIONS, STRUCTURES
from jvgn.shapes.scenes import pick
from jvgn.shapes.wording import RELATION_WORDS, Sentence, choose_wording, put_into_words
from jvgn.storage.files import replacing
from jvgn.storage.parquet import write_table
from parsers.words.lexicon import words

EXPRESSIONS_AN_IMAGE = 10
OBJECTS_AN_IMAGE = 8
STRAY_REGIONS = 2
"""Regions of an image that are not objects."""
FEATURE_SIZE = 16
WIDTH, HEIGHT = 640, 480
SPLITS = (*("train",) * 8, "val", "test")
"""Splits of every ten images."""

NOUN_LISTS = ("animates", "body_parts", "clothes", "markings", "nouns", "settings")
NOUNS = sorted({word for name in NOUN_LISTS for word in words(name) if word.isalpha()})
COLOURS = sorted(words("colours"))
ADJECTIVES = sorted(words("adjectives"))
RELATIONS = (*RELATION_WORDS, "behind", "in front of", "holding", "wearing", "with", "on top of")
COLOURED, DESCRIBED, MISSPELT = 0.5, 0.4, 0.01
"""Shares of phrases with a colour, with another adjective, and with a misspelt noun."""


@dataclass(frozen=True)
class World:
    """Inputs of the stages, and a folder for their outputs."""

    folder: Path

    def table(self, name: str) -> Path:
        return self.folder / "dataset" / f"{name}.parquet"

    def settings(self, kind: str) -> Path:
        return self.folder / "settings" / f"{kind}.yaml"

    @property
    def regions(self) -> Path:
        return self.folder / "regions.h5"

    @property
    def proof(self) -> Path:
        return self.folder / "proof.json"

    def made(self, name: str) -> Path:
        return self.folder / "made" / name


def write_world(folder: Path, expressions: int) -> World:
    """Write all inputs of the stages, for so many expressions."""
    world = World(folder)
    pictures = [Picture(image_id) for image_id in range(1, expressions // EXPRESSIONS_AN_IMAGE + 1)]
    write(world.table("images"), tables.IMAGES, ((one.image_id, one.file_name, WIDTH, HEIGHT) for one in pictures))
    write(world.table("objects"), tables.OBJECTS, (row for one in pictures for row in one.objects()))
    write(world.table("expressions"), tables.EXPRESSIONS, (row for one in pictures for row in one.expressions()))
    write(world.table("mentions"), tables.MENTIONS, (row for one in pictures for row in one.mentions()))
    with RegionWriter(world.regions, FEATURE_SIZE, "float16", {"setting": "det", "dataset": "load"}) as writer:
        for one in pictures:
            writer.append(one.image_id, one.regions())
    write_settings(world)
    return world


def write(path: Path, schema: pa.Schema, rows: Iterator[tuple]) -> None:
    write_table(path, dict(zip(schema.names, zip(*rows, strict=True), strict=True)), schema)


def write_settings(world: World) -> None:
    """Write settings of a small model for one epoch, with defaults for the rest."""
    model = ModelSettings(spatial_size=32, hidden_size=16, layers=1)
    run = RunSettings(detector="load", vocabulary="load", model=model, training=TrainingSettings(epochs=1))
    run.write(world.settings("run"))
    LexicalSettings(backend="lexical").write(world.settings("parser"))
    VocabularySettings(more_often_than=1, vector_size=64).write(world.settings("vocabulary"))
    EvaluationSettings().write(world.settings("evaluation"))
    with replacing(world.proof) as temporary:
        temporary.write_text('{"verdict": "unproven"}\n')


@dataclass(frozen=True)
class Picture:
    """An image with its objects and sentences, all derived from its number."""

    image_id: int

    @property
    def file_name(self) -> str:
        return f"{self.image_id}.jpg"

    @property
    def object_ids(self) -> range:
        return range(self.image_id * OBJECTS_AN_IMAGE, (self.image_id + 1) * OBJECTS_AN_IMAGE)

    @cached_property
    def box(self) -> np.ndarray:
        generator = np.random.default_rng((self.image_id, 0))
        size = generator.uniform(30, 240, (OBJECTS_AN_IMAGE + STRAY_REGIONS, 2))
        corner = generator.uniform(0, 1, size.shape) * ((WIDTH, HEIGHT) - size)
        return np.concatenate([corner, corner + size], axis=1).astype(np.float32)

    def objects(self) -> Iterator[tuple]:
        for object_id, box in zip(self.object_ids, self.box.tolist(), strict=False):
            yield object_id, self.image_id, "thing", 1, *box, False

    def regions(self) -> Regions:
        """Return detections: each object, slightly displaced, and stray regions."""
        generator = np.random.default_rng((self.image_id, 1))
        box = self.box + generator.normal(0, 4, self.box.shape).astype(np.float32)
        feature = generator.random((len(box), FEATURE_SIZE)).astype(np.float16)
        score = np.sort(generator.random(len(box), dtype=np.float32))[::-1]
        return Regions(box, feature, score, np.ones(len(box), np.int32), np.full(len(box), -1))

    @cached_property
    def said(self) -> list[tuple[Sentence, list[int]]]:
        """Sentences, and the objects that they mention."""
        generator = np.random.default_rng((self.image_id, 2))
        sentences = [sentence(pick(MENTIONS, generator), generator) for _ in range(EXPRESSIONS_AN_IMAGE)]
        return [(one, generator.permutation(self.object_ids)[: len(one.heads)].tolist()) for one in sentences]

    @property
    def expression_ids(self) -> range:
        return range((self.image_id - 1) * EXPRESSIONS_AN_IMAGE, self.image_id * EXPRESSIONS_AN_IMAGE)

    def expressions(self) -> Iterator[tuple]:
        split = SPLITS[self.image_id % len(SPLITS)]
        for number, (one, objects) in zip(self.expression_ids, self.said, strict=True):
            yield number, number, self.image_id, objects[0], split, " ".join(one.tokens), one.tokens

    def mentions(self) -> Iterator[tuple]:
        for number, (one, objects) in zip(self.expression_ids, self.said, strict=True):
            for position, (head, object_id) in enumerate(zip(one.heads, objects, strict=True)):
                yield number, head, object_id, position == 0


def sentence(mentions: int, generator: Generator) -> Sentence:
    subjects = pick(STRUCTURES[mentions], generator)
    relations = tuple(pick(RELATIONS, generator) for _ in subjects)
    phrases = tuple(phrase(generator) for _ in range(mentions))
    wording = choose_wording(subjects, generator)
    spoken = {word: word for word in (*relations, *(one.size for one in phrases if one.size))}
    wording.words.update({word: spoken[word] for word in spoken if word not in wording.words})
    return put_into_words(Description(phrases, subjects, relations), wording)


def phrase(generator: Generator) -> Phrase:
    noun = NOUNS[int(len(NOUNS) * generator.random() ** 3)]  # few nouns are frequent, most are rare
    if generator.random() < MISSPELT:
        noun = "".join(generator.permutation(list(noun)))
    colour = pick(COLOURS, generator) if generator.random() < COLOURED else None
    return Phrase(noun, colour, pick(ADJECTIVES, generator) if generator.random() < DESCRIBED else None)
