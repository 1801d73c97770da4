#!/bin/sh
# Slurm prolog: the node must pass before a job may start. In slurm.conf: Prolog=/etc/slurm/prolog.d/rocmdoctor.sh
# A prolog that fails drains the node and puts the job back into the queue. FAIL and UNKNOWN do that; a policy that cannot be used
# does not, because one typing error would drain the whole cluster: it is logged.
set -u
policy=${ROCMDOCTOR_POLICY:-/etc/rocmdoctor/policy.yaml}
reports=${ROCMDOCTOR_REPORTS:-/var/lib/rocmdoctor}
PATH=/usr/local/bin:/opt/rocmdoctor/bin:$PATH

# Slurm starts prologs with hardly any environment.
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-/var/cache/rocmdoctor}"

line=$(rocmdoctor preflight --policy "$policy" --format nagios --format "json=$reports/prolog.json")
status=$?
case $status in
    0) exit 0 ;;
    1 | 3)
        logger -t rocmdoctor "job ${SLURM_JOB_ID:-?} kept away: $line" 2>/dev/null || true
        echo "$line" >&2
        exit 1
        ;;
    *)
        logger -t rocmdoctor "preflight could not run (status $status): the job starts unchecked" 2>/dev/null || true
        exit 0
        ;;
esac
