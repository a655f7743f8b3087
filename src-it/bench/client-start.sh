#!/usr/bin/env bash
# client-start.sh HADOOP_HOME OUT.json     what the start of a client costs: 'hadoop fs -ls' and '-cat' of one small file
#
# Each run is a JVM of its own. Measured beside HDFS's are a client of VDFS that looks in ZooKeeper (vdfs) and one that has
# a list of nodes (vdfs-nodes); the systems take turns run by run, one after the other. The client jar is where the README
# puts it, in share/hadoop/common/lib of a copy of HADOOP_HOME whose jars are links; HDFS's client runs in HADOOP_HOME itself.
#
# One JSON object per line, medians of RUNS runs: CPU seconds, user and system, of the command and all its children, as
# the kernel counts them, seconds on the clock, and both as a multiple of HDFS's. What '-cat' prints is checked.
#
# Settings: RUNS=12 SYSTEMS="hdfs vdfs vdfs-nodes" COMMANDS="ls cat" BYTES=4096 (of the file), RUN and those of
# src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 2 ] || { sed -n '2,13p' "$0" >&2; exit 2; }
HADOOP_HOME=$(realpath "$1")
OUT=$2
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${RUNS:=12}" "${SYSTEMS:=hdfs vdfs vdfs-nodes}" "${COMMANDS:=ls cat}" "${BYTES:=4096}"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
export HADOOP_HOME RUN
. "$VDFS_HOME/src-it/real/cluster.sh"

FILE=$RUN/small
RESULTS=$RUN/results

clean_up() {
  stop_all
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
client() { # system, then arguments of 'hadoop fs'
  local home=$RUN/hadoop
  [ "$1" != hdfs ] || home=$HADOOP_HOME
  HADOOP_HOME=$home HADOOP_CONF_DIR=$RUN/conf-$1 HADOOP_CLASSPATH= "$home/bin/hadoop" fs "${@:2}"
}
make_clients() {
  local system
  mkdir "$RUN/hadoop"
  cp -r "$HADOOP_HOME"/{bin,etc,lib,libexec} "$RUN/hadoop/"
  cp -rs "$HADOOP_HOME/share" "$RUN/hadoop/"
  cp "$CLIENT_JAR" "$RUN/hadoop/share/hadoop/common/lib/"
  for system in $SYSTEMS; do
    case $system in
      hdfs)
        client_conf "hdfs://127.0.0.1:$(port 20)"
        hdfs_conf "$CONF" ;;
      vdfs) client_conf vdfs://real ;;
      vdfs-nodes)
        CLIENT_SITE="$CLIENT_SITE fs.vdfs.cluster.real.nodes=$(node_list)"
        client_conf vdfs://real ;;
      *) die "unknown system: $system" ;;
    esac
    cp -r "$CONF" "$RUN/conf-$system"
    rm -f "$CONF/hdfs-site.xml"
  done
}
node_list() {
  local node list=
  for node in $(seq "$NODES"); do list=$list,127.0.0.$node:$(port 860); done
  echo "${list#,}"
}
measure() { # system, command
  local printed=$RUN/printed path=/bench TIMEFORMAT='%R %U %S' times
  [ "$2" = ls ] || path=/bench/small
  times=$({ time client "$1" "-$2" "$path" >"$printed" 2>"$LOGS/$1-$2.log"; } 2>&1) ||
    die "'hadoop fs -$2' failed on $1; see $LOGS/$1-$2.log"
  if [ "$2" = ls ]; then
    grep -q ' /bench/small$' "$printed" || die "wrong listing of $1: $(cat "$printed")"
  else
    cmp -s "$FILE" "$printed" || die "wrong bytes from $1: see $FILE and $printed"
  fi
  echo "$1 $2 $times" | tee -a "$RESULTS" >&2
}

prepare
trap clean_up EXIT
trap 'exit 130' INT TERM
: >"$RESULTS"
head -c "$BYTES" /dev/urandom >"$FILE"
start_zookeeper
for system in vdfs hdfs; do
  [[ " $SYSTEMS" != *" $system"* ]] || "start_$system"
done
make_clients
for system in $SYSTEMS; do
  client "$system" -test -e /bench || { client "$system" -mkdir /bench && client "$system" -put "$FILE" /bench/small; }
done
for run in $(seq "$RUNS"); do
  for command in $COMMANDS; do
    for system in $SYSTEMS; do measure "$system" "$command"; done
  done
done

awk "$MEDIAN"'
  {
    key = $2 " " $1
    if (!(key in runs)) keys[++n] = key
    r = ++runs[key]
    clock[key, r] = $3; cpu[key, r] = $4 + $5
  }
  END {
    for (k = 1; k <= n; k++) {
      key = keys[k]; split(key, part, " "); r = runs[key]
      printf "{\"command\": \"%s\", \"system\": \"%s\", \"runs\": %d, \"cpu_s\": %.2f, \"seconds\": %.2f", part[1], part[2], r, median(cpu, key, r), median(clock, key, r)
      base = part[1] " hdfs"
      if (base in runs) printf ", \"cpu_times_hdfs\": %.2f, \"seconds_times_hdfs\": %.2f", median(cpu, key, r) / median(cpu, base, runs[base]), median(clock, key, r) / median(clock, base, runs[base])
      print "}"
    }
  }' "$RESULTS" >"$OUT"
cat "$OUT" >&2
