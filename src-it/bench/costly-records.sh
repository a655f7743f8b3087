# Sourced by slow-node.sh and skew.sh: a job whose records cost time (io.vdfs.it.bench.costly.CostlyJob) on VDFS with streams,
# on VDFS with static splits and on HDFS with speculation, on real daemons, one after the other in one run. All systems
# have the same number of tasks at a time, TASKS_PER_NODE on each node beside room for an ApplicationMaster, and static
# splits of SPLIT_MB.
#
# Needs HADOOP_HOME, OUT (one JSON object per line), CAPACITY (ordinary tasks at a time) and COSTS (options of the job).
# Settings: TEXT_MB=1024 SPLIT_MB=64 SYSTEMS="vdfs vdfs-static hdfs" TASKS_PER_NODE=1, WORK_S (what all records cost
# together if none is dear and no node slow), LOCK (a file to lock, given up now and then between the systems), RUN and
# those of cluster.sh.

VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${TEXT_MB:=1024}" "${SPLIT_MB:=64}" "${SYSTEMS:=vdfs vdfs-static hdfs}" "${TASKS_PER_NODE:=1}" "${LOCK:=}"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
MAP_MB=1024 MASTER_MB=768
NODE_CORES=$TASKS_PER_NODE
HDFS_BLOCK=$((SPLIT_MB << 20))
NM_MEMORY=$((TASKS_PER_NODE * MAP_MB + MASTER_MB))
export HADOOP_HOME RUN NODE_CORES NM_MEMORY
. "$VDFS_HOME/src-it/real/cluster.sh"

clean_up() {
  stop_all
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
prepare
trap clean_up EXIT
trap 'exit 130' INT TERM

BENCH_JAR=$(ls "$VDFS_HOME"/src-it/target/vdfs-it-*.jar 2>/dev/null | grep -v -e -tests -e -sources | head -n 1 || true)
[ -n "$BENCH_JAR" ] || die "not built: run 'mvn -DskipTests package' in $VDFS_HOME"
HDFS=hdfs://127.0.0.1:$(port 20)
SPANS=$RUN/spans
mkdir -p "$SPANS"

load() {
  java -cp "$BENCH_JAR" io.vdfs.it.bench.TextGenerator "$RUN/text" $((TEXT_MB << 20)) 7 >/dev/null
  RECORDS=$(wc -l <"$RUN/text")
  [ -z "$(tail -c 1 "$RUN/text")" ] || RECORDS=$((RECORDS + 1)) # the last line may lack its end
  local uri
  for uri in $(uris); do "$HADOOP_HOME/bin/hadoop" fs -put "$RUN/text" "$uri/text"; done
  rm "$RUN/text"
}
uris() {
  case " $SYSTEMS " in *" vdfs"*) echo vdfs://real ;; esac
  case " $SYSTEMS " in *" hdfs"*) echo "$HDFS" ;; esac
}
run_costly() { # system
  local system=$1 uri=vdfs://real options=(-D mapreduce.map.speculative=false)
  case $system in
    vdfs) options+=(-D mapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat) ;;
    vdfs-static) ;;
    hdfs) uri=$HDFS options=(-D mapreduce.map.speculative=true) ;;
    *) die "unknown system: $system" ;;
  esac
  start_yarn "$uri"
  # shellcheck disable=SC2086  # several options in one variable
  "$HADOOP_HOME/bin/hadoop" jar "$BENCH_JAR" io.vdfs.it.bench.costly.CostlyJob "${options[@]}" $COSTS \
    -D vdfs.bench.record.nanos="$(awk -v s="$WORK_S" -v n="$RECORDS" 'BEGIN { printf "%d", s * 1e9 / n }')" \
    -D mapreduce.input.fileinputformat.split.maxsize="$HDFS_BLOCK" -D mapreduce.map.memory.mb=$MAP_MB -D mapreduce.map.java.opts=-Xmx512m \
    -D yarn.app.mapreduce.am.resource.mb=$MASTER_MB -D yarn.app.mapreduce.am.command-opts=-Xmx384m \
    "$system" "$uri/text" "$uri/out-$system" "$SPANS/$system" "$CAPACITY" 2>"$LOGS/job-$system.log" | tee -a "$RUN/results" >&2 ||
    { tail -n 30 "$LOGS/job-$system.log" >&2; die "the job failed on $system"; }
  stop_yarn
}
take_lock() { # gives it up first if it has been held for long
  [ -n "$LOCK" ] || return 0
  [ -z "${LOCKED_AT:-}" ] || [ $((SECONDS - LOCKED_AT)) -ge 300 ] || return 0
  exec 9>>"$LOCK"
  flock -u 9
  flock 9
  LOCKED_AT=$SECONDS
}
start_and_load() {
  start_zookeeper
  start_vdfs
  case " $SYSTEMS " in *" hdfs"*) start_hdfs ;; esac
  load
}
run_all() {
  local system
  take_lock
  start_and_load
  : >"$RUN/results"
  for system in $SYSTEMS; do
    take_lock
    run_costly "$system"
  done
  [ "$(sed 's/.*"records": \([0-9]*\).*/\1/' "$RUN/results" | sort -u)" = "$RECORDS" ] || die "not every job had $RECORDS records"
  cp "$RUN/results" "$OUT"
}
plot() { # out
  local system titles=()
  for system in $SYSTEMS; do titles+=("$system=$SPANS/$system"); done
  java -cp "$BENCH_JAR" io.vdfs.it.bench.costly.LifeSpanPlot "$1" "${titles[@]}"
}
