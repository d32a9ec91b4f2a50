"""Shards and windows: a long extraction is cut into shards, each a job of its own, and a shard into windows.

A finished window is a small file of regions in the folder `*.parts` beside the shard's output, with its checksum in
another file; an interrupted extraction resumes after its last finished window. Shards end where windows end, so batches
are the same, and the regions equal to the byte, whatever the number of shards and interruptions.
"""

import csv
import hashlib
import json
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from jvgn.regions.hdf5_store import Policy, Regions, RegionStore, RegionWriter, Skipped
from jvgn.storage.files import UNFINISHED, on_success, reading, replacing, sha256, write_text
from parsers.errors import BrokenFile, UserError

logger = logging.getLogger(__name__)

WINDOW = 16
"""Batches in a window. Images of one size are collected within it, and its regions are in memory at a time."""
OF_A_WINDOW = re.compile(rf"\d+\.(h5|sha256)|\.\d+\..*{re.escape(UNFINISHED)}.*")
"""File names of windows, their checksums, and temporary files of both."""
FINGERPRINT = "fingerprint"
VERSION = "1"
"""Increase it when the code finds other regions in the same images, so that windows of older code are not used."""
OWN = ("format", "feature_size", "shard")
"""Attributes that differ between shards."""


@dataclass(frozen=True)
class RegionShard:
    """One of `count` jobs; `number` counts from 1."""

    number: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Self:
        found = re.fullmatch(r"(\d+)-of-(\d+)", text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise UserError(f"shard {text}: expected N-of-M with N from 1 to M, such as 3-of-8")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}-of-{self.count}"

    def windows(self, images: int, size: int) -> list[range]:
        """Return the rows of each window of the shard."""
        starts = range(0, images, size)
        first, last = (len(starts) * number // self.count for number in (self.number - 1, self.number))
        return [range(start, min(start + size, images)) for start in starts[first:last]]


def fingerprint(*depends_on: str) -> str:
    """Hash what the regions of a window depend on: the detector, settings and tables, but not the text of the code."""
    return hashlib.sha256(json.dumps([VERSION, *depends_on]).encode()).hexdigest()


class Parts:
    """The finished windows of a shard. A window with another fingerprint is extracted again."""

    def __init__(
        self,
        output: Path | str,
        feature_size: int,
        precision: Literal["float16", "float32"],
        made_by: Mapping[str, str],
        fingerprint: str,
    ) -> None:
        self.output, self.folder = Path(output), Path(output).with_suffix(".parts")
        self.feature_size, self.precision = feature_size, precision
        self.made_by, self.fingerprint = made_by, fingerprint

    def path(self, window: range) -> Path:
        return self.folder / f"{window.start}.h5"

    def checksum(self, window: range) -> Path:
        return self.folder / f"{window.start}.sha256"

    def has(self, window: range, policy: Policy) -> bool:
        if not self.path(window).exists() or not self.checksum(window).exists():
            return False
        if self.checksum(window).read_text(encoding="utf8", errors="replace") != sha256(self.path(window)):
            logger.warning("%s is damaged; its images are extracted again", self.path(window))
            return False
        try:
            store = RegionStore(self.path(window))
            is_ours = store.info.get(FINGERPRINT) == self.fingerprint
        except BrokenFile as error:
            logger.warning("%s", error)
            return False
        return is_ours and (policy == "skip" or not store.skipped)

    def write(self, window: range, regions: Mapping[int, Regions], skipped: Iterable[Skipped]) -> None:
        made_by = {**self.made_by, FINGERPRINT: self.fingerprint}
        with RegionWriter(self.path(window), self.feature_size, self.precision, made_by) as writer:
            for image_id in sorted(regions):
                writer.append(image_id, regions[image_id])
            for one in skipped:
                writer.skip(one)
        write_text(self.checksum(window), sha256(self.path(window)))

    def join(self, windows: Sequence[range]) -> None:
        """Write the regions of all windows to the output, and remove the windows once it is complete."""
        with RegionWriter(self.output, self.feature_size, self.precision, self.made_by) as writer:
            for window in windows:
                writer.copy(RegionStore(self.path(window)))
        on_success(self.remove)

    def remove(self) -> None:
        """Remove the windows, and their folder unless it holds other files."""
        for file in self.folder.glob("*"):
            if OF_A_WINDOW.fullmatch(file.name):
                file.unlink()
        with suppress(OSError):
            self.folder.rmdir()


def merge_regions(shards: Sequence[Path], output: Path | str, skipped: Path | str) -> None:
    """Write the regions of all shards to `output`, a few rows at a time, and their skipped input to `skipped`."""
    stores = [RegionStore(path) for path in shards]
    first = stores[0].info
    made_by = {key: value for key, value in first.items() if key not in OWN}
    for number, store in enumerate(stores, start=1):
        expected = {**made_by, "shard": str(RegionShard(number, len(stores)))}
        for key, value in expected.items():
            if store.info.get(key) != value:
                found = store.info.get(key, "none")
                raise BrokenFile(store.path, f"expected a shard with {key} {value}, found {found}")
    precision: Literal["float16", "float32"] = "float16" if stores[0].precision == "float16" else "float32"
    with RegionWriter(output, stores[0].feature_size, precision, made_by) as writer:
        for store in stores:
            writer.copy(store)
    write_skipped(skipped, (one for store in stores for one in store.skipped))


def write_skipped(path: Path | str, skipped: Iterable[Skipped]) -> None:
    """Write `{detector}.skipped.csv`, beside the regions: image_id, object_id (-1: the whole image), reason."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("image_id", "object_id", "reason"))
        rows.writerows((one.image_id, one.object_id, one.reason) for one in skipped)


def skipped_images(path: Path) -> int:
    """Return how many whole images `{detector}.skipped.csv` lists."""
    with reading(path, "CSV file"), path.open(encoding="utf8", newline="") as file:
        return sum(row["object_id"] == "-1" for row in csv.DictReader(file))
