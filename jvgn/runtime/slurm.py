"""What is asked of SLURM before the first job: a mistake here would cost hours in a queue, or a wait without end."""

import getpass
import math
import re
import shutil
import subprocess
from collections.abc import Collection
from dataclasses import dataclass

from parsers.errors import UserError

PATIENCE = 60
"""Seconds that SLURM's commands may take."""
LONGEST_PAUSE = 200
"""Seconds between two of the executor's questions, at most."""


@dataclass(frozen=True)
class Request:
    """What the jobs of a rule ask for. A name of digits alone comes from Snakemake as a number."""

    rule: str
    partition: str | int | None
    account: str | int | None
    """Several, with commas between them: the executor takes one after the other."""
    minutes: int | None


def check_slurm(requests: Collection[Request], status_command: str | None, first_check: int) -> None:
    """Stops where a job could not be submitted, would never start, or its end would not be seen.

    `status_command` is what the executor asks about its jobs; `first_check`, after how many seconds.
    """
    if not shutil.which("sbatch"):
        raise UserError(
            "SLURM is not on this machine: there is no command sbatch; start Snakemake where you submit jobs, or with"
            " another profile, such as workflow/profiles/local"
        )
    check_partitions(requests)
    check_status(status_command, first_check)
    asked = [str(request.account) for request in requests if request.account]
    check_accounts({account for names in asked for account in re.split(r"[,\s]+", names) if account})


def check_partitions(requests: Collection[Request]) -> None:
    """Every job has a partition that is there, and one in which its time is allowed: else it would wait for ever."""
    # With --all: SLURM hides some partitions from its lists, and takes jobs for them all the same.
    limits = dict(line.split() for line in said_by("sinfo", "--all", "--noheader", "--format=%P %l").splitlines())
    default = next((name for name in limits if name.endswith("*")), None)
    known = {name.rstrip("*"): minutes(limit) for name, limit in limits.items()}
    advice = f"choose with --default-resources slurm_partition=NAME among: {', '.join(known)}"
    for request in requests:
        if not (request.partition or default):
            raise UserError(f"SLURM has no default partition, and none is chosen; {advice}")
        chosen = str(request.partition or default)
        allowed = [known.get(name.rstrip("*")) for name in chosen.split(",")]
        if None in allowed:
            raise UserError(f"SLURM has no partition {chosen}; {advice}")
        if (request.minutes or 0) > max(limit for limit in allowed if limit is not None):
            raise UserError(
                f"{request.rule} asks for {request.minutes} minutes, and SLURM's partition {chosen} allows"
                f" {max(filter(None, allowed)):.0f}: the job would never start; ask for less with"
                f" --set-resources {request.rule}:runtime=MINUTES"
            )


def minutes(limit: str) -> float:
    """A time limit as SLURM writes it: infinite, 30:00, 12:00:00 or 2-00:00:00."""
    if limit == "infinite":
        return math.inf
    days, _, clock = limit.rpartition("-")
    parts = [int(part) for part in clock.split(":")]
    hours, in_hour, seconds = [0] * (3 - len(parts)) + parts
    return int(days or 0) * 1440 + hours * 60 + in_hour + seconds / 60


def check_status(command: str | None, first_check: int) -> None:
    """The executor would wait for ever for an answer that does not come."""
    age = re.search(r"^MinJobAge\s*=\s*(\d+)", said_by("scontrol", "show", "config"), re.M)
    needed = max(LONGEST_PAUSE, 3 * first_check)
    # SLURM's zero is no age: it then forgets no job at all.
    kept = (int(age[1]) or math.inf) if age else 0
    if kept < needed:
        advice = f"have jobs accounted for, or kept for {needed} s after their end (MinJobAge is {kept})"
    else:
        advice = "set slurm-status-command: squeue in the profile"
    if command == "squeue" and kept >= needed:
        return
    try:
        said_by("sacct", "--noheader", "--allocations", "--clusters=all", "--starttime=now-1hours")
    except UserError as error:
        raise UserError(f"{error}; Snakemake would wait for ever for the end of its jobs: {advice}") from error
    if command == "squeue":
        raise UserError(
            f"SLURM forgets a job {kept} s after its end (MinJobAge), and Snakemake may ask later than that:"
            " set slurm-status-command: sacct in the profile"
        )


def check_accounts(chosen: set[str]) -> None:
    if not chosen:
        return
    listing = ("sacctmgr", "--noheader", "--parsable2", "show", "associations", f"user={getpass.getuser()}")
    try:
        known = set(said_by(*listing, "format=account").split())
    except UserError as error:
        raise UserError(f"{error}; where SLURM keeps no accounts, leave out slurm_account") from error
    for account in sorted(chosen):
        if known and account.lower() not in known:
            raise UserError(f"SLURM has no account {account} for you; it has: {', '.join(sorted(known))}")


def said_by(*command: str) -> str:
    """What a command of SLURM's answers."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except FileNotFoundError as error:
        raise UserError(f"SLURM's command {command[0]} is not on this machine") from error
    except subprocess.TimeoutExpired as error:
        raise UserError(f"SLURM's {command[0]} has not answered within {PATIENCE} s") from error
    if done.returncode:
        reason = " ".join(done.stderr.split()) or done.returncode
        raise UserError(f"SLURM's {command[0]} fails: {reason}; start Snakemake where {command[0]} answers")
    return done.stdout
