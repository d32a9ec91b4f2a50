"""Surveys: keys, answers of raters, groundings made elsewhere, and what an explorer is asked."""

import json
import random
from pathlib import Path

from tests.long.fuzz.formats.trees import JSON, JSON_LINES
from tests.long.fuzz.reader import Reader

KEY = {
    "format": "1",
    "survey": "abc",
    "seed": 0,
    "question": "How clear?",
    "scale": ["unclear", "slightly clear", "mostly clear", "clear"],
    "examples": {
        str(number): {"model": model, "image": "1.png", "sentence": "the dog"}
        for number, model in enumerate(("ours", "theirs") * 2, start=1)
    },
}
ANSWERS = {"format": "1", "survey": "abc", "rater": "Ada", "answers": {"1": 4, "2": 1, "3": 3, "4": 2}}
GROUNDINGS = [
    {
        "image": "1.png",
        "sentence": "star left of a ring",
        "objects": [
            {"phrase": "star", "box": [4, 9, 30, 41], "after": 0.97, "before": 0.31, "is_referent": True},
            {"phrase": "ring", "box": [5, 9.5, 30, 41], "after": 0.5},
        ],
        "relations": [{"subject": 0, "relation": "left of", "object": 1}],
    },
    {"image": "2.png", "sentence": "ring", "objects": [{"phrase": "ring", "box": [0, 0, 1, 1], "after": 1.0}]},
]
QUESTION = {
    "picture": "1",
    "text": "dog left of the cat",
    "graph": {
        "nodes": [{"head": "dog", "attributes": ["red"]}, {"head": "cat"}],
        "edges": [{"subject": 0, "relation": "left of", "object": 1}],
        "referent": 0,
    },
}


def make_survey(*changed: str):
    def make(folder: Path) -> list[Path]:
        (folder / "key.json").write_text(json.dumps(KEY))
        (folder / "ada.json").write_text(json.dumps(ANSWERS))
        (folder / "bob.json").write_text(json.dumps(ANSWERS | {"rater": "Bob"}))
        return [folder / name for name in changed]

    return make


def read_survey(path: Path) -> None:
    from jvgn.views.survey.survey_files import read_key
    from jvgn.views.survey.tally import agreement_table, in_words, rating_table, read_all, share_table

    folder = path.parent
    key = read_key(folder / "key.json")
    answers = read_all([folder / "ada.json", folder / "bob.json"], key)
    ratings = rating_table(answers, key)
    shares, agreement = share_table(ratings, key), agreement_table(ratings, key)
    in_words(shares, agreement, answers, key)


def make_groundings(folder: Path) -> list[Path]:
    path = folder / "theirs.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in GROUNDINGS))
    return [path]


def read_groundings(path: Path) -> None:
    from jvgn.views.self_contained_page import filled
    from jvgn.views.survey.form import PAGE, PARTS, alike, shuffled
    from jvgn.views.survey.rated_models import FileModel

    model = FileModel("theirs", path, None)
    chosen = shuffled([model], 2, random.Random(0))
    filled(PAGE, PARTS, {"examples": alike([model.groundings(sentence) for _, sentence in chosen])}).encode()


def make_question(folder: Path) -> list[Path]:
    path = folder / "question.json"
    path.write_text(json.dumps(QUESTION))
    return [path]


def read_question(path: Path) -> None:
    """As the explorer's server reads what its page, or another program, sends."""
    from jvgn.settings.base import validated
    from jvgn.storage.text_formats import parsed_json
    from jvgn.views.explorer.answers import Asked
    from parsers.errors import UserError

    try:
        value = parsed_json(path.read_bytes())
    except ValueError as error:
        raise UserError(f"the question: not readable as JSON ({error})") from error
    asked = validated(Asked, value, "the question")
    if asked.graph is not None:
        asked.graph.worded()


READERS = [
    Reader("key of a survey", JSON, make_survey("key.json"), read_survey, share=2),
    Reader("answers of a survey", JSON, make_survey("ada.json", "bob.json"), read_survey, share=2),
    Reader("groundings made elsewhere", JSON_LINES, make_groundings, read_groundings, share=3),
    Reader("question to the explorer", JSON, make_question, read_question, share=3),
]
