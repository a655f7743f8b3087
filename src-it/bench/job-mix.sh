#!/usr/bin/env bash
# job-mix.sh HDD_DIR HADOOP_HOME OUT.json
#
# The seven jobs of Figure 6 of the VeloxDFS paper, scaled down, on VDFS and on HDFS 3.4.2: real daemons, one DataNode
# each with one copy, its blocks on an emulated disk of its own (HDD_DIR: the emulator, with hdd.sh), names and Raft log
# elsewhere, real YARN, cold cache each time. Needs root. The jobs are those of the examples jar, each over a file of
# its own: grep of 4 units at once, grep of 2 at 50 s, wordcount of 1 at 90 s, wordcount of 2 at 120 s,
# aggregatewordcount of 1 at 160 s, grep of 1 at 190 s and wordcount of 1 at 220 s, these times ARRIVAL_SCALE. A unit,
# UNIT_MB, is a text that is the same in all files. Cases, SYSTEM-SCHEDULING, of vdfs and hdfs each:
#
#   capacity    CapacityScheduler, first in first out, as the paper's, NODE_CORES tasks at a time
#   fair        FairScheduler (drf), NODE_CORES tasks at a time
#   overcommit  FACTOR times as many: the plug-in io.vdfs.yarn.OvercommitListener in the NodeManager, CapacityScheduler
#               with ordering-policy=fair, as docs/overcommit.md has it; overcommit4 and the like: 4 times as many
#   adaptive    likewise, 1 to FACTOR times as many, as the plug-in measures; for vdfs alone
#
# A task takes TASK_VCORES vcores and an ApplicationMaster one, and the node has TASK_VCORES - 1 beside those for tasks:
# so masters, few beside the tasks of a cluster, take no task's place. The factor of the plug-in follows from that.
# VDFS's jobs have VdfsInputFormat (aggregatewordcount would set another one: see io.vdfs.it.bench.AggregateJob, which
# starts it on both systems). HDFS has short circuit by its native library and does not force at close.
#
# One JSON object per run, in the order of the runs: seconds by the clock from the first submission to the last end
# (batch_s), of each job from the start of its client to its end (turnaround_s; mean_turnaround_s), CPU seconds of its
# tasks by its counters (task_cpu_s); what an adaptive node changed, as seconds:vcores:MiB (changes); containers; MB (10^6
# bytes) read and written, seeks, flushes and busy seconds of the disk, MB per second that it was busy (times SCALE), its
# busy share of the batch; CPU seconds, user and system, of containers, daemons and clients; the share of the batch that
# the machine's processors were idle; load average, the mean of one look every 5 s. "valid" is false, with the reason, if
# a job failed, a result is not what grep and awk find in the text, HDFS made no short circuit, or the disk read less than
# 95 % of the inputs: then a cache did. Beside OUT.json go OUT-SYSTEM-SCHEDULING.svg (-2.svg for a second run): the life
# span of each container, by the NodeManager's log, all plots on one scale.
#
# The disk is SCALE times slower than a real one, so that this machine has as many cores per disk as it should. The
# times that clients wait for an answer, the round of VDFS's readers, its patience with writers and, on both systems, the
# time from one commit of ext4's journal to the next are SCALE times longer too; what else the kernel does by time is not.
# The JVMs of ApplicationMasters and clients, which have other processors in a cluster, compile with C1 alone (AM_OPTS).
#
# Settings: CASES="vdfs-capacity vdfs-fair vdfs-overcommit hdfs-capacity hdfs-fair hdfs-overcommit" (in this order; a
# case that is named twice runs twice) SCALE=10 UNIT_MB=256 ARRIVAL_SCALE=0.6 NODE_CORES=2 (also the most splits of a
# job on VDFS) FACTOR=7 (room for all seven jobs; the paper has 4) TASK_VCORES=8 SPLIT_MB (the least split of VDFS;
# UNIT_MB / NODE_CORES, 128 at most) HDFS_BLOCK_MB=128 STAGING=unforced (how VDFS closes the files in the staging
# directory; forced for its default) OUTPUT=forced (how it closes the files of the jobs' outputs; HDFS forces none)
# COMMIT_S (of ext4; 5 * SCALE) CONTAINER_MB=512 NM_MEMORY (room for all tasks and seven masters) LIMIT_S=1800 (of a
# run), MODEL (more options of the emulator, blanks between), DISK_GB=20, RUN and those of src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,43p' "$0" >&2; exit 2; }
HDD=$1
HADOOP_HOME=$(realpath "$2")
OUT=$3
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${CASES:=vdfs-capacity vdfs-fair vdfs-overcommit hdfs-capacity hdfs-fair hdfs-overcommit}" "${SCALE:=10}" "${UNIT_MB:=256}"
: "${ARRIVAL_SCALE:=0.6}" "${NODE_CORES:=2}" "${FACTOR:=7}" "${TASK_VCORES:=8}" "${HDFS_BLOCK_MB:=128}" "${STAGING:=unforced}" "${OUTPUT:=forced}"
: "${SPLIT_MB:=$((UNIT_MB / NODE_CORES < 128 ? UNIT_MB / NODE_CORES : 128))}" "${CONTAINER_MB:=512}" "${LIMIT_S:=1800}" "${MODEL:=}"
KINDS=(grep grep wordcount wordcount aggregatewordcount grep wordcount)
UNITS=(4 2 1 2 1 1 1)
ARRIVALS=(0 50 90 120 160 190 220)
JOBS=${#KINDS[@]}
: "${PORT_BASE:=18000}" "${COMMIT_S:=$((5 * SCALE))}" "${NM_MEMORY:=$((CONTAINER_MB * (JOBS + NODE_CORES * FACTOR)))}"
export NODES=1 NODE_CORES NM_MEMORY CONTAINER_MB HDFS_BLOCK=$((HDFS_BLOCK_MB << 20))
export VDFS_FORMAT="--replication 1 --minimum-split ${SPLIT_MB}m"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
BACK=$RUN/disks
VDFS_DATA=$RUN/disk-vdfs/data HDFS_DATA=$RUN/disk-hdfs/data
PATIENCE=$((200 * SCALE < 2000 ? 200 * SCALE : 2000))
VDFS_SITE="vdfs.metadata.dir=$RUN/metadata vdfs.metrics.port=$((PORT_BASE + 863)) vdfs.read.round=$((3 * SCALE))s vdfs.write.patience=${PATIENCE}ms vdfs.zookeeper.session.timeout=60s ${VDFS_SITE:-}"
SOCKETS=
CLIENT_SITE="fs.vdfs.read.timeout=$((10 * SCALE))s dfs.client.socket-timeout=$((60000 * SCALE)) ${CLIENT_SITE:-}"
MOUNT_OPTS=noatime,commit=$COMMIT_S
: "${AM_OPTS:=-XX:TieredStopAtLevel=1}"
export HADOOP_HOME RUN BACK VDFS_DATA HDFS_DATA VDFS_SITE CLIENT_SITE MOUNT_OPTS
. "$VDFS_HOME/src-it/real/cluster.sh"
. "$VDFS_HOME/src-it/bench/disks.sh"

EXAMPLES=$(ls "$HADOOP_HOME"/share/hadoop/mapreduce/hadoop-mapreduce-examples-*.jar)
PROGRAMS=$VDFS_HOME/src-it/target/classes
STAGING_DIR=/tmp/hadoop-yarn/staging
SPANS=$RUN/spans
ENDS=$RUN/ends
LABELS=()

disk_name() { echo "vdfs-mix-$PORT_BASE-$1"; }
fs() { HADOOP_ROOT_LOGGER=ERROR,console "$HADOOP_HOME/bin/hadoop" fs "$@"; }
uri() { [ "$1" = hdfs ] && echo "hdfs://127.0.0.1:$(port 20)" || echo "vdfs://real"; }
used() { [[ " $CASES" == *" $1-"* ]]; } # system
container_pids() { pgrep -f "yarn.app.container.log.dir=$RUN/containers"; }
containers_gone() { ! container_pids >/dev/null; }
stop_jobs() { # clients, each with its process group, and what watches the load
  local file
  for file in "$PIDS"/mix-*; do
    [ ! -f "$file" ] || { kill -- "-$(cat "$file")" 2>/dev/null || true; rm "$file"; }
  done
}
clean_up() {
  trap : INT TERM
  stop_jobs
  stop_all
  container_pids | xargs -r kill -KILL || true
  disks_down
  [ -z "$SOCKETS" ] || rm -rf "$SOCKETS"
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}

make_input() {
  java -cp "$PROGRAMS" io.vdfs.it.bench.TextGenerator "$RUN/text" $((UNIT_MB << 20)) 7 >/dev/null
  # copies of it one after the other must not join their words
  printf '\n' | dd of="$RUN/text" bs=1 seek=$(((UNIT_MB << 20) - 1)) conv=notrunc status=none
  LC_ALL=C grep -oE 'NEEDLE[0-9]+' "$RUN/text" | LC_ALL=C sort | uniq -c | awk '{ print $2, $1 }' >"$RUN/needles"
  LC_ALL=C awk '{ for (i = 1; i <= NF; i++) count[$i]++ } END { for (word in count) print word, count[word] }' "$RUN/text" |
    LC_ALL=C sort >"$RUN/words"
}
load() { # system
  local job copy base
  base=$(uri "$1")
  fs -mkdir -p "$base/in" "$base$STAGING_DIR"
  for job in $(seq "$JOBS"); do
    for copy in $(seq "${UNITS[job - 1]}"); do cat "$RUN/text"; done | fs -put - "$base/in/job$job" || die "cannot load $1"
  done
  [ "$1" = hdfs ] || [ "$STAGING" = forced ] || fs -setfattr -n user.vdfs.close -v "$STAGING" "$base$STAGING_DIR"
}

vcores() { # tasks at a time
  echo $((TASK_VCORES * $1 + TASK_VCORES - 1))
}
advertised() { # vcores, as the ResourceManager has them
  (exec 3<>"/dev/tcp/127.0.0.1/$(port 88)" && printf 'GET /ws/v1/cluster/metrics HTTP/1.0\r\n\r\n' >&3 && cat <&3) |
    sed -n 's/.*"totalVirtualCores":\([0-9]*\).*/\1/p'
}
start_scheduling() { # system, scheduling
  local package=org.apache.hadoop.yarn.server.resourcemanager.scheduler ordering=fifo found factor
  YARN_SITE="yarn.scheduler.maximum-allocation-vcores=$TASK_VCORES"
  VCORES=$(vcores "$NODE_CORES")
  NM_VCORES=$VCORES
  case $2 in
    capacity) ;;
    fair)
      YARN_SITE+=" yarn.resourcemanager.scheduler.class=$package.fair.FairScheduler yarn.scheduler.fair.allocation.file=$RUN/fair.xml"
      YARN_SITE+=" yarn.scheduler.fair.user-as-default-queue=false"
      # masters may take what they need
      sed 's|<queueMaxAMShareDefault>[^<]*|<queueMaxAMShareDefault>-1.0|' "$VDFS_HOME/conf/yarn/fair-scheduler.xml" >"$RUN/fair.xml" ;;
    overcommit* | adaptive)
      ordering=fair
      NM_VCORES=-1
      YARN_SITE+=" yarn.nodemanager.container-state-transition-listener.classes=io.vdfs.yarn.OvercommitListener"
      if [ "$2" = adaptive ]; then
        YARN_SITE+=" vdfs.yarn.overcommit.mode=adaptive vdfs.yarn.overcommit.datanode=127.0.0.1:$(port 863)"
        YARN_SITE+=" vdfs.yarn.overcommit.factor.min=$(plug_in_factor "$VCORES")"
        YARN_SITE+=" vdfs.yarn.overcommit.factor.max=$(plug_in_factor "$(vcores $((NODE_CORES * FACTOR)))")"
        YARN_SITE+=" yarn.nodemanager.container-monitor.procfs-tree.smaps-based-rss.enabled=true"
      else
        factor=${2#overcommit}
        VCORES=$(vcores $((NODE_CORES * ${factor:-$FACTOR})))
        YARN_SITE+=" vdfs.yarn.overcommit.factor=$(plug_in_factor "$VCORES")"
      fi ;;
    *) die "unknown scheduling: $2" ;;
  esac
  CAPACITY_SITE="yarn.scheduler.capacity.maximum-am-resource-percent=1 yarn.scheduler.capacity.root.default.ordering-policy=$ordering"
  start_yarn "$(uri "$1")"
  found=$(advertised)
  [ "$found" = "$VCORES" ] || die "the node advertises $found vcores instead of $VCORES; see $LOGS/nodemanager*.log"
}
plug_in_factor() { # vcores
  awk -v vcores="$1" -v processors="$(nproc)" 'BEGIN { printf "%.4f", vcores / processors }'
}

