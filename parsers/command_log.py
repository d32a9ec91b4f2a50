"""How commands speak: plain lines on standard error, which the workflow keeps as a job's log."""

import logging
import os
import socket
import sys

log = logging.getLogger(__name__)


def start_log() -> None:
    """A log that SLURM's jobs write begins with the job's number, which is what its own tools ask for."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    job = os.environ.get("SLURM_JOB_ID")
    # Of torchrun's processes, one speaks for its node.
    if job and not sys.stderr.isatty() and os.environ.get("LOCAL_RANK", "0") == "0":
        gpus = os.environ.get("CUDA_VISIBLE_DEVICES")
        where = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
        log.info("SLURM job %s on %s%s", job, where, f", GPU {gpus}" if gpus else "")
