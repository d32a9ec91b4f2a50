"""Supporting objects, measured as GroundNet's authors do (Cirik et al., 2018).

They are the objects beside the referent that an expression mentions. One is found if some node other than the
referent's is grounded in it, whatever the words of that node. Among the expressions that have supporting objects,
`all` is the share of those whose objects were all found, `at_least_one` of those with at least one found.

They come from `mentions.parquet`, or from a file that the user brings (`datasets.{name}.supporting`): CSV with the
columns expression_id and object_id, a row for each object that an expression mentions, ids as in the tables.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from jvgn.correctness import Correctness
from jvgn.datasets import tables
from jvgn.evaluation.metrics import Supporting, percent
from jvgn.regions.hdf5_store import RegionStore
from jvgn.storage.files import reading
from parsers.errors import BrokenFile, UserError

COLUMNS = ["expression_id", "object_id"]


class SupportingObjects:
    """The objects that a dataset's expressions mention beside their referents, to compare groundings with."""

    def __init__(self, dataset: Path, regions: Path, annotations: Path | None, iou_threshold: float) -> None:
        expressions = tables.read_expressions(dataset / "expressions.parquet").to_pandas()
        objects = tables.read_objects(dataset / "objects.parquet").to_pandas()
        mentions = tables.read_mentions(dataset / "mentions.parquet").to_pandas()
        known = mentions[COLUMNS] if annotations is None else read_annotations(annotations, expressions, objects)
        referent = expressions[["expression_id", "image_id", "object_id"]].rename(columns={"object_id": "referent"})
        known = known.drop_duplicates().merge(referent, on="expression_id")
        known = known[known["object_id"] != known["referent"]]
        self.objects = known.merge(objects[["object_id", *tables.SIDES]], on="object_id")
        self.store = RegionStore(regions)
        self.correctness = Correctness(self.store.setting, iou_threshold)

    def shares(self, predictions: pd.DataFrame, region: str, expressions: pd.Series) -> Supporting | None:
        """Return the shares found among these expressions, None if none has any; `region` names the column."""
        objects = self.objects[self.objects["expression_id"].isin(expressions)].reset_index(drop=True)
        if objects.empty:
            return None
        context = predictions.loc[~predictions["is_referent"], ["expression_id", region]]
        found = self.are_found(objects, context.rename(columns={region: "region"}))
        by_expression = found.groupby(objects["expression_id"])
        return Supporting(
            n=by_expression.ngroups, all=percent(by_expression.all()), at_least_one=percent(by_expression.any())
        )

    def are_found(self, objects: pd.DataFrame, context: pd.DataFrame) -> pd.Series:
        """Return for each object whether a node of its expression is grounded in it."""
        pairs = objects.reset_index(names="row").merge(context, on="expression_id")
        is_found_P = np.zeros(len(pairs), dtype=bool)
        region_P, object_P, box_P4 = (pairs[names].to_numpy() for names in ("region", "object_id", tables.SIDES))
        for image_id, own in pairs.groupby("image_id").indices.items():
            box_N4, object_N = self.store.read_boxes(image_id)
            chosen = region_P[own]
            if chosen.max() >= len(box_N4):
                raise BrokenFile(
                    self.store.path,
                    f"image {image_id} has {len(box_N4)} regions, but predictions name region {chosen.max() + 1}",
                    "predict again",
                )
            is_found_P[own] = self.correctness.of_pairs(box_N4[chosen], object_N[chosen], box_P4[own], object_P[own])
        return objects.index.to_series().isin(pairs.loc[is_found_P, "row"])


def read_annotations(path: Path, expressions: pd.DataFrame, objects: pd.DataFrame) -> pd.DataFrame:
    """Return the supporting objects in a user's file, after a check that the dataset has them."""
    with reading(path, "CSV file", f"write whole numbers in the columns {' and '.join(COLUMNS)}"):
        table = pd.read_csv(path, usecols=COLUMNS, dtype=dict.fromkeys(COLUMNS, "int64"))
    image_of_expression = expressions.set_index("expression_id")["image_id"]
    image_of_object = objects.set_index("object_id")["image_id"]
    for row in table.itertuples():
        if row.expression_id not in image_of_expression.index:
            raise UserError(f"{path}: expression {row.expression_id} is not in the dataset; give its expression_id")
        if image_of_object.get(row.object_id) != image_of_expression[row.expression_id]:
            raise UserError(
                f"{path}: object {row.object_id} is not in the image of expression {row.expression_id}; "
                "give its object_id"
            )
    return table[COLUMNS]
