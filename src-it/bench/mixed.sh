#!/usr/bin/env bash
# mixed.sh HDD_DIR HADOOP_HOME OUT.json
#
# Checkpoints beside a job, on VDFS and on HDFS 3.4.2: real daemons, one DataNode each with one copy, its blocks on an
# emulated disk of its own (HDD_DIR: the emulator, with hdd.sh), names and Raft log elsewhere, cold cache each time.
# Needs root. The systems take turns in each case, after a round at full speed that warms up. A checkpoint: CLIENTS
# clients write a file of CHECKPOINT_MB each at once, in calls of 256 KiB, each forced (hsync) and closed; HDFS forces
# at close too. The job: TASKS tasks at a time in the client's process, each of which reads a model of MODEL_MB in reads
# of 8 bytes, then its share of a text of FILE_MB (the same TEXT_MB again and again), and writes the weights of its
# terms (TF-IDF). Cases:
#
#   checkpoint  CHECKPOINTS checkpoints, one after the other
#   tfidf       the job
#   together    both, started at the same time: checkpoints go on until the job is done, and those count that were complete
#               by then; so both rates are of the time when both ran
#   after       as many checkpoints as counted together, then the job (needs together; the sum of the shares below says
#               as much: one after the other takes so many times as long)
#
# One JSON object per line, medians of REPS runs: MB (10^6 bytes) per second by the clock of the checkpoints and of the
# text; MB per second that the disk was busy; MB, seeks and flushes of the disk; seconds that it was busy; seconds by
# the clock, without the start of the clients; the longest write call and the longest wait for hsync and close; how many
# cores of the machine were busy. Then, per system: the rate together as a share of that alone, of both, their sum and
# the smaller one, and the time together as a share of that one after the other. The disk is SCALE times slower than a
# real one, so that this machine has as many cores per disk as it should: rates are multiplied by SCALE again, seconds
# are not divided by it. The times that clients wait for an answer, the round of VDFS's readers and its patience with
# writers are SCALE times longer too; what the kernel does by time is not. "valid" is false if the disk read less than
# 95 % of text and model, or wrote less than 95 % of what counts. The last checkpoint of each case is read and compared
# with what was written, the job's counts and weights with those that awk finds in the text.
#
# Settings: CASES="checkpoint tfidf together" REPS=1 SYSTEMS="vdfs hdfs" SCALE=8 CLIENTS=4 CHECKPOINT_MB=64
# CHECKPOINTS=3 TASKS=4 (also the node's cores) FILE_MB=1024 TEXT_MB=128 MODEL_MB=32, MODEL (more options of the emulator,
# blanks between), DISK_GB=20, RUN, VDFS_HOME (of another build, to compare) and those of src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,32p' "$0" >&2; exit 2; }
HDD=$1
HADOOP_HOME=$(realpath "$2")
OUT=$3
HERE=$(cd "$(dirname "$0")/../.." && pwd)
VDFS_HOME=${VDFS_HOME:-$HERE}
: "${CASES:=checkpoint tfidf together}" "${REPS:=1}" "${SYSTEMS:=vdfs hdfs}" "${SCALE:=8}" "${MODEL:=}"
: "${CLIENTS:=4}" "${CHECKPOINT_MB:=64}" "${CHECKPOINTS:=3}" "${TASKS:=4}" "${FILE_MB:=1024}" "${TEXT_MB:=128}" "${MODEL_MB:=32}"
export NODES=1 NODE_CORES=$TASKS VDFS_FORMAT="--replication 1"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
BACK=$RUN/disks
VDFS_DATA=$RUN/disk-vdfs/data HDFS_DATA=$RUN/disk-hdfs/data
PATIENCE=$((200 * SCALE < 2000 ? 200 * SCALE : 2000))
VDFS_SITE="vdfs.metadata.dir=$RUN/metadata vdfs.read.round=$((3 * SCALE))s vdfs.write.patience=${PATIENCE}ms vdfs.zookeeper.session.timeout=60s ${VDFS_SITE:-}"
HDFS_SITE="dfs.datanode.synconclose=true ${HDFS_SITE:-}"
CLIENT_SITE="fs.vdfs.read.timeout=$((10 * SCALE))s dfs.client.socket-timeout=$((60000 * SCALE)) ${CLIENT_SITE:-}"
export HADOOP_HOME RUN BACK VDFS_DATA HDFS_DATA VDFS_SITE HDFS_SITE CLIENT_SITE
. "$HERE/src-it/real/cluster.sh"
. "$HERE/src-it/bench/disks.sh"

