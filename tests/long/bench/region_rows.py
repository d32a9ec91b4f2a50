"""The extraction of regions beside the detector alone: what reading, choosing batches and writing cost.

The detector alone looks at the same batches, already in memory; both run in one process, in turns.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from PIL import Image

from jvgn.datasets.refer import read_dataset
from jvgn.datasets.tables import IMAGES, OBJECTS
from jvgn.detector.faster_rcnn import build_detector
from jvgn.detector.images import ImageFiles
from jvgn.detector.provenance import Provenance, write_provenance
from jvgn.detector.weights import load_detector, save_detector
from jvgn.regions.extraction import batch_by_size, extract_regions
from jvgn.regions.shards import WINDOW, RegionShard
from jvgn.settings.detector import RegionSettings, TorchvisionSettings
from jvgn.settings.world import WorldSettings
from jvgn.shapes.world import make_world
from jvgn.storage.files import sha256
from jvgn.storage.parquet import read_table, write_table
from tests.long.bench.measuring import Cost, Row

TINY = TorchvisionSettings(
    backbone="tiny",
    short_side=144,
    long_side=192,
    anchor_sizes=(18, 33),
    anchor_ratios=(1.0,),
    proposals=64,
    test_proposals=60,
)
RESNET = TorchvisionSettings(backbone="resnet101")
CATEGORIES = [(number, f"kind {number}") for number in range(1, 13)]
SETTINGS = RegionSettings(cap=10)
"""An untrained detector is sure of nothing: the cap leaves as many regions as a trained one finds."""


class Stage:
    """A dataset and an untrained detector in a folder, ready to be extracted with."""

    def __init__(self, folder: Path, detector: TorchvisionSettings, dataset: Path, images: Path) -> None:
        self.folder, self.detector, self.dataset, self.images = folder, detector, dataset, images
        self.weights, self.provenance = folder / "weights.safetensors", folder / "provenance.json"
        torch.manual_seed(0)
        network = build_detector(detector, len(CATEGORIES))
        save_detector(self.weights, network.state_dict(), detector, CATEGORIES)
        made = {"detector": detector, "seed": 0, "categories": tuple(CATEGORIES), "training_image_ids": None}
        made |= {"weights_sha256": sha256(self.weights), "pretrained_sha256": None, "tables": {}, "versions": {}}
        write_provenance(self.provenance, Provenance(**made))

    def run(self) -> None:
        extract_regions(
            SETTINGS,
            "det",
            detector=self.detector,
            name="bench",
            dataset="bench",
            images=self.dataset / "images.parquet",
            objects=self.dataset / "objects.parquet",
            folder=self.images,
            weights=self.weights,
            provenance=self.provenance,
            output=self.folder / "regions.h5",
            threads=torch.get_num_threads(),
        )

    def detector_alone(self) -> Callable[[], None]:
        source = load_detector(self.weights)
        table = read_table(self.dataset / "images.parquet", IMAGES)
        files = ImageFiles(table, self.images, seen_often=False)
        windows = RegionShard().windows(len(table), WINDOW * SETTINGS.batch_size)
        rows = [batch for window in windows for batch in batch_by_size(files.sizes, window, SETTINGS.batch_size)]
        batches = [[files[index] for index in batch] for batch in rows]

        def look() -> None:
            for batch in batches:
                source.regions_of(batch, SETTINGS)

        return look

    def peak(self) -> Cost:
        """Return the cost of the whole stage in a process of its own."""
        SETTINGS.write(self.folder / "regions.yaml")
        self.detector.write(self.folder / "detector.yaml")
        options = {"settings": self.folder / "regions.yaml", "detector": self.folder / "detector.yaml"}
        options |= {"dataset": self.dataset, "images": self.images, "weights": self.weights}
        options |= {"provenance": self.provenance, "output": self.folder / "regions.h5"}
        named = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        command = [sys.executable, "-m", "jvgn", "extract-regions", "det", *named, "--name", "bench", "bench"]
        process = subprocess.Popen([*command, "--threads", str(torch.get_num_threads())], stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise RuntimeError(f"the extraction ended with {status}")
        return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def shapes(folder: Path, images: int) -> Stage:
    make_world(WorldSettings(train=images - 3, val=1, test=1, adv=1, expressions_per_image=1), folder)
    read_dataset(folder / "refs(jvgn).p", folder / "instances.json", folder / "dataset")
    return Stage(folder, TINY, folder / "dataset", folder / "images")


def photographs(folder: Path, images: int) -> Stage:
    """JPEG files of COCO's size, with noise that is as costly to decode."""
    random = np.random.default_rng(0)
    (folder / "images").mkdir()
    for number in range(1, images + 1):
        coarse = Image.fromarray(random.integers(0, 256, (60, 80, 3), dtype=np.uint8)).resize((640, 480))
        coarse.save(folder / "images" / f"{number}.jpg", quality=95)
    numbers = range(1, images + 1)
    columns = {"image_id": numbers, "file_name": [f"{number}.jpg" for number in numbers]}
    columns |= {"width": [640] * images, "height": [480] * images}
    write_table(folder / "images.parquet", {name: list(values) for name, values in columns.items()}, IMAGES)
    write_table(folder / "objects.parquet", pa.Table.from_pylist([], schema=OBJECTS), OBJECTS)
    return Stage(folder, RESNET, folder, folder / "images")


def extraction_against_the_detector(make: Callable[[Path, int], Stage], images: int, least: float, turns: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        stage = make(Path(folder), images)
        whole, bare = times(stage.run, stage.detector_alone(), turns)
        ratio = bare.seconds / whole.seconds
        note = f"{images / whole.seconds:,.4g} and {images / bare.seconds:,.4g} images a second"
        name = f"regions of {images:,} images, {stage.detector.backbone}"
        return Row(name, whole, "the detector alone", bare, ratio, f"≥ {least}", ratio >= least, note)


def times(whole: Callable[[], None], bare: Callable[[], None], turns: int) -> tuple[Cost, Cost]:
    """The median time of each, taken in turns; a run is long enough to need no warming up."""
    taken: dict[Callable[[], None], list[float]] = {whole: [], bare: []}
    for _ in range(turns):
        for work, own in taken.items():
            started = time.perf_counter()
            work()
            own.append(time.perf_counter() - started)
    return Cost(statistics.median(taken[whole]), None), Cost(statistics.median(taken[bare]), None)


def memory_against_fewer_images() -> Row:
    with tempfile.TemporaryDirectory() as few, tempfile.TemporaryDirectory() as many:
        small, large = shapes(Path(few), 100).peak(), shapes(Path(many), 1000).peak()
    ratio = large.peak_mb / small.peak_mb
    name, reference = "peak memory: regions of 1,000 images, tiny", "of 100 images"
    return Row(name, large, reference, small, ratio, "≤ 1.1", ratio <= 1.1, "memory, not time; whole processes")


ROWS: list[Callable[[], Row | Iterator[Row]]] = [
    partial(extraction_against_the_detector, shapes, 1000, 0.75, 3),
    partial(extraction_against_the_detector, photographs, 16, 0.97, 1),
    memory_against_fewer_images,
]
