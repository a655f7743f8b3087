#!/usr/bin/env bash
# block-size.sh HDD_DIR HADOOP_HOME OUT.json
#
# Time of a stock grep against the size of blocks, as Figure 4 of the VeloxDFS paper has it: VDFS as it is (steal), its
# variants static, multiwave and multifile (docs/operations/jobs.md), and HDFS 3.4.2. Real daemons of three nodes, each with
# an emulated disk of its own (HDD_DIR: the emulator, with hdd.sh), cold cache each time, one copy of each block,
# containers by YARN. Needs root.
#
# One JSON object per line, medians of REPS runs: seconds on the clock of the whole job, map tasks, MB per second that
# the disks were busy, read seeks per GB, MB that the disks delivered. "valid" is false if that was less than 95 % of the
# input: then a cache delivered the rest. Every job's matches are counted and compared with what was written. A disk is
# SCALE times slower than a real one, so that this machine has as many cores per disk as it should; rates are multiplied
# by SCALE again. Beside OUT.json goes OUT.svg: seconds by block size.
#
# Settings: SIZES_MB="2 8 32 128" REPS=3 SYSTEMS="hdfs multifile multiwave static steal" FILE_MB=768 SCALE=24
# NODE_CORES=2 GROUP_MB=128 (how much of a file VDFS keeps together on a node) READ_AHEAD=100m DISK_GB=20, RUN and those
# of src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,17p' "$0" >&2; exit 2; }
HDD=$1
HADOOP_HOME=$(realpath "$2")
OUT=$3
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${SIZES_MB:=2 8 32 128}" "${REPS:=3}" "${SYSTEMS:=hdfs multifile multiwave static steal}" "${FILE_MB:=768}" "${SCALE:=24}"
: "${NODE_CORES:=2}" "${GROUP_MB:=128}" "${READ_AHEAD:=100m}"
export NODES=3 NODE_CORES CONTAINER_MB=512 NM_MEMORY=$(((NODE_CORES + 1) * 512))
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
chmod 711 "$RUN"
BACK=$RUN/disks
VDFS_DATA=$RUN/vdfs-disk HDFS_DATA=$RUN/hdfs-disk
VDFS_DAEMON_OPTS="-Xmx256m -XX:MaxDirectMemorySize=256m"
CLIENT_SITE="fs.vdfs.read.timeout=$((10 * SCALE))s dfs.client.socket-timeout=$((60000 * SCALE))"
HDFS_SITE="dfs.replication=1 ${HDFS_SITE:-}"
export HADOOP_HOME RUN BACK VDFS_DATA HDFS_DATA VDFS_DAEMON_OPTS
. "$VDFS_HOME/src-it/real/cluster.sh"
. "$VDFS_HOME/src-it/bench/disks.sh"

EXAMPLES=$(ls "$HADOOP_HOME"/share/hadoop/mapreduce/hadoop-mapreduce-examples-*.jar)
RESULTS=$RUN/results

