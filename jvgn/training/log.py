"""The records of a training: `history.parquet`, and while it runs a progress bar, a line an epoch, TensorBoard's files.

`history.parquet` has a row for each epoch: epoch int32, loss float64 (mean over the expressions trained on),
val_accuracy float64 (percent), val_loss float64 (mean over the referents that some region fits), train_accuracy float64
(percent, while learning, with dropout), gradient_norm float64 (mean over the steps, before clipping), learning_rate
float64, seconds float64. The saved model is that of the epoch with the best val_accuracy, the first one if several are
equal.
"""

import logging
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
from tqdm import tqdm

from jvgn.runtime.distributed import Board
from jvgn.storage.parquet import write_table

log = logging.getLogger(__name__)

HISTORY = pa.schema(
    [
        ("epoch", pa.int32()),
        ("loss", pa.float64()),
        ("val_accuracy", pa.float64()),
        ("val_loss", pa.float64()),
        ("train_accuracy", pa.float64()),
        ("gradient_norm", pa.float64()),
        ("learning_rate", pa.float64()),
        ("seconds", pa.float64()),
    ]
)


def write_history(path: Path, rows: list[dict[str, float]]) -> None:
    write_table(path, {name: [row[name] for row in rows] for name in HISTORY.names}, HISTORY)


class TrainingLog:
    """Show the progress over all epochs, in expressions; a silent log shows and writes nothing."""

    def __init__(self, total: int, done: int = 0, tensorboard: Path | None = None, silent: bool = False) -> None:
        self.total, self.done, self.silent = total, done, silent
        self.bar = tqdm(total=total, initial=done, unit=" expressions", disable=True if silent else None)
        self.board = Board(None if silent else tensorboard)
        self.shown: dict[str, str] = {}

    def step(self, number: int, expressions: int, loss: float, learning_rate: float) -> None:
        self.done += expressions
        self.bar.update(expressions)
        self.show(loss=f"{loss:.4f}")
        self.board.write(number, {"train/loss": loss, "train/learning_rate": learning_rate})

    def epoch(self, number: int, row: dict[str, float], expressions: int) -> None:
        """Report the epoch with this row of the history."""
        rate = expressions / max(row["seconds"], 1e-9)
        left = timedelta(seconds=round((self.total - self.done) / rate))
        self.show(val=f"{row['val_accuracy']:.2f}")
        if not self.silent:
            message = (
                "epoch %d: loss %.4f (val %.4f), accuracy %.2f (val %.2f), gradient %.3g, %.0f expressions/s, %s left"
            )
            names = ("loss", "val_loss", "train_accuracy", "val_accuracy", "gradient_norm")
            log.info(message, number, *(row[name] for name in names), rate, left)
        values = {f"epoch/{name}": value for name, value in row.items() if name not in ("epoch", "learning_rate")}
        self.board.write(number, values | {"epoch/expressions_per_second": rate})

    def show(self, **values: str) -> None:
        self.shown |= values
        self.bar.set_postfix(self.shown, refresh=False)

    def close(self) -> None:
        self.bar.close()
        self.board.close()
