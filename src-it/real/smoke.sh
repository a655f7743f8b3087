#!/usr/bin/env bash
# smoke.sh HADOOP_HOME     VDFS under a real Hadoop: daemons, commands and stock jobs as a user would run them
#
# Starts ZooKeeper, three DataNodes, a ResourceManager and three NodeManagers, each its own process, with vdfs://
# as fs.defaultFS; runs hadoop fs commands, wordcount and grep over TEXT_MB of text and teragen, terasort and
# teravalidate; checks every result; kills a DataNode with SIGKILL and checks again. Ends with "smoke: passed".
#
# Settings: TEXT_MB=1024 TERA_ROWS=2000000 (100 bytes each), RUN (default: a fresh directory, removed at the end)
# and those of cluster.sh.
set -euo pipefail

HADOOP_HOME=$(realpath "${1:?usage: smoke.sh HADOOP_HOME}")
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${TEXT_MB:=1024}" "${TERA_ROWS:=2000000}"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
export HADOOP_HOME RUN
. "$VDFS_HOME/src-it/real/cluster.sh"

clean_up() {
  stop_all
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
prepare
trap clean_up EXIT
trap 'exit 130' INT TERM

fs() { HADOOP_ROOT_LOGGER=ERROR,console "$HADOOP_HOME/bin/hadoop" fs "$@"; }
EXAMPLES=$(ls "$HADOOP_HOME"/share/hadoop/mapreduce/hadoop-mapreduce-examples-*.jar)
run_job() { # log name, then the arguments of the examples jar
  local log=$LOGS/job-$1.log
  shift
  "$HADOOP_HOME/bin/hadoop" jar "$EXAMPLES" "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; die "job failed: $*; see $log"; }
}
counter() { # log name, counter name: the last value printed
  sed -n "s/^[[:space:]]*$2=//p" "$LOGS/job-$1.log" | tail -n 1
}
check() { # what, expected, found
  [ "$2" = "$3" ] || die "$1: expected $2, found $3"
  echo "smoke: $1: $3"
}
LOGICAL=-Dmapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat

start_zookeeper
start_vdfs
start_yarn vdfs://real

echo "smoke: writing $TEXT_MB MiB of text"
TEXT=$RUN/text
NEEDLES=$(java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.TextGenerator "$TEXT" $((TEXT_MB << 20)) 7)
LOCAL_SUM=$(md5sum <"$TEXT")

# hadoop fs
fs -mkdir -p /in /out
fs -put "$TEXT" /in/text
check "length by -du" "$((TEXT_MB << 20))" "$(fs -du -s /in | awk '{ print $1 }')"
check "lines of -ls -R" 1 "$(fs -ls -R /in | grep -c ' /in/text$')"
check "-count" "1 1 $((TEXT_MB << 20))" "$(fs -count /in | awk '{ print $1, $2, $3 }')"
check "-cat" "$LOCAL_SUM" "$(fs -cat /in/text | md5sum)"
fs -get /in/text "$RUN/text.back"
check "-get" "$LOCAL_SUM" "$(md5sum <"$RUN/text.back")"
rm "$RUN/text.back"
check "-checksum" COMPOSITE-CRC32C "$(fs -D dfs.checksum.combine.mode=COMPOSITE_CRC -checksum /in/text | awk '{ print $2 }')"
fs -mv /in/text /in/moved
fs -test -e /in/moved || die "-mv lost the file"
fs -mv /in/moved /in/text
fs -mkdir -p /gone/a/b
fs -rm -r -skipTrash /gone >/dev/null
fs -test -e /gone && die "-rm -r left /gone"

# grep and wordcount, drawn through the ledger
run_job grep grep "$LOGICAL" /in/text /out/grep 'NEEDLE[0-9]+'
check "needles found by grep" "$NEEDLES" "$(fs -cat '/out/grep/part-r-*' | awk '{ n += $1 } END { print n + 0 }')"
run_job wordcount wordcount "$LOGICAL" -Dmapreduce.job.reduces=2 /in/text /out/wordcount
check "bytes through the ledger" "$((TEXT_MB << 20))" "$(counter wordcount BYTES)"
check "words counted" "$(wc -w <"$TEXT")" "$(fs -cat '/out/wordcount/part-r-*' | awk '{ n += $NF } END { print n + 0 }')"

# terasort fixes its format in code: static splits
run_job teragen teragen "$TERA_ROWS" /tera/in
run_job terasort terasort /tera/in /tera/out
run_job teravalidate teravalidate /tera/out /tera/report
check "teravalidate" 0 "$(fs -cat '/tera/report/part-r-*' | grep -vc checksum || true)"
check "length of terasort's output" "$((TERA_ROWS * 100))" "$(fs -du -s /tera/out | awk '{ print $1 }')"

# any one node may die
kill -KILL "$(cat "$PIDS/vdfs2")"
await "the end of DataNode 2" 10 bash -c "! kill -0 $(cat "$PIDS/vdfs2")"
check "-cat with a node dead" "$LOCAL_SUM" "$(fs -cat /in/text | md5sum)"
fs -put "$TEXT" /in/after
check "length written with a node dead" "$((TEXT_MB << 20))" "$(fs -du -s /in/after | awk '{ print $1 }')"

echo "smoke: passed"
