"""Checks before the first job, and reports after the last one."""

import errno
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from jvgn.storage.files import is_full, leftovers
from jvgn.storage.records import check_unchanged
from jvgn.storage.shown_text import printable
from jvgn.settings.base import load_yaml
from parsers.errors import UserError
from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

started = int(time.time())  # some file systems store whole seconds

STATES = {"model.safetensors": "training_state.pt", "weights.safetensors": "weights.state.pt"}
"""The file from which the job of an output resumes."""


def check_yaml(path):
    """Name the line of a configuration file that is not YAML; Snakemake names only the file."""
    try:
        if Path(path).exists():
            load_yaml(path)
    except UserError as error:
        raise WorkflowError(str(error)) from None


def check_inputs():
    """Stop if an input has changed since it was written: Snakemake removes old outputs before it runs a job."""
    jobs = [*workflow.dag.needrun_jobs()]
    outputs = {path for job in jobs for path in job.output}
    for path in sorted({path for job in jobs for path in job.input} - outputs):
        try:
            check_unchanged(Path(path))
        except UserError as error:
            raise WorkflowError(str(error)) from None


def check_disks():
    """Stop if a job could not write its outputs or its log."""
    for folder in sorted({existing_folder(path) for job in local_jobs() for path in (*job.output, *job.log)}):
        check_writable(folder)


def check_writable(folder):
    if problem := unwritable(folder):
        raise WorkflowError(problem)


def unwritable(folder):
    """Return the sentence about a folder that cannot be written to, or None."""
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        reason = errno.EROFS
    elif not os.access(folder, os.W_OK):
        reason = errno.EACCES
    elif is_full(folder):
        reason = errno.ENOSPC
    else:
        return None
    return f"{folder}: cannot be written ({os.strerror(reason)}); check its space and permissions, then run it again"


def local_jobs():
    """Return the jobs to run, unless they write to a storage elsewhere, where files have other names."""
    return workflow.dag.needrun_jobs() if workflow.storage_settings.default_storage_provider is None else []


def existing_folder(path):
    """Return the nearest folder above a file that exists."""
    return next((folder for folder in Path(path).parents[:-1] if folder.is_dir()), Path.cwd())


def remove_leftovers():
    """Remove unfinished files of killed jobs. Snakemake's lock ensures that no other job is writing them."""
    outputs = [Path(path) for job in local_jobs() for path in job.output]
    states = [path.with_name(STATES[path.name]) for path in outputs if path.name in STATES]
    for path in {leftover for path in [*outputs, *states] for leftover in leftovers(path)}:
        logger.info(f"Removing an unfinished file of a killed job: {path}")
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def check_accounting():
    """Stop if Snakemake would ask sacct about jobs and sacct fails: it would wait forever."""
    if workflow.executor_plugin.name != "slurm" or workflow.executor_settings.status_command != "sacct":
        return
    try:
        command = ["sacct", "--noheader", "--allocations", "--starttime=now-1hours"]
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        reason = " ".join((getattr(error, "stderr", None) or str(error)).split())
        raise WorkflowError(f"sacct: {reason}; set slurm-status-command: squeue in the profile") from None


def report_failures():
    """Print the errors in the logs of this run, and full disks, after everything that Snakemake prints."""
    for path in {Path(path) for job in workflow.dag.needrun_jobs() for path in job.log}:
        if path.is_file() and path.stat().st_mtime >= started:
            for line in path.read_text(errors="replace").splitlines():
                if line.startswith("Error: "):
                    print(printable(line), file=sys.stderr)
    for folder in {Path.cwd(), *(existing_folder(path) for job in local_jobs() for path in job.output)}:
        if problem := unwritable(folder):
            print(f"Error: {problem}", file=sys.stderr)
