"""What the explorer's page may ask, and its server refuses."""

import json
from typing import Any

from jvgn.views.explorer.image_list import MOST_BYTES
from tests.errors.case import Case
from tests.errors.mistakes import NOISE, Arrange, picture

EMPTY = "an empty sentence mentions nothing; give some words"
KNOWN = "4"
"""A picture of the dataset."""
THINGS = [{"head": "star"}, {"head": "ring"}]


def upload(content: bytes) -> Arrange:
    return lambda _: ["POST", "/pictures", content]


def question(**values: Any) -> Arrange:
    """Asks about a picture that is there."""
    return lambda _: ["POST", "/answers", json.dumps({"picture": KNOWN, "text": "star"} | values)]


def graph(*relations: tuple[int, str, int], things: Any = THINGS, referent: int = 0) -> Arrange:
    """Asks about a graph that was edited."""
    edges = [{"subject": subject, "relation": words, "object": thing} for subject, words, thing in relations]
    return question(graph={"nodes": things, "edges": edges, "referent": referent})


ASKED = [
    Case("picture …: it is not here, or not any more; choose or upload it again", question(picture="upload-9")),
    Case("this is not a readable image; upload one of these: …", upload(NOISE)),
    Case("this picture has … x … pixels, more than … million; make it smaller", upload(picture(9000, 9000))),
    Case("more than … MB; make the picture smaller", upload(bytes(MOST_BYTES + 1))),
    Case("… has … x … pixels: too slim to find objects in; cut it to pieces", upload(picture(1, 200))),
    Case(EMPTY, question(text=" ")),
    Case("the referent is object …, but there are …; choose another", graph(referent=2)),
    Case("object … has no word; give it one, or remove it", graph(things=[{"head": " "}])),
    Case("relation … has no word; give it one, or remove it", graph((0, "", 1))),
    Case("relation … names object …, but there are …; choose another", graph((0, "above", 2))),
    Case(
        "relation … (…) closes a loop, and a scene graph has none; remove it",
        graph((0, "above", 1), (1, "below", 0)),
    ),
    Case(
        "the question: brackets are nested too deeply; ask in plain JSON",
        lambda _: ["POST", "/answers", "[" * 100_000],
    ),
    Case(
        "the question: graph.…: Tuple should have at most … items after validation, not …, found …",
        graph(things=[{"head": "star"}] * 41),
    ),
    Case(
        "asked for under another name; open http://127.0.0.1:…/",
        lambda _: ["GET", "/about", b"", "http://127.0.0.1:8765", "http://explorer.example:8765"],
    ),
    Case("asked from another page; open http://127.0.0.1:…/", lambda _: ["GET", "/about", b"", "http://other.example"]),
]
CASES = [Case(case.message, case.arrange, "explorer") for case in ASKED]
