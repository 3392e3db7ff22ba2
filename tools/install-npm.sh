#!/bin/bash
# Puts the npm packages of the test servers into DIR/node_modules, in the versions that
# tests/servers/node/package.json names. Does nothing when DIR has just these.
#
#   tools/install-npm.sh DIR      then run servers with NODE_PATH=DIR/node_modules
#
# Exit codes: 0 there, 1 npm failed (no network?), 2 usage, 77 no npm.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ $# = 1 ] && [ "${1#-}" = "$1" ] || { sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
dir=$1
source=$root/tests/servers/node
command -v npm >/dev/null || { echo "install-npm: npm is not installed"; exit 77; }

stamp=$dir/.installed
if [ -e "$stamp" ] && cmp -s "$source/package.json" "$stamp" && [ -d "$dir/node_modules" ]; then
  exit 0
fi
mkdir -p "$dir" || exit 1
rm -f "$stamp"
cp "$source/package.json" "$dir/" || exit 1
command=install
if [ -e "$source/package-lock.json" ]; then
  cp "$source/package-lock.json" "$dir/" || exit 1
  command=ci
fi
# Prebuilt addons come inside the packages: no install script needs to run.
(cd "$dir" && timeout --kill-after=10 600 npm "$command" --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null >&2) || {
  echo "install-npm: npm $command in $dir failed with $?" >&2
  exit 1
}
cp "$source/package.json" "$stamp"
