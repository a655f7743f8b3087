#!/usr/bin/env bash
# disk-jobs.sh HDD_DIR HADOOP_HOME OUT.json
#
# What a spinning disk does under stock greps, on VDFS and on HDFS 3.4.2: real daemons, one DataNode each, on an
# emulated disk of its own (HDD_DIR: the emulator, with hdd.sh), cold cache each time. Needs root. The systems take
# turns within each repetition. HDFS has short circuit by its native library, but for shared. Cases:
#
#   tasks:N   one job with N tasks at a time over one file
#   jobs:N    N jobs at a time, each over a file of its own
#   shared:N  N jobs over one file, each started APART of a scan after the one before (a scan: the file's bytes at the
#             disk's rate), each DataNode in a memory control group of a quarter of the file and DAEMON_MB
#
# One JSON object per line, medians of REPS runs: MB per second that the disk was busy, read seeks per GB, MB that the
# disk delivered, passes over the input, seconds on the clock. The disk is SCALE times slower than a real one, so that this
# machine has as many cores per disk as it should: rates are multiplied by SCALE again. The times that both systems'
# clients wait for an answer, and the round of VDFS's readers, are SCALE times longer too. "valid" is false if the disk
# delivered less than 95 % of the input once over: then a cache did; in shared also if the page cache of the DataNode's
# group, looked at every second, was ever more than a quarter of the file. Every job's matches are counted and compared
# with what was written. Beside OUT.json go OUT-tasks.svg and OUT-jobs.svg, rates by how many tasks or jobs at a time.
#
# Settings: CASES="tasks:4 tasks:8 tasks:16 jobs:2 jobs:4 jobs:8" (shared needs a run of its own, as all its bytes go
# over the socket), REPS=3 SYSTEMS="hdfs vdfs" (not hdfs alone, with YARN) SCALE=8 TASK_MB=64 (of HDFS's blocks and
# VDFS's splits) FILE_MB=1024 (tasks), JOB_FILE_MB=256 (jobs), SHARED_FILE_MB=4096 (shared), DAEMON_MB=128, APART=0.25,
# JOB_TASKS=4 (of a job in shared), RUNNER=yarn (containers of CONTAINER_MB=512 on one NodeManager) or local (each job's
# tasks are threads of its client; always so in shared), MODEL (more options of the emulator, blanks between),
# READ_AHEAD=100m (in shared well below the memory of the group), SHARED_SCAN=true, DISK_GB=20, RUN and those of
# src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,27p' "$0" >&2; exit 2; }
HDD=$1
HADOOP_HOME=$(realpath "$2")
OUT=$3
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${CASES:=tasks:4 tasks:8 tasks:16 jobs:2 jobs:4 jobs:8}" "${REPS:=3}" "${SYSTEMS:=hdfs vdfs}" "${SCALE:=8}"
: "${FILE_MB:=1024}" "${JOB_FILE_MB:=256}" "${SHARED_FILE_MB:=4096}" "${APART:=0.25}" "${JOB_TASKS:=4}" "${RUNNER:=yarn}"
: "${DAEMON_MB:=128}" "${TASK_MB:=64}" "${MODEL:=}" "${READ_AHEAD:=100m}" "${SHARED_SCAN:=true}" "${CONTAINER_MB:=512}" "${PORT_BASE:=18000}"
export NODES=1 CONTAINER_MB HDFS_BLOCK=$((TASK_MB << 20)) VDFS_FORMAT="--replication 1 --minimum-split ${TASK_MB}m"
export NODE_CORES=16 NM_VCORES=64 NM_MEMORY=20480
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
chmod 711 "$RUN"
BACK=$RUN/disks
VDFS_DATA=$RUN/disk-vdfs/data HDFS_DATA=$RUN/disk-hdfs/data
METRICS=$((PORT_BASE + 900))
: "${VDFS_DAEMON_OPTS:=-Xmx192m -XX:MaxDirectMemorySize=96m}"
DATANODE_HEAP=192m
VDFS_SITE="vdfs.metadata.dir=$RUN/metadata vdfs.read.ahead=$READ_AHEAD vdfs.read.round=$((3 * SCALE))s"
VDFS_SITE+=" vdfs.shared.scan=$SHARED_SCAN vdfs.metrics.port=$METRICS vdfs.zookeeper.session.timeout=60s"
CLIENT_SITE="fs.vdfs.read.timeout=$((10 * SCALE))s dfs.client.socket-timeout=$((60000 * SCALE))"
CGROUP=/sys/fs/cgroup/memory/vdfs-bench-$$
SOCKETS=
export HADOOP_HOME RUN BACK VDFS_DATA HDFS_DATA VDFS_SITE VDFS_DAEMON_OPTS
. "$VDFS_HOME/src-it/real/cluster.sh"
. "$VDFS_HOME/src-it/bench/disks.sh"
[ "$RUNNER" = local ] || [[ " $SYSTEMS " == *" vdfs "* ]] ||
  die "YARN keeps the files of all jobs on VDFS: SYSTEMS=$SYSTEMS; add vdfs to it"

