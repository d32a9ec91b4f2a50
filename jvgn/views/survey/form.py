"""The form that raters open, one HTML file, and its key, which raters must not see.

The form has the same sentences for every model, each as one example, in random order. Nothing in it reveals which model
made an example: all are drawn alike, objects and relations are in one order, and a kind of information that some model
does not give is shown for no model.
"""

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from jvgn.storage.files import write_text
from jvgn.storage.pictures import checked_picture
from jvgn.views.self_contained_page import filled, jpeg_url, small_jpeg
from jvgn.views.survey.rated_models import Groundings, Model, RatedSentence
from jvgn.views.survey.survey_files import QUESTION, SCALE, Key, KeyExample, write_key
from parsers.errors import UserError

PAGE = Path(__file__).parent / "page"
PARTS = {"style": "survey.css", "script": "survey.js"}
LONGEST_SIDE = 640
"""Pixels of the images in the form."""


def write_form(models: Sequence[Model], count: int, seed: int, output: Path, key: Path) -> None:
    """Write the form `output`, with `count` sentences as grounded by each model, and its `key`."""
    if output.resolve() == key.resolve():
        raise UserError(f"{output}: named as the form and as its key; give the key another name")
    chosen = shuffled(models, count, random.Random(seed))
    found = [model.groundings(sentence) for model, sentence in chosen]
    names = sorted({sentence.image for _, sentence in chosen})
    examples = [
        {"id": str(number), "image": names.index(one.image)} | example
        for number, (one, example) in enumerate(zip(found, alike(found), strict=True), start=1)
    ]
    content = {"question": QUESTION, "scale": SCALE, "examples": examples}
    survey = hashlib.sha256(json.dumps([seed, content]).encode()).hexdigest()[:16]
    images = [picture(place_of(models, name)) for name in tqdm(names, unit=" images", disable=None)]
    page = filled(PAGE, PARTS, {"survey": survey} | content | {"images": images})
    write_text(output, page)
    by_number = {
        str(number): KeyExample(model=model.name, image=sentence.image, sentence=sentence.text)
        for number, (model, sentence) in enumerate(chosen, start=1)
    }
    write_key(key, Key(survey=survey, seed=seed, examples=by_number))


def shuffled(models: Sequence[Model], count: int, chance: random.Random) -> list[tuple[Model, RatedSentence]]:
    """Return the same sentences for every model, in random order."""
    common = sorted(set.intersection(*(model.sentences() for model in models)))
    if len(common) < count:
        names = " and ".join(model.name for model in models)
        raise UserError(
            f"{names} ground {len(common)} sentences in common, fewer than {count} examples;"
            " name runs of one dataset, or ask for fewer: --examples"
        )
    sentences = chance.sample(common, count)
    pairs = [(model, sentence) for sentence in sentences for model in models]
    chance.shuffle(pairs)
    return pairs


def alike(found: Sequence[Groundings]) -> list[dict[str, Any]]:
    """Return the groundings as the form shows them: in one order, without information that some of them lack."""
    has_before = all(one.before is not None for groundings in found for one in groundings.objects)
    has_relations = all(groundings.relations is not None for groundings in found)
    has_referent = all(any(one.is_referent for one in groundings.objects) for groundings in found)
    return [as_shown(groundings, has_before, has_relations, has_referent) for groundings in found]


def as_shown(groundings: Groundings, has_before: bool, has_relations: bool, has_referent: bool) -> dict[str, Any]:
    sentence = groundings.sentence

    def place(number: int) -> tuple[bool, int]:
        """Sort the referent first, then by place in the sentence; phrases that are not in it come last."""
        one = groundings.objects[number]
        start = sentence.find(one.phrase)
        return not (has_referent and one.is_referent), start if start >= 0 else len(sentence)

    order = sorted(range(len(groundings.objects)), key=place)
    objects = []
    for number in order:
        one = groundings.objects[number]
        shown: dict[str, Any] = {"phrase": one.phrase, "box": [round(side, 1) for side in one.box]}
        shown["is_referent"] = has_referent and one.is_referent
        beliefs = {"before": one.before, "after": one.after} if has_before else {"after": one.after}
        objects.append(shown | {name: round(min(value or 0.0, 1.0), 2) for name, value in beliefs.items()})
    relations = [
        {"subject": order.index(one.subject), "relation": one.relation, "object": order.index(one.object)}
        for one in (groundings.relations or ())
        if has_relations
    ]
    relations.sort(key=lambda one: (one["subject"], one["object"], one["relation"]))
    return {"sentence": sentence, "objects": objects, "relations": relations}


def place_of(models: Sequence[Model], name: str) -> Path:
    """Return the path of an image, in the folder of the first model that has it."""
    places = [model.images / name for model in models]
    return next((place for place in places if place.exists()), places[0])


def picture(path: Path) -> dict[str, Any]:
    image = checked_picture(path)
    return {"url": jpeg_url(small_jpeg(image, LONGEST_SIDE)), "size": list(image.size)}
