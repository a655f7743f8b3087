#!/usr/bin/env bash
# small-files.sh HDD_DIR HADOOP_HOME OUT.json
#
# What small files cost a spinning disk: FILES of BYTES bytes, written by 1 and by 8 clients of one JVM, on VDFS and on
# HDFS, one DataNode each with one copy, both on an emulated disk of its own (HDD_DIR: the emulator, with hdd.sh); names
# and Raft log lie elsewhere. Needs root. The systems take turns within each repetition.
#
# One JSON object per line, medians of REPS runs, per file: flushes, write seeks and milliseconds that the disk was busy
# until all files were closed, milliseconds on the clock for one file of a client. "later" has flushes and busy
# milliseconds SETTLE seconds after that, with what the kernel and background work wrote meanwhile.
#
# Settings: SETTLE=40 CLIENTS="1 8" FILES=60 BYTES=20480 REPS=3 SYSTEMS="vdfs hdfs" DISK_GB=20 RUN, VDFS_HOME (of another build, to
# compare) and those of src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,14p' "$0" >&2; exit 2; }
HDD=$1
HADOOP_HOME=$(realpath "$2")
OUT=$3
HERE=$(cd "$(dirname "$0")/../.." && pwd)
VDFS_HOME=${VDFS_HOME:-$HERE}
: "${SETTLE:=40}" "${CLIENTS:=1 8}" "${FILES:=60}" "${BYTES:=20480}" "${REPS:=3}" "${SYSTEMS:=vdfs hdfs}"
export NODES=1 VDFS_FORMAT="--replication 1"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
BACK=$RUN/disks
VDFS_DATA=$RUN/disk-vdfs/data HDFS_DATA=$RUN/disk-hdfs/data
export VDFS_SITE="vdfs.metadata.dir=$RUN/metadata ${VDFS_SITE:-}"
export CLIENT_SITE="dfs.replication=1 ${CLIENT_SITE:-}"
export HADOOP_HOME RUN BACK VDFS_DATA HDFS_DATA
. "$HERE/src-it/real/cluster.sh"
. "$HERE/src-it/bench/disks.sh"
RESULTS=$RUN/results

clean_up() {
  stop_all
  disks_down
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
disk_name() { echo "vdfs-bench-$PORT_BASE-$1"; }
uri() { [ "$1" = hdfs ] && echo "hdfs://127.0.0.1:$(port 20)/bench" || echo "vdfs://real/bench"; }
write() { # system, clients, directory
  HADOOP_CLASSPATH=$HERE/src-it/target/classes:$CLIENT_JAR HADOOP_CLIENT_OPTS=-Xmx512m HADOOP_ROOT_LOGGER=ERROR,console \
    "$HADOOP_HOME/bin/hadoop" io.vdfs.it.bench.SmallFiles "$(uri "$1")/$3" "$2" "$FILES" "$BYTES" 2>"$LOGS/write-$1.log" ||
    die "writing failed on $1 with $2 clients; see $LOGS/write-$1.log"
}
stat() { # system
  "$HDD_SH" stats "$(disk_name "$1")" | awk '
    {
      while (match($0, /"[a-z_]*": *[0-9.]+/)) {
        split(substr($0, RSTART, RLENGTH), pair, /": */)
        value[substr(pair[1], 2)] = pair[2]
        $0 = substr($0, RSTART + RLENGTH)
      }
    }
    END { print value["flushes"], value["write_seeks"], value["busy_s"] }'
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
  write "$system" 8 warm-up >/dev/null
done
disks_mechanics on
for rep in $(seq "$REPS"); do
  for clients in $CLIENTS; do
    for system in $SYSTEMS; do
      disks_reset "$(disk_name "$system")"
      millis=$(write "$system" "$clients" "$rep-$clients")
      now=$(stat "$system")
      sleep "$SETTLE"
      echo "$system $clients $millis $now $(stat "$system")" | tee -a "$RESULTS" >&2
    done
  done
done
awk -v files="$FILES" "$MEDIAN"'
  {
    key = $1 " " $2
    if (!(key in runs)) keys[++n] = key
    r = ++runs[key]
    wall[key, r] = $3 * $2 / files; flushes[key, r] = $4 / files; seeks[key, r] = $5 / files; busy[key, r] = $6 * 1000 / files
    later[key, r] = $7 / files; busy_later[key, r] = $9 * 1000 / files
  }
  END {
    for (k = 1; k <= n; k++) {
      key = keys[k]; split(key, part, " "); r = runs[key]
      printf "{\"system\": \"%s\", \"clients\": %d, \"runs\": %d, \"flushes\": %.2f, \"write_seeks\": %.2f, \"busy_ms\": %.1f, \"ms_of_a_file\": %.1f, \"flushes_later\": %.2f, \"busy_ms_later\": %.1f}\n",
        part[1], part[2], r, median(flushes, key, r), median(seeks, key, r), median(busy, key, r), median(wall, key, r), median(later, key, r), median(busy_later, key, r)
    }
  }' "$RESULTS" >"$OUT"
cat "$OUT" >&2
