#!/usr/bin/env bash
# spark.sh HADOOP_HOME [SPARK_VERSION...]     PySpark from PyPI on vdfs://, ten kinds of work and the history server
#
# Starts ZooKeeper and three DataNodes and runs spark_kinds.py with each Spark: by default the newest of PyPI and
# 3.5, whose Hadoop client is 3.3.4. Each is installed into a virtual environment of its own below VENVS (default: a
# fresh directory, removed at the end; one that has it already is used). Then a history server reads the event log of an application that
# is still running. Needs Python 3 with venv, and the network or a mirror that pip knows. Ends with "spark: passed".
#
# Settings: VENVS, RUN (default: a fresh directory, removed at the end) and those of cluster.sh.
set -euo pipefail

HADOOP_HOME=$(realpath "${1:?usage: spark.sh HADOOP_HOME [SPARK_VERSION...]}")
shift
[ $# -gt 0 ] || set -- newest 3.5
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
REMOVE=()
if [ -z "${RUN:-}" ]; then RUN=$(mktemp -d); REMOVE+=("$RUN"); fi
if [ -z "${VENVS:-}" ]; then VENVS=$(mktemp -d); REMOVE+=("$VENVS"); fi
RUN=$(realpath -m "$RUN")
mkdir -p "$RUN" "$VENVS"
export HADOOP_HOME RUN
. "$VDFS_HOME/src-it/real/cluster.sh"
HERE=$VDFS_HOME/src-it/real

HISTORY=
APPLICATION=
clean_up() {
  local pid
  for pid in $HISTORY $APPLICATION; do kill "$pid" 2>/dev/null || true; done
  stop_all
  [ ${#REMOVE[@]} = 0 ] || rm -rf "${REMOVE[@]}"
}
prepare
unset HADOOP_CLASSPATH HADOOP_HOME_WARN_SUPPRESS
trap clean_up EXIT
trap 'exit 130' INT TERM

start_zookeeper
start_vdfs

spark_conf() { # directory
  mkdir -p "$1"
  cp "$CONF/core-site.xml" "$1/"
  cat >"$1/spark-defaults.conf" <<CONF
spark.master local[2]
spark.ui.enabled false
spark.driver.host 127.0.0.1
spark.driver.extraClassPath $CLIENT_JAR
spark.driver.memory 1g
spark.sql.shuffle.partitions 4
CONF
}

await_history() { # port, application id: the application is listed, and is not completed
  local second
  for second in $(seq 60); do
    if python3 - "$1" "$2" <<'PY'
import json, sys, urllib.request
port, wanted = sys.argv[1:]
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    url = "http://127.0.0.1:%s/api/v1/applications" % port
    found = [a for a in json.load(opener.open(url, timeout=5)) if a["id"] == wanted]
except OSError:
    sys.exit(1)
sys.exit(0 if found and not found[0]["attempts"][0]["completed"] else 1)
PY
    then return 0; fi
    sleep 1
  done
  return 1
}

history() { # name, python: an application that runs on shows up in a history server
  local name=$1 python=$2 home conf=$RUN/$1-conf id port
  home=$("$python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
  port=$(port $((300 + ${#name})))
  "$HADOOP_HOME/bin/hadoop" fs -mkdir -p "vdfs://real/events-$name"
  env SPARK_HOME="$home" SPARK_CONF_DIR="$conf" SPARK_NO_DAEMONIZE=1 \
    SPARK_DAEMON_CLASSPATH="$CLIENT_JAR:$conf" SPARK_HISTORY_OPTS="-Dspark.history.fs.logDirectory=vdfs://real/events-$name \
      -Dspark.history.fs.update.interval=1s -Dspark.history.ui.port=$port" \
    java -Xmx512m -cp "$conf:$home/jars/*:$CLIENT_JAR" \
    --add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.util=ALL-UNNAMED \
    --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED \
    -Dspark.history.fs.logDirectory="vdfs://real/events-$name" -Dspark.history.fs.update.interval=1s \
    -Dspark.history.ui.port="$port" org.apache.spark.deploy.history.HistoryServer >"$LOGS/history-$name.log" 2>&1 &
  HISTORY=$!
  mkfifo "$RUN/$name-end"
  SPARK_CONF_DIR=$conf HADOOP_CONF_DIR=$conf "$python" "$HERE/spark_kinds.py" hold "vdfs://real/events-$name" "$RUN/$name-id" \
    <"$RUN/$name-end" >"$LOGS/hold-$name.log" 2>&1 &
  APPLICATION=$!
  exec 8>"$RUN/$name-end"
  await "application of $name" 120 test -s "$RUN/$name-id"
  id=$(cat "$RUN/$name-id")
  await_history "$port" "$id" || die "the history server does not show the running application $id; see $LOGS"
  kill -0 "$APPLICATION" || die "the application ended by itself; see $LOGS/hold-$name.log"
  echo "spark: $name: history server shows the running application: passed"
  exec 8>&-
  wait "$APPLICATION" || die "the application failed; see $LOGS/hold-$name.log"
  APPLICATION=
  kill "$HISTORY"
  wait "$HISTORY" 2>/dev/null || true
  HISTORY=
}

for version in "$@"; do
  name=spark-$version
  venv=$VENVS/$name
  if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    case $version in
      newest) "$venv/bin/pip" -q install pyspark ;;
      *) "$venv/bin/pip" -q install "pyspark==$version.*" ;;
    esac
  fi
  spark_conf "$RUN/$name-conf"
  SPARK_CONF_DIR=$RUN/$name-conf HADOOP_CONF_DIR=$RUN/$name-conf "$venv/bin/python" "$HERE/spark_kinds.py" run "vdfs://real/$name" \
    2>"$LOGS/$name.log" | sed "s/^/spark: $name: /"
  history "$name" "$venv/bin/python"
done
echo "spark: passed"
