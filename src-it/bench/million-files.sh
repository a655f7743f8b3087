#!/usr/bin/env bash
# million-files.sh HADOOP_HOME [OUT.json]     one directory of very many files: see io.vdfs.it.bench.MillionFiles
#
# A real VDFS of three DataNodes on this machine, each a process of its own with a heap of DAEMON_HEAP. Writes one JSON
# object to OUT (default: standard output); the figures of memory are those of the largest daemon.
#
# Settings: FILES=1000000 MAKERS=256 (threads that make them) AFTERWARDS=30 (seconds for which another client is
# watched after the deletion) DAEMON_HEAP=2g and those of cluster.sh.
set -euo pipefail

HADOOP_HOME=$(realpath "${1:?usage: million-files.sh HADOOP_HOME [OUT.json]}")
OUT=${2:-/dev/stdout}
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${FILES:=1000000}" "${MAKERS:=256}" "${AFTERWARDS:=30}" "${DAEMON_HEAP:=2g}"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
VDFS_DAEMON_OPTS="-Xmx$DAEMON_HEAP -XX:MaxDirectMemorySize=256m"
export HADOOP_HOME RUN
. "$VDFS_HOME/src-it/real/cluster.sh"

clean_up() {
  stop_all
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
prepare
trap clean_up EXIT
trap 'exit 130' INT TERM

BENCH_CLASSES=$VDFS_HOME/src-it/target/classes
[ -f "$BENCH_CLASSES/io/vdfs/it/bench/MillionFiles.class" ] || die "not built: run 'mvn -DskipTests package' in $VDFS_HOME"
export HADOOP_CLASSPATH=$BENCH_CLASSES:$CLIENT_JAR HADOOP_CLIENT_OPTS="-Xmx512m ${BENCH_JVM_OPTS:-}"
start_zookeeper
start_vdfs
# shellcheck disable=SC2046  # pids are words
HADOOP_ROOT_LOGGER=WARN,console "$HADOOP_HOME/bin/hadoop" io.vdfs.it.bench.MillionFiles vdfs://real/million/dir "$FILES" \
  "$MAKERS" "$AFTERWARDS" $(cat "$PIDS"/vdfs*) 2>>"$LOGS/million.log" >"$OUT"
