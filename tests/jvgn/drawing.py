"""A few drawn images as a dataset, and the settings of a detector that learns from them in seconds."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from jvgn.datasets.tables import EXPRESSIONS, IMAGES, OBJECTS
from jvgn.detector.provenance import exclude_images
from jvgn.detector.training import train_detector
from jvgn.regions.extraction import extract_regions
from jvgn.settings.detector import RegionSettings, TorchvisionSettings
from jvgn.storage.parquet import write_table

SETTINGS = TorchvisionSettings(
    backbone="tiny",
    short_side=48,
    long_side=64,
    anchor_sizes=(16,),
    anchor_ratios=(1.0,),
    proposals=20,
    anchor_samples=16,
    region_samples=8,
    epochs=2,
    batch_size=2,
    warm_up=1,
    save_every=1,
)
CATEGORIES = {3: "square", 7: "disc"}


@dataclass(frozen=True)
class Drawn:
    """A dataset of images 10, 20, ...; the last is wide where the others are tall, and is in val."""

    root: Path

    @property
    def tables(self) -> dict[str, Path]:
        return {name: self.root / f"{name}.parquet" for name in ("images", "objects")}

    @property
    def expressions(self) -> Path:
        return self.root / "expressions.parquet"

    @property
    def folder(self) -> Path:
        return self.root / "images"

    @property
    def excluded(self) -> Path:
        return self.root / "excluded.parquet"

    def train(
        self,
        output: Path,
        settings: TorchvisionSettings = SETTINGS,
        excluded: Path | None = None,
        tensorboard: Path | None = None,
    ) -> Path:
        train_detector(
            settings,
            **self.tables,
            excluded=excluded or self.excluded,
            folder=self.folder,
            weights=output / "detector.safetensors",
            provenance=output / "provenance.json",
            losses=output / "losses.parquet",
            tensorboard=tensorboard,
        )
        return output / "detector.safetensors"

    def extract(self, weights: Path, setting: str, output: Path, **changes) -> Path:
        extract_regions(
            changes.pop("settings", RegionSettings(proposals=20, batch_size=2)),
            setting,
            **self.tables,
            **{"detector": SETTINGS, "provenance": weights.parent / "provenance.json"} | changes,
            name="drawn",
            dataset="drawn",
            folder=self.folder,
            weights=weights,
            output=output,
        )
        return output


def write_expressions(path: Path, splits: dict[int, str]) -> Path:
    """One expression an image."""
    count = len(splits)
    columns = {name: list(range(count)) for name in ("expression_id", "ref_id", "object_id")}
    columns |= {"image_id": list(splits), "split": list(splits.values())}
    write_table(path, columns | {"text": ["a disc"] * count, "tokens": [["a", "disc"]] * count}, EXPRESSIONS)
    return path


def draw(root: Path, count: int = 5) -> Drawn:
    drawn, random = Drawn(root), np.random.default_rng(0)
    drawn.folder.mkdir(parents=True)
    images: dict[str, list] = {name: [] for name in IMAGES.names}
    objects: dict[str, list] = {name: [] for name in OBJECTS.names}
    for image_id in range(10, 10 * (count + 1), 10):
        width, height = (64, 48) if image_id == 10 * count else (48, 64)
        picture = Image.fromarray(random.integers(90, 140, (height, width, 3), dtype=np.uint8))
        for category_id, (x, y) in zip((3, 7, 3), random.permutation([(2, 2), (26, 4), (4, 26)]), strict=True):
            box = [int(x), int(y), int(x) + 16, int(y) + 18]
            pen = ImageDraw.Draw(picture)
            (pen.rectangle if category_id == 3 else pen.ellipse)(box, fill=tuple(random.integers(0, 255, 3).tolist()))
            row = (100 + len(objects["x1"]), image_id, CATEGORIES[category_id], category_id, *box, False)
            for name, value in zip(OBJECTS.names, row, strict=True):
                objects[name].append(value)
        picture.save(drawn.folder / f"{image_id}.png")
        for name, value in zip(IMAGES.names, (image_id, f"{image_id}.png", width, height), strict=True):
            images[name].append(value)
    write_table(drawn.tables["images"], images, IMAGES)
    write_table(drawn.tables["objects"], objects, OBJECTS)
    ids = images["image_id"]
    write_expressions(drawn.expressions, dict.fromkeys(ids[:-1], "train") | {ids[-1]: "val"})
    exclude_images([drawn.expressions], drawn.excluded)
    return drawn


def results_of(patches: pytest.MonkeyPatch, owner: object, name: str) -> list:
    """Record what each call of a function takes and returns."""
    calls, function = [], getattr(owner, name)

    def recorded(*arguments, **named):
        result = function(*arguments, **named)
        calls.append((arguments, result))
        return result

    patches.setattr(owner, name, recorded)
    return calls