PROGRAMS=$HERE/src-it/target/classes
RESULTS=$RUN/results
DONE=$RUN/job-done

disk_name() { echo "vdfs-mixed-$PORT_BASE-$1"; }
fs() { HADOOP_ROOT_LOGGER=ERROR,console "$HADOOP_HOME/bin/hadoop" fs "$@"; }
uri() { [ "$1" = hdfs ] && echo "hdfs://127.0.0.1:$(port 20)" || echo "vdfs://real"; }
clean_up() {
  stop_all
  disks_down
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}

make_input() {
  java -cp "$PROGRAMS" io.vdfs.it.bench.TextGenerator "$RUN/text" $((TEXT_MB << 20)) 7 >/dev/null
  # copies of it one after the other must not join their words
  printf '\n' | dd of="$RUN/text" bs=1 seek=$(((TEXT_MB << 20) - 1)) conv=notrunc status=none
  java -Xmx1g -cp "$PROGRAMS" io.vdfs.it.bench.tfidf.TfidfModel "$RUN/text" "$RUN/model" $((MODEL_MB << 20))
  tr A-Z a-z <"$RUN/text" | LC_ALL=C awk '
    {
      gsub(/[^a-z]+/, " ")
      for (i = 1; i <= NF; i++) {
        term = substr($i, 1, 12)
        count[term]++
        if (last[term] != NR) { last[term] = NR; lines[term]++ }
      }
    }
    END { for (term in count) printf "%s %d %.17g\n", term, count[term], log(NR / lines[term]) }' >"$RUN/weights"
}
load() { # system
  local copy
  for copy in $(seq $((FILE_MB / TEXT_MB))); do cat "$RUN/text"; done | fs -put - "$(uri "$1")/text" || die "cannot load $1"
  fs -put "$RUN/model" "$(uri "$1")/model" || die "cannot load $1"
}

program() { # heap, then class and arguments
  local heap=$1
  shift
  HADOOP_CLASSPATH=$PROGRAMS:$CLIENT_JAR HADOOP_CLIENT_OPTS=-Xmx$heap "$HADOOP_HOME/bin/hadoop" "$@"
}
checkpoint() { # system, where it ends
  program 512m io.vdfs.it.bench.CheckpointWriter write "$(uri "$1")/checkpoints" "clients=$CLIENTS" "mib=$CHECKPOINT_MB" \
    "$2" >"$RUN/checkpoint.json" 2>"$LOGS/checkpoint-$1.log"
}
tfidf() { # system
  local base options=()
  base=$(uri "$1")
  options=(-Dfs.defaultFS="$base" -Dmapreduce.framework.name=local -Dmapreduce.local.map.tasks.maximum="$TASKS")
  options+=(-Dmapreduce.client.completion.pollinterval=100 -Dhadoop.tmp.dir="$RUN/tmp/tfidf")
  [ "$1" = hdfs ] || options+=(-Dmapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat)
  program 1g io.vdfs.it.bench.tfidf.TfidfJob "${options[@]}" "$base/text" "$base/model" "$base/weights" \
    >"$RUN/tfidf.json" 2>"$LOGS/tfidf-$1.log"
}
field() { # file, name
  sed -n "s/.*\"$2\": \([0-9.]*\).*/\1/p" "$1"
}
cpu_ticks() { # of all cores, busy
  awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8 }' /proc/stat
}

