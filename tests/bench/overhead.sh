#!/bin/bash
# What srvprof costs Node and Go servers, measured: builds the servers and runs overhead_bench on them.
#
#   sudo tests/bench/overhead.sh [BUILD] [options of overhead_bench]     (BUILD: build/release)
#   sudo tests/bench/overhead.sh --probes            the table of bpf/README.md
#   sudo tests/bench/overhead.sh --pairs 4 --loop closed
#   sudo SERVERS=go tests/bench/overhead.sh          only one of them
#
# Exit code 0: every requirement is met; 77: nothing could be measured here (the last line says why).
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=$PATH:/usr/local/go/bin
build=$root/build/release
if [ $# -gt 0 ] && [ -d "$1" ]; then build=$(cd "$1" && pwd); shift; fi
bench=$build/tests/bench/overhead/overhead_bench
[ -x "$bench" ] || { echo "overhead.sh: no overhead_bench in $build: cmake --build $build --target benches" >&2; exit 2; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
servers=()
for name in ${SERVERS:-node go}; do
  case $name in
    node)
      command -v node >/dev/null || { echo "skipped: no node"; exit 77; }
      servers+=(--server "node=node $root/tests/servers/node/http.js {port}") ;;
    go)
      command -v go >/dev/null || { echo "skipped: no go"; exit 77; }
      (cd "$root/tests/servers/go/http" && GOFLAGS=-mod=mod go build -o "$dir/go-http" .)
      servers+=(--server "go=$dir/go-http {port}") ;;
    *) echo "overhead.sh: unknown server: $name" >&2; exit 2 ;;
  esac
done
"$bench" "${servers[@]}" "$@"
