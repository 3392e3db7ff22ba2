#!/bin/sh
# Every shell script parses, is executable where it is a command, and starts with a known shell.
set -eu
cd "$(dirname "$0")/../.."
bad=0
for f in $(find tools tests .ci -name node_modules -prune -o -type f -print | sort); do
  IFS= read -r first <"$f" 2>/dev/null || continue
  case $first in
    "#!/bin/bash" | "#!/usr/bin/env bash") bash -n "$f" || bad=1 ;;
    "#!/bin/sh") sh -n "$f" || bad=1 ;;
    *) continue ;;
  esac
  case $f in
    tools/lib.sh) ;; # sourced
    tools/*.sh | .ci/run) [ -x "$f" ] || { echo "$f: not executable"; bad=1; } ;;
  esac
done
for f in tools/*.sh .ci/run; do
  case $f:$(head -1 "$f") in tools/lib.sh:* | *:"#!"*) ;; *) echo "$f: no #! line"; bad=1 ;; esac
done
exit $bad
