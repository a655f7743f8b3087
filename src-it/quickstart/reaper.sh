#!/usr/bin/env bash
# reaper.sh RUN     ends what a quickstart left running and removes its directory RUN
#
# Waits until its standard input ends: that is a pipe from the quickstart, so its end is the quickstart's end,
# however it came. The line 'keep-logs' on the pipe saves RUN/logs. Kills only processes whose ids stand in files
# below RUN and whose command lines name RUN.
set -u

# no signal for the terminal's process group is meant for this one
if [ "${2:-}" != detached ] && command -v setsid >/dev/null; then
  exec setsid "$0" "$1" detached
fi
trap '' INT TERM HUP
run=$1
keep_logs=

while read -r word; do
  if [ "$word" = keep-logs ]; then keep_logs=1; fi
done

command_line() { # pid
  if [ -r "/proc/$1/cmdline" ]; then
    tr '\0' ' ' <"/proc/$1/cmdline"
  else
    ps -ww -o args= -p "$1"
  fi 2>/dev/null
}

# ids of daemons and clients, then of containers, whose processes form a group each
pid_files() {
  local file
  for file in "$run"/pids/* "$run"/yarn*/local/nmPrivate/*/*/*.pid; do
    if [ -f "$file" ]; then echo "$file"; fi
  done
}

kill_all() { # succeeds once nothing is left
  local file pid found=
  while read -r file; do
    read -r pid <"$file" || true
    [[ ${pid:-} =~ ^[0-9]+$ ]] || continue
    [[ $(command_line "$pid") == *"$run/"* ]] || continue
    found=1
    kill -KILL -- "-$pid" 2>/dev/null || kill -KILL "$pid" 2>/dev/null
  done < <(pid_files)
  [ -z "$found" ]
}

for _ in $(seq 100); do
  kill_all && break
  sleep 0.1
done

# the quickstart itself may still be writing
for _ in $(seq 20); do
  if [ -n "$keep_logs" ]; then
    find "$run" -mindepth 1 -maxdepth 1 ! -name logs -exec rm -rf {} +
    [ "$(ls "$run")" = logs ] && break
  else
    rm -rf "$run"
    [ -e "$run" ] || break
  fi
  sleep 0.1
done 2>/dev/null
