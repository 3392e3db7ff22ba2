# Shared by the scripts of this folder: source it. Sets `root` (the repository).
# shellcheck shell=bash
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/go/bin

# Runs a command as the user who owns the work tree when sudo gave us root: what is built must stay
# theirs. Without sudo, or when root owns the tree, it just runs.
as_owner() {
  local owner
  owner=$(stat -c %u "$root")
  if [ "$(id -u)" = 0 ] && [ -n "${SUDO_UID:-}" ] && [ "$owner" = "$SUDO_UID" ] && [ "$owner" != 0 ]; then
    setpriv --reuid "$SUDO_UID" --regid "${SUDO_GID:-$SUDO_UID}" --init-groups \
      env HOME="$(getent passwd "$SUDO_UID" | cut -d: -f6)" "$@"
  else
    "$@"
  fi
}

# The preset that this machine can build: capture needs libbpf 1.0, which Ubuntu 22.04 does not have.
default_preset() {
  if pkg-config --atleast-version=1.0 libbpf; then echo release; else echo report-only; fi
}

# build PRESET [TARGET...]: configures and builds; the tree is build/PRESET.
build() {
  local preset=$1 compiler=()
  shift
  # Where the default compiler is too old (Ubuntu 22.04), take the newer one beside it.
  if [ -z "${CXX:-}" ] && [ "$(g++ -dumpversion 2>/dev/null | cut -d. -f1)" -lt 12 ] 2>/dev/null; then
    compiler=(env CC=gcc-12 CXX=g++-12)
  fi
  (cd "$root" && as_owner "${compiler[@]}" cmake --preset "$preset" &&
    as_owner cmake --build "build/$preset" ${1:+--target "$@"})
}
