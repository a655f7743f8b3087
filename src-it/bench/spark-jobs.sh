#!/usr/bin/env bash
# spark-jobs.sh HDD_DIR HADOOP_HOME OUT.json
#
# Word counts of PySpark at the same time, Figure 7 of the VeloxDFS paper in small, on VDFS and on HDFS: JOBS
# applications, each in local mode with CORES threads over a file of its own of FILE_MB, one DataNode of each system with
# one copy on an emulated disk of its own (HDD_DIR: the emulator, with hdd.sh), names and Raft log elsewhere, cold cache.
# The time from one commit of ext4's journal to the next is SCALE times longer, too. On HDFS the input is read by Spark's
# textFile, on VDFS by VdfsInputFormat; HDFS has short circuit by its native library, which needs a client of Hadoop of its
# own version: CLIENT_JARS go before those that PySpark brings. Needs root and a Python that has PySpark (PYTHON). The
# systems take turns.
#
# One JSON object per run: seconds until all had ended (batch_s) and until each had; MB that the disk read and per second
# that it was busy (times SCALE), seeks and seeks per second (times SCALE), its busy share of the batch; CPU seconds of
# applications and daemons. "valid" is false, with the reason, if a result is not what awk counts or if the disk read
# less than 95 % of the files: then a cache did.
#
# Settings: PYTHON=python3 CLIENT_JARS=HADOOP_HOME/share/hadoop/client/hadoop-client-{api,runtime}-*.jar (with colons)
# JOBS=4 CORES=2 (also the most splits of a job on VDFS) FILE_MB=128 SCALE=24 (the disk is so many times slower than a real
# one) REPS=1 SYSTEMS="vdfs hdfs" MODEL (more options of the emulator) DISK_GB=20 RUN and those of src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,19p' "$0" >&2; exit 2; }
HDD=$1
HADOOP_HOME=$(realpath "$2")
OUT=$3
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${PYTHON:=python3}" "${JOBS:=4}" "${CORES:=2}" "${FILE_MB:=128}" "${SCALE:=24}" "${REPS:=1}" "${SYSTEMS:=vdfs hdfs}" "${MODEL:=}"
export NODES=1 NODE_CORES=$CORES VDFS_FORMAT="--replication 1 --minimum-split $((FILE_MB / CORES))m"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
BACK=$RUN/disks
VDFS_DATA=$RUN/disk-vdfs/data HDFS_DATA=$RUN/disk-hdfs/data
PATIENCE=$((200 * SCALE < 2000 ? 200 * SCALE : 2000))
VDFS_SITE="vdfs.metadata.dir=$RUN/metadata vdfs.read.round=$((3 * SCALE))s vdfs.write.patience=${PATIENCE}ms ${VDFS_SITE:-}"
CLIENT_SITE="fs.vdfs.read.timeout=$((10 * SCALE))s dfs.client.socket-timeout=$((60000 * SCALE)) ${CLIENT_SITE:-}"
SOCKETS=
MOUNT_OPTS=noatime,commit=$((5 * SCALE))
export HADOOP_HOME RUN BACK VDFS_DATA HDFS_DATA VDFS_SITE CLIENT_SITE MOUNT_OPTS
. "$VDFS_HOME/src-it/real/cluster.sh"
. "$VDFS_HOME/src-it/bench/disks.sh"
ENDS=$RUN/ends
HERE=$VDFS_HOME/src-it/bench

disk_name() { echo "vdfs-spark-$PORT_BASE-$1"; }
uri() { [ "$1" = hdfs ] && echo "hdfs://127.0.0.1:$(port 20)" || echo "vdfs://real"; }
fs() { HADOOP_ROOT_LOGGER=ERROR,console "$HADOOP_HOME/bin/hadoop" fs "$@"; }
stop_jobs() {
  local file
  for file in "$PIDS"/spark-*; do
    [ ! -f "$file" ] || { kill -- "-$(cat "$file")" 2>/dev/null || true; rm "$file"; }
  done
}
clean_up() {
  trap : INT TERM
  stop_jobs
  stop_all
  disks_down
  [ -z "$SOCKETS" ] || rm -rf "$SOCKETS"
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}

