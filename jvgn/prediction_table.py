"""`predictions.parquet`: what a run says of every node of every expression outside the training split.

One row an expression and node: expression_id int64, node int16, is_referent bool, region int32 (its index within the
image), x1, y1, x2, y2 float32, unary float32 (the region's probability before message passing), marginal float32
(after), iou float32 with the gold box and correct bool, both null where there is no gold.
"""

import pyarrow as pa

from jvgn.datasets import tables

PREDICTIONS = pa.schema(
    [
        ("expression_id", pa.int64()),
        ("node", pa.int16()),
        ("is_referent", pa.bool_()),
        ("region", pa.int32()),
        *tables.BOX,
        ("unary", pa.float32()),
        ("marginal", pa.float32()),
        ("iou", pa.float32()),
        ("correct", pa.bool_()),
    ]
)
