#!/usr/bin/env bash
# grep-bench.sh HADOOP_HOME [OUT.json]     what a stock grep costs on VDFS and on HDFS, side by side
#
# In one run, on the same machine: HDFS with its default 128 MiB splits, HDFS with 512 MiB splits, and VDFS with
# logical splits at one and at two cores per node. Reports for each, as the median of REPS runs: containers of the
# whole job (both jobs of grep), CPU seconds of everything (client, daemons, containers), job seconds.
# The systems take turns within each repetition. One JSON object per line goes to OUT (default: standard output).
#
# Settings: TEXT_MB=3814 (4 GB) REPS=3 CORES="1 2", RUN and those of cluster.sh.
set -euo pipefail

HADOOP_HOME=$(realpath "${1:?usage: grep-bench.sh HADOOP_HOME [OUT.json]}")
OUT=${2:-/dev/stdout}
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${TEXT_MB:=3814}" "${REPS:=3}" "${CORES:=1 2}"
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
HDFS=hdfs://127.0.0.1:$(port 20)
fs() { HADOOP_ROOT_LOGGER=ERROR,console "$HADOOP_HOME/bin/hadoop" fs "$@"; }

containers_gone() { ! pgrep -f "org.apache.hadoop.mapred.YarnChild|MRAppMaster" >/dev/null; }

run_grep() { # label, filesystem, then options
  local label=$1 uri=$2 log start end cpu_before cpu_after client
  shift 2
  log=$LOGS/grep-$label.log
  fs -rm -r -f -skipTrash "$uri/out" >/dev/null
  cat "$RUN/text" >/dev/null
  cpu_before=$(cpu_seconds)
  start=$(date +%s.%N)
  { TIMEFORMAT='%U %S'; time "$HADOOP_HOME/bin/hadoop" jar "$EXAMPLES" grep "$@" "$uri/text" "$uri/out" 'NEEDLE[0-9]+' \
      >"$log" 2>&1; } 2>"$log.time" || { tail -n 30 "$log" >&2; die "grep failed on $label"; }
  end=$(date +%s.%N)
  await "the end of the containers" 60 containers_gone
  cpu_after=$(cpu_seconds)
  client=$(awk '{ print $1 + $2 }' "$log.time")
  local found
  found=$(fs -cat "$uri/out/part-r-*" | awk '{ n += $1 } END { print n + 0 }')
  [ "$found" = "$NEEDLES" ] || die "$label found $found of $NEEDLES needles"
  awk -v label="$label" -v start="$start" -v end="$end" -v before="$cpu_before" -v after="$cpu_after" -v client="$client" '
    /Launched (map|reduce) tasks=/ { sub(/.*=/, ""); tasks += $0 }
    /Submitted application/ { masters++ }
    END { printf "%s %d %.1f %.1f\n", label, tasks + masters, after - before + client, end - start }' "$log" | tee -a "$RESULTS" >&2
}

start_zookeeper
start_hdfs
NODE_CORES=1 start_vdfs
NEEDLES=$(java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.TextGenerator "$RUN/text" $((TEXT_MB << 20)) 7)
fs -put "$RUN/text" "$HDFS/text"
fs -put "$RUN/text" vdfs://real/text
: >"$RESULTS"

for cores in $CORES; do
  stop_matching 'vdfs.*'
  for node in $(seq "$NODES"); do NODE_CORES=$cores start_vdfs_node "$node"; done
  await VDFS 60 "$HADOOP_HOME/bin/hadoop" fs -ls vdfs://real/text
  for rep in $(seq "$REPS"); do
    if [ "$cores" = "${CORES%% *}" ]; then
      start_yarn "$HDFS"
      run_grep hdfs-128m "$HDFS"
      run_grep hdfs-512m "$HDFS" -Dmapreduce.input.fileinputformat.split.minsize=$((512 << 20))
      stop_yarn
    fi
    start_yarn vdfs://real
    run_grep "vdfs-${cores}core" vdfs://real -Dmapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat
    stop_yarn
  done
done

awk "$MEDIAN"'
  { runs[$1]++; containers[$1, runs[$1]] = $2; cpu[$1, runs[$1]] = $3; seconds[$1, runs[$1]] = $4 }
  END {
    for (label in runs)
      printf "{\"system\": \"%s\", \"runs\": %d, \"containers\": %d, \"cpu_s\": %.1f, \"job_s\": %.1f}\n",
        label, runs[label], median(containers, label, runs[label]), median(cpu, label, runs[label]), median(seconds, label, runs[label])
  }' "$RESULTS" | sort >"$OUT"
