"""How commands speak: plain lines, those on standard error being what the workflow keeps as a job's log.

A line may hold strangers' text: names of files, sentences, attributes. It stays one line, and steers no terminal.
"""

import errno
import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from jvgn.storage.shown_text import printable
from parsers.errors import UserError

OURS = ("jvgn", "parsers")
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
STANDARD_OUTPUT = 1

log = logging.getLogger(__name__)


class Lines(logging.Formatter):
    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        said = super().formatMessage(record)
        # Libraries say what has several lines, in colours; of ours, a line is a line.
        lines = [said] if record.name.partition(".")[0] in OURS else said.split("\n")
        return "\n".join(map(printable, lines))


def say(*lines: str, err: bool = False) -> None:
    """Prints what is for people; what is for programs is JSON, and escaped as such."""
    for line in lines:
        click.echo(printable(line), err=err)


@contextmanager
def full_disk_named() -> Iterator[None]:
    """A disk that takes no more is told of as such where no writer of ours meets it: that of what a command prints."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL or error.filename is not None:
            raise
        # What it did not take, Python would try to write once more as it ends, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), STANDARD_OUTPUT)
        where, reason = "standard output or a temporary file", os.strerror(error.errno)
        raise UserError(f"{where}: cannot be written ({reason}); see to the disk, then run it again") from error


def start_log() -> None:
    """A log that SLURM's jobs write begins with the job's number, which is what its own tools ask for."""
    handler = logging.StreamHandler()
    handler.setFormatter(Lines("%(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    job = os.environ.get("SLURM_JOB_ID")
    # Of torchrun's processes, one speaks for its node.
    if job and not sys.stderr.isatty() and os.environ.get("LOCAL_RANK", "0") == "0":
        gpus = os.environ.get("CUDA_VISIBLE_DEVICES")
        where = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
        log.info("SLURM job %s on %s%s", job, where, f", GPU {gpus}" if gpus else "")
