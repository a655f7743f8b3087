#!/usr/bin/env bash
# placement.sh HADOOP_HOME OUT.json     how evenly each placement deals files, and what that does to jobs
#
# Five DataNodes, each a process and an address of its own, one copy of each group, all files of one group. The cluster
# is formatted anew for each placement. Parts:
#
#   files   FILES files put by one client, of mixed sizes (16 KiB to 1 MiB, evenly by their logarithm), then as many of
#           EQUAL_KB, for each of turn, hash and random: groups and bytes per node as 'vdfs balance report' has them,
#           compared with the nodes' own gauges; mean, variance, what random places have (r(N-r)S/N² for groups, the
#           sum of the squared sizes times (N-1)/N² for bytes), and nodes beyond one standard deviation
#   jobs    for each of CLUSTERS, a run and a placement: stock greps on static splits of as many files as
#           each of SIZES has, a map each, without and with speculation over the same files; in the first run also a
#           stock sort of the first of SIZES, and a grep on logical splits of the last. Each node has room for three
#           containers; one of the 15 is the ApplicationMaster's. Of a grep's two jobs the first counts, from its
#           start to its end as its client sees them
#
# Each run has files with other numbers, so that random places differ. "spread" is the variance of groups per node as a
# share of what random places have. "local_bytes" is the share that nodes granted to readers on their own host, of all
# bytes that they gave, by their counters, the few of the jobs' own files among them. One JSON object per line: one for
# each set of files, each job, and each kind of job (medians). OUT.json is written anew after each cluster.
#
# Settings: PARTS="files jobs" FILES=300 EQUAL_KB=256 SIZES="15 50" FILE_MB=8 CLUSTERS="1:turn 1:random 2:random 2:turn
# 3:turn 3:random", LOCK (a file to lock, given up now and then between the clusters), RUN and those of
# src-it/real/cluster.sh.
set -euo pipefail

