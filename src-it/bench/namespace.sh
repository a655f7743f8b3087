#!/usr/bin/env bash
# namespace.sh HADOOP_HOME [OUT.json]     operations on names, VDFS beside HDFS: see io.vdfs.it.bench.NamespaceLoad
#
# Real daemons on this machine, three nodes of each system, one system after the other: VDFS (metadata on all three),
# HDFS with one NameNode (hdfs), and that with three JournalNodes besides its local edits (hdfs-qjm). For each number of
# THREADS a client JVM of its own. CPU seconds are those of all daemons of the system, ZooKeeper included. Writes one
# JSON array to OUT (default: standard output).
#
# Settings: THREADS="64 16 1" (the most first: that warms the daemons up) OPERATIONS=6400 (per kind and pass; a fourth
# of it with 1 thread) PASSES=3 ENTRIES=100000 SYSTEMS="vdfs hdfs hdfs-qjm" and those of cluster.sh.
set -euo pipefail

HADOOP_HOME=$(realpath "${1:?usage: namespace.sh HADOOP_HOME [OUT.json]}")
OUT=${2:-/dev/stdout}
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${THREADS:=64 16 1}" "${OPERATIONS:=6400}" "${PASSES:=3}" "${ENTRIES:=100000}" "${SYSTEMS:=vdfs hdfs hdfs-qjm}"
REMOVE_RUN=${RUN:+no}
BASE=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$BASE"
HDFS_SITE=${HDFS_SITE:-}
SITE_OF_USER=$HDFS_SITE
RUN=$BASE
export HADOOP_HOME
. "$VDFS_HOME/src-it/real/cluster.sh"

clean_up() {
  stop_all
  stop_matching 'journalnode.*'
  [ -n "$REMOVE_RUN" ] || rm -rf "$BASE"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

BENCH_CLASSES=$VDFS_HOME/src-it/target/classes
[ -f "$BENCH_CLASSES/io/vdfs/it/bench/NamespaceLoad.class" ] || die "not built: run 'mvn -DskipTests package' in $VDFS_HOME"
RESULTS=$BASE/results
: >"$RESULTS"

use_run() { # name of the system: everything it writes stays apart
  RUN=$BASE/$1
  CONF=$RUN/conf PIDS=$RUN/pids LOGS=$RUN/logs VDFS_DATA=$RUN/vdfs HDFS_DATA=$RUN/hdfs
  export RUN
  prepare
  export HADOOP_CLASSPATH=$BENCH_CLASSES:$CLIENT_JAR HADOOP_CLIENT_OPTS="-Xmx1g ${BENCH_JVM_OPTS:-}"
}
start_journalnodes() {
  local node
  client_conf "hdfs://127.0.0.1:$(port 20)"
  for node in 1 2 3; do
    mkdir -p "$RUN/journal-conf$node"
    cp "$CONF"/* "$RUN/journal-conf$node/"
    site "$RUN/journal-conf$node/hdfs-site.xml" "dfs.journalnode.rpc-address=127.0.0.$node:$(port 85)" \
      "dfs.journalnode.http-address=127.0.0.$node:$(port 80)" "dfs.journalnode.edits.dir=$RUN/journal$node"
    HADOOP_CONF_DIR=$RUN/journal-conf$node launch "journalnode$node" env HADOOP_HEAPSIZE_MAX=384m "$HADOOP_HOME/bin/hdfs" journalnode
  done
  for node in 1 2 3; do await "JournalNode $node" 60 listening "127.0.0.$node" "$(port 85)"; done
}
load() { # label, root
  local threads pids operations
  for threads in $THREADS; do
    pids=$(cat "$PIDS"/*)
    operations=$OPERATIONS
    [ "$threads" -gt 1 ] || operations=$((OPERATIONS / 4))
    # shellcheck disable=SC2086  # pids are words
    HADOOP_ROOT_LOGGER=WARN,console "$HADOOP_HOME/bin/hadoop" io.vdfs.it.bench.NamespaceLoad "$1" "$2/bench" "$threads" \
      "$operations" "$PASSES" "$ENTRIES" $pids 2>>"$LOGS/load.log" | tee -a "$RESULTS" >&2
  done
}

for system in $SYSTEMS; do
  use_run "$system"
  case $system in
    vdfs)
      start_zookeeper
      start_vdfs
      load vdfs vdfs://real ;;
    hdfs)
      HDFS_SITE=$SITE_OF_USER
      start_hdfs
      load hdfs "hdfs://127.0.0.1:$(port 20)" ;;
    hdfs-qjm)
      start_journalnodes
      nodes="127.0.0.1:$(port 85);127.0.0.2:$(port 85);127.0.0.3:$(port 85)"
      HDFS_SITE="$SITE_OF_USER dfs.namenode.edits.dir=file://$RUN/name,qjournal://$nodes/real"
      start_hdfs
      load hdfs-qjm "hdfs://127.0.0.1:$(port 20)" ;;
    *) die "unknown system: $system" ;;
  esac
  stop_all
  stop_matching 'journalnode.*'
done
awk 'BEGIN { print "[" } { print (NR > 1 ? ", " : "  ") $0 } END { print "]" }' "$RESULTS" >"$OUT"
