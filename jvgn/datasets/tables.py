"""The tables of a dataset, under `results/datasets/{dataset}/`. Boxes are xyxy, in pixels, float32.

`images.parquet`: image_id int64, file_name string, width int32, height int32; ascending image_id.
`objects.parquet`: object_id int64, image_id int64, category string, category_id int32, x1, y1, x2, y2 float32,
is_crowd bool; ascending image_id, file order within an image.
`expressions.parquet`: expression_id int64, ref_id int64, image_id int64, object_id int64, split string, text string,
tokens list<string>; ascending expression_id. Every token index in every file refers to these tokens.
`mentions.parquet`: expression_id int64, head_token int16, object_id int64, is_referent bool; one row for each object
that an expression mentions, where the dataset knows; otherwise empty.
"""

import pyarrow as pa

BOX = [(name, pa.float32()) for name in ("x1", "y1", "x2", "y2")]

IMAGES = pa.schema(
    [("image_id", pa.int64()), ("file_name", pa.string()), ("width", pa.int32()), ("height", pa.int32())]
)
OBJECTS = pa.schema(
    [
        ("object_id", pa.int64()),
        ("image_id", pa.int64()),
        ("category", pa.string()),
        ("category_id", pa.int32()),
        *BOX,
        ("is_crowd", pa.bool_()),
    ]
)
EXPRESSIONS = pa.schema(
    [
        ("expression_id", pa.int64()),
        ("ref_id", pa.int64()),
        ("image_id", pa.int64()),
        ("object_id", pa.int64()),
        ("split", pa.string()),
        ("text", pa.string()),
        ("tokens", pa.list_(pa.string())),
    ]
)
MENTIONS = pa.schema(
    [
        ("expression_id", pa.int64()),
        ("head_token", pa.int16()),
        ("object_id", pa.int64()),
        ("is_referent", pa.bool_()),
    ]
)
