#!/bin/bash
# The main job, end to end, on a real server: a Node program whose POST /login hashes on the event
# loop, and whose light GET /health is slow because of it. Prints srvprof's report; the last line is
# the file:// link of a flame graph.
#
#   sudo tools/demo.sh [--no-install] [--port N]
#
# Where the kernel refuses BPF it says what is missing and what to run, shows the report of a
# recording that came with the repository, and exits with 3 (a right) or 4 (a kernel feature).
# Everything that it starts is stopped at its end.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() { sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0"; }

install=1 port=21080
while [ $# -gt 0 ]; do
  case $1 in
    --no-install) install=0 ;;
    --port) port=${2:-}; shift ;;
    -h | --help) usage; exit 0 ;;
    *) echo "demo.sh: unknown argument: $1" >&2; usage >&2; exit 2 ;;
  esac
  shift
done

say() { echo "demo: $*" >&2; }
die() { say "$@"; exit 1; }

# pids of what we started; ended on every way out.
started=()
stop_all() {
  local pid
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null; done
}
trap stop_all EXIT
trap 'exit 130' INT TERM HUP

if [ $install = 1 ]; then
  "$root/tools/install-deps.sh" --tests || die "tools/install-deps.sh failed"
fi
preset=$(default_preset)
say "building (preset $preset)"
log=$(mktemp)
build "$preset" srvprof >"$log" 2>&1 || { tail -40 "$log" >&2; rm -f "$log"; die "the build failed"; }
rm -f "$log"
srvprof=$root/build/$preset/bin/srvprof
out=$root/build/demo
as_owner rm -rf "$out" && as_owner mkdir -p "$out" || die "cannot make $out"

# flame_graph RECORDING NAME: writes the SVG and prints its link, as the last line.
flame_graph() {
  rm -f "$out/$2"
  "$srvprof" flamegraph "$1" -o "$out/$2" >/dev/null || die "srvprof flamegraph failed"
  [ -n "${SUDO_UID:-}" ] && chown "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$out/$2" 2>/dev/null
  echo "file://$out/$2"
}

# The kernel said no: exit code $1 is 3 (a right is missing) or 4 (the kernel or a feature).
refused() {
  local shipped=$root/tests/fixtures/demo.srvprof
  echo "demo: this machine does not let srvprof record. What is missing, and what to run:"
  echo
  "$srvprof" doctor 2>&1 || true
  echo
  [ -f "$shipped" ] || die "there is no shipped recording ($shipped)"
  echo "demo: NOT MEASURED HERE. What follows is the report of a recording that comes with srvprof,"
  echo "      made by this script on another machine (tests/fixtures/demo.srvprof):"
  echo
  "$srvprof" report "$shipped" || die "srvprof report failed"
  echo
  echo "flame graph of the shipped recording:"
  flame_graph "$shipped" shipped-flamegraph.svg
  exit "$1"
}

if [ "$preset" = report-only ]; then
  say "libbpf here is older than 1.0: capture cannot be built"
  refused 4
fi
"$srvprof" doctor >/dev/null 2>&1
code=$?
case $code in 3 | 4) refused $code ;; esac

# --- the server ----------------------------------------------------------------------------------
command -v node >/dev/null || die "node is not installed: tools/install-deps.sh --tests"
# About 50 ms a hash on a machine of 2020.
HASH_ROUNDS=100000 NODE_ENV=production node "$root/tests/servers/node/blocker.js" "$port" >"$out/server.log" 2>&1 </dev/null &
server=$!
started+=("$server")
for _ in $(seq 100); do
  grep -q "^READY" "$out/server.log" && break
  kill -0 "$server" 2>/dev/null || { cat "$out/server.log" >&2; die "the server ended at once (port $port taken?)"; }
  sleep 0.1
done
grep -q "^READY" "$out/server.log" || die "the server did not get ready in 10 s"

# --- the load, for at most 20 s: many light requests, and now and then a heavy one ------------------
# Both at a rate, far below what the server can do: what is slow then is slow for a reason.
command -v hey >/dev/null || die "hey is not installed: tools/install-deps.sh --tests"
light() { exec hey -z 20s -c 32 -q 30 "http://127.0.0.1:$port/health"; }
heavy() { exec hey -z 20s -c 1 -q 4 -m POST "http://127.0.0.1:$port/login"; }
light >"$out/load-health.txt" 2>&1 </dev/null &
started+=("$!")
heavy >"$out/load-login.txt" 2>&1 </dev/null &
started+=("$!")

# --- the job -------------------------------------------------------------------------------------
say "node (pid $server) serves GET /health 960 times and POST /login 4 times a second"
"$srvprof" attach --pid "$server" -d 8s -o "$out/run.srvprof"
code=$?
stop_all
started=()
case $code in
  0 | 6) ;;
  3 | 4) refused $code ;;
  *) die "srvprof attach ended with $code" ;;
esac
[ -n "${SUDO_UID:-}" ] && chown -R "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$out" 2>/dev/null
echo
echo "recording: $out/run.srvprof"
echo "flame graph:"
flame_graph "$out/run.srvprof" flamegraph.svg
exit $code
