#!/usr/bin/env bash
# writers.sh HADOOP_HOME OUT.json     what writing costs: 2 GiB with one copy and with three, and by eight writers at once
#
# Three DataNodes of each system, each a process of its own; both force what they wrote when a file is closed (HDFS by
# dfs.datanode.synconclose). The systems take turns within each repetition, each time with a client of its own; a first
# round warms up. One of the files is read back and compared each time.
#
# One JSON object per line, medians of REPS runs: seconds on the clock from the first byte to the last close, CPU seconds
# of the daemons (the NameNode and ZooKeeper too) and of the client, and each as a multiple of HDFS's.
#
# Settings: REPS=3 MIB=2048 CASES="1:1 3:1 3:8" (copies:writers) SYSTEMS="hdfs vdfs", RUN and those of src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 2 ] || { sed -n '2,12p' "$0" >&2; exit 2; }
HADOOP_HOME=$(realpath "$1")
OUT=$2
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${REPS:=3}" "${MIB:=2048}" "${CASES:=1:1 3:1 3:8}" "${SYSTEMS:=hdfs vdfs}"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
HDFS_SITE="dfs.datanode.synconclose=true ${HDFS_SITE:-}"
export HADOOP_HOME RUN HDFS_SITE
. "$VDFS_HOME/src-it/real/cluster.sh"

RESULTS=$RUN/results

clean_up() {
  stop_all
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
uri() { [ "$1" = hdfs ] && echo "hdfs://127.0.0.1:$(port 20)/bench" || echo "vdfs://real/bench"; }
pids_of() { # system
  case $1 in
    hdfs) cat "$PIDS"/namenode "$PIDS"/datanode* ;;
    vdfs) cat "$PIDS"/zookeeper "$PIDS"/vdfs* ;;
  esac
}
measure() { # system, copies:writers
  local figures
  # shellcheck disable=SC2046  # several pids
  figures=$(HADOOP_CLASSPATH=$VDFS_HOME/src-it/target/classes:$CLIENT_JAR HADOOP_CLIENT_OPTS=-Xmx512m \
    "$HADOOP_HOME/bin/hadoop" io.vdfs.it.bench.Writers "$(uri "$1")" "${2%:*}" "${2#*:}" "$MIB" $(pids_of "$1") \
    2>"$LOGS/writers-$1.log") || die "writing failed on $1; see $LOGS/writers-$1.log"
  echo "$1 $2 $figures"
}

prepare
trap clean_up EXIT
trap 'exit 130' INT TERM
start_zookeeper
for system in $SYSTEMS; do "start_$system"; done
for system in $SYSTEMS; do
  for case in $CASES; do MIB=512 measure "$system" "$case" >/dev/null; done
done
: >"$RESULTS"
for run in $(seq "$REPS"); do
  for case in $CASES; do
    for system in $SYSTEMS; do measure "$system" "$case" | tee -a "$RESULTS" >&2; done
  done
done

awk "$MEDIAN"'
  {
    key = $2 " " $1
    if (!(key in runs)) keys[++n] = key
    r = ++runs[key]
    clock[key, r] = $3; daemons[key, r] = $4; client[key, r] = $5
  }
  END {
    for (k = 1; k <= n; k++) {
      key = keys[k]; split(key, part, "[ :]"); r = runs[key]
      printf "{\"copies\": %d, \"writers\": %d, \"system\": \"%s\", \"runs\": %d", part[1], part[2], part[3], r
      printf ", \"seconds\": %.2f, \"daemons_cpu_s\": %.2f, \"client_cpu_s\": %.2f", median(clock, key, r), median(daemons, key, r), median(client, key, r)
      base = part[1] ":" part[2] " hdfs"
      if (base in runs) {
        b = runs[base]
        printf ", \"seconds_times_hdfs\": %.2f", median(clock, key, r) / median(clock, base, b)
        printf ", \"daemons_cpu_times_hdfs\": %.2f", median(daemons, key, r) / median(daemons, base, b)
        printf ", \"client_cpu_times_hdfs\": %.2f", median(client, key, r) / median(client, base, b)
      }
      print "}"
    }
  }' "$RESULTS" >"$OUT"
cat "$OUT" >&2
