#!/usr/bin/env bash
# trace-jobs.sh HADOOP_HOME OUT.json
#
# What a job costs with the tracing filesystem between it and its data: a stock wordcount on VDFS and on HDFS, plain and
# through trace://, real daemons and containers, input in the page cache. Plain and traced runs take turns, and so does
# who begins. Cases:
#
#   alone  the wordcount has the machine for itself
#   mixed  a plain grep of the same file, begun with it, runs beside it; CPU seconds are those of both
#
# One JSON object per system and case: CPU seconds (client, daemons, containers) and seconds of plain and traced runs,
# medians with least and most, records and bytes of a traced run, records per second of the job. Fails if a record was
# dropped or a trace is cut, or if a job counted other words than the first. Beside OUT.json go OUT-vdfs.svg and
# OUT-hdfs.svg, the timelines of the last traced runs alone, and OUT-SYSTEM-CASE.txt, the summaries of the last ones.
#
# Settings: TEXT_MB=384 REPS=5 SYSTEMS="vdfs hdfs" CASES="alone mixed" LEVEL=fetches (of the traces of VDFS), RUN and
# those of src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 2 ] || { sed -n '2,17p' "$0" >&2; exit 2; }
HADOOP_HOME=$(realpath "$1")
OUT=$2
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${TEXT_MB:=384}" "${REPS:=5}" "${SYSTEMS:=vdfs hdfs}" "${CASES:=alone mixed}" "${LEVEL:=fetches}"
: "${NODES:=1}" "${NODE_CORES:=2}" "${NM_MEMORY:=8192}" "${NM_VCORES:=8}"
export NODES NODE_CORES NM_MEMORY NM_VCORES
export VDFS_FORMAT="--replication 1 ${VDFS_FORMAT:-}"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
export HADOOP_HOME RUN
. "$VDFS_HOME/src-it/real/cluster.sh"