job_log() { # label, job
  echo "$LOGS/mix-$1-job$2.log"
}
start_job() { # system, label, job
  local base out options=() command=() classes=$HADOOP_CLASSPATH
  base=$(uri "$1")
  out=$base/out/job$3
  options=(-Dmapreduce.job.reduce.slowstart.completedmaps=1.0 -Dmapreduce.map.speculative=false -Dmapreduce.reduce.speculative=false)
  options+=(-Dmapreduce.map.cpu.vcores="$TASK_VCORES" -Dmapreduce.reduce.cpu.vcores="$TASK_VCORES" -Dmapreduce.job.ubertask.enable=false)
  [ "$1" = hdfs ] || options+=(-Dmapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat)
  case ${KINDS[$3 - 1]} in
    grep) command=(jar "$EXAMPLES" grep "${options[@]}" "$base/in/job$3" "$out" 'NEEDLE[0-9]+') ;;
    wordcount) command=(jar "$EXAMPLES" wordcount "${options[@]}" "$base/in/job$3" "$out") ;;
    aggregatewordcount)
      classes=$PROGRAMS:$classes
      options+=(-Dmapreduce.aggregate.user.jar.file="$EXAMPLES" -Dmapreduce.aggregate.descriptor.num=1)
      # shellcheck disable=SC2016  # a nested class
      options+=('-Dmapreduce.aggregate.descriptor.0=UserDefined,org.apache.hadoop.examples.AggregateWordCount$WordCountPlugInClass')
      command=(io.vdfs.it.bench.AggregateJob "${options[@]}" "$base/in/job$3" "$out") ;;
  esac
  # shellcheck disable=SC2016  # expanded by the inner shell
  HADOOP_CLASSPATH=$classes HADOOP_CLIENT_OPTS="-Xmx256m $AM_OPTS" launch "mix-$2-job$3" \
    bash -c '"$@"; echo "$? $(date +%s.%3N)" >"$0"' "$ENDS/$3" "$HADOOP_HOME/bin/hadoop" "${command[@]}"
}
check() { # job
  local expected=words
  [ "${KINDS[$1 - 1]}" != grep ] || expected=needles
  cat "$RUN/results/job$1"/part-r-* | awk -v expected=$expected -v copies="${UNITS[$1 - 1]}" '
    expected == "needles" { print $2, $1 / copies }
    expected == "words" { print $1, $2 / copies }' | LC_ALL=C sort | cmp -s - "$RUN/$expected"
}

