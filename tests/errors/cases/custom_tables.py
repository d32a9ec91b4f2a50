"""Mistakes in the files of a user's own dataset: annotations, the table as a whole, pictures, supporting objects."""

from tests.errors.case import Case
from tests.errors.custom_data import ANNOTATIONS, TRAIN, VAL, Arrange, annotated, custom, without
from tests.errors.mistakes import after, written
from tests.errors.project import SCORE

MEND = "mend the file"
ABSENT = "…: cannot be read (…); put the file there"
COLUMNS = "…: needs a column …; it has: …"
CELLS = "…: line … has … cells, expected …: …; put cells that contain a comma into double quotes"
NO_SUPPORT = "…: expected CSV with whole numbers in expression_id and object_id (…)"
HEADER = "image_id,object_id,split,text\n"


def scored(supporting: str | bytes | None) -> Arrange:
    """Scores with annotations of supporting objects; None is a file that is not there."""
    brought = [] if supporting is None else [written("supporting.csv", supporting)]
    return after(f"{SCORE} --supporting supporting.csv", *brought)


ANNOTATED = [
    Case(ABSENT, without("annotations.json")),
    Case(f"…: not readable as JSON (…); {MEND}", custom(annotations="{'images': []}")),
    Case(f"…: …: Field required; {MEND}", annotated(annotations={"id": 22, "image_id": 5})),
    Case(
        f"…: …: Input should be …, found …; {MEND}",
        annotated(images={"id": "x", "file_name": "x", "width": 1, "height": 1}),
    ),
    Case(
        f"…: …: Value error, expected the name of a file in the folder of images, found …; {MEND}",
        annotated(images={"id": 7, "file_name": f"{'long' * 75}.jpg", "width": 1, "height": 1}),
    ),
    Case(
        f"…: category … has annotations but no name; {MEND}",
        annotated(annotations={"id": 22, "image_id": 5, "category_id": 9, "bbox": [0, 0, 1, 1]}),
    ),
    Case(f"…: image … (…) is listed twice; {MEND}", annotated(images=ANNOTATIONS["images"][0])),
    Case(f"…: annotation … is listed twice; {MEND}", annotated(annotations=ANNOTATIONS["annotations"][0])),
    Case(
        f"…: annotation … is in image …, which is not listed; {MEND}",
        annotated(annotations={"id": 22, "image_id": 9, "category_id": 1, "bbox": [0, 0, 1, 1]}),
    ),
]
TABLES = [
    Case("…: expected a table that ends in …", custom(name=".csv")),
    Case(ABSENT, without("expressions.jsonl")),
    Case("…: not readable as UTF-8 (…); save it with that encoding", custom(table="caf\xe9".encode("latin1"))),
    Case(f"…: line … is not readable as CSV (…); {MEND}", custom(table=HEADER + '5,21,train,"the cat', name="t.csv")),
    Case(CELLS, custom(table=HEADER + "5,21,train,dog, near a cat\n", name="t.csv")),
    Case(f"…: it has … columns …; {MEND}", custom(table="text,text\na,b\n", name="t.csv")),
    Case(f"…: it has no rows; {MEND}", custom(table=HEADER, name="t.csv")),
    Case(f"…: it has no rows; {MEND}", custom(table="\n")),
    Case(f"…: line … is not readable as JSON (…); {MEND}", custom(table="{text: 1}\n")),
    Case(f"…: line …: expected an object, {{…}}, found …; {MEND}", custom(table="[1, 2]\n")),
    Case("…: not a readable Parquet file (…); write it again", custom(table=b"PAR1 no more", name="t.parquet")),
    Case(COLUMNS, custom([{"image_id": 5, "object_id": 21, "split": "train"}])),
    Case(COLUMNS, custom([{"image_id": 5, "object_id": 21, "text": "dog"}])),
    Case(
        "…: needs a column image_id or file_name; it has: …",
        custom([{"object_id": 21, "split": "train", "text": "dog"}]),
    ),
    Case(
        "…: needs a column object_id, or all of …; it has: …",
        custom([{"image_id": 5, "split": "train", "text": "dog"}]),
    ),
    Case("…: has no row of split …, only of …; training needs train and val", custom([TRAIN])),
    Case("…: has no row of split …, only of …; training needs train and val", custom([VAL])),
    Case("…: there is no such picture; …, describes it as image … of …", without("pictures/five.jpg")),
]
SUPPORTING = [
    Case("…: cannot be read (…); put the annotations there", scored(None)),
    Case(NO_SUPPORT, scored("expression_id\n1\n")),
    Case(NO_SUPPORT, scored("expression_id,object_id\n1,two\n")),
    Case(NO_SUPPORT, scored("expression_id,object_id\n1,99999999999999999999\n")),
    Case(NO_SUPPORT, scored("")),
    Case("…: expression … is not in the dataset; give its expression_id", scored("expression_id,object_id\n99999,1\n")),
    Case(
        "…: object … is not in the image of expression …; give its object_id",
        scored("expression_id,object_id\n1,99999\n"),
    ),
]
CASES = ANNOTATED + TABLES + SUPPORTING
