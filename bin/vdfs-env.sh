# Sourced by the commands in this directory: finds Java, the jars and the configuration. Sets
# VDFS_HOME, JAVA and COMMAND_LIB, and by use_configuration VDFS_CONF_DIR, CLASS_PATH and JVM_FLAGS,
# or ends the command with the cure.

VDFS_HOME=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

JAVA=java
[ -n "${JAVA_HOME:-}" ] && JAVA=$JAVA_HOME/bin/java
command -v "$JAVA" >/dev/null || fail "no Java found: command=$JAVA; install JDK 17 or set JAVA_HOME to one"

DAEMON_LIB=$VDFS_HOME/vdfs-datanode/target/lib
COMMAND_LIB=$VDFS_HOME/vdfs-client/cli/target/lib

# Arguments of the command: a --conf among them goes before the environment. Logging is that of
# conf/ where the directory has none of its own.
use_configuration() {
  local previous=
  VDFS_CONF_DIR=${VDFS_CONF_DIR:-$VDFS_HOME/conf}
  for argument in "$@"; do
    case $previous in --conf) VDFS_CONF_DIR=$argument ;; esac
    case $argument in --conf=*) VDFS_CONF_DIR=${argument#--conf=} ;; esac
    previous=$argument
  done
  export VDFS_CONF_DIR
  CLASS_PATH=$VDFS_CONF_DIR:$DAEMON_LIB/*
  # what Chronicle Map needs on Java 17; clients and containers need no flags
  JVM_FLAGS=(@"$VDFS_HOME/conf/daemon-jvm.args" -XX:+ExitOnOutOfMemoryError)
  [ -f "$VDFS_CONF_DIR/log4j.properties" ] \
    || JVM_FLAGS+=(-Dlog4j.configuration="file:$VDFS_HOME/conf/log4j.properties")
}

require_jars() {
  if [ ! -d "$DAEMON_LIB" ] || [ ! -d "$COMMAND_LIB" ]; then
    fail "not built yet: run 'mvn -DskipTests package' in $VDFS_HOME"
  fi
}
