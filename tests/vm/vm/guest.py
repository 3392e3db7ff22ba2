"""One guest: an initramfs with srvprof, servers and loads in it, run by an emulated CPU (no KVM, network or disk)."""

import os
import re
import shutil
import subprocess
import tarfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.path.dirname(HERE)
# One CPU: with more, QEMU's threads race when the kernel changes its own code. The clock's check would fail on
# a busy host. The kernel's watchdogs know nothing of a slow CPU.
COMMAND_LINE = ("console=ttyS0 quiet panic=-1 oops=panic mitigations=off no_timer_check nowatchdog "
                "rcupdate.rcu_cpu_stall_suppress=1")


def build_programs(folder, go, cc):
    """Servers, load and hog as static programs; returns {name in the guest: path}."""
    os.makedirs(folder, exist_ok=True)
    programs = {}
    loads = sorted(os.path.join(TESTS, "load", n) for n in os.listdir(os.path.join(TESTS, "load")) if n.endswith(".c"))
    for name, sources in (("truthclient", loads), ("lock", [os.path.join(TESTS, "servers", "c", "lock.c")]),
                          *((n, [os.path.join(HERE, "guest", f"{n}.c")]) for n in ("hog", "prio"))):
        programs[name] = os.path.join(folder, name)
        subprocess.run([cc, "-O2", "-g", "-static", "-pthread", "-o", programs[name], *sources], check=True,
                       stdin=subprocess.DEVNULL, timeout=120)
    for name in ("http", "gc"):
        programs[name] = os.path.join(folder, name)
        subprocess.run([go, "build", "-buildvcs=false", "-o", programs[name], "."], check=True, timeout=300,
                       cwd=os.path.join(TESTS, "servers", "go", name), stdin=subprocess.DEVNULL,
                       env=dict(os.environ, CGO_ENABLED="0", GOFLAGS="-mod=mod"))
    return programs


def shared_libraries(program):
    """Paths of the libraries that it needs: none if it is static."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False).stdout
    return re.findall(r"(/\S+) \(0x", said)


def make_initramfs(folder, srvprof, programs, busybox):
    """Writes the file system of every guest; returns its path."""
    root = os.path.join(folder, "root")
    shutil.rmtree(root, ignore_errors=True)
    for name in ("bin", "dev", "proc", "sys", "tmp", "out", "root", "etc"):
        os.makedirs(os.path.join(root, name))
    for name, path in {**programs, "srvprof": srvprof, "busybox": busybox}.items():
        shutil.copy(path, os.path.join(root, "bin", name))
        os.chmod(os.path.join(root, "bin", name), 0o755)
    for library in shared_libraries(srvprof):
        os.makedirs(root + os.path.dirname(library), exist_ok=True)
        shutil.copy(library, root + library)
    subprocess.run(["strip", os.path.join(root, "bin", "srvprof")], check=True)
    for name in ("init", "scenarios"):
        shutil.copy(os.path.join(HERE, "guest", name), os.path.join(root, name))
    os.chmod(os.path.join(root, "init"), 0o755)
    with open(os.path.join(root, "etc", "passwd"), "w", encoding="ascii") as file:
        file.write("root:x:0:0:root:/root:/bin/sh\n")
    path = os.path.join(folder, "initramfs")
    with open(path, "wb") as out:
        files = subprocess.run(["find", ".", "-print0"], cwd=root, check=True, capture_output=True).stdout
        subprocess.run(["cpio", "-0", "-o", "-H", "newc", "-R", "0:0", "--quiet"], cwd=root, input=files, stdout=out,
                       check=True)
    return path


class Guest:
    """A started guest; wait() ends it in any case."""

    def __init__(self, folder, qemu, kernel, initramfs, scenarios=()):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.folder = folder
        self.log_path = os.path.join(folder, "console")
        self.archive = os.path.join(folder, "out.tar.gz")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [qemu, "-M", "pc", "-accel", "tcg,thread=single", "-cpu", "max", "-smp", "1", "-m", "1024", "-nodefaults",
                 "-no-user-config", "-display", "none", "-no-reboot", "-kernel", kernel, "-initrd", initramfs,
                 "-append", f"{COMMAND_LINE} srvprof_only={','.join(scenarios)}", "-serial", "stdio", "-serial", f"file:{self.archive}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def running(self):
        return self.process.poll() is None

    def end(self):
        if self.running():
            self.process.kill()
        self.process.wait()

    def said(self):
        """The lines that the guest's scripts printed."""
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return [line.strip()[3:] for line in file if line.startswith("VM ")]

    def booted(self):
        """The release of its kernel, or None."""
        for line in self.said():
            if found := re.match(r"boot (\S+)", line):
                return found.group(1)
        return None

    def unpack(self):
        """The folder with what the guest left in /out; False if it did not get that far."""
        out = os.path.join(self.folder, "out")
        os.makedirs(out, exist_ok=True)
        try:
            with tarfile.open(self.archive, "r:gz") as archive:
                archive.extractall(out, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(out)
        except (OSError, EOFError, tarfile.TarError):
            return False
        return any(line.startswith("end ") for line in self.said())
