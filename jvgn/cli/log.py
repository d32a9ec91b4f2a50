"""Output of commands: plain lines. The workflow keeps standard error as the log of a job."""

import logging
import os
import sys

import click

from jvgn.storage.shown_text import printable

log = logging.getLogger(__name__)


class Lines(logging.Formatter):
    """Escapes control characters, which names of files and sentences may contain."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return "\n".join(map(printable, super().formatMessage(record).split("\n")))


def say(*lines: str, err: bool = False) -> None:
    """Print lines for people, with control characters escaped."""
    for line in lines:
        click.echo(printable(line), err=err)


def start_log() -> None:
    """Log to standard error; in a SLURM job, begin with the job's number."""
    handler = logging.StreamHandler()
    handler.setFormatter(Lines("%(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    job = os.environ.get("SLURM_JOB_ID")
    # Only the first of torchrun's processes on a node logs this.
    if job and not sys.stderr.isatty() and os.environ.get("LOCAL_RANK", "0") == "0":
        gpus = os.environ.get("CUDA_VISIBLE_DEVICES")
        where = os.environ.get("SLURMD_NODENAME") or os.uname().nodename
        log.info("SLURM job %s on %s%s", job, where, f", GPU {gpus}" if gpus else "")