make_input() {
  java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.TextGenerator "$RUN/text" $((FILE_MB << 20)) 7 >/dev/null
  LC_ALL=C awk '{ for (i = 1; i <= NF; i++) count[$i]++ } END { for (word in count) print word, count[word] }' "$RUN/text" |
    LC_ALL=C sort >"$RUN/words"
}
load() { # system
  local job
  fs -mkdir -p "$(uri "$1")/in"
  for job in $(seq "$JOBS"); do fs -put "$RUN/text" "$(uri "$1")/in/job$job"; done
}
spark_conf() { # system
  local conf=$RUN/spark-$1
  mkdir -p "$conf"
  client_conf "$(uri "$1")"
  cp "$CONF/core-site.xml" "$conf/"
  [ "$1" = vdfs ] || hdfs_conf "$conf"
  cat >"$conf/spark-defaults.conf" <<CONF
spark.master local[$CORES]
spark.ui.enabled false
spark.driver.host 127.0.0.1
spark.driver.memory 512m
spark.driver.extraClassPath $CLIENT_JARS:$CLIENT_JAR
spark.driver.extraLibraryPath $HADOOP_HOME/lib/native
spark.local.dir $RUN/local
CONF
}
start_job() { # system, job
  local base conf=$RUN/spark-$1 form=io.vdfs.mapreduce.VdfsInputFormat
  base=$(uri "$1")
  [ "$1" = vdfs ] || form=text
  # shellcheck disable=SC2016  # expanded by the inner shell
  SPARK_CONF_DIR=$conf HADOOP_CONF_DIR=$conf PYSPARK_PYTHON=$PYTHON launch "spark-$1-job$2" \
    bash -c '"$@"; echo "$? $EPOCHREALTIME" >"$0"' "$ENDS/$2" "$SPARK/bin/spark-submit" "$HERE/spark_wordcount.py" $form "$base/in/job$2" "$base/out/job$2"
}
ended() {
  local files=("$ENDS"/*)
  [ "${#files[@]}" -eq "$JOBS" ]
}
ticks() { # of all that this script has started and that has ended; of the daemons
  local daemons=0 pid fields name
  for name in "$PIDS"/*; do
    [[ ${name##*/} != spark-* ]] || continue
    fields=$(sed 's/.*) //' "/proc/$(cat "$name")/stat")
    # shellcheck disable=SC2086
    set -- $fields
    daemons=$((daemons + ${12} + ${13}))
  done
  fields=$(sed 's/.*) //' "/proc/$$/stat")
  # shellcheck disable=SC2086
  set -- $fields
  echo "$((${14} + ${15})) $daemons"
}
short_circuits() { # that HDFS's clients made so far
  cat "$LOGS"/datanode*.log | grep -c 'REQUEST_SHORT_CIRCUIT_FDS.*success: true' || true
}

