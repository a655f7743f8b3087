# Sourced by the commands in this directory: finds Java and the jars. Sets VDFS_HOME, VDFS_CONF_DIR,
# JAVA, DAEMON_CLASS_PATH and DAEMON_JVM_FLAGS, or ends the command with the cure.

VDFS_HOME=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VDFS_CONF_DIR=${VDFS_CONF_DIR:-$VDFS_HOME/conf}

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

JAVA=java
[ -n "${JAVA_HOME:-}" ] && JAVA=$JAVA_HOME/bin/java
command -v "$JAVA" >/dev/null || fail "no Java found: command=$JAVA; install JDK 17 or set JAVA_HOME to one"

DAEMON_LIB=$VDFS_HOME/vdfs-datanode/target/lib
DAEMON_CLASS_PATH=$VDFS_CONF_DIR:$DAEMON_LIB/*
COMMAND_CLASS_PATH=$DAEMON_CLASS_PATH:$(echo "$VDFS_HOME"/vdfs-client/target/vdfs-client-*.jar)

# What Chronicle Map needs on Java 17; clients and containers need no flags.
DAEMON_JVM_FLAGS=(@"$VDFS_HOME/conf/daemon-jvm.args" -XX:+ExitOnOutOfMemoryError)

require_daemon_jars() {
  [ -d "$DAEMON_LIB" ] || fail "not built yet: run 'mvn -DskipTests package' in $VDFS_HOME"
}
