#!/usr/bin/env bash
# late-job.sh HADOOP_HOME OUT.json
#
# What vdfs.mapreduce.yielding does for a job that comes late: on one VDFS node a stock wordcount of FIRST_MB has taken
# the room for all NODE_CORES tasks for LEAD_S seconds when a second one, of SECOND_MB, is submitted. There is room for
# both ApplicationMasters, and the CapacityScheduler's queue shares (ordering-policy=fair). The input comes from the page
# cache. The cases take turns: off, the default, and on, where both jobs set vdfs.mapreduce.yielding.
#
# One JSON object per run: seconds by the clock from the submission of each job to its end (turnaround_s), seconds from
# the second job's first request for map containers, by its master's log, to the end of the first container of the first
# job's tasks after it and to the start of the second job's first map container, by the NodeManager's log; containers and
# container seconds of both; containers of the first job that ended before its input did (yielded, by its counters).
# Fails if a job fails, or if the words of the two results are not in proportion to their input.
#
# Settings: FIRST_MB=2048 SECOND_MB=512 (multiples of UNIT_MB=256, whose text is repeated) LEAD_S=40 REPS=1
# YIELD_AFTER=30s NODE_CORES=4 CONTAINER_MB=768 RUN and those of src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 2 ] || { sed -n '2,18p' "$0" >&2; exit 2; }
HADOOP_HOME=$(realpath "$1")
OUT=$2
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${FIRST_MB:=2048}" "${SECOND_MB:=512}" "${UNIT_MB:=256}" "${LEAD_S:=40}" "${REPS:=1}" "${YIELD_AFTER:=30s}"
: "${NODE_CORES:=4}" "${CONTAINER_MB:=768}"
NODES=1 NM_VCORES=$((NODE_CORES + 2)) NM_MEMORY=$((CONTAINER_MB * (NODE_CORES + 2))) VDFS_FORMAT="--replication 1"
CAPACITY_SITE="yarn.scheduler.capacity.maximum-am-resource-percent=1 yarn.scheduler.capacity.root.default.ordering-policy=fair"
export NODES NODE_CORES NM_VCORES NM_MEMORY CONTAINER_MB VDFS_FORMAT CAPACITY_SITE
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
export HADOOP_HOME RUN
. "$VDFS_HOME/src-it/real/cluster.sh"

EXAMPLES=$(ls "$HADOOP_HOME"/share/hadoop/mapreduce/hadoop-mapreduce-examples-*.jar)
SIZES=("$FIRST_MB" "$SECOND_MB")
fs() { HADOOP_ROOT_LOGGER=ERROR,console "$HADOOP_HOME/bin/hadoop" fs "$@"; }
clean_up() {
  trap : INT TERM
  stop_matching 'job.*'
  stop_all
  pgrep -f "yarn.app.container.log.dir=$RUN/containers" | xargs -r kill -KILL || true
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}

submit() { # job, case
  local options=(-Dmapreduce.job.reduce.slowstart.completedmaps=1.0 -Dmapreduce.map.speculative=false)
  options+=(-Dmapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat)
  [ "$2" = off ] || options+=(-Dvdfs.mapreduce.yielding=true "-Dvdfs.mapreduce.yield.after=$YIELD_AFTER")
  date +%s.%3N >"$RUN/begin$1"
  rm -f "$RUN/end$1"
  # shellcheck disable=SC2016  # expanded by the inner shell
  launch "job$1" bash -c '"$@"; echo "$? $(date +%s.%3N)" >"$0"' "$RUN/end$1" \
    "$HADOOP_HOME/bin/hadoop" jar "$EXAMPLES" wordcount "${options[@]}" "/in$1" "/out$1"
}
application() { # job
  sed -n 's/.*Submitted application application_\([0-9_]*\).*/\1/p' "$LOGS/job$1.log"
}
maps_run() { # job, how many
  [ "$(grep -c " to RUNNING" <(grep "container_$(application "$1")_" "$LOGS"/nodemanager*.log))" -gt "$2" ]
}
ended() { [ -f "$RUN/end1" ] && [ -f "$RUN/end2" ]; }
words() { # job
  fs -cat "/out$1/part-r-*" | awk '{ n += $2 } END { printf "%d\n", n }'
}