run_case() { # system, run
  local system=$1 job file start spent spent_after shorts disk_did pids=() reasons=
  fs -rm -r -f -skipTrash "$(uri "$system")/out" >/dev/null
  fs -mkdir "$(uri "$system")/out"
  rm -rf "$ENDS"
  mkdir "$ENDS"
  [ "$system" = vdfs ] || shorts=$(short_circuits)
  disks_reset "$(disk_name "$system")"
  spent=$(ticks)
  start=$EPOCHREALTIME
  for job in $(seq "$JOBS"); do start_job "$system" "$job"; done
  until ended; do sleep 0.2; done
  disk_did=$(disks_counters "busy_s read_mb read_seeks write_mb write_seeks flushes" "$(disk_name "$system")")
  for file in "$PIDS"/spark-*; do pids+=("$(cat "$file")"); rm "$file"; done
  wait "${pids[@]}" || true
  spent_after=$(ticks)
  disks_mechanics off
  for job in $(seq "$JOBS"); do
    if ! grep -q '^0 ' "$ENDS/$job"; then
      reasons+=" job $job failed, see $LOGS/spark-$system-job$job.log;"
    elif ! fs -cat "$(uri "$system")/out/job$job/part-*" | LC_ALL=C sort | cmp -s - "$RUN/words"; then
      reasons+=" wrong result of job $job;"
    fi
  done
  [ "$system" = vdfs ] || [ "$(short_circuits)" -gt "$shorts" ] || reasons+=" HDFS made no short circuit;"
  disks_mechanics on
  sort -n -k 2 "$ENDS"/* | awk -v name="$system" -v run="$2" -v start="$start" -v disk="$disk_did" -v spent="$spent $spent_after" \
    -v reasons="$reasons" -v scale="$SCALE" -v jobs="$JOBS" -v cores="$CORES" -v mb="$FILE_MB" -v hz="$(getconf CLK_TCK)" '
    { ends = ends (NR > 1 ? ", " : "") sprintf("%.1f", $2 - start); batch = $2 - start }
    END {
      split(disk, d, " "); split(spent, u, " ")
      if (d[2] < 0.95 * jobs * mb * 1.048576) reasons = reasons sprintf(" the disk read %.0f MB;", d[2])
      printf "{\"system\": \"%s\", \"run\": %d, \"jobs\": %d, \"cores\": %d, \"file_mb\": %d, \"scale\": %s", name, run, jobs, cores, mb, scale
      printf ", \"batch_s\": %.1f, \"ends_s\": [%s], \"read_mb\": %.0f, \"write_mb\": %.0f, \"mb_per_busy_s\": %.1f", batch, ends, d[2], d[4], (d[2] + d[4]) / d[1] * scale
      printf ", \"read_seeks\": %d, \"write_seeks\": %d, \"flushes\": %d, \"seeks_per_s\": %.1f", d[3], d[5], d[6], (d[3] + d[5]) / batch * scale
      printf ", \"busy_s\": %.1f, \"busy_share\": %.2f, \"application_cpu_s\": %.1f, \"daemon_cpu_s\": %.1f", d[1], d[1] / batch, (u[3] - u[1]) / hz, (u[4] - u[2]) / hz
      printf ", \"valid\": %s", reasons == "" ? "true" : "false"
      if (reasons != "") printf ", \"reason\": \"%s\"", substr(reasons, 2)
      print "}"
    }' | tee -a "$OUT" >&2
}

trap clean_up EXIT
trap 'exit 130' INT TERM
prepare
SPARK=$("$PYTHON" -c 'import pyspark; print(pyspark.__path__[0])') || die "no PySpark for PYTHON=$PYTHON: pip install pyspark"
: "${CLIENT_JARS:=$(ls "$HADOOP_HOME"/share/hadoop/client/hadoop-client-{api,runtime}-*.jar 2>/dev/null | paste -sd :)}"
[ -n "$CLIENT_JARS" ] || die "no client of Hadoop in $HADOOP_HOME/share/hadoop/client: set CLIENT_JARS"
# libhadoop takes a socket only below directories that others cannot write to
SOCKETS=$(mktemp -d /run/vdfs-spark.XXXXXX)
HDFS_SITE="dfs.client.read.shortcircuit=true dfs.domain.socket.path=$SOCKETS/datanode ${HDFS_SITE:-}"
: >"$OUT"
make_input
start_zookeeper
for system in $SYSTEMS; do
  disk_up "$(disk_name "$system")" "$RUN/disk-$system" "scale=$SCALE $MODEL"
  mkdir -p "$RUN/disk-$system/data1"
  "start_$system"
  load "$system"
  spark_conf "$system"
done
sync
disks_mechanics on
for run in $(seq "$REPS"); do
  for system in $SYSTEMS; do run_case "$system" "$run"; done
done
