#!/usr/bin/env bash
# store-start.sh HDD_DIR OUT.json
#
# How long a node's start takes on a disk with many small files: FILES of BYTES bytes each, one pair of combined files for
# each, are written to an emulated disk (HDD_DIR: the emulator, with hdd.sh) at full speed, and the store alone is opened
# by a JVM of its own (io.vdfs.it.bench.StoreStart) with an empty page cache, the disk as slow as a disk; then once more
# from the page cache under strace, which counts the files opened. Needs root.
#
# One JSON object: seconds of the first opening, MB that the disk read, seeks and busy seconds until the JVM's end, and
# calls of open for each pair, data and index file, in the second one.
#
# Settings: FILES=100000 BYTES=20480 MODEL (options of the emulator) HEAP=512m DISK_GB=40 RUN
set -euo pipefail

[ $# -eq 2 ] || { sed -n '2,14p' "$0" >&2; exit 2; }
HDD=$1
OUT=$2
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${FILES:=100000}" "${BYTES:=20480}" "${MODEL:=}" "${HEAP:=512m}" "${DISK_GB:=40}"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
BACK=$RUN/disks
mkdir -p "$RUN/index" "$BACK"
export RUN BACK
. "$VDFS_HOME/src-it/real/cluster.sh"
. "$VDFS_HOME/src-it/bench/disks.sh"
DISK=vdfs-store-start-$$
VOLUME=$RUN/volume/data
CLASSES=$VDFS_HOME/src-it/target/classes
[ -f "$CLASSES/io/vdfs/it/bench/StoreStart.class" ] || die "not built: run 'mvn -DskipTests package' in $VDFS_HOME"

clean_up() {
  disks_down
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
store() { # before the JVM, then its arguments
  local before=$1
  shift
  # shellcheck disable=SC2086  # a command with its options
  $before java @"$VDFS_HOME/conf/daemon-jvm.args" "-Xmx$HEAP" -cp "$CLASSES:$VDFS_HOME/vdfs-datanode/target/lib/*" \
    io.vdfs.it.bench.StoreStart "$@" 2>>"$RUN/log" || die "failed: $*; see $RUN/log"
}

trap clean_up EXIT
trap 'exit 130' INT TERM
disk_up "$DISK" "$RUN/volume" "$MODEL"
mkdir -p "$VOLUME"
store "" fill "$VOLUME" "$RUN/index" "$FILES" "$BYTES"
disks_mechanics on
disks_reset "$DISK"
store "" open "$VOLUME" "$RUN/index" "$FILES" >"$RUN/opened"
counters=$(disks_counters "read_mb read_seeks busy_s" "$DISK")
disks_mechanics off
store "strace -f -qq -e trace=openat -o $RUN/calls" open "$VOLUME" "$RUN/index" "$FILES" >/dev/null
data=$(grep -c "$VOLUME/blocks/.*\.vcf\"" "$RUN/calls" || true)
index=$(grep -c "$VOLUME/blocks/.*\.idx\"" "$RUN/calls" || true)
awk -v counters="$counters" -v data="$data" -v index_files="$index" -v files="$FILES" '
  {
    split(counters, c, " ")
    sub(/}$/, "")
    printf "%s, \"read_mb\": %.0f, \"read_seeks\": %d, \"busy_s\": %.1f", $0, c[1], c[2], c[3]
    printf ", \"data_opens\": %.3f, \"index_opens\": %.3f}\n", data / files, index_files / files
  }' "$RUN/opened" | tee "$OUT"
