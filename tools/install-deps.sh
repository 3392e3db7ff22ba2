#!/bin/bash
# Installs what building and testing srvprof needs: Debian 12 and newer, Ubuntu 22.04 and newer.
#
#   tools/install-deps.sh [--build-only] [--tests] [--browser] [--dry-run]
#
#   --build-only   only what the build needs
#   --tests        also servers, runtimes and load generators of the tests (the default)
#   --browser      also chromium, for tests that open the report in a browser
#   --dry-run      print what is missing and which packages would be installed, change nothing
#
# Nothing is asked and no service is started. What is there already, from whatever source, is left
# alone: a second run finds everything, starts no apt and takes a moment.
# Exit codes: 0 all required things are there, 1 some are not, 2 usage, 3 no permission.
set -u

usage() { sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0"; }

want_tests=1 want_browser=0 dry_run=0
for arg in "$@"; do
  case $arg in
    --build-only) want_tests=0 ;;
    --tests) want_tests=1 ;;
    --browser) want_browser=1 ;;
    --dry-run) dry_run=1 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "install-deps: unknown argument: $arg" >&2; usage >&2; exit 2 ;;
  esac
done

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/go/bin

say() { echo "install-deps: $*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }
module() { pkg-config --exists "$1" 2>/dev/null; }
anyfile() { for f in "$@"; do [ -e "$f" ] && return 0; done; return 1; }

# --- what is there -------------------------------------------------------------------------------
clang_works() {
  local c v
  for c in clang clang-{21,20,19,18,17,16,15,14}; do
    have "$c" || continue
    v=$("$c" -dumpversion 2>/dev/null) && [ "${v%%.*}" -ge 14 ] && return 0
  done
  return 1
}

# Ubuntu's /usr/sbin/bpftool is a script that only knows the running kernel's tools; the real ones
# lie beside it and do for making a skeleton.
bpftool_works() {
  local b
  for b in "$(command -v bpftool)" /usr/lib/linux-tools/*/bpftool /usr/lib/linux-tools-*/bpftool; do
    [ -x "$b" ] && "$b" version >/dev/null 2>&1 && return 0
  done
  return 1
}

# The code uses std::source_location and the ranges of GCC 12.
compiler_works() {
  local v
  for c in g++ g++-{15,14,13,12}; do
    v=$("$c" -dumpversion 2>/dev/null) && [ "${v%%.*}" -ge 12 ] && return 0
  done
  return 1
}

# The fuzzers need libFuzzer of the clang that is there, or that apt would bring.
clang_major=$(clang -dumpversion 2>/dev/null || apt-cache policy clang 2>/dev/null | sed -n 's/^ *Candidate: *[0-9]*://p')
clang_major=${clang_major%%[!0-9]*}

# Asks whether the need named $1 is met.
met() {
  case $1 in
    compiler) compiler_works ;;
    clang) clang_works ;;
    bpftool) bpftool_works ;;
    libc) anyfile /usr/include/stdio.h ;;
    cmake | ninja | pkg-config | python3 | git | wrk | hey | ab | siege | nginx | node | npm | go | javac | redis-server \
      | vagrant | ccache | curl | cpio) have "$1" ;;
    kernel-headers) anyfile /usr/include/linux/bpf.h ;;
    libbpf | libelf | libdw | zlib | libzstd | fmt | gtest | benchmark) module "$1" ;;
    lzma) anyfile /usr/include/lzma.h ;;
    bzip2) anyfile /usr/include/bzlib.h ;;
    json) anyfile /usr/include/nlohmann/json.hpp ;;
    protozero) anyfile /usr/include/protozero/pbf_writer.hpp ;;
    boost) anyfile /usr/include/boost/program_options.hpp ;;
    ip) have ip && have ss ;;
    libfuzzer) anyfile /usr/lib/llvm-"$clang_major"/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a ;;
    go-1.19) have /usr/lib/go-1.19/bin/go ;;
    setpriv) have setpriv && have unshare ;;
    ps) have ps ;;
    setcap) have setcap ;;
    postgres) anyfile /usr/lib/postgresql/*/bin/postgres || have postgres ;;
    qemu) have qemu-system-x86_64 ;;
    busybox) have busybox && busybox --list 2>/dev/null | grep -qx stty ;;
    chromium) have chromium || have chromium-browser || have google-chrome ;;
    *) say "internal error: no probe for '$1'"; return 1 ;;
  esac
}

# --- what is needed: "need: package, or the first of these that the distribution has" ------------
# A word a,b is two packages that belong together; a>=N takes a only from major version N on.
required="
compiler: g++>=12 g++-12
clang: clang>=14 clang-19 clang-18 clang-16 clang-15 clang-14
bpftool: bpftool linux-tools-common,linux-tools-generic linux-tools-generic
libc: libc6-dev
cmake: cmake
ninja: ninja-build
pkg-config: pkgconf pkg-config
kernel-headers: linux-libc-dev
libbpf: libbpf-dev
libelf: libelf-dev
libdw: libdw-dev
zlib: zlib1g-dev
libzstd: libzstd-dev
lzma: liblzma-dev
bzip2: libbz2-dev
fmt: libfmt-dev
json: nlohmann-json3-dev
protozero: libprotozero-dev
boost: libboost-program-options-dev
gtest: libgtest-dev
benchmark: libbenchmark-dev
python3: python3
"
optional="
ccache: ccache
"
# Tests whose server or load generator is missing are skipped with the reason, hence "optional".
[ $want_tests = 1 ] && required+="
ip: iproute2
setpriv: util-linux
ps: procps
" && optional+="
git: git
setcap: libcap2-bin
curl: curl
wrk: wrk
hey: hey
ab: apache2-utils
siege: siege
nginx: nginx-light nginx
node: nodejs
npm: npm
go: golang-go
go-1.19: golang-1.19-go
libfuzzer: libclang-rt-${clang_major:-14}-dev
javac: openjdk-17-jdk-headless openjdk-21-jdk-headless default-jdk-headless
redis-server: redis-server valkey-redis-compat
postgres: postgresql
vagrant: vagrant
qemu: qemu-system-x86
busybox: busybox-static
cpio: cpio
"
[ $want_browser = 1 ] && optional+="
chromium: chromium
"

missing_of() {
  local line
  while read -r line; do
    [ -z "$line" ] || met "${line%%:*}" || echo "$line"
  done <<<"$1"
}

missing_required=$(missing_of "$required")
missing_optional=$(missing_of "$optional")
if [ -z "$missing_required$missing_optional" ]; then
  say "everything is there"
  exit 0
fi

# --- apt -----------------------------------------------------------------------------------------
if ! have apt-get; then
  say "missing: $(tr '\n' ';' <<<"$missing_required$missing_optional")"
  say "  hint: this script knows apt only; install what these lines name with your package manager"
  [ -z "$missing_required" ]
  exit
fi

root=()
if [ "$(id -u)" != 0 ] && [ $dry_run = 0 ]; then
  if have sudo && sudo -n true 2>/dev/null; then
    root=(sudo -n)
  elif [ -z "$missing_required" ]; then
    say "not root: left out $(cut -d: -f1 <<<"$missing_optional" | tr '\n' ' ')"
    exit 0
  else
    say "installing packages: not root, and sudo asks for a password"
    say "  hint: sudo $0 $*"
    exit 3
  fi
fi
export DEBIAN_FRONTEND=noninteractive
as_root() { "${root[@]}" "$@" </dev/null; }
apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l \
    apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@" >&2
}

# apt's lists as they are tell of packages that a mirror no longer has: refresh when a day old.
lists_fresh() {
  [ -n "$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -mmin -1440 2>/dev/null | head -1)" ]
}
# Version that apt would install; fails for a name that is only referred to by others.
candidate() {
  apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\(.*\)/\1/p' | grep -v '(none)'
}
available() {
  local name version word
  for word in ${1//,/ }; do
    name=${word%%>=*}
    version=$(candidate "$name") || return 1
    version=${version#*:}
    [ "$name" = "$word" ] || [ "${version%%[!0-9]*}" -ge "${word##*>=}" ] || return 1
  done
}
# The first package (or packages a,b) of a need's line that the distribution has.
choose() {
  local word
  for word in ${1#*:}; do
    available "$word" && word=${word//,/ } && echo "${word%%>=*}" && return 0
  done
  return 1
}

if [ $dry_run = 0 ] && ! lists_fresh; then
  say "apt-get update"
  apt_get update || say "apt-get update failed; going on with the lists that are there"
fi

packages=() optional_packages=() unknown=()
while read -r line; do
  [ -z "$line" ] && continue
  if chosen=$(choose "$line"); then packages+=($chosen); else unknown+=("${line%%:*}"); fi
done <<<"$missing_required"
while read -r line; do
  [ -z "$line" ] && continue
  if chosen=$(choose "$line"); then
    optional_packages+=($chosen)
  else
    say "optional, and not in this distribution: ${line%%:*}"
  fi
done <<<"$missing_optional"

if [ $dry_run = 1 ]; then
  echo "required: ${packages[*]:-}"
  echo "optional: ${optional_packages[*]:-}"
  [ ${#unknown[@]} = 0 ] || echo "no package for: ${unknown[*]}"
  exit 0
fi

# Packages of servers start their service when installed; policy-rc.d is how Debian is told not to.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'as_root rm -f $policy' EXIT
  trap 'exit 130' INT TERM HUP
  as_root sh -c "printf '#!/bin/sh\nexit 101\n' >$policy && chmod 0755 $policy"
fi

apt_install() { apt_get install -y --no-install-recommends "$@"; }

if [ ${#packages[@]} -gt 0 ] || [ ${#optional_packages[@]} -gt 0 ]; then
  say "installing ${packages[*]:-} ${optional_packages[*]:-}"
  # All at once is fastest; one by one when that fails, so that one bad package costs only itself.
  if ! apt_install "${packages[@]}" "${optional_packages[@]}"; then
    [ ${#packages[@]} = 0 ] || apt_install "${packages[@]}" || say "could not install: ${packages[*]}"
    for p in "${optional_packages[@]}"; do
      apt_install "$p" || say "could not install the optional package $p"
    done
  fi
fi

left=$(missing_of "$required" | cut -d: -f1 | tr '\n' ' ')
if [ -n "$left" ]; then
  say "still missing: $left"
  case " $left" in
    *" compiler "* | *" clang "*) say "  hint: GCC 12 and clang 14 are the oldest that do" ;;
  esac
  exit 1
fi
left=$(missing_of "$optional" | cut -d: -f1 | tr '\n' ' ')
[ -z "$left" ] || say "without: $left(the tests that need them are skipped)"
say "done"
