#!/usr/bin/env bash
# node-start.sh HDD_DIR HADOOP_HOME OUT.json
#
# How long a DataNode needs to start with very many small files on a spinning disk: FILES of BYTES bytes, on VDFS and on
# HDFS, one DataNode each with one copy, both on an emulated disk of its own (HDD_DIR: the emulator, with hdd.sh); names
# and Raft log lie elsewhere, and those daemons of HDFS that keep names run on. Needs root. Each node is stopped and
# started REPS times with the disk as slow as it is, "cold" with an empty page cache and "warm" right after that.
#
# One JSON object per line, medians: seconds from the daemon's start until it knows its blocks, as its log says, and
# until a client has read a file; busy seconds of the disk, MB and seeks until then.
#
# Settings: FILES=10000 BYTES=4096 CLIENTS=8 REPS=3 SYSTEMS="vdfs hdfs" DISK_GB=20 RUN and those of
# src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,13p' "$0" >&2; exit 2; }
HDD=$1
HADOOP_HOME=$(realpath "$2")
OUT=$3
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${FILES:=10000}" "${BYTES:=4096}" "${CLIENTS:=8}" "${REPS:=3}" "${SYSTEMS:=vdfs hdfs}"
export NODES=1 VDFS_FORMAT="--replication 1"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
BACK=$RUN/disks
VDFS_DATA=$RUN/disk-vdfs/data HDFS_DATA=$RUN/disk-hdfs/data
export VDFS_SITE="vdfs.metadata.dir=$RUN/metadata ${VDFS_SITE:-}"
export CLIENT_SITE="dfs.replication=1 ${CLIENT_SITE:-}"
export HADOOP_HOME RUN BACK VDFS_DATA HDFS_DATA
. "$VDFS_HOME/src-it/real/cluster.sh"
. "$VDFS_HOME/src-it/bench/disks.sh"
RESULTS=$RUN/results

clean_up() {
  stop_all
  disks_down
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
disk_name() { echo "vdfs-bench-$PORT_BASE-$1"; }
uri() { [ "$1" = hdfs ] && echo "hdfs://127.0.0.1:$(port 20)/bench" || echo "vdfs://real/bench"; }
node() { [ "$1" = hdfs ] && echo datanode1 || echo vdfs1; }
known() { [ "$1" = hdfs ] && echo "Total time to add all replicas to map" || echo "block store open"; }
now() { date +%s.%N; }

write() { # system
  HADOOP_CLASSPATH=$VDFS_HOME/src-it/target/classes:$CLIENT_JAR HADOOP_CLIENT_OPTS=-Xmx512m HADOOP_ROOT_LOGGER=ERROR,console \
    "$HADOOP_HOME/bin/hadoop" io.vdfs.it.bench.SmallFiles "$(uri "$1")/files" "$CLIENTS" "$FILES" "$BYTES" >"$LOGS/write-$1.log" 2>&1 ||
    die "writing failed on $1; see $LOGS/write-$1.log"
  "$HADOOP_HOME/bin/hadoop" fs -put "$VDFS_HOME/README.md" "$(uri "$1")/witness"
}
start_node() { # system
  if [ "$1" = vdfs ]; then start_vdfs_node 1; else
    HADOOP_CONF_DIR=$RUN/hdfs-conf1 launch datanode1 env HADOOP_HEAPSIZE_MAX="$DATANODE_HEAP" "$HADOOP_HOME/bin/hdfs" datanode
  fi
}
knows_blocks() { # system
  grep -q "$(known "$1")" "$LOGS/$(node "$1").log"
}
reads() { # system
  "$HADOOP_HOME/bin/hadoop" fs -cat "$(uri "$1")/witness" 2>/dev/null | cmp -s - "$VDFS_HOME/README.md"
}
measure() { # system, cold or warm
  local began knew served
  stop "$(node "$1")"
  rm -f "$LOGS/$(node "$1").log"
  [ "$2" = warm ] || disks_reset "$(disk_name "$1")"
  disks_mechanics on
  began=$(now)
  start_node "$1"
  until knows_blocks "$1"; do
    running "$(node "$1")" || die "$(node "$1") ended; see $LOGS/$(node "$1").log"
    sleep 0.1
  done
  knew=$(now)
  await "$1" 1800 reads "$1"
  served=$(now)
  echo "$1 $2 $began $knew $served $([ "$2" = warm ] && echo 0 0 0 0 || disks_stats "$(disk_name "$1")")" | tee -a "$RESULTS" >&2
  disks_mechanics off
}

prepare
trap clean_up EXIT
trap 'exit 130' INT TERM
: >"$RESULTS"
start_zookeeper
for system in $SYSTEMS; do
  disk_up "$(disk_name "$system")" "$RUN/disk-$system" ""
  mkdir -p "$RUN/disk-$system/data1"
  "start_$system"
  write "$system"
done
sync
for rep in $(seq "$REPS"); do
  for system in $SYSTEMS; do
    measure "$system" cold
    measure "$system" warm
  done
done
awk -v files="$FILES" "$MEDIAN"'
  {
    key = $1 " " $2
    if (!(key in runs)) keys[++n] = key
    r = ++runs[key]
    knew[key, r] = $4 - $3; served[key, r] = $5 - $3; busy[key, r] = $6; mb[key, r] = $7; seeks[key, r] = $8
  }
  END {
    for (k = 1; k <= n; k++) {
      key = keys[k]; split(key, part, " "); r = runs[key]
      printf "{\"system\": \"%s\", \"cache\": \"%s\", \"files\": %d, \"runs\": %d, \"knows_blocks_s\": %.1f, \"serves_s\": %.1f, \"busy_s\": %.1f, \"read_mb\": %.1f, \"read_seeks\": %d}\n",
        part[1], part[2], files, r, median(knew, key, r), median(served, key, r), median(busy, key, r), median(mb, key, r), median(seeks, key, r)
    }
  }' "$RESULTS" >"$OUT"
cat "$OUT" >&2
