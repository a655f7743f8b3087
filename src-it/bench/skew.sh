#!/usr/bin/env bash
# skew.sh HADOOP_HOME OUT.json [OUT.svg]   a job of which some records are a hundred times dearer
#
# The dear ones are a sixteenth of the records in the second quarter of the file, so they make some HDFS blocks seven
# times dearer and leave the others alone. Reports what slow-node.sh reports; two tasks at a time on each of three
# nodes, so the ideal is a sixth of the work. The plot shows the life span of every task.
#
# The cost is time that the mapper waits, not CPU time: see io.vdfs.it.bench.costly.CostlyMapper. Settings: WORK_S=140 (about
# 60 s at best) and those of costly-records.sh and cluster.sh.
set -euo pipefail

HADOOP_HOME=$(realpath "${1:?usage: skew.sh HADOOP_HOME OUT.json [OUT.svg]}")
OUT=${2:?usage: skew.sh HADOOP_HOME OUT.json [OUT.svg]}
: "${WORK_S:=140}" "${TASKS_PER_NODE:=2}" "${SPLIT_MB:=128}"
CAPACITY=$((3 * TASKS_PER_NODE))
: "${TEXT_MB:=1024}"
COSTS="-D vdfs.bench.dear.factor=100 -D vdfs.bench.dear.from=$((TEXT_MB << 18)) -D vdfs.bench.dear.to=$((TEXT_MB << 19))"
. "$(dirname "$0")/costly-records.sh"
run_all
plot "${3:-${OUT%.json}.svg}"
