#!/usr/bin/env bash
# task-cpu.sh HADOOP_HOME OUT.json
#
# What a map container costs the processors on VDFS and on HDFS: stock greps without reducers whose one map task reads
# SMALL_KB, and TEXT_MB from the page cache, by real daemons of one node each. The small one tells what a start costs,
# from the JVM to the first record and the commit; the difference of both what reading costs. The systems take turns,
# and so does which one begins. With a third kind of run, that is not measured, the classes are counted that the JVM of
# the small task loads.
#
# One JSON object per system: CPU seconds of the task by YARN's account, medians with least and most; CPU seconds per
# GiB; classes. Fails if a task counted other matches than there are, or if another number of tasks ran.
#
# Settings: TEXT_MB=1024 SMALL_KB=4 REPS=7 SYSTEMS="vdfs hdfs" JVM (more options of the tasks' JVM), RUN and those of
# src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 2 ] || { sed -n '2,15p' "$0" >&2; exit 2; }
HADOOP_HOME=$(realpath "$1")
OUT=$2
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${TEXT_MB:=1024}" "${SMALL_KB:=4}" "${REPS:=7}" "${SYSTEMS:=vdfs hdfs}" "${JVM:=}"
NODES=1 NODE_CORES=1 HDFS_BLOCK=$((TEXT_MB << 20)) VDFS_FORMAT="--replication 1"
export NODES NODE_CORES HDFS_BLOCK VDFS_FORMAT
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
fs() { HADOOP_ROOT_LOGGER=ERROR,console "$HADOOP_HOME/bin/hadoop" fs "$@"; }
uri() { [ "$1" = hdfs ] && echo "hdfs://127.0.0.1:$(port 20)" || echo vdfs://real; }

run_grep() { # system, small|text, more options of the JVM; prints the CPU milliseconds of the map task
  local system=$1 input=$2 opts=$3 log base options=() found
  log=$LOGS/grep-$system-$input.log
  base=$(uri "$system")
  [ "$system" = hdfs ] || options+=(-Dmapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat)
  fs -rm -r -f -skipTrash "$base/out" >/dev/null
  cat "$RUN/$input" >/dev/null
  # the first of the two jobs of a grep is the one that reads
  "$HADOOP_HOME/bin/hadoop" jar "$EXAMPLES" grep "${options[@]}" -Dmapreduce.job.reduces=0 \
    "-Dmapreduce.map.java.opts=-Xmx$((CONTAINER_MB * 3 / 4))m $JVM $opts" \
    "$base/$input" "$base/out" 'NEEDLE[0-9]+' >"$log" 2>&1 || die "grep failed; see $log"
  found=$(sed -n 's/.*Map output records=//p' "$log" | head -n 1)
  [ "$found" = "$(cat "$RUN/$input.needles")" ] || die "found $found needles on $system; see $log"
  [ "$(sed -n 's/.*Launched map tasks=//p' "$log" | head -n 1)" = 1 ] || die "more than one task on $system; see $log"
  sed -n 's/.*CPU time spent (ms)=//p' "$log" | head -n 1
}

start_zookeeper
for system in $SYSTEMS; do "start_$system"; done
java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.TextGenerator "$RUN/text" $((TEXT_MB << 20)) 7 >"$RUN/text.needles"
java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.TextGenerator "$RUN/small" $((SMALL_KB << 10)) 7 >"$RUN/small.needles"
for system in $SYSTEMS; do fs -put "$RUN/text" "$RUN/small" "$(uri "$system")/"; done
start_yarn "$(uri "${SYSTEMS%% *}")"
mkdir -p "$RUN/classes"
for system in $SYSTEMS; do # also the first start of everything
  run_grep "$system" small "-Xlog:class+load=info:file=$RUN/classes/$system-%p" >/dev/null
done
: >"$RESULTS"
for rep in $(seq "$REPS"); do
  turn=$SYSTEMS
  [ $((rep % 2)) = 1 ] || turn=$(tac -s ' ' <<<"$SYSTEMS " | tr -d '\n')
  for input in small text; do
    for system in $turn; do echo "$system $input $(run_grep "$system" "$input" "")" | tee -a "$RESULTS" >&2; done
  done
done

for system in $SYSTEMS; do
  # the map task's JVM is the one of the first job; both load the same
  classes=$(wc -l "$RUN/classes/$system"-* | awk '$2 != "total" { if ($1 > most) most = $1 } END { print most }')
  awk -v of="$system" -v mb="$TEXT_MB" -v classes="$classes" "$MEDIAN"'
    $1 == of { n[$2]++; ms[$2, n[$2]] = $3; if (n[$2] == 1 || $3 < least[$2]) least[$2] = $3; if ($3 > most[$2]) most[$2] = $3 }
    END {
      small = median(ms, "small", n["small"]); text = median(ms, "text", n["text"])
      printf "{\"system\": \"%s\", \"runs\": %d, \"small_cpu_s\": %.2f, \"small_least\": %.2f, \"small_most\": %.2f, \"text_cpu_s\": %.2f, \"text_least\": %.2f, \"text_most\": %.2f, \"cpu_s_per_gib\": %.2f, \"classes\": %d}\n",
        of, n["small"], small / 1000, least["small"] / 1000, most["small"] / 1000,
        text / 1000, least["text"] / 1000, most["text"] / 1000, (text - small) / 1000 * 1024 / mb, classes
    }' "$RESULTS"
done >"$OUT"
