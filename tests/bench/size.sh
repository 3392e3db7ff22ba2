#!/bin/bash
# How large a recording and the collector get: a Go server under 30k requests/s for a minute, once with the
# same path and once with a different one in every request. Needs root, go and both programs of the build.
#
#   sudo tests/bench/size.sh [BUILD] [--seconds S] [--rate R]     (build/release, 60, 30000)
#
# A machine that cannot answer R requests/s is loaded as far as it goes, and the size is also given scaled to
# R requests/s for 60 s. Exit code 1: more than 1 GB (scaled) or 300 MB of memory, or lost records.
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=$PATH:/usr/local/go/bin
build=$root/build/release seconds=60 rate=30000
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift ;;
    --rate) rate=$2; shift ;;
    *) build=$(cd "$1" && pwd) ;;
  esac
  shift
done
srvprof=$build/bin/srvprof
bench=$build/tests/bench/overhead/overhead_bench
for program in "$srvprof" "$bench"; do
  [ -x "$program" ] || { echo "size.sh: no $program: cmake --build $build --target all benches" >&2; exit 2; }
done
command -v go >/dev/null || { echo "skipped: no go"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "skipped: needs root"; exit 77; }

dir=$(mktemp -d)
server_pid="" attach_pid=""
finish() {
  for pid in $attach_pid $server_pid; do kill "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$dir"
}
trap finish EXIT
(cd "$root/tests/servers/go/http" && go build -o "$dir/server" .)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# Runs a command in a session of its own with the highest priority, as the load runs: else whatever this
# machine does besides decides the rate, or the load keeps the collector from its CPU.
first() {
  exec setsid bash -c 'echo -20 >/proc/self/autogroup; renice -n -20 $$ >/dev/null; exec "$@"' bash "$@"
}
first taskset -c 0 "$dir/server" "$port" >"$dir/server.out" 2>/dev/null &
server_pid=$!
for _ in $(seq 100); do grep -q READY "$dir/server.out" && break; sleep 0.1; done

# Column NAME of the own_cost rows of a recording, one a line.
own_cost() {
  "$srvprof" dump "$1" | awk -v name="$2" '$1 == "own_cost" {
    for (i = 2; i <= NF; i++) if (index($i, name "=") == 1) print substr($i, length(name) + 2) }'
}

failed=0
measure() { # PATH WORDS
  local file=$dir/run.srvprof load requests bytes resident high=0 lost
  rm -f "$file"
  first "$srvprof" attach -p "$server_pid" -d "$seconds" -o "$file" --no-report -q >"$dir/out" 2>&1 &
  attach_pid=$!
  for _ in $(seq 100); do [ -s "$file" ] && break; sleep 0.1; done
  sleep 0.5
  load=$("$bench" --load "$port" --path "$1" --seconds "$seconds" --rate "$rate" | tail -1)
  while kill -0 "$attach_pid" 2>/dev/null; do
    high=$(awk '/VmHWM/ { print $2 * 1024 }' "/proc/$attach_pid/status" 2>/dev/null || echo "$high")
    sleep 0.05
  done
  local code=0
  wait "$attach_pid" || code=$?
  attach_pid=""
  # 6: finished, but records were lost; that is told below.
  [ $code = 0 ] || [ $code = 6 ] || { cat "$dir/out"; echo "size.sh: srvprof failed"; exit 1; }
  requests=$("$srvprof" dump "$file" | grep -c '^request ')
  "$srvprof" dump "$file" | grep -E '^(loss|governor) ' >"$dir/losses" || true
  lost=$(grep -c '^loss ' "$dir/losses" || true)
  bytes=$(stat -c %s "$file")
  resident=$(own_cost "$file" rss_bytes | sort -n | tail -1)
  [ "${high:-0}" -gt "$resident" ] && resident=$high
  awk -v what="$2" -v requests="$requests" -v bytes="$bytes" -v resident="$resident" -v rate="$rate" \
      -v load="$load" -v lost="$lost" -v losses="$dir/losses" 'BEGIN {
    scaled = bytes / requests * rate * 60
    printf "%s: %s; %d recorded, %d loss rows\n", what, load, requests, lost
    printf "  file %.1f MB, %.1f bytes a request; %.1f MB at %d requests/s for 60 s\n",
           bytes / 1e6, bytes / requests, scaled / 1e6, rate
    printf "  collector %.1f MB resident at most\n", resident / 1e6
    while ((getline line < losses) > 0) print "  " line
    if (scaled >= 1e9 || resident >= 300e6 || lost > 0) exit 1
  }' || failed=1
}

measure /health/same "same path in every request"
measure "/health/{n}" "different path in every request"
if [ $failed = 0 ]; then echo PASS; else echo "FAIL: required: < 1 GB, < 300 MB, nothing lost"; fi
exit $failed
