"""Features that somebody else computed, in files that cannot be read or do not fit the dataset."""

import base64
from pathlib import Path
from typing import Any

import numpy as np

from tests.errors.case import Case
from tests.errors.catalogue import LEAVE_OUT
from tests.errors.mistakes import (
    NOISE,
    Arrange,
    Mistake,
    after,
    chosen,
    copied,
    deleted,
    last_renumbered,
    regions,
    rows,
    written,
)
from tests.errors.project import DATASET, REGION_SETTINGS, REGIONS

IMPORT = (
    f"--settings {REGION_SETTINGS} --detector given.yaml --dataset {DATASET} --output regions.h5 --name shapes given"
)
CURE = "mend the file, or compute its features again"
NONE = "no image of the dataset has precomputed features (…); mend the detector's settings"
BOX = [1.0, 2.0, 30.0, 40.0]
WHOLE: dict[str, Any] = {"box": [BOX, BOX], "feature": np.ones((2, 3))}
LAST = "features/5.npz"


def imported(kind: str, *mistakes: Mistake, setting: str = "det") -> Arrange:
    """Imports features of a format for a setting, from where the mistakes have put them."""
    key = {"det": "detections", "gt": "objects"}[setting]
    settings = chosen("given.yaml", source="precomputed", format=kind, **{key: "features"})
    return after(f"import-regions {setting} {IMPORT}", settings, *mistakes)


def line(image_id: object, count: object = 1, columns: int = 4) -> bytes:
    """Of a file with such columns, cut to so many."""
    arrays = (np.array([BOX], np.float32), np.ones((1, 3), np.float32))
    cells = [image_id, count, *(base64.b64encode(array.tobytes()).decode() for array in arrays)]
    return ("\t".join(map(str, cells[:columns])) + "\n").encode()


def tsv(*lines: bytes, header: bytes = b"image_id\tnum_boxes\tboxes\tfeatures\n") -> Arrange:
    return imported("tsv", written("features", header + b"".join(lines)))


def features(**last: Any) -> Mistake:
    """Every image has a whole file, but for the last one, whose arrays differ so."""

    def make() -> None:
        Path("features").mkdir()
        for image_id in range(1, 6):
            np.savez(f"features/{image_id}.npz", **(WHOLE | last if image_id == 5 else WHOLE))

    return make


def npz(*mistakes: Mistake, **last: Any) -> Arrange:
    return imported("npz", features(**last), *mistakes)


def told(problem: str) -> str:
    return f"the precomputed features of image … {problem}{LEAVE_OUT}"


FILES = [
    Case(
        "detectors.… names no files of `…`, which the setting … needs",
        imported("tsv", chosen("given.yaml", source="precomputed", format="tsv", objects="features")),
    ),
    Case("…: cannot be read (…); mend the detector's settings", imported("tsv")),
    Case(f"…: expected lines of 6 or 10 columns, found …; {CURE}", tsv(line(1), header=b"")),
    Case(f"…: expected an image's id at byte …, found …; {CURE}", tsv(line(1), line("first"))),
    Case(NONE, tsv(line(9))),
    Case(f"…: has no line for image … (…){LEAVE_OUT}", tsv(line(1))),
    Case(f"…: expected … columns, found …; {CURE}{LEAVE_OUT}", tsv(line(1), line(2, columns=3))),
    Case(f"…: its line cannot be read (…); {CURE}{LEAVE_OUT}", tsv(line(1), line(2, count="one"))),
    Case("…: there is no such folder; mend the detector's settings", imported("npz")),
    Case(f"…: has no file for image …, neither …{LEAVE_OUT}", npz(deleted(LAST))),
    Case(f"…: not a readable .npz file (…); {CURE}{LEAVE_OUT}", npz(written(LAST, NOISE))),
    Case(f"…: expected an array of two dimensions under …; {CURE}{LEAVE_OUT}", npz(box=BOX)),
    Case(f"…: expected … of shape …; {CURE}{LEAVE_OUT}", npz(score=np.ones(1))),
    Case(f"…: expected whole numbers of … bits under …; {CURE}{LEAVE_OUT}", npz(label=[1, 2**40 + 7])),
    Case(
        f"…: has no regions of image … (…){LEAVE_OUT}",
        imported("hdf5", copied(REGIONS, "features"), regions("features", last_renumbered)),
    ),
]
CONTENTS = [
    Case(told("are of … pixels, and the image has …"), npz(image_w=9, image_h=9)),
    Case(told("have no box"), npz(box=np.zeros((0, 4)), feature=np.zeros((0, 3)))),
    Case(told("have … numbers, and other images' …"), npz(feature=np.ones((2, 5)))),
    Case(told("…: row …: its box (…) …"), npz(box=[BOX, [1, 2, 9000, 40]])),
    Case(told("are not all finite"), npz(feature=np.full((2, 3), np.nan))),
    Case(
        f"a feature of image … does not fit into …; try precision float32{LEAVE_OUT}", npz(feature=np.full((2, 3), 1e6))
    ),
    Case(f"object … of image … has no precomputed features{LEAVE_OUT}", imported("npz", features(), setting="gt")),
    Case(
        f"image … has no region: none of its objects has precomputed features{LEAVE_OUT}",
        imported(
            "npz",
            features(),
            rows(f"{DATASET}/objects.parquet", lambda table: table[table["image_id"] != 1]),
            setting="gt",
        ),
    ),
]
CASES = FILES + CONTENTS
