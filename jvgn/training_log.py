"""What a training shows while it runs: a progress bar, a line an epoch, and TensorBoard's files."""

import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

from tqdm import tqdm

log = logging.getLogger(__name__)


class TrainingLog:
    """Progress over all epochs, in expressions. A silent one shows nothing and writes nothing."""

    def __init__(self, total: int, done: int = 0, tensorboard: Path | None = None, silent: bool = False) -> None:
        self.total, self.done, self.silent = total, done, silent
        self.bar = tqdm(total=total, initial=done, unit=" expressions", disable=True if silent else None)
        self.writer = None if silent or tensorboard is None else summary_writer(tensorboard)
        self.shown: dict[str, str] = {}

    def step(self, number: int, expressions: int, loss: float, learning_rate: float) -> None:
        self.done += expressions
        self.bar.update(expressions)
        self.show(loss=f"{loss:.4f}")
        if self.writer:
            self.writer.add_scalar("train/loss", loss, number)
            self.writer.add_scalar("train/learning_rate", learning_rate, number)

    def epoch(self, number: int, row: dict[str, float], expressions: int) -> None:
        """After the epoch with this row of the history."""
        rate = expressions / max(row["seconds"], 1e-9)
        left = timedelta(seconds=round((self.total - self.done) / rate))
        self.show(val=f"{row['val_accuracy']:.2f}")
        if not self.silent:
            message = "epoch %d: loss %.4f, val accuracy %.2f, %.0f expressions a second, %s left"
            log.info(message, number, row["loss"], row["val_accuracy"], rate, left)
        if self.writer:
            for name in ("loss", "val_accuracy", "seconds"):
                self.writer.add_scalar(f"epoch/{name}", row[name], number)
            self.writer.add_scalar("epoch/expressions_per_second", rate, number)
            self.writer.flush()

    def show(self, **values: str) -> None:
        self.shown |= values
        self.bar.set_postfix(self.shown, refresh=False)

    def close(self) -> None:
        self.bar.close()
        if self.writer:
            self.writer.close()


def summary_writer(folder: Path) -> Any:
    """TensorBoard's writer, or None and a word about it where TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        log.info("TensorBoard is not installed: nothing is written to %s (pip install 'jvgn[tensorboard]')", folder)
        return None
    return SummaryWriter(str(folder))
