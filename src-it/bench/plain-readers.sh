#!/usr/bin/env bash
# plain-readers.sh HDD_DIR HADOOP_HOME OUT.json
#
# What a spinning disk does under 1 to 16 threads that each read 128 MiB ranges of eight 256 MiB files through
# FSDataInputStream, on VDFS and on HDFS 3.4.2, one DataNode each, both on an emulated disk of its own (HDD_DIR: the
# emulator, with hdd.sh), cold cache each time. Needs root. The systems take turns within each repetition.
#
# One JSON object per line, medians of REPS runs: MB per second that the disk was busy, read seeks per GB and MB
# that the disk delivered, seconds on the clock. "valid" is false if the disk delivered less than 95 % of the bytes
# in any of the runs: then a cache did, and the row says nothing. Every byte is checked against what was written.
#
# Beside OUT.json goes OUT.svg: MB per busy second by threads, or by read-ahead if there are several.
#
# Settings: THREADS="1 2 4 8 16" REPS=3 SYSTEMS="hdfs vdfs" READ_AHEAD=512m (a list is swept, for VDFS) READ_ORDER=elevator,
# MODELS (a list of emulator options joined with commas, one round of measurements each; "default" is the default
# model), DISK_GB=20, RUN and those of src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,19p' "$0" >&2; exit 2; }
HDD=$(cd "$1" && pwd)/hdd.sh
HADOOP_HOME=$2
OUT=$3
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${THREADS:=1 2 4 8 16}" "${REPS:=3}" "${SYSTEMS:=hdfs vdfs}" "${READ_AHEAD:=512m}" "${READ_ORDER:=elevator}"
: "${MODELS:=default}" "${DISK_GB:=20}"
export NODES=1 VDFS_FORMAT="--replication 1"
REMOVE_RUN=${RUN:+no}
RUN=${RUN:-$(mktemp -d)}
BACK=$RUN/disks
VDFS_DATA=$RUN/disk-vdfs/data HDFS_DATA=$RUN/disk-hdfs/data
settings() { # read-ahead
  export VDFS_SITE="vdfs.metadata.dir=$RUN/metadata vdfs.read.ahead=$1 vdfs.read.order=$READ_ORDER"
}
settings "${READ_AHEAD%% *}"
export HADOOP_HOME RUN BACK VDFS_DATA HDFS_DATA
. "$VDFS_HOME/src-it/real/cluster.sh"

BYTES=$((2 << 30))
RESULTS=$RUN/results
DISKS=()