check_checkpoint() { # system
  program 512m io.vdfs.it.bench.CheckpointWriter check "$(uri "$1")/checkpoints" "clients=$CLIENTS" "mib=$CHECKPOINT_MB" \
    >/dev/null 2>"$LOGS/check-$1.log" || die "wrong bytes on $1; see $LOGS/check-$1.log"
}
check_weights() { # system
  fs -cat "$(uri "$1")/weights/part-m-*" | awk -v copies=$((FILE_MB / TEXT_MB)) -v expected="$RUN/weights" '
    { count[$1] += $2; weight[$1] += $3 }
    END {
      while ((getline line <expected) > 0) {
        terms++
        split(line, part, " ")
        off = weight[part[1]] - part[2] * copies * part[3]
        if (count[part[1]] != part[2] * copies || off > 1e-3 || off < -1e-3) wrong++
      }
      for (term in count) found++
      if (wrong || found != terms || !terms) { print "terms: " terms + 0 ", found: " found + 0 ", wrong: " wrong + 0; exit 1 }
    }' >&2 || die "wrong weights on $1"
}
clear() { # system
  fs -rm -r -f -skipTrash "$(uri "$1")/weights" "$(uri "$1")/checkpoints" >/dev/null
}
warm_up() { # system
  checkpoint "$1" checkpoints=2 || die "writing failed on $1; see $LOGS/checkpoint-$1.log"
  check_checkpoint "$1"
  tfidf "$1" || die "the job failed on $1; see $LOGS/tfidf-$1.log"
  check_weights "$1"
  clear "$1"
}

