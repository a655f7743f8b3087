#!/usr/bin/env bash
# quickstart.sh [--size MIB] [FILE...]     behind 'bin/vdfs quickstart': checks, builds what is missing, runs
#
# What is started, and where, is up to io.vdfs.it.quickstart.QuickstartMain.
set -euo pipefail

VDFS_HOME=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CLASS_PATH_FILE=$VDFS_HOME/src-it/target/quickstart.classpath
BUILD_LOG=$VDFS_HOME/src-it/target/quickstart-build.log
MAVEN_PID=
TERMINAL=
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then TERMINAL=1; fi

usage() {
  cat <<TXT
usage: vdfs quickstart [--size MIB] [FILE...]

Starts ZooKeeper, three DataNodes and YARN on this machine, loads the files (default: text out of the local
Maven repository, repeated to MIB=400 MiB), runs the stock wordcount and grep of Hadoop's examples on vdfs://
and shows who served what. Removes everything afterwards, also when interrupted. Needs JDK 17, Maven, 6 GiB of
memory; files go to \${TMPDIR:-/var/tmp}.
TXT
}

fail() {
  echo "vdfs quickstart: $*" >&2
  exit 1
}

# sets JAVA_HOME
require_jdk17() {
  local java=java settings version
  if [ -n "${JAVA_HOME:-}" ]; then java=$JAVA_HOME/bin/java; fi
  command -v "$java" >/dev/null || fail "no Java found: command=$java; install JDK 17 or set JAVA_HOME to one"
  settings=$("$java" -XshowSettings:properties -version 2>&1) || fail "Java does not run: command=$java; set JAVA_HOME to a JDK 17"
  version=$(sed -n 's/^ *java\.specification\.version = //p' <<<"$settings")
  [ "$version" = 17 ] || fail "Java $version found where JDK 17 is needed: command=$java; set JAVA_HOME to a JDK 17"
  JAVA_HOME=$(sed -n 's/^ *java\.home = //p' <<<"$settings")
  [ -x "$JAVA_HOME/bin/javac" ] || fail "a JRE found where a JDK 17 is needed: no compiler in $JAVA_HOME; install JDK 17 or set JAVA_HOME to one"
  export JAVA_HOME
}

require_files() {
  local file
  for file in "$@"; do
    [ -e "$file" ] || fail "no such file: $file; name text files that exist"
    [ ! -d "$file" ] || fail "$file is a directory; name its files instead: $file/*"
    [ -r "$file" ] || fail "file cannot be read: $file; its permissions do not let $(id -un) read it"
  done
}

# Names what makes a build necessary; nothing where there is all that is needed.
missing() {
  local changed path paths
  compgen -G "$VDFS_HOME/vdfs-mapreduce/target/vdfs-hadoop-*.jar" >/dev/null || { echo "not built yet"; return; }
  [ -s "$CLASS_PATH_FILE" ] && [ -d "$VDFS_HOME/vdfs-datanode/target/lib" ] || { echo "not built yet"; return; }
  IFS=: read -r -a paths <"$CLASS_PATH_FILE"
  for path in "${paths[@]}"; do
    [ -e "$path" ] || { echo "${path##*/} is gone"; return; }
  done
  changed=$(find "$VDFS_HOME"/pom.xml "$VDFS_HOME"/*/pom.xml "$VDFS_HOME"/vdfs-*/src/main "$VDFS_HOME"/src-it/src/main \
    -type f -newer "$CLASS_PATH_FILE" -print -quit)
  [ -z "$changed" ] || echo "${changed#"$VDFS_HOME"/} has changed"
}

# One line that is rewritten on a terminal; elsewhere a line every 20 s.
show_build() { # seconds
  local module downloads text
  module=$(sed -n 's/^\[INFO\] Building \([^ ]*\) .*\(\[[0-9]*\/[0-9]*\]\)$/\1 \2/p' "$BUILD_LOG" | tail -n 1)
  downloads=$(grep -c '^Downloaded' "$BUILD_LOG" || true)
  text="  build       ${module:-starting Maven}, $downloads files downloaded, $1 s"
  if [ -n "$TERMINAL" ]; then
    printf '\r%s\033[K' "$text"
  elif [ $(($1 % 20)) -eq 0 ]; then
    echo "$text"
  fi
}

build() { # reason
  local seconds=0
  command -v mvn >/dev/null || fail "no Maven found, and VDFS is to be built ($1): install Maven 3.8.6 or later, so that 'mvn' is on the PATH"
  echo "Building with 'mvn -DskipTests package': $1. The first time it downloads about 300 MB."
  mkdir -p "${BUILD_LOG%/*}"
  trap 'stop_build; exit 130' INT TERM HUP
  (cd "$VDFS_HOME" && exec mvn -B -DskipTests package) >"$BUILD_LOG" 2>&1 </dev/null &
  MAVEN_PID=$!
  while kill -0 "$MAVEN_PID" 2>/dev/null; do
    sleep 1
    seconds=$((seconds + 1))
    show_build "$seconds"
  done
  if [ -n "$TERMINAL" ]; then printf '\r\033[K'; fi
  wait "$MAVEN_PID" || build_failed
  MAVEN_PID=
  trap - INT TERM HUP
  rm -f "$BUILD_LOG"
  echo "  build       done in $seconds s"
}

stop_build() {
  if [ -n "$TERMINAL" ]; then printf '\r\033[K'; fi
  kill "$MAVEN_PID" 2>/dev/null || true
  wait "$MAVEN_PID" 2>/dev/null || true
  rm -f "$BUILD_LOG"
  echo "vdfs quickstart: interrupted" >&2
}

build_failed() {
  local cause
  cause=$(sed -n 's/^\[ERROR\] \(Failed to execute goal\|.*Exception\)/\1/p' "$BUILD_LOG" | head -n 1)
  fail "the build failed: ${cause:-Maven gave no reason}; log: $BUILD_LOG"
}

SIZE=400
while [ $# -gt 0 ]; do
  case $1 in
    --size)
      [[ ${2:-} =~ ^[1-9][0-9]{0,5}$ ]] || fail "--size takes a number of MiB from 1 to 999999: ${2:-nothing}"
      SIZE=$2
      shift 2 ;;
    -h | --help) usage; exit 0 ;;
    --) shift; break ;;
    -*) fail "unknown option $1; see: vdfs quickstart --help" ;;
    *) break ;;
  esac
done

require_files "$@"
require_jdk17
REASON=$(missing)
[ -z "$REASON" ] || build "$REASON"

WIDTH=80
if [ -n "$TERMINAL" ]; then WIDTH=$(tput cols 2>/dev/null || echo 80); fi
TEMPORARY=${TMPDIR:-/var/tmp}
[ -d "$TEMPORARY" ] && [ -w "$TEMPORARY" ] || fail "no directory to write to: $TEMPORARY; set TMPDIR to one"

# Guice, under YARN's web pages, reaches into java.lang.
exec "$JAVA_HOME/bin/java" -Xmx512m -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError \
  --add-opens=java.base/java.lang=ALL-UNNAMED \
  -Djava.io.tmpdir="$TEMPORARY" -Djava.net.preferIPv4Stack=true \
  -Dlog4j.configuration="file:$VDFS_HOME/src-it/quickstart/log4j.properties" \
  -Dvdfs.home="$VDFS_HOME" -Dvdfs.quickstart.terminal="${TERMINAL:-0}" -Dvdfs.quickstart.width="$WIDTH" \
  -cp "$VDFS_HOME/src-it/target/classes:$(cat "$CLASS_PATH_FILE")" \
  io.vdfs.it.quickstart.QuickstartMain "$SIZE" "$@"