hdd() { "$HDD" "$@"; }
clean_up() {
  stop_all
  take_disks_down
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
take_disks_down() {
  local name
  for name in "${DISKS[@]}"; do hdd down "$name" || true; done
  DISKS=()
}
disk_name() { echo "vdfs-bench-$1"; }
uri() { [ "$1" = hdfs ] && echo "hdfs://127.0.0.1:$(port 20)/bench" || echo "vdfs://real/bench"; }

put_disks_up() { # emulator options
  local system
  for system in $SYSTEMS; do
    HDD_OPTS=$1 hdd up "$DISK_GB" "$RUN/disk-$system" "$(disk_name "$system")"
    DISKS+=("$(disk_name "$system")")
    mkdir -p "$RUN/disk-$system/data1"
    hdd model off "$(disk_name "$system")"
  done
}
load() { # system
  HADOOP_CLASSPATH=$VDFS_HOME/src-it/target/classes:$CLIENT_JAR HADOOP_CLIENT_OPTS=-Xmx512m \
    "$HADOOP_HOME/bin/hadoop" io.vdfs.it.bench.PlainReaders write "$(uri "$1")" >"$LOGS/load-$1.log" 2>&1 ||
    die "cannot load $1; see $LOGS/load-$1.log"
}
number() { # key, from the JSON on standard input
  sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" | head -n 1
}
use_read_ahead() { # read-ahead
  settings "$1"
  stop vdfs1
  start_vdfs_node 1
  await VDFS 60 "$HADOOP_HOME/bin/hadoop" fs -ls vdfs://real/bench
}
measure() { # model, system, threads, read-ahead
  local disk stats seconds
  disk=$(disk_name "$2")
  sync
  echo 3 >/proc/sys/vm/drop_caches
  hdd reset "$disk"
  seconds=$(HADOOP_CLASSPATH=$VDFS_HOME/src-it/target/classes:$CLIENT_JAR \
    HADOOP_CLIENT_OPTS="-Xmx1g -XX:MaxDirectMemorySize=1500m" HADOOP_ROOT_LOGGER=ERROR,console \
    "$HADOOP_HOME/bin/hadoop" io.vdfs.it.bench.PlainReaders read "$(uri "$2")" "$3" 2>"$LOGS/read-$2.log") ||
    die "reading failed on $2 with $3 threads; see $LOGS/read-$2.log"
  stats=$(hdd stats "$disk")
  echo "$stats" >>"$RUN/stats-$2"
  echo "$1 $2 $3 $(number busy_s <<<"$stats") $(number read_mb <<<"$stats") $(number read_seeks <<<"$stats")" \
    "$(number late_s <<<"$stats") ${seconds##*$'\n'} $4" | tee -a "$RESULTS" >&2
}

prepare
trap clean_up EXIT
trap 'exit 130' INT TERM
: >"$RESULTS"
for model in $MODELS; do
  options=${model//,/ }
  put_disks_up "${options/default/}"
  start_zookeeper
  for system in $SYSTEMS; do
    "start_$system"
    load "$system"
  done
  sync
  for system in $SYSTEMS; do hdd model on "$(disk_name "$system")"; done
  for rep in $(seq "$REPS"); do
    for ahead in $READ_AHEAD; do
      [ "$READ_AHEAD" = "$ahead" ] || [[ $SYSTEMS != *vdfs* ]] || use_read_ahead "$ahead"
      for threads in $THREADS; do
        for system in $SYSTEMS; do
          [ "$system" = hdfs ] && [ "$ahead" != "${READ_AHEAD%% *}" ] || measure "$model" "$system" "$threads" "$ahead"
        done
      done
    done
  done
  stop_all
  take_disks_down
  rm -rf "$RUN"/{name,metadata,zookeeper,tmp,disk-*,hdfs-conf*}
done

awk -v bytes="$BYTES" -v order="$READ_ORDER" '
  {
    key = $1 " " $2 " " $3 " " $9
    if (!(key in runs)) keys[++n] = key
    r = ++runs[key]
    rate[key, r] = $5 / $4; seeks[key, r] = $6 / $5 * 1000; mb[key, r] = $5; late[key, r] = $7 / $4; wall[key, r] = $8
    if ($5 * 1e6 < 0.95 * bytes) invalid[key] = 1
  }
  function median(values, key, n,   i, j, t, sorted) {
    for (i = 1; i <= n; i++) sorted[i] = values[key, i]
    for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (sorted[j] < sorted[i]) { t = sorted[i]; sorted[i] = sorted[j]; sorted[j] = t }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
  }
  END {
    for (k = 1; k <= n; k++) {
      key = keys[k]; split(key, part, " "); r = runs[key]
      printf "{\"model\": \"%s\", \"system\": \"%s\", \"threads\": %d, \"runs\": %d, \"mb_per_busy_s\": %.1f, \"read_seeks_per_gb\": %.0f, \"disk_mb\": %.0f, \"valid\": %s, \"late_share\": %.3f, \"seconds\": %.1f",
        part[1], part[2], part[3], r, median(rate, key, r), median(seeks, key, r), median(mb, key, r), (key in invalid) ? "false" : "true", median(late, key, r), median(wall, key, r)
      if (part[2] == "vdfs") printf ", \"read_ahead\": \"%s\", \"order\": \"%s\"", part[4], order
      print "}"
    }
  }' "$RESULTS" >"$OUT"
cat "$OUT" >&2
chart() { # x, lines
  java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.SvgChart /dev/stdin "${OUT%.json}.svg" \
    "Plain readers on a spinning disk: MB per second that the disk was busy" "$1" mb_per_busy_s "$2"
}
case $READ_AHEAD in
  *" "*) grep read_ahead "$OUT" | chart read_ahead system,threads,model ;;
  *) chart threads system,model <"$OUT" ;;
esac