short_circuits() { # that HDFS's clients made so far
  cat "$LOGS"/datanode*.log | grep -c 'REQUEST_SHORT_CIRCUIT_FDS.*success: true' || true
}
sleep_until() { # microseconds since the epoch; in short steps, so that a signal counts soon
  local left
  while left=$(($1 - ${EPOCHREALTIME/[.,]/})) && [ $left -gt 0 ]; do
    sleep "$(awk -v us=$left 'BEGIN { print us < 1e6 ? us / 1e6 : 1 }')"
  done
}
ended() {
  local files=("$ENDS"/*)
  [ "${#files[@]}" -eq "$JOBS" ]
}
cpu_ticks() { # pids; own ticks, and those of children that have ended
  local pid own=0 children=0 fields
  for pid in "$@"; do
    fields=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null) || continue
    # shellcheck disable=SC2086
    set -- $fields
    own=$((own + ${12} + ${13}))
    children=$((children + ${14} + ${15}))
  done
  echo "$own $children"
}
ticks() { # of containers, daemons, clients; of the machine, all and idle
  local daemons=() file containers own clients
  for file in "$PIDS"/*; do [[ ${file##*/} == mix-* ]] || daemons+=("$(cat "$file")"); done
  read -r own _ < <(cpu_ticks "${daemons[@]}")
  read -r _ containers < <(cpu_ticks "$(cat "$PIDS/nodemanager1")")
  read -r _ clients < <(cpu_ticks $$)
  echo "$containers $own $clients"
}
machine_ticks() { # all, and idle
  awk '$1 == "cpu" { for (i = 2; i <= 9; i++) all += $i; print all, $5 + $6 }' /proc/stat
}

