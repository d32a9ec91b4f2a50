"""Images and boxes that cannot be regions, and shards that do not belong together."""

from typing import Any

import numpy as np

from tests.errors.case import Case
from tests.errors.catalogue import BROKEN_FILE_CURE as AGAIN
from tests.errors.catalogue import LEAVE_OUT
from tests.errors.mistakes import (
    Arrange,
    Mistake,
    after,
    copied,
    deleted,
    features_cut,
    huge_features,
    picture,
    regions,
    rows,
    without_hashes,
    written,
)
from tests.errors.project import DATASET, EXTRACT, IMAGES, SHARD

FIRST = f"{IMAGES}/shapes_000001.jpg"
OBJECTS, IMAGE_TABLE = f"{DATASET}/objects.parquet", f"{DATASET}/images.parquet"
BAD_BOX = "object … of image … (…): its box (…) …"
MERGE_TWO = "merge-regions one.h5 two.h5 --output regions.h5 --skipped skipped.csv"


def first_is(path: str, **values: Any) -> Mistake:
    """The first row of a table has other values."""
    return rows(path, lambda table: table.assign(**{name: [x, *table[name][1:]] for name, x in values.items()}))


def merged(*mistakes: Mistake) -> Arrange:
    """Merges two shards after the mistakes."""
    return after(MERGE_TWO, shard("one.h5", 1), shard("two.h5", 2), *mistakes)


def shard(path: str, number: int) -> Mistake:
    """One of two, with the same images as the other."""

    def make() -> None:
        copied(SHARD, path)()
        regions(path, lambda file: file.attrs.update({"shard": f"{number}-of-2"}))()

    return make


CASES = [
    Case("shard …: expected N-of-M with N from 1 to M, such as 3-of-8", after(f"{EXTRACT} --shard 9-of-8")),
    Case(
        "object … of objects.parquet is in image …, which images.parquet does not have; read the dataset again",
        after(EXTRACT, rows(IMAGE_TABLE, lambda table: table[1:])),
    ),
    Case(f"…: there is no such image; check its path{LEAVE_OUT}", after(EXTRACT, deleted(FIRST))),
    Case(
        f"… has … x … pixels: too slim to find objects in{LEAVE_OUT}",
        after(
            EXTRACT.replace("extract-regions gt", "extract-regions det"),
            without_hashes,
            written(FIRST, picture(1, 200)),
            first_is(IMAGE_TABLE, width=1, height=200),
        ),
    ),
    Case(f"{BAD_BOX}{LEAVE_OUT}", after(EXTRACT, first_is(OBJECTS, x2=9000))),
    Case(f"{BAD_BOX}{LEAVE_OUT}", after(EXTRACT, first_is(OBJECTS, x1=20, x2=20))),
    Case(f"{BAD_BOX}{LEAVE_OUT}", after(EXTRACT, first_is(OBJECTS, x1=np.nan))),
    Case(
        f"image … has no region: nothing is annotated or detected in it{LEAVE_OUT}",
        after(EXTRACT, rows(OBJECTS, lambda table: table[table["image_id"] != 1])),
    ),
    Case(
        f"image … has a region whose feature does not fit into … (precision float32 holds more){LEAVE_OUT}",
        after(EXTRACT, huge_features),
    ),
    Case(f"…: expected a shard with … …, found …; {AGAIN}", merged(copied(SHARD, "two.h5"))),
    Case(f"…: its first image is …, but images up to … are there already; {AGAIN}", merged()),
    Case(f"…: expected features of … …, found …; {AGAIN}", merged(regions("two.h5", features_cut))),
]
