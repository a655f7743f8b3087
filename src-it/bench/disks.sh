# Sourced after src-it/real/cluster.sh by the scripts that measure emulated spinning disks. Needs HDD, the directory of
# the emulator (with hdd.sh), and root. A disk goes by the name that disk_up was given.
#
#   disk_up NAME MOUNT OPTIONS   an empty disk of DISK_GB at full speed, data kept in BACK
#   disks_down                   takes down all that were put up
#   disks_mechanics on|off       all disks: as slow as a disk, or at full speed
#   disks_reset NAME...          an empty page cache, counters at 0
#   disks_stats NAME...          "BUSY_S READ_MB READ_SEEKS LATE_S", summed over the disks
#   disks_counters NAMES NAME... these of the emulator's counters, likewise: NAMES="write_mb write_seeks flushes"

HDD_SH=$(cd "$HDD" && pwd)/hdd.sh
: "${DISK_GB:=20}"
DISKS=()

disk_up() {
  HDD_OPTS=$3 "$HDD_SH" up "$DISK_GB" "$2" "$1"
  DISKS+=("$1")
  "$HDD_SH" model off "$1"
}
disks_down() {
  local name
  for name in "${DISKS[@]}"; do "$HDD_SH" down "$name" || true; done
  DISKS=()
}
disks_mechanics() {
  local name
  for name in "${DISKS[@]}"; do "$HDD_SH" model "$1" "$name"; done
}
disks_reset() {
  local name
  sync
  echo 3 >/proc/sys/vm/drop_caches
  for name in "$@"; do "$HDD_SH" reset "$name"; done
}
disks_stats() { disks_counters "busy_s read_mb read_seeks late_s" "$@"; }
disks_counters() {
  local name counters=$1
  shift
  for name in "$@"; do "$HDD_SH" stats "$name"; done | tee -a "$RUN/stats" | awk -v counters="$counters" '
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
