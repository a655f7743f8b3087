# Sourced by the scripts beside it: real daemons on this machine, each a process of its own, at
# 127.0.0.1, 127.0.0.2 and 127.0.0.3. Needs HADOOP_HOME, RUN (a directory for everything written) and VDFS_HOME.
#
#   start_zookeeper  start_vdfs  start_hdfs  start_yarn FS_URI  stop_all
#   cpu_seconds      CPU seconds that all daemons, ended containers included, have used so far
#   MEDIAN           a function for awk: the median of values[key, 1] to values[key, n]
#   LOG_TIME         a function for awk: the first two fields of a line of Hadoop's logs, in seconds since the epoch
#
# Settings: NODES=3 NODE_CORES=1 NM_MEMORY=4096 HDFS_BLOCK=134217728 PORT_BASE=18000
# CONTAINER_MB=1024 (of each container), NM_VCORES (one more than NODE_CORES), AM_OPTS (more JVM options of masters)
# VDFS_DAEMON_OPTS="-Xmx512m -XX:MaxDirectMemorySize=256m" (JVM options of VDFS's), DATANODE_HEAP=384m (HDFS's)
# DATANODE_CGROUP: directory of a memory control group in which each DataNode of both systems gets a group of its own of
# DATANODE_MEMORY bytes, page cache included
# VDFS_DATA, HDFS_DATA: data directories, to which the node's number is appended
# VDFS_SITE: more settings of the VDFS daemons, "name=value name=value", %n for the number of the node; VDFS_FORMAT: more options of 'vdfs format'
# HDFS_SITE, CLIENT_SITE: more settings of HDFS and of all clients (core-site.xml), likewise
# YARN_SITE, CAPACITY_SITE: more settings of YARN and of its CapacityScheduler, likewise; they overrule what is set here

: "${NODES:=3}" "${NODE_CORES:=1}" "${NM_MEMORY:=4096}" "${HDFS_BLOCK:=134217728}" "${PORT_BASE:=18000}"
: "${VDFS_DAEMON_OPTS:=-Xmx512m -XX:MaxDirectMemorySize=256m}"
export VDFS_DAEMON_OPTS
: "${CONTAINER_MB:=1024}" "${NM_VCORES:=$((NODE_CORES + 1))}" "${DATANODE_CGROUP:=}" "${DATANODE_HEAP:=384m}"
: "${VDFS_DATA:=$RUN/vdfs}" "${HDFS_DATA:=$RUN/hdfs}" "${VDFS_SITE:=}" "${VDFS_FORMAT:=}" "${CLIENT_SITE:=}"

# shellcheck disable=SC2034  # for the scripts
MEDIAN='
  function median(values, key, n,   i, j, t, sorted) {
    for (i = 1; i <= n; i++) sorted[i] = values[key, i]
    for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (sorted[j] < sorted[i]) { t = sorted[i]; sorted[i] = sorted[j]; sorted[j] = t }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
  }'
# shellcheck disable=SC2034  # likewise
LOG_TIME='
  function log_time(date, time,   clock) {
    clock = date " " substr(time, 1, 8)
    gsub(/[-:]/, " ", clock)
    return mktime(clock) + substr(time, 10) / 1e3
  }'

CONF=$RUN/conf
PIDS=$RUN/pids
LOGS=$RUN/logs
CLIENT_JAR=$(ls "$VDFS_HOME"/vdfs-mapreduce/target/vdfs-hadoop-*.jar 2>/dev/null | head -n 1 || true)

die() { echo "${0##*/}: $*" >&2; exit 1; }
port() { echo $((PORT_BASE + $1)); }

property() { # name value
  echo "  <property><name>$1</name><value>$2</value></property>"
}
site() { # file, then name=value...
  local file=$1 pair
  shift
  {
    echo '<?xml version="1.0"?>'
    echo '<configuration>'
    for pair in "$@"; do property "${pair%%=*}" "${pair#*=}"; done
    echo '</configuration>'
  } >"$file"
}

