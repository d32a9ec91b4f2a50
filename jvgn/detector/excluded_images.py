"""Images that a detector must not be trained on: `results/detectors/{trained_on}/excluded.parquet`.

Columns: image_id int64, dataset string, split string: the dataset evaluates on the image in that split (any but train).
Ascending image_id; an image may have several rows.
"""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from jvgn.datasets.tables import read_expressions
from jvgn.storage.parquet import read_table, write_table

EXCLUDED = pa.schema([("image_id", pa.int64()), ("dataset", pa.string()), ("split", pa.string())])


def exclude_images(expressions: Iterable[Path | str], output: Path | str) -> None:
    """Write the evaluation images of all `expressions.parquet` files to `output`."""
    rows = sorted(
        (image_id, Path(path).parent.name, split) for path in expressions for image_id, split in evaluated(path)
    )
    columns = zip(*rows, strict=True) if rows else ([], [], [])
    write_table(output, dict(zip(EXCLUDED.names, map(list, columns), strict=True)), EXCLUDED)


def evaluated(expressions: Path | str) -> set[tuple[int, str]]:
    """Return the images of every split but train, with their splits."""
    table = read_expressions(expressions)
    rows = zip(table["image_id"].to_pylist(), table["split"].to_pylist(), strict=True)
    return {(image_id, split) for image_id, split in rows if split != "train"}


def without(images: pa.Table, excluded: Path | str) -> pa.Table:
    """Return the rows of an images table that a detector may be trained on."""
    return images.filter(
        pc.invert(pc.is_in(images["image_id"], read_table(excluded, EXCLUDED)["image_id"].combine_chunks()))
    )


def held_out(images: pa.Table, excluded: Path | str, count: int) -> pa.Table:
    """Return at most `count` images, evenly spread over those in some val split and in no test split."""
    rows = read_table(excluded, EXCLUDED).to_pylist()
    in_val, elsewhere = (
        {row["image_id"] for row in rows if (row["split"] == "val") == is_val} for is_val in (True, False)
    )
    found = images.filter(pc.is_in(images["image_id"], pa.array(in_val - elsewhere, pa.int64())))
    taken = min(count, len(found))
    return found.take(pa.array([len(found) * number // taken for number in range(taken)], pa.int64()))
