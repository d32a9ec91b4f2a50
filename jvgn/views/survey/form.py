"""The form that raters open: one HTML file that needs no other, and the key that stays behind.

It has the same sentences for every model, each as one example, in random order. Nothing in it says which model made an
example: all are drawn alike, objects and relations are put in one order, and what some model does not say is shown
of none.
"""

import base64
import hashlib
import json
import random
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from tqdm import tqdm

from jvgn.storage.files import replacing
from jvgn.storage.pictures import checked_picture
from jvgn.views.gallery.pictures import small_jpeg
from jvgn.views.survey.files import QUESTION, SCALE, Key, KeyExample, write_key
from jvgn.views.survey.models import Groundings, Model, Sentence
from parsers.errors import UserError

LONGEST_SIDE = 640
"""Of the images in the form, in pixels."""


def write_form(models: Sequence[Model], count: int, seed: int, output: Path, key: Path) -> None:
    """`output` shows `count` sentences as grounded by each model; `key` says by which."""
    if output.resolve() == key.resolve():
        raise UserError(f"{output}: the form and its key would be one file; raters must not see the key")
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
    page = rendered({"survey": survey} | content | {"images": images})
    with replacing(output) as temporary:
        temporary.write_text(page, encoding="utf8")
    by_number = {
        str(number): KeyExample(model=model.name, image=sentence.image, sentence=sentence.text)
        for number, (model, sentence) in enumerate(chosen, start=1)
    }
    write_key(key, Key(survey=survey, seed=seed, examples=by_number))


def shuffled(models: Sequence[Model], count: int, chance: random.Random) -> list[tuple[Model, Sentence]]:
    """The same sentences for every model, in random order."""
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
    """The groundings as the form shows them: in one order, and without what some of them lack."""
    has_before = all(one.before is not None for groundings in found for one in groundings.objects)
    has_relations = all(groundings.relations is not None for groundings in found)
    has_referent = all(any(one.is_referent for one in groundings.objects) for groundings in found)
    return [as_shown(groundings, has_before, has_relations, has_referent) for groundings in found]


def as_shown(groundings: Groundings, has_before: bool, has_relations: bool, has_referent: bool) -> dict[str, Any]:
    sentence = groundings.sentence

    def place(number: int) -> tuple[bool, int]:
        """The referent first, then as the sentence mentions them; phrases that it does not have, at the end."""
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
    """Where an image lies: in the folder of the first model that has it."""
    places = [model.images / name for model in models]
    return next((place for place in places if place.exists()), places[0])


def picture(path: Path) -> dict[str, Any]:
    image = checked_picture(path)
    jpeg = base64.b64encode(small_jpeg(image, LONGEST_SIDE)).decode()
    return {"url": f"data:image/jpeg;base64,{jpeg}", "size": list(image.size)}


def rendered(page: dict[str, Any]) -> str:
    parts = files("jvgn.views.survey") / "page"
    values = {
        "style": (parts / "survey.css").read_text(encoding="utf8"),
        "script": (parts / "survey.js").read_text(encoding="utf8"),
        # Inside a script element, only "<" could end the data.
        "data": json.dumps(page, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
    }
    # All at once: a sentence may itself look like a place to fill in.
    return re.sub(r"{{(\w+)}}", lambda place: values[place[1]], (parts / "index.html").read_text(encoding="utf8"))
