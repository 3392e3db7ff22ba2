#!/bin/sh
# The Vagrantfile is valid, and "valid" means something: the same file with a wrong setting is not.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v vagrant >/dev/null 2>&1; then
  echo "vagrant is not installed"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VAGRANT_HOME="$work/home" VAGRANT_DOTFILE_PATH="$work/state" VAGRANT_CHECKPOINT_DISABLE=1
# Ruby gems of the user's must not get in the way of the packaged vagrant.
unset GEM_HOME GEM_PATH RUBYOPT RUBYLIB || true

cd "$root"
vagrant validate --ignore-provider

mkdir -p "$work/broken/tools"
cp "$root/tools/install-deps.sh" "$work/broken/tools/"
sed 's/config.vm.hostname/config.vm.hostnaem/' "$root/Vagrantfile" >"$work/broken/Vagrantfile"
cd "$work/broken"
if vagrant validate --ignore-provider >"$work/out" 2>&1; then
  echo "a wrong setting name was accepted"
  exit 1
fi