changes() { # start in seconds since the epoch
  awk -v start="$1" "$LOG_TIME"'
    match($0, /This node advertises [0-9]+ vcores and [0-9]+ MiB/) {
      at = log_time($1, $2) - start
      split(substr($0, RSTART, RLENGTH), word, " ")
      if (at >= 0) printf "%s%.0f:%d:%d", n++ ? " " : "", at, word[4], word[7]
    }' "$LOGS"/nodemanager*.log
}
write_spans() { # label, start in seconds since the epoch
  local job logs=()
  for job in $(seq "$JOBS"); do
    logs+=("$(job_log "$1" "$job")")
    awk -v start="$2" -v arrival="$(cat "$ENDS.$job")" -v what="${KINDS[job - 1]}, $((UNITS[job - 1] * UNIT_MB)) MB" \
      '{ printf "%.1f %.1f %s\n", arrival - start, $2 - start, what }' "$ENDS/$job"
  done >"$SPANS/$1.jobs"
  awk -v start="$2" "$LOG_TIME"'
    /Submitted application application_/ {
      file = FILENAME
      gsub(/.*-job|[.]log$/, "", file)
      sub(/.*application_/, "")
      job[$1] = file
    }
    / Container container_.* transitioned from / {
      match($0, /container_[0-9_]+/)
      id = substr($0, RSTART + 10, RLENGTH - 10)
      if (/ to RUNNING/) begin[id] = log_time($1, $2) - start
      if (/ from RUNNING to /) end[id] = log_time($1, $2) - start
    }
    END {
      for (id in begin) {
        split(id, part, "_")
        application = part[1] "_" part[2]
        if (id in end && application in job) printf "%d %.2f %.2f\n", job[application], begin[id], end[id]
      }
    }' "${logs[@]}" "$LOGS"/nodemanager*.log | sort -k 1,1n -k 2,2n >"$SPANS/$1"
}
draw() { # all that ran so far, on the scale of the longest
  local label system longest
  longest=$(awk '$2 > most { most = $2 } END { print most + 0 }' "$SPANS"/*.jobs)
  for label in "${LABELS[@]}"; do
    system=${label%%-*}
    java -cp "$PROGRAMS" io.vdfs.it.bench.ContainerPlot "$SPANS/$label" "$SPANS/$label.jobs" "${OUT%.json}-$label.svg" \
      "$longest" "${system^^}, ${label#*-}: life spans of containers"
  done
}

run_case() { # system, scheduling, label
  local system=$1 label=$3 disk job file start limit shorts spent spent_after machine machine_after disk_did pids=() reasons=()
  disk=$(disk_name "$system")
  fs -rm -r -f -skipTrash "$(uri "$system")/out" >/dev/null
  fs -mkdir "$(uri "$system")/out"
  [ "$system" = hdfs ] || fs -setfattr -n user.vdfs.close -v "$OUTPUT" "$(uri "$system")/out"
  start_scheduling "$system" "$2"
  rm -rf "$ENDS" "$ENDS".*
  mkdir "$ENDS"
  disks_reset "$disk"
  launch mix-load bash -c 'while sleep 5; do cut -d " " -f 1 /proc/loadavg; done'
  [ "$system" = vdfs ] || shorts=$(short_circuits)
  spent=$(ticks)
  machine=$(machine_ticks)
  start=$EPOCHREALTIME
  for job in $(seq "$JOBS"); do
    sleep_until "$(awk -v start="$start" -v at="${ARRIVALS[job - 1]}" -v scale="$ARRIVAL_SCALE" 'BEGIN { printf "%.0f", (start + at * scale) * 1e6 }')"
    echo "$EPOCHREALTIME" >"$ENDS.$job"
    start_job "$system" "$label" "$job"
  done
  limit=$((SECONDS + LIMIT_S))
  until ended || [ $SECONDS -ge $limit ]; do sleep 0.5; done
  disk_did=$(disks_counters "busy_s read_mb write_mb read_seeks write_seeks flushes late_s" "$disk")
  machine_after=$(machine_ticks)
  disks_mechanics off
  for file in "$PIDS"/mix-*; do pids+=("$(cat "$file")"); done
  stop_jobs
  for job in "${pids[@]}"; do wait "$job" 2>/dev/null || true; done
  for _ in $(seq 60); do containers_gone && break || sleep 1; done
  spent_after=$(ticks)
  rm -rf "$RUN/results"
  fs -get "$(uri "$system")/out" "$RUN/results" || true
  for job in $(seq "$JOBS"); do
    if [ ! -f "$ENDS/$job" ]; then
      echo "124 $EPOCHREALTIME" >"$ENDS/$job"
      reasons+=("job $job not done $LIMIT_S s after the last arrival")
    elif ! grep -q '^0 ' "$ENDS/$job"; then
      reasons+=("job $job failed, see $(job_log "$label" "$job")")
    elif ! check "$job"; then
      reasons+=("wrong result of job $job")
    fi
  done
  [ "$system" = vdfs ] || [ "$(short_circuits)" -gt "$shorts" ] || reasons+=("HDFS made no short circuit")
  write_spans "$label" "$start"
  stop_yarn
  container_pids | xargs -r kill -KILL || true
  report "$label" "$start" "$disk_did" "$spent $spent_after" "$machine $machine_after" "${reasons[*]/%/;}"
  LABELS+=("$label")
  draw
  disks_mechanics on
}
report() { # label, start, counters of the disk, ticks before and after of what ran, of the machine, reasons
  local job
  for job in $(seq "$JOBS"); do
    awk '
      FILENAME ~ /\/ends\./ { arrival = $1; next }
      FILENAME ~ /\/ends\// { end = $2; next }
      /CPU time spent \(ms\)=/ { sub(/.*=/, ""); cpu += $0 }
      END { printf "%.1f %.1f %.3f\n", end - arrival, cpu / 1e3, end }' "$ENDS.$job" "$ENDS/$job" "$(job_log "$1" "$job")"
  done | awk -v label="$1" -v start="$2" -v disk="$3" -v spent="$4" -v machine="$5" -v reasons="$6" -v hz="$(getconf CLK_TCK)" \
    -v scale="$SCALE" -v unit="$UNIT_MB" -v units="${UNITS[*]}" -v arrival_scale="$ARRIVAL_SCALE" -v cores="$NODE_CORES" \
    -v changes="$(changes "$2")" -v vcores="$VCORES" -v block="$HDFS_BLOCK_MB" -v commit="$COMMIT_S" -v staging="$STAGING" -v output="$OUTPUT" -v containers="$(wc -l <"$SPANS/$1")" \
    -v load="$(awk '{ n += $1 } END { printf "%.1f", n / (NR ? NR : 1) }' "$LOGS/mix-load.log")" '
    {
      turnaround = turnaround (NR > 1 ? ", " : "") $1
      mean += $1
      cpu = cpu (NR > 1 ? ", " : "") $2
      if ($3 > last) last = $3
    }
    END {
      split(label, part, "-"); split(disk, d, " "); split(spent, u, " "); split(machine, m, " ")
      for (i = split(units, n, " "); i; i--) input += n[i] * unit * 1.048576
      if (d[2] < 0.95 * input) reasons = reasons sprintf(" the disk read %.0f of %.0f MB;", d[2], input)
      batch = last - start
      printf "{\"case\": \"%s-%s\", \"system\": \"%s\", \"scheduling\": \"%s\", \"run\": %d", part[1], part[2], part[1], part[2], part[3] == "" ? 1 : part[3]
      printf ", \"scale\": %s, \"commit_s\": %d, \"unit_mb\": %d, \"arrival_scale\": %s, \"node_cores\": %d, \"vcores\": %d", scale, commit, unit, arrival_scale, cores, vcores
      if (part[1] == "hdfs") printf ", \"block_mb\": %s", block
      else printf ", \"staging\": \"%s\", \"output\": \"%s\"", staging, output
      if (part[2] == "adaptive") printf ", \"changes\": \"%s\"", changes
      printf ", \"batch_s\": %.1f, \"turnaround_s\": [%s], \"mean_turnaround_s\": %.1f", batch, turnaround, mean / NR
      printf ", \"task_cpu_s\": [%s], \"containers\": %d", cpu, containers
      printf ", \"mb_per_busy_s\": %.1f, \"read_mb\": %.0f, \"write_mb\": %.0f, \"read_seeks\": %d, \"write_seeks\": %d, \"flushes\": %d", (d[2] + d[3]) / d[1] * scale, d[2], d[3], d[4], d[5], d[6]
      printf ", \"busy_s\": %.1f, \"busy_share\": %.2f, \"late_share\": %.3f", d[1], d[1] / batch, d[7] / d[1]
      printf ", \"container_cpu_s\": %.1f, \"daemon_cpu_s\": %.1f, \"client_cpu_s\": %.1f", (u[4] - u[1]) / hz, (u[5] - u[2]) / hz, (u[6] - u[3]) / hz
      printf ", \"idle_share\": %.2f, \"load\": %s, \"valid\": %s", (m[4] - m[2]) / (m[3] - m[1]), load, reasons == "" ? "true" : "false"
      if (reasons != "") { sub(/;$/, "", reasons); gsub(/["\\]/, "", reasons); printf ", \"reason\": \"%s\"", reasons }
      print "}"
    }' | tee -a "$OUT" >&2
}

for case in $CASES; do
  [[ $case =~ ^((vdfs|hdfs)-(capacity|fair|overcommit[0-9]*)|vdfs-adaptive)$ ]] || { echo "job-mix.sh: unknown case: $case" >&2; exit 2; }
done
trap clean_up EXIT
trap 'exit 130' INT TERM
prepare
# libhadoop takes a socket only below directories that others cannot write to
SOCKETS=$(mktemp -d /run/vdfs-job-mix.XXXXXX)
HDFS_SITE="dfs.client.read.shortcircuit=true dfs.domain.socket.path=$SOCKETS/datanode ${HDFS_SITE:-}"
YARN_JAR=$(ls "$VDFS_HOME"/vdfs-yarn/target/vdfs-yarn-*.jar 2>/dev/null | grep -v -e -tests -e -sources | head -n 1 || true)
[ -n "$YARN_JAR" ] || die "not built: run 'mvn -DskipTests package' in $VDFS_HOME"
export HADOOP_CLASSPATH=$HADOOP_CLASSPATH:$YARN_JAR
mkdir -p "$SPANS"
: >"$OUT"
make_input
start_zookeeper
for system in vdfs hdfs; do
  used "$system" || continue
  disk_up "$(disk_name "$system")" "$RUN/disk-$system" "scale=$SCALE $MODEL"
  mkdir -p "$RUN/disk-$system/data1"
  "start_$system"
  load "$system"
done
sync
disks_mechanics on
declare -A RUNS=()
for case in $CASES; do
  RUNS[$case]=$((${RUNS[$case]:-0} + 1))
  run_case "${case%-*}" "${case#*-}" "$case$([ "${RUNS[$case]}" = 1 ] || echo "-${RUNS[$case]}")"
done
