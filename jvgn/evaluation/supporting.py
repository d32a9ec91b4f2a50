"""Supporting objects, as GroundNet's authors (Cirik et al., 2018) measure them.

They are the objects beside the referent that an expression mentions. One is found if some node other than the
referent's is grounded in it, whatever words that node stands for: the same object in `gt`, a large enough IoU in `det`.
Of the expressions that have any, `all` is the share of which all were found, `at_least_one` that of which some were.

They are known from `mentions.parquet`, or from a file that the user brings (`datasets.{name}.supporting`): CSV with
the columns expression_id and object_id, a row for each object that an expression mentions, ids as in the tables.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from jvgn.boxes import paired_iou
from jvgn.datasets import tables
from jvgn.regions.store import RegionStore
from parsers.errors import BrokenFile, UserError

SIDES = ["x1", "y1", "x2", "y2"]
COLUMNS = ["expression_id", "object_id"]


class SupportingObjects:
    """What a dataset's expressions mention beside their referents, to hold groundings against."""

    def __init__(self, dataset: Path, regions: Path, annotations: Path | None, right_above: float) -> None:
        expressions = tables.read_expressions(dataset / "expressions.parquet").to_pandas()
        objects = tables.read_objects(dataset / "objects.parquet").to_pandas()
        mentions = tables.read_mentions(dataset / "mentions.parquet").to_pandas()
        known = mentions[COLUMNS] if annotations is None else read_annotations(annotations, expressions, objects)
        referent = expressions[["expression_id", "image_id", "object_id"]].rename(columns={"object_id": "referent"})
        known = known.drop_duplicates().merge(referent, on="expression_id")
        known = known[known["object_id"] != known["referent"]]
        self.objects = known.merge(objects[["object_id", *SIDES]], on="object_id")
        self.store, self.right_above = RegionStore(regions), right_above

    def shares(self, predictions: pd.DataFrame, region: str, expressions: pd.Series) -> dict[str, Any]:
        """`supporting` of these expressions, and nothing where none has any; `region` is the predictions' column."""
        objects = self.objects[self.objects["expression_id"].isin(expressions)].reset_index(drop=True)
        if objects.empty:
            return {}
        context = predictions.loc[~predictions["is_referent"], ["expression_id", region]]
        found = self.are_found(objects, context.rename(columns={region: "region"}))
        by_expression = found.groupby(objects["expression_id"])
        return {
            "supporting": {
                "n": by_expression.ngroups,
                "all": round(100 * float(by_expression.all().mean()), 4),
                "at_least_one": round(100 * float(by_expression.any().mean()), 4),
            }
        }

    def are_found(self, objects: pd.DataFrame, context: pd.DataFrame) -> pd.Series:
        """For each object: whether a node of its expression is grounded in it."""
        pairs = objects.reset_index(names="row").merge(context, on="expression_id")
        is_same = np.zeros(len(pairs), dtype=bool)
        by_object = self.store.setting == "gt"
        region_P, object_P, box_P4 = (pairs[names].to_numpy() for names in ("region", "object_id", SIDES))
        for image_id, own in pairs.groupby("image_id").indices.items():
            box_N4, object_N = self.store.read_boxes(image_id)
            chosen = region_P[own]
            if chosen.max() >= len(box_N4):
                raise BrokenFile(
                    self.store.path,
                    f"image {image_id} has {len(box_N4)} regions, and predictions name number {chosen.max() + 1}",
                    "predict again",
                )
            is_same[own] = (
                object_N[chosen] == object_P[own]
                if by_object
                else paired_iou(box_N4[chosen], box_P4[own]) > self.right_above
            )
        return objects.index.to_series().isin(pairs.loc[is_same, "row"])


def read_annotations(path: Path, expressions: pd.DataFrame, objects: pd.DataFrame) -> pd.DataFrame:
    """The supporting objects that a user's file names, after a check that the dataset knows them."""
    try:
        # As it is, whatever its name: the library would unpack it without a limit.
        table = pd.read_csv(path, usecols=COLUMNS, dtype=dict.fromkeys(COLUMNS, "int64"), compression=None)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); put the annotations there") from error
    except (ValueError, OverflowError) as error:
        raise UserError(f"{path}: expected CSV with whole numbers in {' and '.join(COLUMNS)} ({error})") from error
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