clean_up() {
  stop_all
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
prepare
trap clean_up EXIT
trap 'exit 130' INT TERM

EXAMPLES=$(ls "$HADOOP_HOME"/share/hadoop/mapreduce/hadoop-mapreduce-examples-*.jar)
RESULTS=$RUN/results
TRACES=$RUN/traces
HDFS_AUTHORITY=127.0.0.1:$(port 20)
fs() { HADOOP_ROOT_LOGGER=ERROR,console "$HADOOP_HOME/bin/hadoop" fs "$@"; }
uri() { [ "$1" = hdfs ] && echo "hdfs://$HDFS_AUTHORITY" || echo vdfs://real; }
traced_uri() { [ "$1" = hdfs ] && echo "trace://hdfs-$HDFS_AUTHORITY" || echo trace://vdfs-real; }
containers_gone() { ! pgrep -f "org.apache.hadoop.mapred.YarnChild|MRAppMaster" >/dev/null; }
timed() { # log, then a command; writes its CPU seconds to log.cpu
  local log=$1
  shift
  { TIMEFORMAT='%U %S'; time "$@" >"$log" 2>&1; } 2>"$log.time" || { tail -n 30 "$log" >&2; return 1; }
  awk '{ print $1 + $2 }' "$log.time" >"$log.cpu"
}
input_format() { # system
  [ "$1" = hdfs ] || echo -Dmapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat
}

run_wordcount() { # system, case, plain|traced, repetition
  local system=$1 case=$2 kind=$3 rep=$4 log base out before after start end client grep_job=
  log=$LOGS/wordcount-$system-$case-$kind-$rep.log
  base=$(uri "$system")
  local options=(-Dmapreduce.job.reduce.slowstart.completedmaps=1.0)
  # shellcheck disable=SC2207  # none or one word
  options+=($(input_format "$system"))
  fs -rm -r -f -skipTrash "$base/out" "$base/grep" >/dev/null
  cat "$RUN/text" >/dev/null
  rm -rf "$TRACES"
  mkdir -p "$TRACES"
  if [ "$kind" = traced ]; then
    base=$(traced_uri "$system")
    options+=("-Dfs.trace.sink=file://$TRACES")
    [ "$system" = hdfs ] || options+=("-Dfs.trace.level=$LEVEL")
  fi
  before=$(cpu_seconds)
  start=$(date +%s.%N)
  if [ "$case" = mixed ]; then
    # shellcheck disable=SC2046  # none or one word
    timed "$log.grep" "$HADOOP_HOME/bin/hadoop" jar "$EXAMPLES" grep $(input_format "$system") \
      "$(uri "$system")/text" "$(uri "$system")/grep" 'NEEDLE[0-9]+' &
    grep_job=$!
  fi
  timed "$log" "$HADOOP_HOME/bin/hadoop" jar "$EXAMPLES" wordcount "${options[@]}" "$base/text" "$base/out" ||
    die "wordcount failed: $system $case $kind"
  end=$(date +%s.%N)
  [ -z "$grep_job" ] || wait "$grep_job" || die "grep failed beside it: $system $kind"
  await "the end of the containers" 60 containers_gone
  after=$(cpu_seconds)
  client=$(awk '{ n += $1 } END { print n }' "$log.cpu" ${grep_job:+"$log.grep.cpu"})
  out=$(fs -cat "$(uri "$system")/out/part-r-*" | sort | sha256sum | cut -d' ' -f1)
  [ "$out" = "${COUNTED:=$out}" ] || die "other words were counted: $system $case $kind"
  local records=0 bytes=0
  if [ "$kind" = traced ]; then
    "$VDFS_HOME/bin/vdfs" trace print "$TRACES" >"$RUN/printed" || die "a trace is not whole: $system $case"
    records=$(wc -l <"$RUN/printed")
    bytes=$(cat "$TRACES"/*.trace | wc -c)
    [ "$records" -gt 0 ] || die "nothing was traced: $system $case"
    [ "$case" = mixed ] || "$VDFS_HOME/bin/vdfs" trace timeline -o "${OUT%.json}-$system.svg" --path /text "$TRACES"
    "$VDFS_HOME/bin/vdfs" trace summary "$TRACES" >"${OUT%.json}-$system-$case.txt"
  fi
  awk -v label="$system $case $kind" -v start="$start" -v end="$end" -v cpu="$before $after $client" -v records="$records" -v bytes="$bytes" \
    'BEGIN { split(cpu, c, " "); printf "%s %.1f %.1f %d %d\n", label, c[2] - c[1] + c[3], end - start, records, bytes }' |
    tee -a "$RESULTS" >&2
}

start_zookeeper
for system in $SYSTEMS; do "start_$system"; done
java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.TextGenerator "$RUN/text" $((TEXT_MB << 20)) 7 >/dev/null
for system in $SYSTEMS; do fs -put "$RUN/text" "$(uri "$system")/text"; done
CLIENT_SITE+=" fs.trace.impl=io.vdfs.client.hadoop.trace.TracingFileSystem"
CLIENT_SITE+=" fs.AbstractFileSystem.trace.impl=io.vdfs.client.hadoop.trace.TracingAbstractFileSystem"
start_yarn "$(uri "${SYSTEMS%% *}")"
: >"$RESULTS"
for rep in $(seq "$REPS"); do
  for case in $CASES; do
    for system in $SYSTEMS; do
      kinds="plain traced"
      [ $((rep % 2)) = 1 ] || kinds="traced plain"
      for kind in $kinds; do run_wordcount "$system" "$case" "$kind" "$rep"; done
    done
  done
done

awk "$MEDIAN"'
  function least(values, key, n,   i, v) { v = values[key, 1]; for (i = 2; i <= n; i++) if (values[key, i] < v) v = values[key, i]; return v }
  function most(values, key, n,   i, v) { v = values[key, 1]; for (i = 2; i <= n; i++) if (values[key, i] > v) v = values[key, i]; return v }
  function spread(values, key, n) {
    return sprintf("{\"median\": %.1f, \"least\": %.1f, \"most\": %.1f}", median(values, key, n), least(values, key, n), most(values, key, n))
  }
  { key = $1 " " $2 " " $3; runs[key]++; cpu[key, runs[key]] = $4; seconds[key, runs[key]] = $5; records[key, runs[key]] = $6; bytes[key, runs[key]] = $7
    cases[$1 " " $2] = 1 }
  END {
    for (c in cases) {
      split(c, of, " ")
      p = c " plain"; t = c " traced"; n = runs[t]
      printf "{\"system\": \"%s\", \"case\": \"%s\", \"runs\": %d, \"plain_cpu_s\": %s, \"traced_cpu_s\": %s, \"plain_s\": %s, \"traced_s\": %s, \"records\": %d, \"trace_bytes\": %d, \"records_per_s\": %.0f}\n",
        of[1], of[2], n, spread(cpu, p, runs[p]), spread(cpu, t, n), spread(seconds, p, runs[p]), spread(seconds, t, n),
        median(records, t, n), median(bytes, t, n), median(records, t, n) / median(seconds, t, n)
    }
  }' "$RESULTS" | sort >"$OUT"
