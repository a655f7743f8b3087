#!/usr/bin/env bash
# container-memory.sh HADOOP_HOME OUT.json
#
# Does a container that reads 10 GiB by local delivery stay within its memory, with YARN's default accounting? A stock
# grep in one map task of CONTAINER_MB reads a file of 1 GiB TIMES times over, on a real NodeManager that kills
# containers above their limit. Fails if the job does, if an attempt was killed, or if less than all bytes were
# delivered locally. Writes one JSON object: bytes read, limit and largest resident memory of the task.
#
# Settings: CONTAINER_MB=512 TIMES=10, RUN and those of src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 2 ] || { sed -n '2,9p' "$0" >&2; exit 2; }
HADOOP_HOME=$(realpath "$1")
OUT=$2
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${CONTAINER_MB:=512}" "${TIMES:=10}"
export NODES=1 NODE_CORES=1 CONTAINER_MB VDFS_FORMAT="--replication 1"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
chmod 711 "$RUN"
METRICS=18901
VDFS_SITE="vdfs.metrics.port=$METRICS"
export HADOOP_HOME RUN VDFS_SITE
. "$VDFS_HOME/src-it/real/cluster.sh"

clean_up() {
  stop_all
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
local_bytes() {
  (exec 3<>"/dev/tcp/127.0.0.1/$METRICS" && printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3 && cat <&3) 2>/dev/null |
    awk '/^vdfs_local_granted_bytes_total/ { n += $2 } END { printf "%.0f", n }'
}
counted() { # counter in the job's log
  sed -n "s/.*$1=\([0-9]*\).*/\1/p" "$LOGS/grep.log" | head -n 1
}

prepare
trap clean_up EXIT
trap 'exit 130' INT TERM
EXAMPLES=$(ls "$HADOOP_HOME"/share/hadoop/mapreduce/hadoop-mapreduce-examples-*.jar)
MB=1024
NEEDLES=$(java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.TextGenerator "$RUN/text" $((MB << 20)) 7)
start_zookeeper
start_vdfs
"$HADOOP_HOME/bin/hadoop" fs -put "$RUN/text" vdfs://real/text
start_yarn vdfs://real
INPUT=$(for time in $(seq "$TIMES"); do printf '%s/text' "${time:+,vdfs://real}"; done)
"$HADOOP_HOME/bin/hadoop" jar "$EXAMPLES" grep \
  -Dmapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat \
  "${INPUT#,}" vdfs://real/out 'NEEDLE[0-9]+' >"$LOGS/grep.log" 2>&1 || die "the job failed; see $LOGS/grep.log"
FOUND=$("$HADOOP_HOME/bin/hadoop" fs -cat 'vdfs://real/out/part-r-*' | awk '{ n += $1 } END { print n + 0 }')
[ "$FOUND" = $((NEEDLES * TIMES)) ] || die "found $FOUND of $((NEEDLES * TIMES)) needles"
[ -z "$(counted 'Failed map tasks')$(counted 'Killed map tasks')" ] || die "an attempt did not end well; see $LOGS/grep.log"
READ=$(local_bytes)
[ "$READ" -ge $((TIMES * MB << 20)) ] || die "only $READ bytes were delivered locally"
PEAK=$(counted 'Peak Map Physical memory (bytes)')
[ "$PEAK" -le $((CONTAINER_MB << 20)) ] || die "the task had $PEAK bytes resident, above its limit"
printf '{"container_mb": %d, "maps": %d, "local_bytes": %d, "peak_resident_bytes": %d}\n' \
  "$CONTAINER_MB" "$(counted 'Launched map tasks')" "$READ" "$PEAK" | tee "$OUT" >&2