launch() { # name, then the command; its process group dies with stop_all, and it holds no lock of the script
  local name=$1
  shift
  if [[ $name =~ ^(vdfs|datanode)[0-9]+$ && -n $DATANODE_CGROUP ]]; then
    mkdir -p "$DATANODE_CGROUP/$name"
    echo "$DATANODE_MEMORY" >"$DATANODE_CGROUP/$name/memory.limit_in_bytes"
    # shellcheck disable=SC2016  # expanded by the inner shell
    set -- bash -c 'echo $$ >"$0"; exec "$@"' "$DATANODE_CGROUP/$name/cgroup.procs" "$@"
  fi
  setsid "$@" >"$LOGS/$name.log" 2>&1 </dev/null 9>&- &
  echo $! >"$PIDS/$name"
}
running() { # name
  [ -f "$PIDS/$1" ] && kill -0 "$(cat "$PIDS/$1")" 2>/dev/null
}
await() { # what, limit in seconds, then a command that succeeds once it is up
  local what=$1 limit=$2 second
  shift 2
  for second in $(seq "$limit"); do
    "$@" >/dev/null 2>&1 && return
    sleep 1
  done
  die "$what not up after $second s; see $LOGS"
}
listening() { # host port
  (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null
}

prepare() {
  mkdir -p "$CONF" "$PIDS" "$LOGS"
  [ -x "$HADOOP_HOME/bin/hadoop" ] || die "no Hadoop at $HADOOP_HOME"
  [ -n "$CLIENT_JAR" ] || die "not built: run 'mvn -DskipTests package' in $VDFS_HOME"
  export HADOOP_CONF_DIR=$CONF HADOOP_LOG_DIR=$LOGS HADOOP_CLASSPATH=$CLIENT_JAR
  cp "$HADOOP_HOME/etc/hadoop/log4j.properties" "$CONF/"
}

start_zookeeper() {
  # from Hadoop's jars: the daemon's lack what only a server of ZooKeeper needs
  launch zookeeper java -Xmx256m -cp "$VDFS_HOME/conf:$("$HADOOP_HOME/bin/hadoop" classpath)" \
    -Dzookeeper.admin.enableServer=false \
    org.apache.zookeeper.server.ZooKeeperServerMain "$(port 181)" "$RUN/zookeeper"
  await ZooKeeper 30 listening 127.0.0.1 "$(port 181)"
}

vdfs_conf() { # node number
  local conf=$RUN/vdfs-conf$1
  mkdir -p "$conf" "$VDFS_DATA$1"
  cp "$VDFS_HOME/conf/log4j.properties" "$conf/"
  # shellcheck disable=SC2086  # several settings in one variable
  site "$conf/vdfs-site.xml" "vdfs.zookeeper=127.0.0.1:$(port 181)" "vdfs.cluster.name=real" \
    "vdfs.cluster.key.file=$RUN/cluster.key" "vdfs.node.host=127.0.0.$1" "vdfs.node.cores=$NODE_CORES" "vdfs.data.dirs=$VDFS_DATA$1" \
    "vdfs.control.port=$(port 860)" "vdfs.data.port=$(port 861)" "vdfs.raft.port=$(port 862)" ${VDFS_SITE//%n/$1}
  echo "$conf"
}
start_vdfs_node() { # node number
  launch "vdfs$1" "$VDFS_HOME/bin/vdfs-daemon" --conf "$(vdfs_conf "$1")"
}
start_vdfs() {
  # shellcheck disable=SC2086  # several options in one variable
  "$VDFS_HOME/bin/vdfs" format --conf "$(vdfs_conf 1)" --nodes "$NODES" $VDFS_FORMAT
  local node
  for node in $(seq "$NODES"); do start_vdfs_node "$node"; done
  client_conf vdfs://real
  await VDFS 60 "$HADOOP_HOME/bin/hadoop" fs -ls vdfs://real/
}

start_hdfs() { # the NameNode tells DataNodes at one address apart by their ports
  local node
  client_conf "hdfs://127.0.0.1:$(port 20)"
  hdfs_conf "$CONF"
  "$HADOOP_HOME/bin/hdfs" namenode -format -nonInteractive >"$LOGS/format.log" 2>&1 || die "namenode -format failed"
  launch namenode env HADOOP_HEAPSIZE_MAX=512m "$HADOOP_HOME/bin/hdfs" namenode
  for node in $(seq "$NODES"); do
    cp -r "$CONF" "$RUN/hdfs-conf$node"
    hdfs_conf "$RUN/hdfs-conf$node" "dfs.datanode.data.dir=$HDFS_DATA$node" "dfs.datanode.hostname=127.0.0.$node" \
      "dfs.datanode.address=127.0.0.$node:$(port 66$node)" "dfs.datanode.ipc.address=127.0.0.$node:$(port 67$node)" \
      "dfs.datanode.http.address=127.0.0.$node:$(port 64$node)"
    HADOOP_CONF_DIR=$RUN/hdfs-conf$node launch "datanode$node" env HADOOP_HEAPSIZE_MAX=$DATANODE_HEAP "$HADOOP_HOME/bin/hdfs" datanode
  done
  await HDFS 90 hdfs_nodes_up
}
hdfs_nodes_up() {
  [ "$("$HADOOP_HOME/bin/hdfs" dfsadmin -report -live 2>/dev/null | grep -c '^Hostname: ')" -ge "$NODES" ]
}
hdfs_conf() { # directory, then more pairs
  local conf=$1
  shift
  # shellcheck disable=SC2086  # HDFS_SITE has pairs without blanks
  site "$conf/hdfs-site.xml" "dfs.namenode.rpc-address=127.0.0.1:$(port 20)" \
    "dfs.namenode.http-address=127.0.0.1:$(port 70)" "dfs.namenode.name.dir=$RUN/name" \
    "dfs.blocksize=$HDFS_BLOCK" "dfs.replication=$((NODES < 3 ? NODES : 3))" dfs.client.use.datanode.hostname=true \
    dfs.datanode.use.datanode.hostname=true ${HDFS_SITE:-} "$@"
}

client_conf() { # default filesystem
  # shellcheck disable=SC2086  # CLIENT_SITE has pairs without blanks
  site "$CONF/core-site.xml" "fs.defaultFS=$1" "hadoop.tmp.dir=$RUN/tmp" $CLIENT_SITE \
    fs.vdfs.impl=io.vdfs.client.hadoop.VdfsFileSystem \
    fs.AbstractFileSystem.vdfs.impl=io.vdfs.client.hadoop.VdfsAbstractFileSystem \
    "fs.vdfs.cluster.real.zookeeper=127.0.0.1:$(port 181)"
}
yarn_conf() { # directory, then more yarn-site pairs
  local conf=$1 share=$HADOOP_HOME/share/hadoop
  shift
  # shellcheck disable=SC2086  # YARN_SITE and CAPACITY_SITE have pairs without blanks
  site "$conf/yarn-site.xml" yarn.resourcemanager.hostname=127.0.0.1 \
    "yarn.resourcemanager.address=127.0.0.1:$(port 32)" "yarn.resourcemanager.scheduler.address=127.0.0.1:$(port 30)" \
    "yarn.resourcemanager.resource-tracker.address=127.0.0.1:$(port 31)" \
    "yarn.resourcemanager.admin.address=127.0.0.1:$(port 33)" "yarn.resourcemanager.webapp.address=127.0.0.1:$(port 88)" \
    yarn.scheduler.minimum-allocation-mb=256 "yarn.nodemanager.resource.memory-mb=$NM_MEMORY" \
    "yarn.nodemanager.resource.cpu-vcores=$NM_VCORES" \
    yarn.nodemanager.aux-services=mapreduce_shuffle yarn.nodemanager.vmem-check-enabled=false \
    yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage=99 \
    "yarn.application.classpath=$CONF,$share/common/*,$share/common/lib/*,$share/hdfs/*,$share/hdfs/lib/*,$share/yarn/*,$share/yarn/lib/*,$CLIENT_JAR" \
    ${YARN_SITE:-} "$@"
  site "$conf/mapred-site.xml" mapreduce.framework.name=yarn \
    "mapreduce.application.classpath=$share/mapreduce/*,$share/mapreduce/lib/*" \
    "mapreduce.map.memory.mb=$CONTAINER_MB" "mapreduce.reduce.memory.mb=$CONTAINER_MB" \
    "yarn.app.mapreduce.am.resource.mb=$CONTAINER_MB" \
    "yarn.app.mapreduce.am.command-opts=-Xmx$((CONTAINER_MB * 3 / 4))m ${AM_OPTS:-}" mapreduce.shuffle.port=0 \
    yarn.app.mapreduce.am.staging-dir=/tmp/hadoop-yarn/staging mapreduce.client.completion.pollinterval=500
  site "$conf/capacity-scheduler.xml" yarn.scheduler.capacity.root.queues=default \
    yarn.scheduler.capacity.root.default.capacity=100 yarn.scheduler.capacity.maximum-am-resource-percent=0.6 \
    yarn.scheduler.capacity.node-locality-delay=40 \
    yarn.scheduler.capacity.resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator \
    ${CAPACITY_SITE:-}
}
start_yarn() { # default filesystem
  local node
  client_conf "$1"
  yarn_conf "$CONF"
  launch resourcemanager env HADOOP_HEAPSIZE_MAX=512m "$HADOOP_HOME/bin/yarn" resourcemanager
  for node in $(seq "$NODES"); do
    rm -rf "$RUN/yarn-conf$node"
    cp -r "$CONF" "$RUN/yarn-conf$node"
    mkdir -p "$RUN/containers$node"
    yarn_conf "$RUN/yarn-conf$node" "yarn.nodemanager.hostname=127.0.0.$node" \
      "yarn.nodemanager.address=127.0.0.$node:$(port 45)" "yarn.nodemanager.localizer.address=127.0.0.$node:$(port 46)" \
      "yarn.nodemanager.webapp.address=127.0.0.$node:$(port 47)" \
      "yarn.nodemanager.local-dirs=$RUN/local$node" "yarn.nodemanager.log-dirs=$RUN/containers$node"
    HADOOP_CONF_DIR=$RUN/yarn-conf$node launch "nodemanager$node" env HADOOP_HEAPSIZE_MAX=384m "$HADOOP_HOME/bin/yarn" nodemanager
  done
  await YARN 90 nodes_up
}
nodes_up() {
  [ "$("$HADOOP_HOME/bin/yarn" node -list 2>/dev/null | grep -c RUNNING)" -ge "$NODES" ]
}

stop() { # names
  local name second
  for name in "$@"; do running "$name" && kill "$(cat "$PIDS/$name")" 2>/dev/null; done
  for second in $(seq 30); do
    local up=0
    for name in "$@"; do running "$name" && up=1; done
    [ $up = 0 ] && break
    sleep 1 || true # a signal to the whole process group, as by Ctrl-C or timeout, ends it early
  done
  for name in "$@"; do
    running "$name" && kill -KILL "$(cat "$PIDS/$name")"
    rm -f "$PIDS/$name"
  done
  return 0
}
stop_matching() { # pattern of names
  local names=() file
  for file in "$PIDS"/*; do [[ ${file##*/} =~ ^($1)$ ]] && names+=("${file##*/}"); done
  [ ${#names[@]} -eq 0 ] || stop "${names[@]}"
}
stop_yarn() { stop_matching 'nodemanager.*'; stop_matching resourcemanager; }
stop_all() { # a signal meanwhile would leave the rest running
  trap : INT TERM
  stop_yarn
  stop_matching '(vdfs|datanode|namenode).*'
  stop_matching zookeeper
}

cpu_seconds() {
  local ticks=0 file fields
  for file in "$PIDS"/*; do
    fields=$(sed 's/.*) //' "/proc/$(cat "$file")/stat" 2>/dev/null) || continue
    # shellcheck disable=SC2086  # fields 14 to 17: own and waited-for children's user and system time
    set -- $fields
    ticks=$((ticks + ${12} + ${13} + ${14} + ${15}))
  done
  awk -v t="$ticks" -v hz="$(getconf CLK_TCK)" 'BEGIN { printf "%.1f", t / hz }'
}
