"""Supporting objects against their plain definition, and mistakes in users' annotations."""

import numpy as np
import pandas as pd
import pytest

from jvgn.boxes import iou
from jvgn.datasets import tables
from jvgn.evaluation.score import SupportingObjects
from jvgn.regions.hdf5_store import Regions, RegionWriter
from jvgn.storage.parquet import write_table
from parsers.errors import UserError

IMAGES, OBJECTS, EXPRESSIONS = 5, 6, 60


def object_id(image, place):
    return 100 * image + place


class Drawn:
    """Objects, expressions that mention some of them, regions near them, and groundings by chance."""

    def __init__(self, folder, setting, seed):
        self.folder, self.setting, random = folder, setting, np.random.default_rng(seed)
        corner = random.uniform(0, 50, (IMAGES, OBJECTS, 2))
        self.box = np.concatenate([corner, corner + random.uniform(10, 40, corner.shape)], axis=2).astype("float32")
        self.expressions = [
            (number, number, image, object_id(image, random.integers(OBJECTS)), "test", "…", ["word"] * 5)
            for number, image in enumerate(random.integers(IMAGES, size=EXPRESSIONS).tolist())
        ]
        self.mentions = [
            (number, token, object_id(image, place), object_id(image, place) == referent)
            for number, _, image, referent, *_ in self.expressions
            # With repetition: two words may stand for one object, and one of them may be the referent's.
            for token, place in enumerate(random.integers(OBJECTS, size=random.integers(4)))
        ]
        self.predictions = pd.DataFrame(
            [
                (number, node, node == 0, random.integers(OBJECTS))
                for number in range(EXPRESSIONS)
                for node in range(random.integers(1, 5))
            ],
            columns=["expression_id", "node", "is_referent", "region"],
        )
        self.write(random)

    def write(self, random):
        objects = [
            (object_id(image, place), image, "thing", 1, *self.box[image, place], False)
            for image in range(IMAGES)
            for place in range(OBJECTS)
        ]
        for name, rows, schema in [
            ("expressions", self.expressions, tables.EXPRESSIONS),
            ("mentions", self.mentions, tables.MENTIONS),
            ("objects", objects, tables.OBJECTS),
        ]:
            columns = dict(zip(schema.names, zip(*rows, strict=True), strict=True))
            write_table(self.folder / f"{name}.parquet", columns, schema)
        with RegionWriter(self.folder / "regions.h5", 1, "float32", {"setting": self.setting}) as writer:
            self.region_box = self.box + random.normal(0, 3, self.box.shape).astype("float32")
            for image in range(IMAGES):
                ids = [object_id(image, place) if self.setting == "gt" else -1 for place in range(OBJECTS)]
                one = np.ones(OBJECTS, "float32")
                label = np.ones(OBJECTS, "int32")
                writer.append(image, Regions(self.region_box[image], one[:, None], one, label, np.array(ids)))

    def is_grounded(self, number, image, wanted):
        own = self.predictions[(self.predictions["expression_id"] == number) & ~self.predictions["is_referent"]]
        if self.setting == "gt":
            return wanted in {object_id(image, region) for region in own["region"]}
        gold = self.box[image, wanted - object_id(image, 0)]
        return any(iou(self.region_box[image, region], gold).item() > 0.5 for region in own["region"])

    def plain_shares(self):
        everything, something = [], []
        for number, _, image, referent, *_ in self.expressions:
            wanted = {mention[2] for mention in self.mentions if mention[0] == number} - {referent}
            if wanted:
                found = [self.is_grounded(number, image, one) for one in wanted]
                everything.append(all(found))
                something.append(any(found))
        return {
            "n": len(everything),
            "all": pytest.approx(100 * np.mean(everything), abs=1e-3),
            "at_least_one": pytest.approx(100 * np.mean(something), abs=1e-3),
        }

    def measured(self, annotations=None, expressions=None):
        objects = SupportingObjects(self.folder, self.folder / "regions.h5", annotations, 0.5)
        chosen = pd.Series(range(EXPRESSIONS)) if expressions is None else expressions
        return objects.shares(self.predictions, "region", chosen)


@pytest.mark.parametrize("setting", ["gt", "det"])
@pytest.mark.parametrize("seed", range(3))
def test_shares_are_those_of_the_plain_definition(tmp_path, setting, seed):
    drawn = Drawn(tmp_path, setting, seed)
    expected = drawn.plain_shares()
    found = drawn.measured()
    assert found.model_dump() == expected
    assert 0 < found.all < found.at_least_one < 100


def test_annotations_that_a_user_brings_are_measured_like_known_mentions(tmp_path):
    drawn = Drawn(tmp_path, "gt", seed=0)
    expected = drawn.measured()
    brought = pd.DataFrame(drawn.mentions, columns=["expression_id", "head_token", "object_id", "is_referent"])
    brought.to_csv(tmp_path / "supporting.csv", index=False)
    write_table(tmp_path / "mentions.parquet", tables.MENTIONS.empty_table(), tables.MENTIONS)
    assert drawn.measured() is None
    assert drawn.measured(tmp_path / "supporting.csv") == expected


def test_an_expression_without_groundings_counts_as_missed(tmp_path):
    drawn = Drawn(tmp_path, "gt", seed=0)
    drawn.predictions = drawn.predictions[drawn.predictions["expression_id"] < 0]
    found = drawn.measured()
    assert found.n > 0 and found.all == found.at_least_one == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("expression_id,object_id\n1,chair\n", "not a readable CSV file"),
        ("expression_id,object_id\n999,100\n", "expression 999 is not in the dataset"),
        ("expression_id,object_id\n0,99999\n", "object 99999 is not in the image of expression 0"),
    ],
)
def test_a_mistake_in_the_annotations_is_named(tmp_path, text, message):
    drawn, path = Drawn(tmp_path, "gt", seed=0), tmp_path / "supporting.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=f"supporting.csv: {message}"):
        drawn.measured(path)
