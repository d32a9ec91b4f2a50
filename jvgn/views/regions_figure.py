"""A file of regions for people: its contents in text, and the regions of an image as a drawing.

Shape suffixes: H, W pixels.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jvgn.datasets import tables
from jvgn.detector.images import read_image
from jvgn.layout import dataset_folder, results_of_regions
from jvgn.regions.hdf5_store import Regions, RegionStore
from jvgn.views.figure_style import COLOURS, outline, save
from parsers.errors import UserError

LONG_SIDE = 9.0
"""Longer side of a drawing, in inches."""


def region_info(file: Path) -> list[str]:
    """Return the origin of the file and its contents, a line each."""
    store = RegionStore(file)
    counts = store.counts if len(store.counts) else np.zeros(1, np.int64)
    lines = {key: str(value) for key, value in store.info.items()}
    lines |= {
        "feature": f"{store.feature_size} numbers, {store.precision}",
        "images": f"{len(store.image_ids):,}",
        "regions": f"{counts.sum():,} ({counts.mean():.2f} an image; fewest {counts.min()}, most {counts.max()})",
        "skipped": f"{len(store.skipped_images):,} images, {len(store.skipped) - len(store.skipped_images):,} objects",
    }
    lines.pop("feature_size", None)
    width = max(map(len, lines))
    return [f"{key:{width}}  {value}" for key, value in lines.items()]


class RegionViewer:
    """A file of regions with the tables of its dataset, which name images and categories."""

    def __init__(self, file: Path, dataset: Path | None = None) -> None:
        self.store = RegionStore(file)
        self.folder = dataset or dataset_folder(str(self.store.info.get("dataset")), results_of_regions(file))
        images = tables.read_images(self.folder / "images.parquet").to_pandas()
        self.image_ids = {Path(row.file_name).name: row.image_id for row in images.itertuples()}
        objects = tables.read_objects(self.folder / "objects.parquet").to_pandas()
        self.names: dict[int, str] = dict(zip(objects["category_id"], objects["category"], strict=True))

    def regions(self, image: Path) -> Regions:
        if image.name not in self.image_ids:
            raise UserError(f"{image}: {self.folder / 'images.parquet'} has no image of this name; check both")
        return self.store.read(self.image_ids[image.name])

    def table(self, image: Path) -> pd.DataFrame:
        """Return the boxes, names and scores of an image's regions."""
        regions = self.regions(image)
        table = pd.DataFrame(regions.box, columns=tables.SIDES)
        table["score"] = regions.score
        table["name"] = [self.names.get(label, "?") for label in regions.label.tolist()]
        return table

    def draw(self, image: Path, output: Path) -> None:
        """Draw the image with the box, name and score of every region."""
        table = self.table(image)
        picture_HW3 = read_image(image).permute(1, 2, 0).numpy()
        height, width = picture_HW3.shape[:2]
        scale = LONG_SIDE / max(height, width)
        figure = Figure(figsize=(width * scale, height * scale))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.imshow(picture_HW3)
        colours = {name: COLOURS[k % len(COLOURS)] for k, name in enumerate(dict.fromkeys(table["name"]))}
        for row in reversed(list(table.itertuples())):  # the best on top
            draw_region(axes, row, colours[row.name])
        save(figure, output)


def draw_region(axes: Axes, row: Any, colour: str) -> None:
    outline(axes, (row.x1, row.y1, row.x2, row.y2), colour, 1.8)
    label = row.name if np.isnan(row.score) else f"{row.name} {row.score:.2f}"
    box = {"facecolor": colour, "edgecolor": "none", "pad": 1.2, "alpha": 0.85}
    axes.text(row.x1, row.y1, label, color="white", fontsize=8, va="top", ha="left", clip_on=True, bbox=box)
