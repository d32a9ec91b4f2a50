#!/usr/bin/env bash
# Prints running, success or failed: what has become of a job. For schedulers other than SLURM, write it anew.
# A preempted job that SLURM puts back is pending again; one that stays PREEMPTED has been cancelled.
set -euo pipefail

state=$(scontrol --oneliner show job "$1" 2> /dev/null | grep -o 'JobState=[A-Z_]*' | cut -d= -f2) ||
    state=$(sacct --noheader --allocations --jobs "$1" --format State | head -n 1 | tr -d ' +')

case "$state" in
    COMPLETED) echo success ;;
    PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | STOPPED | REQUEUED | REQUEUE_HOLD | RESIZING)
        echo running ;;
    *) echo failed ;;
esac
