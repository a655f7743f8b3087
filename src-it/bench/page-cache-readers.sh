#!/usr/bin/env bash
# page-cache-readers.sh HADOOP_HOME [OUT.json]     plain readers with all bytes in the page cache
#
# One DataNode of each system on this machine, eight files of FILE_MB each, replication 1. THREADS readers take ranges
# of 128 MiB through FSDataInputStream: VDFS by local delivery, segment and socket, HDFS over its socket, by short
# circuit with its native library and by the legacy one that needs none, all with checksums, and Hadoop's local
# filesystem without any and with its own. Each measurement is a JVM of its own: WARMUPS passes over all files, then REPS
# measured ones, of which the medians count. With few warm-ups the client's compilers are measured, too. Before them one
# more JVM reads PRIMERS passes with two threads, unmeasured, so that the daemon is as one that has served for a while.
# CPU seconds are those of client and daemon together. Writes one JSON array to OUT (default: standard output).
#
# Settings: FILE_MB=256 FILES=8 THREADS="1 2" WARMUPS=25 REPS=5 PRIMERS=15 SYSTEMS="local local-verified vdfs-local
# vdfs-segment vdfs-socket hdfs-socket hdfs-native hdfs-legacy", RUN (on a filesystem with hard links) and those of
# cluster.sh.
set -euo pipefail

HADOOP_HOME=$(realpath "${1:?usage: page-cache-readers.sh HADOOP_HOME [OUT.json]}")
OUT=${2:-/dev/stdout}
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${FILE_MB:=256}" "${FILES:=8}" "${THREADS:=1 2}" "${WARMUPS:=25}" "${REPS:=5}" "${PRIMERS:=15}"
: "${SYSTEMS:=local local-verified vdfs-local vdfs-segment vdfs-socket hdfs-socket hdfs-native hdfs-legacy}"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
NODES=1
export HADOOP_HOME RUN NODES
. "$VDFS_HOME/src-it/real/cluster.sh"

SOCKETS=
clean_up() {
  stop_all
  [ -z "$SOCKETS" ] || rm -rf "$SOCKETS"
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
prepare
trap clean_up EXIT
trap 'exit 130' INT TERM

BENCH_CLASSES=$VDFS_HOME/src-it/target/classes
[ -f "$BENCH_CLASSES/io/vdfs/it/bench/RangeReaders.class" ] || die "not built: run 'mvn -DskipTests package' in $VDFS_HOME"
export HADOOP_CLASSPATH=$BENCH_CLASSES:$CLIENT_JAR HADOOP_CLIENT_OPTS="-Xmx512m ${BENCH_JVM_OPTS:-}"
RESULTS=$RUN/results
HDFS=hdfs://127.0.0.1:$(port 20)

measure() { # label, directory, pids of daemons, then options
  local label=$1 directory=$2 pids=$3 threads
  shift 3
  [ "$PRIMERS" -eq 0 ] || run "$label" "$directory" "" 2 "$PRIMERS" 1 "$@" >>"$LOGS/primers.log"
  for threads in $THREADS; do
    run "$label" "$directory" "$pids" "$threads" "$WARMUPS" "$REPS" "$@" | tee -a "$RESULTS" >&2
  done
}
run() { # label, directory, pids of daemons, threads, passes before those that count, these, then options
  local label=$1 directory=$2 pids=$3 threads=$4 before=$5 passes=$6
  shift 6
  # shellcheck disable=SC2086  # pids are words
  HADOOP_ROOT_LOGGER=WARN,console "$HADOOP_HOME/bin/hadoop" io.vdfs.it.bench.RangeReaders "$@" "$label" "$directory" \
    "$threads" "$before" "$passes" $pids 2>>"$LOGS/readers.log"
}
load() { # directory, then options
  local directory=$1
  shift
  "$HADOOP_HOME/bin/hadoop" fs -mkdir -p "$directory"
  "$HADOOP_HOME/bin/hadoop" fs "$@" -put "$RUN"/input/* "$directory/"
}
mkdir "$RUN/input"
for file in $(seq "$FILES"); do
  head -c "${FILE_MB}M" /dev/urandom >"$RUN/input/f$file"
done

for system in $SYSTEMS; do
  case $system in
    local)
      client_conf "file:///"
      measure local "file://$RUN/input" "" ;;
    local-verified)
      client_conf "file:///"
      load "file://$RUN/verified"
      [ -f "$RUN/verified/.f1.crc" ] || die "no checksums beside $RUN/verified/f1"
      measure local-verified "file://$RUN/verified" "" ;;
    vdfs-*)
      if ! running vdfs1; then
        start_zookeeper
        VDFS_SITE="vdfs.delivery.segment=true $VDFS_SITE"
        start_vdfs
        load vdfs://real/in
      fi
      client_conf vdfs://real
      measure "$system" vdfs://real/in "$(cat "$PIDS/vdfs1")" -D "fs.vdfs.delivery=${system#vdfs-}" ;;
    hdfs-*)
      if ! running datanode1; then
        # libhadoop takes a socket only below directories that others cannot write to
        SOCKETS=$(mktemp -d /run/vdfs-readers.XXXXXX)
        HDFS_SITE="dfs.block.local-path-access.user=$(id -un) dfs.client.read.shortcircuit=true dfs.domain.socket.path=$SOCKETS/datanode"
        start_hdfs
        load "$HDFS/in" -D dfs.replication=1
      fi
      client_conf "$HDFS"
      measure "$system" "$HDFS/in" "$(cat "$PIDS/datanode1")" \
        -D "dfs.client.read.shortcircuit=$([ "$system" = hdfs-socket ] && echo false || echo true)" \
        -D "dfs.client.use.legacy.blockreader.local=$([ "$system" = hdfs-legacy ] && echo true || echo false)"
      [ "$system" != hdfs-native ] || grep -q 'REQUEST_SHORT_CIRCUIT_FDS.*success: true' "$LOGS"/datanode*.log ||
        die "HDFS made no short circuit; see $LOGS" ;;
    *) die "unknown system: $system" ;;
  esac
done

grep '"label":"vdfs-local"' "$RESULTS" | grep -qv '"bytesBySocket":0}' && die "bytes of local delivery came over the socket"
# who finds all slots taken goes to the socket at once
awk -F '[:,}]' '/"label":"vdfs-segment"/ { for (i = 1; i < NF; i++) if ($i ~ /"bytesBy/) { n[$i] += $(i + 1); all += $(i + 1) } }
  END { exit n["\"bytesBySegment\""] >= 0.99 * all ? 0 : 1 }' "$RESULTS" || die "bytes of the segment came by another way"
grep '"label":"vdfs-socket"' "$RESULTS" | grep -qv '"bytesByLocalDelivery":0,"bytesBySegment":0,' && die "bytes of the socket came by another way"
awk 'BEGIN { print "[" } { print (NR > 1 ? ", " : "  ") $0 } END { print "]" }' "$RESULTS" >"$OUT"
