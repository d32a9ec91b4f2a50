"""Regions, features and weights that were damaged, or made by somebody else."""

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from jvgn.regions import trial
from tests.errors.case import Bench, Case
from tests.errors.cases.hostile_tables import AGAIN, world_of
from tests.errors.catalogue import REGIONS_CURE

CORPUS = Path(__file__).parents[2] / "fuzz/corpus/regions"

Arrange = Callable[[Bench], list[Any]]


def info(world: Any) -> list[Any]:
    return ["regions", "info", world.regions]


def recall(world: Any) -> list[Any]:
    evaluation = world.root / "evaluation.yaml"
    evaluation.write_text("{}")
    files = ["--dataset", world.tables, "--regions", world.regions, "--output", "recall.json"]
    return ["measure-recall", "--evaluation", evaluation, *files]


def regions(change: Callable[[h5py.File], Any], command: Callable[[Any], list[Any]] = info) -> Arrange:
    """Runs a command on regions in which something was changed."""

    def arrange(bench: Bench) -> list[Any]:
        world = world_of(bench)
        with h5py.File(world.regions, "r+") as file:
            change(file)
        return command(world)

    return arrange


def replaced(name: str, **options: Any) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        del file[name]
        file.create_dataset(name, **options)

    return change


def endless(bench: Bench) -> list[Any]:
    return ["regions", "info", bench.write("regions.h5", (CORPUS / "none.h5--a_heap_without_end.h5").read_bytes())]


def silent(bench: Bench) -> list[Any]:
    """In the place of the file is a pipe that nobody writes to."""
    bench.patch.setattr(trial, "PATIENCE", 0.2)
    os.mkfifo(bench.folder / "regions.h5")
    return ["regions", "info", bench.folder / "regions.h5"]


def several_counts(bench: Bench) -> list[Any]:
    """One image's features are fine, another's have two numbers of boxes."""
    world = world_of(bench)
    box, feature = np.array([[1, 2, 11, 14]], np.float32), np.ones((1, 6), np.float32)
    folder = bench.folder / "features"
    folder.mkdir()
    for image, count in ((1, 1), (2, [1, 1]), (3, 1)):
        np.savez(folder / f"{image}.npz", box=box, feature=feature, num_boxes=count)
    detector = bench.write("detector.yaml", f"{{source: precomputed, format: npz, detections: {folder}}}")
    settings = bench.write("regions.yaml", "{}")
    files = ["--settings", settings, "--detector", detector, "--dataset", world.tables, "--output", "regions.h5"]
    return ["import-regions", "det", *files, "--name", "little", "theirs"]


def train(world: Any) -> list[Any]:
    files = {
        f"--{name}": getattr(world, name) for name in ("settings", "regions", "nodes", "edges", "words", "vectors")
    }
    more = ["--dataset", world.tables, "--model", "fresh.safetensors", "--history", "history.parquet"]
    return ["train", *sum(files.items(), ()), *more, "--device", "cpu"]


def vectors_of_doubles(bench: Bench) -> list[Any]:
    world = world_of(bench)
    np.save(world.vectors, np.load(world.vectors).astype(np.float64))
    return train(world)


def fewer_words(bench: Bench) -> list[Any]:
    """The model's header lists a word less than it has vectors."""
    world = world_of(bench)
    content = world.model.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + length])
    about = json.loads(header["__metadata__"]["model"])
    about["words"].pop()
    header["__metadata__"]["model"] = json.dumps(about)
    written = json.dumps(header).encode()
    world.model.write_bytes(struct.pack("<Q", len(written)) + written + content[8 + length :])
    return ["show", world.run, "301", "--images", world.images, "--device", "cpu"]


CASES = [
    Case(
        f"…: not a readable HDF5 file (reading it takes for ever, or ends the process); {REGIONS_CURE}",
        endless,
    ),
    Case("…: was not opened within … seconds; see to its disk and try again", silent),
    Case(
        f"…: it has a label beyond 32 bits; {REGIONS_CURE}",
        regions(replaced("label", data=[1, 2, 1, 2, 1, 2**40 + 7])),
    ),
    Case(f"…: it has a box that is none; {REGIONS_CURE}", regions(replaced("box", data=np.zeros((6, 3), np.float32)))),
    Case(
        f"…: says that it holds … bytes, far more than a file of its size; {REGIONS_CURE}",
        regions(replaced("image_id", shape=(2**50,), dtype="i8", chunks=(64,))),
    ),
    Case(f"…: expected …, found … of type …; {REGIONS_CURE}", regions(replaced("box", data=np.zeros(12, np.float32)))),
    Case(
        f"…: expected features of float16 or float32, found …; {REGIONS_CURE}",
        regions(replaced("feature", data=np.zeros((6, 6)))),
    ),
    Case(f"…: its images are not in ascending order; {REGIONS_CURE}", regions(replaced("image_id", data=[3, 2, 1]))),
    Case(f"…: its offsets do not ascend from 0; {REGIONS_CURE}", regions(replaced("offset", data=[0, 5, 4, 6]))),
    Case(f"…: holds no setting; {REGIONS_CURE}", regions(lambda file: file.attrs.pop("setting"), recall)),
    Case(
        "…: expected one whole number under …; mend the file, or compute its features again; mend it, or leave it out:"
        " on_bad_input: skip in the dataset's regions",
        several_counts,
    ),
    Case(f"…: expected finite numbers of type float32; {AGAIN}", vectors_of_doubles),
    Case(f"…: … words have … vectors; {AGAIN}", fewer_words),
]
