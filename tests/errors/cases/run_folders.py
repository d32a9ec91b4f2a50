"""Runs that are not there, or lack what lies beside them; and what `jvgn show` and `jvgn explore` are asked of one."""

import socket
from pathlib import Path
from typing import Any

from tests.errors.case import Bench, Case
from tests.errors.mistakes import Arrange, Mistake, after, deleted, rows
from tests.errors.project import DETECTION_SETTINGS, DETECTOR, NODES, PICTURE, PREDICTIONS, RUN

NO_IMAGES = "…: there is no such folder of images; name it: --images FOLDER"
UNKNOWN = "expression … …; … has … expressions, from … to …; texts and ids are in …, and `jvgn show …` chooses one"


def ground(*mistakes: Mistake) -> Arrange:
    return after(f"ground {PICTURE} star --run {RUN}", *mistakes)


def trained_elsewhere(*sets: str) -> Mistake:
    """The detector lies under these training sets instead."""

    def make() -> None:
        for name in sets:
            Path(f"results/detectors/{name}/tiny").mkdir(parents=True)
        Path(DETECTOR).rename("elsewhere")

    return make


def port_that_is_taken(bench: Bench) -> list[Any]:
    other = bench.fixture("held").enter_context(socket.create_server(("127.0.0.1", 0)))
    return after(f"explore {RUN} --port {other.getsockname()[1]}")(bench)


def address_of_another_machine(bench: Bench) -> list[Any]:
    """There is no port that root could not open: one of a machine that is not there stands in for it."""
    bench.patch.setattr("jvgn.views.explorer.server.ADDRESS", "192.0.2.1")
    return after(f"explore {RUN}")(bench)


FOLDERS = [
    Case("…: there is no such run; …", after(f"ground {PICTURE} star --run results/none")),
    Case("…: there is no such file, so no trained run; …", ground(deleted(f"{RUN}/model.safetensors"))),
    Case(
        "…: there is no such file; it says how regions are detected: run …_det",
        ground(deleted(DETECTION_SETTINGS)),
    ),
    Case(
        "…: there is no such file, so no new image can be looked at; run …_det, or name a run whose detector has"
        " weights",
        ground(deleted(f"{DETECTOR}/weights.safetensors")),
    ),
    Case(
        "…: there is no such detector, nor one of its name beside it; run …_det",
        ground(deleted(DETECTOR)),
    ),
    Case(
        "…: … was trained on each of …; leave one of these folders there",
        ground(trained_elsewhere("coco", "openimages")),
    ),
]
STORED = [
    Case(NO_IMAGES, after(f"show {RUN} --images none")),
    Case(UNKNOWN, after(f"show {RUN} 999")),
    Case(UNKNOWN, after(f"show {RUN} 1")),
    Case(
        "expression … …; … is empty; texts and ids are in …, and `jvgn show …` chooses one",
        after(f"show {RUN} 5", rows(PREDICTIONS, lambda table: table[:0])),
    ),
    Case(
        "…: the run found no expression's objects; name an expression's id",
        after(f"show {RUN}", rows(PREDICTIONS, lambda table: table.assign(correct=False))),
    ),
    Case(
        "…: no scene graph of expression … (…); parse the expressions again",
        after(f"show {RUN} 5", rows(NODES, lambda table: table.assign(is_referent=True))),
    ),
]
EXPLORER = [
    Case(NO_IMAGES, after(f"explore {RUN} --images none")),
    Case("--port …: another program has it; give another, or 0 for any free one", port_that_is_taken),
    Case("--port …: cannot be opened (…); give another one", address_of_another_machine),
]
CASES = FOLDERS + STORED + EXPLORER
