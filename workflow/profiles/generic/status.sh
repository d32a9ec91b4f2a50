#!/usr/bin/env bash
# Prints the state of a job: running, success or failed. Replace it for schedulers other than SLURM.
# A preempted job that SLURM requeues is pending again; one that stays PREEMPTED was cancelled.
set -euo pipefail

state=$(scontrol --oneliner show job "$1" 2> /dev/null | grep -o 'JobState=[A-Z_]*' | cut -d= -f2) ||
    state=$(sacct --noheader --allocations --jobs "$1" --format State | head -n 1 | tr -d ' +')

case "$state" in
    COMPLETED) echo success ;;
    PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | STOPPED | REQUEUED | REQUEUE_HOLD | RESIZING)
        echo running ;;
    *) echo failed ;;
esac
