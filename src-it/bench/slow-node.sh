#!/usr/bin/env bash
# slow-node.sh HADOOP_HOME OUT.json [OUT.svg]   a job of which one of three nodes is ten times slower
#
# Each record costs ten times the time on the node whose NM_HOST is SLOW. Reports for VDFS with streams, VDFS with
# static splits and HDFS with speculation: job seconds, the ideal for the remaining capacity (2.1 of 3 nodes), their
# quotient, tasks, attempts launched, deviation of ends and life spans. The plot shows
# the life span of every task.
#
# The cost is time that the mapper waits, not CPU time: see io.vdfs.it.bench.costly.CostlyMapper. Settings: WORK_S=380 (181 s
# at best) and those of costly-records.sh and cluster.sh.
set -euo pipefail

HADOOP_HOME=$(realpath "${1:?usage: slow-node.sh HADOOP_HOME OUT.json [OUT.svg]}")
OUT=${2:?usage: slow-node.sh HADOOP_HOME OUT.json [OUT.svg]}
: "${WORK_S:=380}"
CAPACITY=2.1
SLOW=127.0.0.3
COSTS="-D vdfs.bench.slow.host=$SLOW -D vdfs.bench.slow.factor=10"
. "$(dirname "$0")/costly-records.sh"
run_all
grep -q "^[0-9]* $SLOW " "$SPANS"/* || die "no task that counts ran on the slow node, $SLOW"
plot "${3:-${OUT%.json}.svg}"
