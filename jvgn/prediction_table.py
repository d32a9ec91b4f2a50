"""`predictions.parquet`: what a run says of every node of every expression outside the training split.

One row an expression and node: expression_id int64, node int16, is_referent bool, region int32 (its index within the
image), x1, y1, x2, y2 float32, unary float32 (the region's probability before message passing), marginal float32
(after), entropy float32 of the node's marginal (nats; 0 is certainty), iou float32 with the gold box and correct bool,
both null where there is no gold. `region` is the run's decoding; `{way}_region` int32 and `{way}_correct` bool are
those of each way to decode: `unary` (without message passing), `marginal` and `map` (the best joint grounding).
"""

from typing import Literal

import pyarrow as pa

from jvgn.datasets import tables

WAYS: tuple[Literal["unary", "marginal", "map"], ...] = ("unary", "marginal", "map")
PREDICTIONS = pa.schema(
    [
        ("expression_id", pa.int64()),
        ("node", pa.int16()),
        ("is_referent", pa.bool_()),
        ("region", pa.int32()),
        *tables.BOX,
        ("unary", pa.float32()),
        ("marginal", pa.float32()),
        ("entropy", pa.float32()),
        ("iou", pa.float32()),
        ("correct", pa.bool_()),
        *((f"{way}_region", pa.int32()) for way in WAYS),
        *((f"{way}_correct", pa.bool_()) for way in WAYS),
    ]
)
