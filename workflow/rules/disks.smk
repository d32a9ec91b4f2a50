"""Disks: what killed jobs have left there, and those that nothing can be written to.

Snakemake itself leaves the one where it is, and ends with a traceback for the other.
"""

import atexit
import errno
import logging
import shutil

from jvgn.storage.files import is_full, leftovers
from snakemake.logging import logger

# Where Snakemake's own log cannot be written, every line of it would be followed by a traceback.
logging.raiseExceptions = False

STATES = {"model.safetensors": "training_state.pt", "weights.safetensors": "weights.state.pt"}
"""For an output, the state from which its job goes on."""


def check_disks():
    """Stops before the first job where its files could not be written: its outputs would be removed for nothing."""
    for folder in sorted({folder_of(path) for job in own_jobs() for path in (*job.output, *job.log)}):
        if reason := unwritable(folder):
            raise WorkflowError(f"{folder}: cannot be written ({reason}); see to the disk, then run it again")


def own_jobs():
    """Those that write here: in a storage elsewhere, files have other names."""
    is_elsewhere = workflow.storage_settings.default_storage_provider is not None
    return [] if is_elsewhere else workflow.dag.needrun_jobs()


def folder_of(path):
    """The folder of a file, or the nearest one above it that is there."""
    return next((folder for folder in Path(path).parents[:-1] if folder.is_dir()), Path.cwd())


def unwritable(folder):
    """Why nothing can be written into a folder, if so."""
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        return os.strerror(errno.EROFS)
    if not os.access(folder, os.W_OK):
        return os.strerror(errno.EACCES)
    return os.strerror(errno.ENOSPC) if is_full(folder) else None


def clear_leftovers():
    """Nobody else writes what these jobs write: so Snakemake's lock promises."""
    outputs = [Path(path) for job in own_jobs() for path in job.output]
    states = [path.with_name(STATES[path.name]) for path in outputs if path.name in STATES]
    for path in {left for path in [*outputs, *states] for left in leftovers(path)}:
        logger.info(f"Removing what a killed job has left: {path}")
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def tell_of_disks():
    """Why Snakemake has failed, if it was a disk: it may have ended with a traceback, and the log of a job be empty."""
    for folder in sorted({Path.cwd(), *(folder_of(path) for job in own_jobs() for path in job.output)}):
        tell_of_disk(folder)


def tell_of_disk(folder):
    if reason := unwritable(folder):
        print(f"Error: {folder}: cannot be written ({reason}); see to the disk, then run it again", file=sys.stderr)


if is_full(Path.cwd()):
    tell_of_disk(Path.cwd())  # at once: Snakemake would not come as far as its first job
