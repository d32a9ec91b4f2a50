"""The stored regions of a dataset's images, which a run was trained and evaluated on. Loads no torch."""

from collections import defaultdict
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Self

from jvgn.datasets.tables import read_images
from jvgn.grounding.run_folder import RunFolder
from jvgn.regions.hdf5_store import RegionStore
from jvgn.storage.records import check_unchanged


class StoredRegions:
    """Regions of image files: those in the dataset's folder or, if it is not known, any of the same name and size."""

    def __init__(self, regions: Path, images: Path, folder: Path | None) -> None:
        """`images` is the dataset's table; the files are in `folder`."""
        self.regions, self.images, self.folder = regions, images, folder

    @classmethod
    def of(cls, run: RunFolder, detector: str, folder: Path | None = None) -> Self:
        """Return the regions that a run used; without a `folder`, the configured one is taken, if there is one."""
        return cls(run.regions(detector), run.table("images"), folder or run.known_images())

    def exist(self) -> bool:
        return self.regions.exists() and self.images.exists()

    def may_have(self, file: Path) -> bool:
        """Return whether the file is an image of the dataset, as far as this is known without opening it."""
        return self.exist() and file.is_file() and bool(self._candidates(file))

    def image_id(self, file: Path, size: tuple[int, int]) -> int | None:
        """Return the image of the dataset that the file is, if it has stored regions; `size` is width and height."""
        found = [row["image_id"] for row in self._candidates(file) if (row["width"], row["height"]) == size]
        # Without the dataset's folder, two images of one name in different subfolders cannot be distinguished.
        return found[0] if len(found) == 1 and found[0] in self.store.image_ids else None

    @cached_property
    def store(self) -> RegionStore:
        check_unchanged(self.regions)
        return RegionStore(self.regions)

    def _candidates(self, file: Path) -> list[dict[str, Any]]:
        named = self._rows.get(file.name, [])
        return named if self.folder is None else [row for row in named if is_same(self.folder / row["file_name"], file)]

    @cached_property
    def _rows(self) -> dict[str, list[dict[str, Any]]]:
        check_unchanged(self.images)
        rows = defaultdict(list)
        for row in read_images(self.images).to_pylist():
            rows[PurePosixPath(row["file_name"]).name].append(row)
        return dict(rows)


def is_same(path: Path, file: Path) -> bool:
    return path.exists() and path.samefile(file)