report() { # case, run
  local requested yielded
  requested=$(awk '/RMContainerRequestor: applicationId=.* ask=[1-9]/ { print $1, $2; exit }' \
    "$RUN"/containers1/application_"$(application 2)"/container_*_000001/syslog)
  [ -n "$requested" ] || die "no request of job 2 in its master's log; see $RUN/containers1"
  yielded=$(sed -n 's/.*YIELDED_TASKS=//p' "$LOGS/job1.log")
  awk -v first="$(application 1)" -v second="$(application 2)" -v requested="$requested" -v yielded="${yielded:-0}" -v case="$1" -v run="$2" \
    -v begin1="$(cat "$RUN/begin1")" -v end1="$(cut -d ' ' -f 2 "$RUN/end1")" -v begin2="$(cat "$RUN/begin2")" -v end2="$(cut -d ' ' -f 2 "$RUN/end2")" "$LOG_TIME"'
    / Container container_.* transitioned from / {
      match($0, /container_[0-9_]+/)
      id = substr($0, RSTART + 10, RLENGTH - 10)
      if (/ to RUNNING/) begin[id] = log_time($1, $2)
      if (/ from RUNNING to /) end[id] = log_time($1, $2)
    }
    END {
      split(requested, at, " ")
      ask = log_time(at[1], at[2])
      for (id in end) {
        split(id, part, "_")
        application = part[1] "_" part[2]
        task = id !~ /_000001$/
        job = application == first ? 1 : application == second ? 2 : 0
        count[job]++
        seconds[job] += end[id] - begin[id]
        if (job == 1 && task && end[id] >= ask && (!ended || end[id] < ended)) ended = end[id]
        if (job == 2 && task && (!started || begin[id] < started)) started = begin[id]
      }
      if (!ended || !started) {
        print "late-job.sh: no container of job 1 ended after the request of job 2, or none of job 2 began" >"/dev/stderr"
        exit 1
      }
      printf "{\"yielding\": \"%s\", \"run\": %d, \"turnaround_s\": [%.1f, %.1f]", case, run, end1 - begin1, end2 - begin2
      printf ", \"request_to_first_end_s\": %.2f, \"request_to_first_start_s\": %.2f", ended - ask, started - ask
      printf ", \"containers\": [%d, %d], \"container_s\": [%.1f, %.1f], \"yielded\": %d}\n", count[1], count[2], seconds[1], seconds[2], yielded
    }' "$LOGS"/nodemanager*.log | tee -a "$OUT" >&2
}

run_case() { # case, run
  local job
  fs -rm -r -f -skipTrash /out1 /out2 >/dev/null
  submit 1 "$1"
  await "the maps of the first job" 120 maps_run 1 "$NODE_CORES"
  sleep "$LEAD_S"
  submit 2 "$1"
  await "the end of both jobs" 1800 ended
  for job in 1 2; do
    grep -q '^0 ' "$RUN/end$job" || die "job $job failed; see $LOGS/job$job.log"
    rm -f "$PIDS/job$job"
  done
  [ $(($(words 1) * SECOND_MB)) -eq $(($(words 2) * FIRST_MB)) ] || die "the results do not fit each other"
  report "$1" "$2"
}

prepare
trap clean_up EXIT
trap 'exit 130' INT TERM
: >"$OUT"
java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.TextGenerator "$RUN/text" $((UNIT_MB << 20)) 7 >/dev/null
# copies of it one after the other must not join their words
printf '\n' | dd of="$RUN/text" bs=1 seek=$(((UNIT_MB << 20) - 1)) conv=notrunc status=none
start_zookeeper
start_vdfs
start_yarn vdfs://real
for job in 1 2; do
  for _ in $(seq $((SIZES[job - 1] / UNIT_MB))); do cat "$RUN/text"; done | fs -put - "/in$job"
done
for run in $(seq "$REPS"); do
  for case in off on; do run_case "$case" "$run"; done
done
