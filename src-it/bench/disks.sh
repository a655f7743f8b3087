# Sourced after src-it/real/cluster.sh by the scripts that measure spinning disks. Needs root and HDD: the directory of
# the emulator (with hdd.sh), or any other directory, on a real disk that nothing else uses meanwhile. A disk goes by the
# name that disk_up was given; on a real one all are directories of it. It has its own speed, so that SCALE must be 1,
# and the kernel counts requests where the emulator counts seeks.
#
#   disk_up NAME MOUNT OPTIONS   an empty disk, an emulated one of DISK_GB at full speed, data kept in BACK
#   disks_down                   takes down all that were put up
#   disks_mechanics on|off       all emulated disks: as slow as a disk, or at full speed
#   disks_reset NAME...          an empty page cache, counters at 0
#   disks_stats NAME...          "BUSY_S READ_MB READ_SEEKS LATE_S", summed over the disks
#   disks_counters NAMES NAME... these counters, likewise: NAMES="write_mb write_seeks flushes"

HDD_ROOT=$(cd "$HDD" && pwd)
HDD_SH=$HDD_ROOT/hdd.sh
: "${DISK_GB:=20}"
DISKS=()
declare -A DISK_MOUNTS=() DISK_BASES=()

is_emulated() { [ -x "$HDD_SH" ]; }
disk_up() {
  DISKS+=("$1")
  if is_emulated; then
    HDD_OPTS=$3 "$HDD_SH" up "$DISK_GB" "$2" "$1"
    "$HDD_SH" model off "$1"
  else
    [[ " $3 " =~ ^\ (scale=1)?\ *$ ]] || die "a real disk is as it is: set SCALE=1 and no model; options: $3"
    mkdir -p "$HDD_ROOT/$1" "$2"
    mount --bind "$HDD_ROOT/$1" "$2"
    DISK_MOUNTS[$1]=$2
  fi
}
disks_down() {
  local name
  for name in "${DISKS[@]}"; do
    if is_emulated; then
      "$HDD_SH" down "$name" || true
    elif [ -n "${DISK_MOUNTS[$name]:-}" ]; then
      umount "${DISK_MOUNTS[$name]}" && rm -rf "${HDD_ROOT:?}/$name"
    fi
  done
  DISKS=()
}
disks_mechanics() {
  local name
  is_emulated || return 0
  for name in "${DISKS[@]}"; do "$HDD_SH" model "$1" "$name"; done
}
disks_reset() {
  local name
  sync
  echo 3 >/proc/sys/vm/drop_caches
  for name in "$@"; do
    if is_emulated; then "$HDD_SH" reset "$name"; else DISK_BASES[$name]=$(disk_line); fi
  done
}
# What the kernel has counted of the whole disk below HDD since the system started.
disk_line() {
  local number device
  number=$(stat -c %d "$HDD_ROOT")
  device=/sys/dev/block/$((number >> 8 & 0xfff)):$((number & 0xff | number >> 12 & 0xfff00))
  [ -e "$device" ] || die "no disk of its own: $HDD_ROOT"
  device=$(realpath "$device")
  [ ! -e "$device/partition" ] || device=$(dirname "$device")
  awk -v disk="$(cat "$device/dev")" '$1 ":" $2 == disk' /proc/diskstats
}
disk_json() { # name
  if is_emulated; then "$HDD_SH" stats "$1"; else
    printf '%s\n' "${DISK_BASES[$1]}" "$(disk_line)" | awk '
      { for (i = 4; i <= 19; i++) did[i] = $i - before[i]; for (i = 4; i <= 19; i++) before[i] = $i }
      END {
        printf "{\"busy_s\": %.3f, \"read_mb\": %.3f, \"read_seeks\": %d, ", did[13] / 1e3, did[6] * 512 / 1e6, did[4]
        printf "\"write_mb\": %.3f, \"write_seeks\": %d, \"flushes\": %d, \"late_s\": 0}\n", did[10] * 512 / 1e6, did[8], did[19]
      }'
  fi
}
disks_stats() { disks_counters "busy_s read_mb read_seeks late_s" "$@"; }
disks_counters() {
  local name counters=$1
  shift
  for name in "$@"; do disk_json "$name"; done | tee -a "$RUN/stats" | awk -v counters="$counters" '
    {
      while (match($0, /"[a-z_]*": *[0-9.]+/)) {
        split(substr($0, RSTART, RLENGTH), pair, /": */)
        sum[substr(pair[1], 2)] += pair[2]
        $0 = substr($0, RSTART + RLENGTH)
      }
    }
    END {
      n = split(counters, name, " ")
      for (i = 1; i <= n; i++) printf "%s%s", sum[name[i]] + 0, i < n ? " " : "\n"
    }'
}