run_case() { # system, case
  local system=$1 case=$2 disk job failed='' ticks start disk_did cores
  local rate=- text=- seconds=0 longest=- force=- reads=0 writes=0
  disk=$(disk_name "$system")
  rm -f "$DONE" "$RUN"/*.json
  disks_reset "$disk"
  ticks=$(cpu_ticks)
  start=$(date +%s.%N)
  case $case in
    checkpoint) checkpoint "$system" "checkpoints=$CHECKPOINTS" || failed=checkpoint ;;
    tfidf) tfidf "$system" || failed=tfidf ;;
    together)
      tfidf "$system" &
      job=$!
      checkpoint "$system" "until=$DONE" &
      wait "$job" || failed=tfidf
      touch "$DONE"
      ;;
    after) checkpoint "$system" "checkpoints=$(cat "$RUN/together-$system")" && tfidf "$system" || failed="checkpoint or tfidf" ;;
    *) die "unknown case: $case" ;;
  esac
  disk_did=$(disks_counters "busy_s read_mb read_seeks write_mb write_seeks flushes late_s" "$disk")
  cores=$(awk -v t=$(($(cpu_ticks) - ticks)) -v hz="$(getconf CLK_TCK)" -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f", t / hz / (b - a) }')
  [ "$case" != together ] || wait $! || failed=checkpoint
  [ -z "$failed" ] || die "$failed failed on $system; see $LOGS"
  disks_mechanics off
  if [ -f "$RUN/checkpoint.json" ]; then
    rate=$(field "$RUN/checkpoint.json" mb_per_s)
    longest=$(field "$RUN/checkpoint.json" longest_write_s)
    force=$(field "$RUN/checkpoint.json" longest_force_s)
    writes=$(field "$RUN/checkpoint.json" bytes)
    seconds=$(field "$RUN/checkpoint.json" seconds)
    [ "$writes" -gt 0 ] || die "no checkpoint was complete before the job: make FILE_MB larger"
    check_checkpoint "$system"
  fi
  if [ -f "$RUN/tfidf.json" ]; then
    text=$(field "$RUN/tfidf.json" mb_per_s)
    reads=$((FILE_MB + MODEL_MB << 20))
    [ "$case" = after ] || seconds=0
    seconds=$(awk -v a="$seconds" -v b="$(field "$RUN/tfidf.json" seconds)" 'BEGIN { print a + b }')
    check_weights "$system"
  fi
  [ "$case" != together ] || field "$RUN/checkpoint.json" checkpoints >"$RUN/together-$system"
  clear "$system"
  cat "$RUN"/*.json >&2
  disks_mechanics on
  echo "$case $system $rate $text $seconds $longest $force $disk_did $reads $writes $cores" | tee -a "$RESULTS" >&2
}

[[ " $CASES " != *" after "* || " $CASES " == *" together "*"after "* ]] || { echo "mixed.sh: after needs together before it: CASES=$CASES" >&2; exit 2; }
prepare
trap clean_up EXIT
trap 'exit 130' INT TERM
: >"$RESULTS"
make_input
start_zookeeper
for system in $SYSTEMS; do
  disk_up "$(disk_name "$system")" "$RUN/disk-$system" "scale=$SCALE $MODEL"
  mkdir -p "$RUN/disk-$system/data1"
  "start_$system"
  load "$system"
  warm_up "$system"
done
disks_mechanics on
for rep in $(seq "$REPS"); do
  for case in $CASES; do
    for system in $SYSTEMS; do run_case "$system" "$case"; done
  done
done

awk -v scale="$SCALE" -v model="${MODEL:-default}" "$MEDIAN"'
  function figure(name, values, key, format) {
    printf ", \"%s\": %s", name, values[key, 1] == "-" ? "null" : sprintf(format, median(values, key, runs[key]))
  }
  function share(values, name, alone) {
    return median(values, "together " name, runs["together " name]) / median(values, alone " " name, runs[alone " " name])
  }
  {
    key = $1 " " $2
    if (!(key in runs)) keys[++n] = key
    if (!($2 in seen)) { systems[++m] = $2; seen[$2] = 1 }
    r = ++runs[key]
    rate[key, r] = $3 == "-" ? $3 : $3 * scale; text[key, r] = $4 == "-" ? $4 : $4 * scale; seconds[key, r] = $5
    longest[key, r] = $6; force[key, r] = $7; busy[key, r] = $8; read_mb[key, r] = $9; read_seeks[key, r] = $10
    write_mb[key, r] = $11; write_seeks[key, r] = $12; flushes[key, r] = $13; late[key, r] = $14 / $8; cores[key, r] = $17
    of_busy[key, r] = ($9 + $11) / $8 * scale
    if ($9 < 0.95 * $15 / 1e6 || $11 < 0.95 * $16 / 1e6) invalid[key] = 1
  }
  END {
    for (k = 1; k <= n; k++) {
      key = keys[k]; split(key, part, " ")
      printf "{\"case\": \"%s\", \"system\": \"%s\", \"model\": \"%s\", \"scale\": %s, \"runs\": %d", part[1], part[2], model, scale, runs[key]
      figure("checkpoint_mb_per_s", rate, key, "%.1f"); figure("tfidf_mb_per_s", text, key, "%.1f")
      figure("mb_per_busy_s", of_busy, key, "%.1f"); figure("read_mb", read_mb, key, "%.0f"); figure("read_seeks", read_seeks, key, "%.0f")
      figure("write_mb", write_mb, key, "%.0f"); figure("write_seeks", write_seeks, key, "%.0f"); figure("flushes", flushes, key, "%.0f")
      figure("busy_s", busy, key, "%.1f"); figure("seconds", seconds, key, "%.1f"); figure("longest_write_s", longest, key, "%.2f")
      figure("longest_force_s", force, key, "%.2f"); figure("late_share", late, key, "%.3f"); figure("cores_busy", cores, key, "%.2f")
      printf ", \"valid\": %s}\n", (key in invalid) ? "false" : "true"
    }
    for (s = 1; s <= m; s++) {
      name = systems[s]
      if (!(("together " name) in runs) || !(("checkpoint " name) in runs) || !(("tfidf " name) in runs)) continue
      a = share(rate, name, "checkpoint"); b = share(text, name, "tfidf")
      printf "{\"case\": \"shares\", \"system\": \"%s\", \"checkpoint\": %.2f, \"tfidf\": %.2f, \"sum\": %.2f, \"smaller\": %.2f", name, a, b, a + b, a < b ? a : b
      if (("after " name) in runs) printf ", \"seconds_of_after\": %.2f", share(seconds, name, "after")
      print "}"
    }
  }' "$RESULTS" >"$OUT"
cat "$OUT" >&2
