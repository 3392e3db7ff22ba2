#!/bin/sh
# The man page has no formatting errors and tells of every exit code.
set -eu
page=$(cd "$(dirname "$0")/../.." && pwd)/tools/man/srvprof.1
for code in 0 1 2 3 4 5 6 130; do
  grep -qx "\.B $code" "$page" || { echo "srvprof.1 does not tell of exit code $code"; exit 1; }
done
if command -v groff >/dev/null 2>&1; then
  messages=$(groff -man -Tutf8 -ww -z "$page" 2>&1)
elif command -v mandoc >/dev/null 2>&1; then
  messages=$(mandoc -T lint -W error "$page" 2>&1 || true)
else
  echo "neither groff nor mandoc is installed"
  exit 77
fi
[ -z "$messages" ] || { echo "$messages"; exit 1; }
