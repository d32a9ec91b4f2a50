"""`history.parquet`: how a training went, an epoch a row.

epoch int32, loss float64 (mean over the expressions trained on), val_accuracy float64 (percent), learning_rate
float64, seconds float64. The model is the epoch of the best val_accuracy, the first of equals.
"""

import pyarrow as pa

HISTORY = pa.schema(
    [
        ("epoch", pa.int32()),
        ("loss", pa.float64()),
        ("val_accuracy", pa.float64()),
        ("learning_rate", pa.float64()),
        ("seconds", pa.float64()),
    ]
)
