#!/bin/sh
# Slurm epilog: what a job left behind keeps the node from the next one. In slurm.conf: Epilog=/etc/slurm/epilog.d/rocmdoctor.sh
# An epilog that fails drains the node. Only FAIL does: memory still held, errors that the hardware counted meanwhile.
set -u
policy=${ROCMDOCTOR_POLICY:-/etc/rocmdoctor/policy.yaml}
reports=${ROCMDOCTOR_REPORTS:-/var/lib/rocmdoctor}
PATH=/usr/local/bin:/opt/rocmdoctor/bin:$PATH
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-/var/cache/rocmdoctor}"

line=$(rocmdoctor preflight --policy "$policy" --format nagios --format "json=$reports/epilog.json")
status=$?
if [ "$status" -eq 1 ]; then
    logger -t rocmdoctor "after job ${SLURM_JOB_ID:-?}: $line" 2>/dev/null || true
    exit 1
fi
exit 0