EXAMPLES=$(ls "$HADOOP_HOME"/share/hadoop/mapreduce/hadoop-mapreduce-examples-*.jar)
TEXT_MB=128
RESULTS=$RUN/results

disk_name() { echo "vdfs-jobs-$PORT_BASE-$1"; }
fs() { HADOOP_ROOT_LOGGER=ERROR,console "$HADOOP_HOME/bin/hadoop" fs "$@"; }
uri() { [ "$1" = hdfs ] && echo "hdfs://127.0.0.1:$(port 20)" || echo "vdfs://real"; }
clean_up() {
  stop_all
  disks_down
  [ -z "$SOCKETS" ] || rm -rf "$SOCKETS"
  [ ! -d "$CGROUP" ] || rmdir "$CGROUP"/*/ "$CGROUP" || true
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
kind_used() { [[ " $CASES" == *" $1:"* ]]; }
most_jobs() {
  local case most=0
  for case in $CASES; do [[ $case == jobs:* && ${case#*:} -gt $most ]] && most=${case#*:}; done
  echo "$most"
}

put() { # system, path, MB
  local copy
  for copy in $(seq $(($3 / TEXT_MB))); do cat "$RUN/text"; done | fs -put - "$(uri "$1")$2" || die "cannot load $1"
}
load() { # system
  local job
  fs -mkdir -p "$(uri "$1")/in"
  ! kind_used tasks || put "$1" /in/tasks "$FILE_MB"
  ! kind_used shared || put "$1" /in/shared "$SHARED_FILE_MB"
  for job in $(seq "$(most_jobs)"); do put "$1" "/in/job$job" "$JOB_FILE_MB"; done
}

grep_job() { # system, label, path, tasks at a time, runner
  local base options=()
  base=$(uri "$1")
  options=(-Dfs.defaultFS="$base" -Dmapreduce.job.reduce.slowstart.completedmaps=1.0)
  [ "$1" = hdfs ] || options+=(-Dmapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat)
  if [ "$5" = local ]; then
    options+=(-Dmapreduce.framework.name=local -Dmapreduce.local.map.tasks.maximum="$4" -Dhadoop.tmp.dir="$RUN/tmp/$2")
    options+=(-Dmapreduce.task.io.sort.mb=16)
  else
    options+=(-Dmapreduce.job.running.map.limit="$4")
  fi
  HADOOP_CLIENT_OPTS="-Xmx512m" "$HADOOP_HOME/bin/hadoop" jar "$EXAMPLES" grep "${options[@]}" \
    "$base$3" "$base/out/$2" 'NEEDLE[0-9]+' >"$LOGS/grep-$2.log" 2>&1
}
check() { # system, label, MB
  local found wanted
  found=$(fs -cat "$(uri "$1")/out/$2/part-r-*" | awk '{ n += $1 } END { print n + 0 }')
  wanted=$(($3 / TEXT_MB * NEEDLES))
  [ "$found" = "$wanted" ] || die "$1 $2 found $found of $wanted needles; see $LOGS/grep-$2.log"
}
counter() { # name
  (exec 3<>"/dev/tcp/127.0.0.1/$METRICS" && printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3 && cat <&3) 2>/dev/null |
    awk -v name="$1" '$1 ~ "^" name "_total" { n += $2 } END { print n + 0 }'
}

watch_page_cache() { # system; writes the most MiB that its DataNode's group held so far
  local group=$CGROUP/datanode1 now most=0
  [ "$1" = hdfs ] || group=$CGROUP/vdfs1
  while sleep 1; do
    now=$(awk '$1 == "cache" { print int($2 / 1048576) }' "$group/memory.stat")
    [ "$now" -le "$most" ] || { most=$now && echo "$most" >"$RUN/page-cache"; }
  done
}

run_case() { # system, kind, number
  local system=$1 kind=$2 n=$3 job start pids=() labels=() disk stats mb shared=0 before=0 watch cache=0
  disk=$(disk_name "$system")
  fs -rm -r -f -skipTrash "$(uri "$system")/out" >/dev/null
  [ "$system" = hdfs ] || before=$(counter vdfs_stream_shared_grant_blocks)
  disks_reset "$disk"
  [ "$kind" != shared ] || { watch_page_cache "$system" & watch=$!; }
  start=$(date +%s.%N)
  case $kind in
    tasks)
      mb=$FILE_MB
      labels=("$system-tasks")
      grep_job "$system" "$system-tasks" /in/tasks "$n" "$RUNNER" || die "see $LOGS/grep-$system-tasks.log"
      ;;
    jobs | shared)
      for job in $(seq "$n"); do
        labels+=("$system-$kind$job")
        if [ "$kind" = jobs ]; then
          mb=$JOB_FILE_MB
          grep_job "$system" "$system-$kind$job" "/in/job$job" 2 "$RUNNER" &
        else
          mb=$SHARED_FILE_MB
          grep_job "$system" "$system-$kind$job" /in/shared "$JOB_TASKS" local &
          [ "$job" = "$n" ] || sleep "$(awk -v mb="$mb" -v s="$SCALE" -v a="$APART" 'BEGIN { print a * mb * 1.048576 / 156 * s }')"
        fi
        pids+=($!)
      done
      for job in "${pids[@]}"; do wait "$job" || die "a job failed; see $LOGS/grep-$system-$kind*.log"; done
      ;;
  esac
  local seconds
  seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
  stats=$(disks_stats "$disk")
  [ "$kind" != shared ] || { kill "$watch" && cache=$(cat "$RUN/page-cache"); }
  [ "$system" = hdfs ] || shared=$(($(counter vdfs_stream_shared_grant_blocks) - before))
  disks_mechanics off
  for job in "${labels[@]}"; do check "$system" "$job" "$mb"; done
  disks_mechanics on
  [ "$kind" = jobs ] && mb=$((mb * n))
  echo "$kind:$n $system $stats $seconds $mb $shared $cache" | tee -a "$RESULTS" >&2
}

prepare
trap clean_up EXIT
trap 'exit 130' INT TERM
: >"$RESULTS"
if kind_used shared; then
  ! kind_used tasks && ! kind_used jobs || die "shared needs a run of its own: CASES=$CASES"
  mkdir "$CGROUP"
  DATANODE_CGROUP=$CGROUP DATANODE_MEMORY=$((SHARED_FILE_MB / 4 + DAEMON_MB << 20))
  # all bytes pass the DataNode, so that its group holds all that is kept of them
  VDFS_SITE+=" vdfs.delivery.local=false"
else
  # libhadoop takes a socket only below directories that others cannot write to
  SOCKETS=$(mktemp -d /run/vdfs-disk-jobs.XXXXXX)
  HDFS_SITE="dfs.client.read.shortcircuit=true dfs.domain.socket.path=$SOCKETS/datanode ${HDFS_SITE:-}"
fi
for system in $SYSTEMS; do
  disk_up "$(disk_name "$system")" "$RUN/disk-$system" "scale=$SCALE $MODEL"
done
NEEDLES=$(java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.TextGenerator "$RUN/text" $((TEXT_MB << 20)) 7)
start_zookeeper
for system in $SYSTEMS; do
  "start_$system"
  load "$system"
done
sync
disks_mechanics on
[ "$RUNNER" = local ] || start_yarn "$(uri vdfs)"
[ "$RUNNER" = yarn ] || client_conf "$(uri vdfs)"
for rep in $(seq "$REPS"); do
  for case in $CASES; do
    for system in $SYSTEMS; do run_case "$system" "${case%:*}" "${case#*:}"; done
  done
done
[ -z "$SOCKETS" ] || [[ " $SYSTEMS " != *" hdfs "* ]] || grep -q 'REQUEST_SHORT_CIRCUIT_FDS.*success: true' "$LOGS"/datanode*.log ||
  die "HDFS made no short circuit; see $LOGS"

awk -v scale="$SCALE" -v model="${MODEL:-default}" -v runner="$RUNNER" -v apart="$APART" -v limit="$((SHARED_FILE_MB / 4 + DAEMON_MB))" "$MEDIAN"'
  function kind(of) { return substr(of, 1, index(of, ":") - 1) }
  {
    key = $1 " " $2
    if (!(key in runs)) keys[++n] = key
    r = ++runs[key]
    rate[key, r] = $4 / $3 * scale; seeks[key, r] = $5 / $4 * 1000; mb[key, r] = $4; late[key, r] = $6 / $3
    wall[key, r] = $7; passes[key, r] = $4 / ($8 * 1.048576); shared[key, r] = $9; cache[key, r] = $10
    if ($4 < 0.95 * $8 * 1.048576 || (kind($1) == "shared" && $10 > $8 / 4)) invalid[key] = 1
  }
  END {
    for (k = 1; k <= n; k++) {
      key = keys[k]; split(key, part, " "); r = runs[key]
      printf "{\"case\": \"%s\", \"at_a_time\": %d, \"system\": \"%s\", \"model\": \"%s\", \"scale\": %s, \"runner\": \"%s\", \"runs\": %d, \"mb_per_busy_s\": %.1f, \"read_seeks_per_gb\": %.0f, \"disk_mb\": %.0f, \"passes\": %.2f, \"valid\": %s, \"late_share\": %.3f, \"seconds\": %.1f",
        part[1], substr(part[1], index(part[1], ":") + 1), part[2], model, scale, kind(part[1]) == "shared" ? "local" : runner, r, median(rate, key, r), median(seeks, key, r), median(mb, key, r), median(passes, key, r), (key in invalid) ? "false" : "true", median(late, key, r), median(wall, key, r)
      if (kind(part[1]) == "shared") printf ", \"apart\": %s, \"datanode_memory_mb\": %d, \"page_cache_mb\": %d", apart, limit, median(cache, key, r)
      if (part[2] == "vdfs") printf ", \"shared_grant_blocks\": %d", median(shared, key, r)
      print "}"
    }
  }' "$RESULTS" >"$OUT"
cat "$OUT" >&2
for kind in tasks jobs; do
  ! kind_used "$kind" || grep "\"$kind:" "$OUT" | java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.SvgChart /dev/stdin \
    "${OUT%.json}-$kind.svg" "Stock greps on a spinning disk: MB per second that the disk was busy, by $kind at a time" \
    at_a_time mb_per_busy_s system
done
