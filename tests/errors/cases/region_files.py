"""Files of regions that are broken, or do not have what is asked of them."""

from tests.errors.case import Case
from tests.errors.catalogue import REGIONS_CURE as AGAIN
from tests.errors.mistakes import NOISE, Mistake, after, deleted, last_renumbered, regions, written
from tests.errors.project import PICTURE, REGIONS

INFO, SHOW = f"regions info {REGIONS}", f"regions show {REGIONS}"


def shortened(name: str) -> Mistake:
    """A column of the file lacks its last entry."""

    def change(file):
        kept = file[name][:-1]
        del file[name]
        file[name] = kept

    return regions(REGIONS, change)


CASES = [
    Case("…: there is no such file; make it with the workflow", after(INFO, deleted(REGIONS))),
    Case(
        "…: a folder; name a file of regions, such as results/regions/shapes_det/tiny.h5",
        after("regions info results/regions/shapes_gt"),
    ),
    Case(
        f"…: not a readable HDF5 file (…); {AGAIN}",
        after(INFO, written(REGIONS, NOISE)),
    ),
    Case(
        f"…: expected regions of format version …, found …; {AGAIN}",
        after(INFO, regions(REGIONS, lambda file: file.attrs.update({"format": "0"}))),
    ),
    Case(f"…: holds no …; {AGAIN}", after(INFO, regions(REGIONS, lambda file: file.pop("score")))),
    Case(f"…: … images have … offsets; {AGAIN}", after(INFO, shortened("image_id"))),
    Case(f"…: expected … rows of …, found …; {AGAIN}", after(INFO, shortened("score"))),
    Case(
        "…: holds no image …; extract the regions of this dataset again",
        after(f"{SHOW} resources/shapes/images/shapes_000005.jpg", regions(REGIONS, last_renumbered)),
    ),
    Case("…: … lists no image of this name; check both", after(f"{SHOW} photo.jpg")),
    Case("…: expected a name that ends in …", after(f"{SHOW} {PICTURE} --output drawn.pdf")),
]
