#!/bin/bash
# Installs, builds and runs every test; the last line is `N passed, N failed, N skipped`.
#
#   sudo tools/test.sh [--no-install] [--no-live] [--preset NAME] [--minutes N]
#
#   --no-install    the packages are there (tools/install-deps.sh)
#   --no-live       leave out the tests that attach to real servers
#   --preset NAME   release (the default), debug, sanitize, report-only
#   --minutes N     end what is not finished N minutes after the start (default 57)
#
# Root is needed by the live tests only. Where the kernel refuses BPF they count as skipped, with
# the reason. Exit code 1 when anything failed.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() { sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0"; }

install=1 live=() preset="" minutes=57
while [ $# -gt 0 ]; do
  case $1 in
    --no-install) install=0 ;;
    --no-live) live=(--no-live) ;;
    --preset) preset=${2:-}; shift ;;
    --minutes) minutes=${2:-}; shift ;;
    -h | --help) usage; exit 0 ;;
    *) echo "test.sh: unknown argument: $1" >&2; usage >&2; exit 2 ;;
  esac
  shift
done
exec </dev/null

# A step before the tests that fails is one failed test: the last line always says so.
give_up() {
  echo "FAILED $1: $2"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
}

left() { echo $((minutes * 60 - SECONDS)); }

if [ $install = 1 ]; then
  timeout --kill-after=10 "$(left)" "$root/tools/install-deps.sh" --tests --browser ||
    give_up install "tools/install-deps.sh ended with $?"
fi
[ -n "$preset" ] || preset=$(default_preset)
[ "$preset" = report-only ] && echo "test.sh: preset report-only: capture is not built, nothing live is tested"

echo "== build ($preset)"
export -f build as_owner
export root
timeout --kill-after=10 "$(left)" bash -c 'build "$1"' build "$preset" ||
  give_up build "the build ended with $?"

[ "$preset" = report-only ] && live=(--no-live)
[ "$(left)" -gt 60 ] || give_up time "nothing is left of $minutes minutes after the build"
exec "$root/tools/run-tests" "$root/build/$preset" \
  --minutes "$(awk "BEGIN { print $(left) / 60 }")" "${live[@]}"
