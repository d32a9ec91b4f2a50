"""Surveys: models that cannot be shown side by side, forms, and the answers of raters."""

import json
from typing import Any

import yaml

from tests.errors.case import Case
from tests.errors.mistakes import NOISE, Arrange, Mistake, after, folder_at, written
from tests.errors.project import RUN, SETTINGS

MAKE = "survey make --examples 1 --output form.html --key key.json"
TALLY = "survey tally answers.json --key key.json"
EXAMPLE = {"model": "ours", "image": "1.jpg", "sentence": "star"}
OTHER_EXAMPLE = EXAMPLE | {"model": "theirs"}
KEY = {"survey": "s", "seed": 0, "examples": {"1": EXAMPLE}}
ANSWERS = {"format": "1", "survey": "s", "rater": "Ann", "answers": {"1": 4}}
GROUNDING = {"image": "1.jpg", "sentence": "star", "objects": [{"phrase": "star", "box": [1, 2, 3, 4], "after": 0.5}]}
BAD_LINE = "…, line …: …; see docs/survey.md"
NO_KEY = "give the file that `jvgn survey make` wrote as --key"
ASK_AGAIN = "ask the rater for the file that the form saved"


def shown(**values: Any) -> Arrange:
    """Makes a form of another program's groundings, of which a line says this."""
    line = json.dumps(GROUNDING | values)
    return after(f"{MAKE} theirs=theirs.jsonl", written("theirs.jsonl", f"\n{line}\n"))


def shown_in_file(content: bytes) -> Arrange:
    return after(f"{MAKE} theirs=theirs.jsonl", written("theirs.jsonl", content))


def tallied(*mistakes: Mistake, **values: Any) -> Arrange:
    """Counts the answers of a rater, of which these differ."""
    key, answers = written("key.json", json.dumps(KEY)), written("answers.json", json.dumps(ANSWERS | values))
    return after(TALLY, key, answers, *mistakes)


MODELS = [
    Case("…: expected NAME=RUN, such as ours=results/shapes_det", after(f"{MAKE} {RUN}")),
    Case("…: all stands for every model together; give another name", after(f"{MAKE} all={RUN}")),
    Case("…: there is a model … already; give each another name", after(f"{MAKE} ours={RUN} ours={RUN}")),
    Case("…: cannot be read (…); give a run's folder or a .jsonl file", after(f"{MAKE} ours=results/none")),
    Case("…: cannot be read (…); give a run's folder or a .jsonl file", shown_in_file(NOISE)),
    Case("…: holds no grounding; write one a line, see docs/survey.md", shown_in_file(b"\n")),
    Case(BAD_LINE, shown(image=7)),
    Case(BAD_LINE, shown(objects=[])),
    Case(BAD_LINE, shown(objects=[{"phrase": "star", "box": [3, 2, 1, 4], "after": 0.5}])),
    Case(BAD_LINE, shown(relations=[{"subject": 0, "relation": "above", "object": 1}])),
    Case(BAD_LINE, shown_in_file(b"{image: 1.jpg}\n")),
    Case(
        "…: no sentence of split … is grounded; choose with --split among: …",
        after(f"{MAKE} ours={RUN} --split testA"),
    ),
    Case(
        "…: has no dataset …; name the folder of its images: --images FOLDER",
        after(f"{MAKE} ours={RUN}", written("config.yaml", yaml.safe_dump(SETTINGS["config.yaml"] | {"datasets": {}}))),
    ),
    Case(
        "… ground … sentences in common, fewer than … examples; name runs of one dataset, or ask for fewer: --examples",
        after(f"{MAKE} ours={RUN} --examples 99"),
    ),
    Case(
        "…: the form and its key would be one file; raters must not see the key",
        after(f"{MAKE} ours={RUN} --key form.html"),
    ),
    Case("…: there is no such image; check its path", shown()),
]
TALLIES = [
    Case(f"…: there is no such file; {NO_KEY}", after(TALLY, written("answers.json", json.dumps(ANSWERS)))),
    Case(f"…: not the key of a survey (…); {NO_KEY}", tallied(written("key.json", "{}"))),
    Case(f"…: cannot be read (…); {NO_KEY}", tallied(folder_at("key.json"))),
    Case(f"…: there is no such file; {ASK_AGAIN}", after(TALLY, written("key.json", json.dumps(KEY)))),
    Case(f"…: not the answers of a survey (…); {ASK_AGAIN}", tallied(rater="")),
    Case(f"…: cannot be read (…); {ASK_AGAIN}", tallied(written("answers.json", NOISE))),
    Case("…: answers another survey (…, not …); give the key of that one", tallied(survey="t")),
    Case(
        f"…: answers an example … that the survey does not have; {ASK_AGAIN}",
        tallied(answers={"9": 4}),
    ),
    Case(f"…: example …: expected an answer from 1 to …, found …; {ASK_AGAIN}", tallied(answers={"1": 5})),
    Case("…: … answered nothing; leave this file out", tallied(answers={})),
    Case(
        "…: … has answered already, in …; leave one of them out",
        after(
            "survey tally answers.json again.json --key key.json",
            written("key.json", json.dumps(KEY)),
            written("answers.json", json.dumps(ANSWERS)),
            written("again.json", json.dumps(ANSWERS | {"rater": " ann"})),
        ),
    ),
    Case(
        "no example of … was rated; give the answers of raters who went on to the end",
        tallied(
            written("key.json", json.dumps(KEY | {"examples": {"1": EXAMPLE, "2": EXAMPLE | {"model": "theirs"}}}))
        ),
    ),
]
CASES = MODELS + TALLIES