[ $# -eq 2 ] || { sed -n '2,24p' "$0" >&2; exit 2; }
HADOOP_HOME=$(realpath "$1")
OUT=$2
VDFS_HOME=$(cd "$(dirname "$0")/../.." && pwd)
: "${PARTS:=files jobs}" "${FILES:=300}" "${EQUAL_KB:=256}" "${SIZES:=15 50}" "${FILE_MB:=8}" "${LOCK:=}"
: "${CLUSTERS:=1:turn 1:random 2:random 2:turn 3:turn 3:random}"
LEAN="-XX:+UseSerialGC -XX:TieredStopAtLevel=1" # of all JVMs: there are many for few cores, and none lives long
: "${PORT_BASE:=18000}" "${VDFS_DAEMON_OPTS:=-Xmx256m -XX:MaxDirectMemorySize=128m $LEAN}"
REMOVE_RUN=${RUN:+no}
RUN=$(realpath -m "${RUN:-$(mktemp -d)}")
mkdir -p "$RUN"
NODES=5 NODE_CORES=2 NM_VCORES=3 CONTAINER_MB=1024 NM_MEMORY=3072
METRICS=$((PORT_BASE + 900))
VDFS_SITE="vdfs.metrics.port=$METRICS ${VDFS_SITE:-}"
export HADOOP_HOME RUN NODES NODE_CORES NM_VCORES NM_MEMORY CONTAINER_MB VDFS_SITE VDFS_DAEMON_OPTS
export HADOOP_OPTS="$LEAN ${HADOOP_OPTS:-}"
. "$VDFS_HOME/src-it/real/cluster.sh"

EXAMPLES=$(ls "$HADOOP_HOME"/share/hadoop/mapreduce/hadoop-mapreduce-examples-*.jar)
RESULTS=$RUN/results
SKIPPED=41 # numbers of files that each run leaves out more than the one before

fs() { HADOOP_ROOT_LOGGER=ERROR,console "$HADOOP_HOME/bin/hadoop" fs "$@"; }
part_used() { [[ " $PARTS " == *" $1 "* ]]; }
clean_up() {
  stop_all
  [ -n "$REMOVE_RUN" ] || rm -rf "$RUN"
}
take_lock() { # gives it up first if it has been held for long
  [ -n "$LOCK" ] || return 0
  [ -z "${LOCKED_AT:-}" ] || [ $((SECONDS - LOCKED_AT)) -ge 600 ] || return 0
  exec 9>>"$LOCK"
  flock -u 9
  flock 9
  LOCKED_AT=$SECONDS
}
start_cluster() { # placement
  take_lock
  rm -rf "$RUN/zookeeper" "$RUN"/vdfs[0-9]* "$RUN"/local[0-9]* "$RUN/cluster.key"
  start_zookeeper
  VDFS_FORMAT="--replication 1 --metadata-members 3 --minimum-split ${FILE_MB}m --placement $1"
  start_vdfs
}
metrics() { # node number
  (exec 3<>"/dev/tcp/127.0.0.$1/$METRICS" && printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3 && cat <&3) 2>/dev/null
}
held() { # lines of the nodes' gauges: address, groups and bytes
  local node
  for node in $(seq "$NODES"); do
    metrics "$node" | awk -v host="127.0.0.$node" '
      /^vdfs_volume_primary_groups\{/ { groups += $2 }
      /^vdfs_volume_primary_bytes\{/ { bytes += $2 }
      END { printf "%s %d %d\n", host, groups, bytes }'
  done
}
reported() { # path; lines of what 'vdfs balance report' says: address, groups and bytes
  "$VDFS_HOME/bin/vdfs" balance report "$1" --json --conf "$RUN/vdfs-conf1" >"$RUN/report" || die "no report of $1"
  awk '
    { gsub(/[",]/, "") }
    /\[/ { nodes = 1 }
    nodes && $1 == "address" { host = $3; sub(/:.*/, "", host) }
    nodes && $1 == "groups" { groups = $3 }
    nodes && $1 == "bytes" { print host, groups, $3 }' "$RUN/report" | sort
}
total() { # field of the whole tree in the report that was made last
  awk -v name="\"$1\"" '$1 == name { gsub(/,/, ""); print $3; exit }' "$RUN/report"
}

make_sizes() { # mixed or equal; bytes of each file
  awk -v kind="$1" -v files="$FILES" -v equal="$((EQUAL_KB << 10))" 'BEGIN {
    srand(7)
    for (f = 1; f <= files; f++) print kind == "equal" ? equal : int(16384 * exp(rand() * log(64)))
  }'
}
make_files() { # directory, bytes of each on standard input
  local bytes file=0
  mkdir -p "$1"
  while read -r bytes; do
    file=$((file + 1))
    head -c "$bytes" "$RUN/random" >"$1/$(printf 'f%04d' $file)"
  done
}
files_of() { # placement, mixed or equal
  local before
  before=$(held)
  fs -put "$RUN/$2" "vdfs://real/$2" || die "cannot put $2"
  reported "/$2" >"$RUN/nodes"
  diff <(paste -d ' ' <(echo "$before") <(held) | awk '{ print $1, $5 - $2, $6 - $3 }') "$RUN/nodes" >&2 ||
    die "what nodes hold of $2 ($1; <) is not what the report says (>)"
  awk -v placement="$1" -v kind="$2" -v by_report="$(total variance) $(total randomVariance)" '
    FILENAME ~ /sizes/ { squares += $1 * $1; next }
    { host[++n] = $1; groups[n] = $2; bytes[n] = $3; mean += $2; mean_bytes += $3 }
    END {
      files = mean; mean /= n; mean_bytes /= n
      for (i = 1; i <= n; i++) { off[i] = groups[i] - mean; v += off[i] ^ 2 / n; off_bytes[i] = bytes[i] - mean_bytes; w += off_bytes[i] ^ 2 / n }
      for (i = 1; i <= n; i++) {
        beyond += off[i] ^ 2 > v; beyond_bytes += off_bytes[i] ^ 2 > w
        nodes = nodes sprintf("%s{\"host\": \"%s\", \"groups\": %d, \"bytes\": %d}", i > 1 ? ", " : "", host[i], groups[i], bytes[i])
      }
      split(by_report, report, " ")
      random = files * (n - 1) / n ^ 2
      if ((report[1] - v) ^ 2 > 1e-6 || (report[2] - random) ^ 2 > 1e-6) exit 1
      mib = 2 ^ 20
      printf "{\"part\": \"files\", \"placement\": \"%s\", \"sizes\": \"%s\", \"files\": %d, \"mean_groups\": %.1f, \"variance\": %.2f, \"random_variance\": %.2f, \"beyond\": %d, \"mean_mib\": %.2f, \"mib_variance\": %.3f, \"random_mib_variance\": %.3f, \"mib_beyond\": %d, \"nodes\": [%s]}\n",
        placement, kind, files, mean, v, random, beyond, mean_bytes / mib, w / mib ^ 2, squares * (n - 1) / n ^ 2 / mib ^ 2, beyond_bytes, nodes
    }' "$RUN/$2-sizes" "$RUN/nodes" | tee -a "$OUT" >&2 || die "the variance in the report is not that of its nodes: $RUN/report"
}
run_files() {
  local placement kind
  head -c $((EQUAL_KB << 10 > 1 << 20 ? EQUAL_KB << 10 : 1 << 20)) /dev/urandom >"$RUN/random"
  for kind in mixed equal; do
    make_sizes $kind >"$RUN/$kind-sizes"
    make_files "$RUN/$kind" <"$RUN/$kind-sizes"
  done
  for placement in turn hash random; do
    start_cluster $placement
    for kind in mixed equal; do files_of $placement $kind; done
    stop_all
  done
}

make_texts() { # a directory of files for each of SIZES, of the first files of one text
  local files
  # shellcheck disable=SC2086  # a size each
  files=$(printf '%s\n' $SIZES | sort -n | tail -n 1)
  java -cp "$VDFS_HOME/src-it/target/classes" io.vdfs.it.bench.TextGenerator "$RUN/text" $((files * FILE_MB << 20)) 7 >/dev/null
  mkdir -p "$RUN/all"
  split -a 3 -d -n "l/$files" "$RUN/text" "$RUN/all/f"
  rm "$RUN/text"
  for files in $SIZES; do
    mkdir -p "$RUN/in$files"
    find "$RUN/all" -type f | sort | head -n "$files" | xargs cp -l -t "$RUN/in$files"
    cat "$RUN/in$files"/* | grep -a -o 'NEEDLE[0-9]*' | wc -l >"$RUN/needles$files"
    cat "$RUN/in$files"/* | wc -l >"$RUN/lines$files"
  done
}
given() { # bytes that nodes gave to readers so far: on their own hosts, and in all
  local node
  for node in $(seq "$NODES"); do metrics "$node"; done | awk '
    /^vdfs_(local_granted_bytes|segment_delivery_filled_bytes)_total/ { near += $2 }
    /^vdfs_transfer_bytes_read_total/ { far += $2 }
    END { printf "%d %d\n", near, near + far }'
}
run_job() { # run, placement, kind (static, logical or sort), files, whether to speculate
  local run=$1 placement=$2 kind=$3 files=$4 speculate=$5 label log before wanted counter options=()
  label=$run-$placement-$kind-$files-$speculate
  log=$LOGS/job-$label.log
  options=(-D "mapreduce.map.speculative=$speculate" -D "mapreduce.reduce.speculative=$speculate" -D mapreduce.job.reduce.slowstart.completedmaps=1.0)
  options+=(-D "mapreduce.map.java.opts=-Xmx384m $LEAN" -D "mapreduce.reduce.java.opts=-Xmx384m $LEAN" -D "yarn.app.mapreduce.am.command-opts=-Xmx384m $LEAN")
  # grep's second job, of one map, runs in its ApplicationMaster
  options+=(-D mapreduce.task.io.sort.mb=32 -D mapreduce.job.ubertask.enable=true -D mapreduce.job.ubertask.maxmaps=1)
  wanted=$(cat "$RUN/needles$files") counter='Map output records'
  set -- grep "${options[@]}" "/in$files" "/out-$label" 'NEEDLE[0-9]+'
  case $kind in
    logical) set -- grep "${options[@]}" -D mapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat "${@: -3}" ;;
    sort)
      wanted=$(cat "$RUN/lines$files") counter='Reduce output records'
      set -- sort "${options[@]}" -r 2 -inFormat org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat \
        -outFormat org.apache.hadoop.mapreduce.lib.output.TextOutputFormat -outKey org.apache.hadoop.io.Text \
        -outValue org.apache.hadoop.io.Text "/in$files" "/out-$label"
      ;;
  esac
  before=$(given)
  HADOOP_ROOT_LOGGER=INFO,console HADOOP_CLIENT_OPTS=-Xmx512m "$HADOOP_HOME/bin/hadoop" jar "$EXAMPLES" "$@" >"$log" 2>&1 ||
    { tail -n 30 "$log" >&2; die "a job failed; see $log"; }
  awk -v run="$run" -v placement="$placement" -v kind="$kind" -v files="$files" -v speculate="$speculate" -v given="$before $(given)" \
    -v counter="$counter" -v wanted="$wanted" '
    function clock(   t) { split($2, t, /[:,]/); return t[1] * 3600 + t[2] * 60 + t[3] + t[4] / 1000 }
    / Running job: / { jobs++ }
    jobs != 1 { next }
    / Running job: / { start = clock() }
    / Job job_.* completed successfully/ { end = clock() }
    /=/ { name = $0; sub(/^[ \t]+/, "", name); value = name; sub(/=.*/, "", name); sub(/.*=/, "", value); if (!(name in of)) of[name] = value }
    END {
      if (of[counter] != wanted) { printf "%s is %d instead of %d\n", counter, of[counter], wanted >"/dev/stderr"; exit 1 }
      split(given, g, " ")
      maps = of["Launched map tasks"]
      logical = of["LOCAL_BYTES"] + of["RACK_BYTES"] + of["REMOTE_BYTES"]
      printf "%d %s %s %d %s %.1f %d %d %d %d %.4f %.4f %s\n", run, placement, kind, files, speculate,
        end - start + (end < start ? 86400 : 0), maps, of["Data-local map tasks"], of["Killed map tasks"],
        maps + of["Launched reduce tasks"] + 1, of["Data-local map tasks"] / maps, (g[3] - g[1]) / (g[4] - g[2]),
        logical ? sprintf("%.4f", of["LOCAL_BYTES"] / logical) : "-"
    }' "$log" >"$RUN/job" || die "$label did not find what it should; see $log"
  echo "$(cat "$RUN/job") $(spread "$files")" | tee -a "$RESULTS" >&2
}
spread() { # files of a set; the most of a node, and the variance as a share of that of random places
  awk -v set="$1" '$1 == set { print $2, $3 }' "$RUN/spreads"
}
run_cluster() { # run, placement
  local run=$1 placement=$2 files speculations="false true" speculate
  [ $((run % 2)) = 1 ] || speculations="true false"
  start_cluster "$placement"
  fs -mkdir /skipped
  # shellcheck disable=SC2046  # a name each
  fs -touchz $(seq -f /skipped/%g $((run * SKIPPED)))
  : >"$RUN/spreads"
  for files in $SIZES; do
    fs -put "$RUN/in$files" "/in$files" || die "cannot put in$files"
    reported "/in$files" >"$RUN/nodes"
    echo "$files $(awk '$2 > most { most = $2 } END { print most }' "$RUN/nodes") $(awk -v v="$(total variance)" -v r="$(total randomVariance)" 'BEGIN { printf "%.3f", v / r }')" >>"$RUN/spreads"
  done
  start_yarn vdfs://real
  for files in $SIZES; do
    for speculate in $speculations; do run_job "$run" "$placement" static "$files" "$speculate"; done
  done
  if [ "$run" = 1 ]; then
    run_job "$run" "$placement" sort "${SIZES%% *}" false
    run_job "$run" "$placement" logical "${SIZES##* }" false
  fi
  stop_all
}
job_lines() {
  awk "$MEDIAN"'
    function line(kind, placement, files, speculate, rest) {
      printf "{\"part\": \"jobs\", \"job\": \"%s\", \"placement\": \"%s\", \"files\": %d, \"speculation\": %s, %s}\n", kind, placement, files, speculate, rest
    }
    {
      line($3, $2, $4, $5, sprintf("\"run\": %d, \"most_of_a_node\": %d, \"spread\": %.3f, \"job_s\": %.1f, \"maps\": %d, \"local_maps\": %.3f, \"local_bytes\": %.3f, \"killed_maps\": %d, \"containers\": %d%s",
        $1, $14, $15, $6, $7, $11, $12, $9, $10, $13 == "-" ? "" : sprintf(", \"local_bytes_by_job\": %.3f", $13)))
      key = $3 " " $2 " " $4 " " $5
      if (!(key in runs)) keys[++n] = key
      r = ++runs[key]
      spread[key, r] = $15; seconds[key, r] = $6; maps[key, r] = $11; bytes[key, r] = $12; killed[key, r] = $9; containers[key, r] = $10
    }
    END {
      for (k = 1; k <= n; k++) {
        key = keys[k]; split(key, part, " "); r = runs[key]
        line(part[1], part[2], part[3], part[4], sprintf("\"runs\": %d, \"spread\": %.3f, \"job_s\": %.1f, \"local_maps\": %.3f, \"local_bytes\": %.3f, \"killed_maps\": %d, \"containers\": %d",
          r, median(spread, key, r), median(seconds, key, r), median(maps, key, r), median(bytes, key, r), median(killed, key, r), median(containers, key, r)))
      }
    }' "$RESULTS"
}
run_jobs() {
  local cluster
  make_texts
  [ ! -f "$OUT" ] || cp "$OUT" "$RUN/files.json"
  touch "$RUN/files.json"
  for cluster in $CLUSTERS; do
    run_cluster "${cluster%:*}" "${cluster#*:}"
    { cat "$RUN/files.json"; job_lines; } >"$OUT"
  done
}

prepare
trap clean_up EXIT
trap 'exit 130' INT TERM
rm -f "$OUT"
: >"$RESULTS"
! part_used files || run_files
! part_used jobs || run_jobs
