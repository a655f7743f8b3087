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
# model), SCRUB= (MB per second at which VDFS's scrubber reads all that there is, from its start with each run on; none
# by default), DISK_GB=20, RUN and those of src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,17p' "$0" >&2; exit 2; }
HDD=$1
HADOOP_HOME=$(realpath "$2")
OUT=$3
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${THREADS:=1 2 4 8 16}" "${REPS:=3}" "${SYSTEMS:=hdfs vdfs}" "${READ_AHEAD:=512m}" "${READ_ORDER:=elevator}"
: "${MODELS:=default}" "${SCRUB:=}"
export NODES=1 VDFS_FORMAT="--replication 1"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
BACK=$RUN/disks
VDFS_DATA=$RUN/disk-vdfs/data HDFS_DATA=$RUN/disk-hdfs/data
settings() { # read-ahead
  export VDFS_SITE="vdfs.metadata.dir=$RUN/metadata vdfs.read.ahead=$1 vdfs.read.order=$READ_ORDER${SCRUB:+ vdfs.repair.rate=${SCRUB}m}"
}
settings "${READ_AHEAD%% *}"
export HADOOP_HOME RUN BACK VDFS_DATA HDFS_DATA
. "$VDFS_HOME/src-it/real/cluster.sh"
. "$VDFS_HOME/src-it/bench/disks.sh"

BYTES=$((2 << 30))
RESULTS=$RUN/results

clean_up() {
  stop_all
  disks_down
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
disk_name() { echo "vdfs-bench-$PORT_BASE-$1"; }
uri() { [ "$1" = hdfs ] && echo "hdfs://127.0.0.1:$(port 20)/bench" || echo "vdfs://real/bench"; }

put_disks_up() { # emulator options
  local system
  for system in $SYSTEMS; do
    disk_up "$(disk_name "$system")" "$RUN/disk-$system" "$1"
    mkdir -p "$RUN/disk-$system/data1"
  done
}
load() { # system
  HADOOP_CLASSPATH=$VDFS_HOME/src-it/target/classes:$CLIENT_JAR HADOOP_CLIENT_OPTS=-Xmx512m \
    "$HADOOP_HOME/bin/hadoop" io.vdfs.it.bench.PlainReaders write "$(uri "$1")" >"$LOGS/load-$1.log" 2>&1 ||
    die "cannot load $1; see $LOGS/load-$1.log"
}
use_read_ahead() { # read-ahead
  settings "$1"
  stop vdfs1
  start_vdfs_node 1
  await VDFS 60 "$HADOOP_HOME/bin/hadoop" fs -ls vdfs://real/bench
}
begin_scrub() { # the command is cut off, the node goes on
  timeout 8 "$VDFS_HOME/bin/vdfs" scrub --conf "$RUN/vdfs-conf1" >"$LOGS/scrub.log" 2>&1 || [ $? = 124 ] ||
    die "the scrubber did not begin, or had nothing to do; see $LOGS/scrub.log"
}
measure() { # model, system, threads, read-ahead
  local disk seconds
  disk=$(disk_name "$2")
  if [ -n "$SCRUB" ] && [ "$2" = vdfs ]; then begin_scrub; fi
  disks_reset "$disk"
  seconds=$(HADOOP_CLASSPATH=$VDFS_HOME/src-it/target/classes:$CLIENT_JAR \
    HADOOP_CLIENT_OPTS="-Xmx1g -XX:MaxDirectMemorySize=1500m" HADOOP_ROOT_LOGGER=ERROR,console \
    "$HADOOP_HOME/bin/hadoop" io.vdfs.it.bench.PlainReaders read "$(uri "$2")" "$3" 2>"$LOGS/read-$2.log") ||
    die "reading failed on $2 with $3 threads; see $LOGS/read-$2.log"
  echo "$1 $2 $3 $(disks_stats "$disk") ${seconds##*$'\n'} $4" | tee -a "$RESULTS" >&2
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
  disks_mechanics on
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
  disks_down
  rm -rf "$RUN"/{name,metadata,zookeeper,tmp,disk-*,hdfs-conf*}
done

awk -v bytes="$BYTES" -v order="$READ_ORDER" "$MEDIAN"'
  {
    key = $1 " " $2 " " $3 " " $9
    if (!(key in runs)) keys[++n] = key
    r = ++runs[key]
    rate[key, r] = $5 / $4; seeks[key, r] = $6 / $5 * 1000; mb[key, r] = $5; late[key, r] = $7 / $4; wall[key, r] = $8
    if ($5 * 1e6 < 0.95 * bytes) invalid[key] = 1
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