clean_up() {
  stop_all
  disks_down
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
fs() { HADOOP_ROOT_LOGGER=ERROR,console "$HADOOP_HOME/bin/hadoop" fs "$@"; }
owner() { [ "$1" = hdfs ] && echo hdfs || echo vdfs; }
uri() { [ "$1" = hdfs ] && echo "hdfs://127.0.0.1:$(port 20)" || echo vdfs://real; }
disk_names() { # owner
  local node
  for node in $(seq "$NODES"); do echo "vdfs-sizes-$PORT_BASE-$1$node"; done
}
settings() { # order of reads
  VDFS_SITE="vdfs.read.ahead=$READ_AHEAD vdfs.read.round=$((3 * SCALE))s vdfs.zookeeper.session.timeout=60s"
  VDFS_SITE+=" vdfs.metadata.dir=$RUN/metadata%n vdfs.read.order=$1"
}
restart_vdfs() { # order of reads
  local node
  settings "$1"
  for node in $(seq "$NODES"); do stop "vdfs$node"; done
  for node in $(seq "$NODES"); do start_vdfs_node "$node"; done
  await VDFS 60 "$HADOOP_HOME/bin/hadoop" fs -ls vdfs://real/in
}
put_disks_up() {
  local owner name node
  for owner in vdfs hdfs; do
    node=0
    for name in $(disk_names "$owner"); do
      node=$((node + 1))
      disk_up "$name" "$RUN/$owner-disk$node" "scale=$SCALE"
      rmdir "$RUN/$owner-disk$node/lost+found"
    done
  done
}
run_job() { # size in MB, system
  local size=$1 system=$2 base options=() started seconds stats found out
  base=$(uri "$system")
  out=$base/out/$system
  options=(-Dfs.defaultFS="$base" -Dmapreduce.job.reduce.slowstart.completedmaps=1.0)
  options+=(-Dmapreduce.job.running.map.limit=$((NODES * NODE_CORES)) -Dmapreduce.client.submit.file.replication=1)
  [ "$system" = hdfs ] || options+=(-Dmapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat)
  case $system in
    static) options+=(-Dvdfs.mapreduce.stealing=false) ;;
    multiwave) options+=(-Dvdfs.mapreduce.task.bytes=$((size << 20))) ;;
    hdfs | steal | multifile) ;;
    *) die "unknown system: $system" ;;
  esac
  fs -rm -r -f -skipTrash "$out" >/dev/null
  # shellcheck disable=SC2046  # names are words
  disks_reset $(disk_names "$(owner "$system")")
  started=$(date +%s.%N)
  HADOOP_CLIENT_OPTS="-Xmx512m" "$HADOOP_HOME/bin/hadoop" jar "$EXAMPLES" grep "${options[@]}" "$base/in/text$size" "$out" \
    'NEEDLE[0-9]+' >"$LOGS/grep-$system.log" 2>&1 || die "the job failed; see $LOGS/grep-$system.log"
  seconds=$(awk -v a="$started" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
  # shellcheck disable=SC2046
  stats=$(disks_stats $(disk_names "$(owner "$system")"))
  disks_mechanics off
  found=$(fs -cat "$out/part-r-*" | awk '{ n += $1 } END { print n + 0 }')
  [ "$found" = "$NEEDLES" ] || die "$system with blocks of $size MB found $found of $NEEDLES needles"
  disks_mechanics on
  echo "$size $system $stats $seconds $(sed -n 's/.*Launched map tasks=//p' "$LOGS/grep-$system.log" | head -n 1)" |
    tee -a "$RESULTS" >&2
}
run_size() { # size in MB
  local rep system
  settings elevator
  VDFS_FORMAT="--replication 1 --minimum-split 64m --block-size $1m --group-blocks $(((GROUP_MB + $1 - 1) / $1))"
  start_zookeeper
  start_vdfs
  fs -mkdir -p hdfs://127.0.0.1:"$(port 20)"/in vdfs://real/in
  fs -put "$RUN/text" "vdfs://real/in/text$1"
  fs -D dfs.blocksize=$(($1 << 20)) -put "$RUN/text" "$(uri hdfs)/in/text$1"
  start_yarn vdfs://real
  disks_mechanics on
  for rep in $(seq "$REPS"); do
    for system in $SYSTEMS; do [ "$system" = multifile ] || run_job "$1" "$system"; done
  done
  if [[ " $SYSTEMS " == *" multifile "* ]]; then
    restart_vdfs arrival
    for rep in $(seq "$REPS"); do run_job "$1" multifile; done
  fi
  stop_yarn
  stop vdfs1 vdfs2 vdfs3 zookeeper
  disks_mechanics off
  rm -rf "$RUN"/{metadata*,zookeeper,tmp} "$RUN"/vdfs-disk*/* "$RUN"/containers*
}

prepare
trap clean_up EXIT
trap 'exit 130' INT TERM
: >"$RESULTS"
put_disks_up
NEEDLES=$(java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.TextGenerator "$RUN/text" $((FILE_MB << 20)) 7)
start_hdfs
for size in $SIZES_MB; do run_size "$size"; done

awk -v scale="$SCALE" -v input="$FILE_MB" "$MEDIAN"'
  {
    key = $1 " " $2
    if (!(key in runs)) keys[++n] = key
    r = ++runs[key]
    rate[key, r] = $4 / $3 * scale; seeks[key, r] = $5 / $4 * 1000; mb[key, r] = $4; late[key, r] = $6 / $3
    wall[key, r] = $7; maps[key, r] = $8
    if ($4 < 0.95 * input * 1.048576) invalid[key] = 1
  }
  END {
    for (k = 1; k <= n; k++) {
      key = keys[k]; split(key, part, " "); r = runs[key]
      printf "{\"block_mb\": %d, \"system\": \"%s\", \"scale\": %s, \"runs\": %d, \"seconds\": %.1f, \"maps\": %d, \"mb_per_busy_s\": %.1f, \"read_seeks_per_gb\": %.0f, \"disk_mb\": %.0f, \"valid\": %s, \"late_share\": %.3f}\n",
        part[1], part[2], scale, r, median(wall, key, r), median(maps, key, r), median(rate, key, r), median(seeks, key, r), median(mb, key, r), (key in invalid) ? "false" : "true", median(late, key, r)
    }
  }' "$RESULTS" >"$OUT"
cat "$OUT" >&2
java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.SvgChart "$OUT" "${OUT%.json}.svg" \
  "Stock grep of $FILE_MB MiB: seconds by block size (MiB)" block_mb seconds system
