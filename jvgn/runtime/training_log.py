"""The records of a training: `history.parquet`, and while it runs a progress bar, a line an epoch, TensorBoard's files.
Detectors use TensorBoard too.

`history.parquet` has a row for each epoch: epoch int32, loss float64 (mean over the expressions trained on),
val_accuracy float64 (percent), val_loss float64 (mean over the referents that some region fits), train_accuracy float64
(percent, while learning, with dropout), gradient_norm float64 (mean over the steps, before clipping), learning_rate
float64, seconds float64. The saved model is that of the epoch with the best val_accuracy, the first one if several are
equal.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from tqdm import tqdm

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
        self.board.write(number, values | {"epoch/expressions_per_second": rate}, flush=True)

    def show(self, **values: str) -> None:
        self.shown |= values
        self.bar.set_postfix(self.shown, refresh=False)

    def close(self) -> None:
        self.bar.close()
        self.board.close()


class Board:
    """Write TensorBoard's files to a folder, if one is given; if that fails, training continues without them."""

    def __init__(self, folder: Path | None) -> None:
        self.writer: Any = None
        self.hook = threading.excepthook
        if folder is not None:
            threading.excepthook = self.pass_over
            with self.spared():
                self.writer = summary_writer(folder)
        if self.writer is None:
            threading.excepthook = self.hook

    def write(self, number: int, values: dict[str, float], flush: bool = False) -> None:
        if self.writer is not None:
            with self.spared():
                for name, value in values.items():
                    self.writer.add_scalar(name, value, number)
                if flush:
                    self.writer.flush()

    @contextmanager
    def spared(self) -> Iterator[None]:
        """Report the first error of the disk, and write no more."""
        try:
            yield
        except OSError as error:
            log.warning(
                "TensorBoard's files cannot be written (%s); training continues without them", error.strerror or error
            )
            self.writer = None

    def pass_over(self, failed: threading.ExceptHookArgs) -> None:
        """Ignore an error of TensorBoard's thread: TensorBoard raises it again in ours."""
        is_theirs = type(failed.thread).__module__.startswith("tensorboard")
        if not (is_theirs and isinstance(failed.exc_value, OSError)):
            self.hook(failed)

    def close(self) -> None:
        with self.spared():
            if self.writer is not None:
                self.writer.close()
        threading.excepthook = self.hook


def summary_writer(folder: Path) -> Any:
    """Return TensorBoard's writer; None, and say so, if TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        log.info("TensorBoard is not installed: nothing is written to %s (pip install 'jvgn[tensorboard]')", folder)
        return None
    return SummaryWriter(str(folder))
