"""Datasets in REFER's format: `refs({split_by}).p`, a pickled list, and COCO's `instances.json`.

A ref describes one object of one image: ref_id, ann_id, image_id, split, and sentences with sent_id, sent, tokens.
A sentence may have `mentions`, a list of {head_token, ann_id}: the objects that its words denote.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import pyarrow as pa
from pydantic import BaseModel, FailFast, Field, NonNegativeInt

from jvgn.datasets import tables
from jvgn.datasets.coco import (
    GET_AGAIN,
    Id,
    as_table,
    checked,
    described_part,
    read_instances,
    with_area,
    write_annotations,
)
from jvgn.storage.parquet import write_table
from jvgn.storage.pickles import load_plain_pickle
from parsers.errors import BrokenFile
from parsers.scene_graph import MOST_TOKENS


class RefMention(BaseModel):
    """A mentioned object; only our embedded world has them."""

    head_token: NonNegativeInt
    ann_id: Id


class RefSentence(BaseModel):
    """A sentence of a ref."""

    sent_id: Id
    sent: str
    tokens: Annotated[list[str], Field(max_length=MOST_TOKENS), FailFast()]
    mentions: Annotated[list[RefMention], FailFast()] = []


class Ref(BaseModel):
    """An entry of REFER's pickle: a referent and the sentences about it."""

    ref_id: Id
    ann_id: Id
    image_id: Id
    split: str
    sentences: Annotated[list[RefSentence], FailFast()]


def read_dataset(
    refs_path: Path, instances_path: Path, folder: Path, counts: Mapping[str, int] = MappingProxyType({})
) -> None:
    """Write the four tables of the dataset to `folder`, with the images that some ref describes.

    `counts` is the published number of expressions of each split; empty if unknown.
    """
    refs = checked(refs_path, Annotated[list[Ref], FailFast()], load_plain_pickle(refs_path))
    check_published_counts(refs_path, refs, counts)
    annotated = read_instances(instances_path)
    instances = described_part(annotated, {ref.image_id for ref in refs})
    image_ids = {image.id for image in instances.images}
    check_references(refs_path, refs, image_ids, {note.id: note.image_id for note in instances.annotations})
    referred = {ref.ann_id for ref in refs} | {
        mention.ann_id for ref in refs for sentence in ref.sentences for mention in sentence.mentions
    }
    instances = with_area(instances, referred)
    write_annotations(instances, folder, left_out=len(annotated.images) - len(instances.images))
    write_table(folder / "expressions.parquet", expression_table(refs), tables.EXPRESSIONS)
    write_table(folder / "mentions.parquet", mention_table(refs), tables.MENTIONS)


def check_published_counts(path: Path, refs: list[Ref], counts: Mapping[str, int]) -> None:
    found: Counter[str] = Counter()
    for ref in refs:
        found[ref.split] += len(ref.sentences)
    differing = [split for split in {**counts, **found} if found[split] != counts.get(split, 0)]
    if counts and differing:
        problem = ", ".join(f"{found[split]:,} of {split} (expected {counts.get(split, 0):,})" for split in differing)
        cure = (
            "get the published archive, or if these are other data, set `counts: {}` under their source in config.yaml"
        )
        raise BrokenFile(path, f"numbers of expressions differ from the published ones: {problem}", cure)


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
                raise BrokenFile(path, f"the mentions of sentence {sentence.sent_id} are not distinct words", GET_AGAIN)


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
