"""What a guest left, judged: one check for each capability, and its cell of the table."""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "live"))

from live import report  # noqa: E402
from live.outcome import Failure, check  # noqa: E402

WAYS = ("perf", "sock", "fexit", "kprobe", "sys")
IN_FLIGHT = 8


class Judge:
    """The outcomes of one guest, read by the same srvprof on this machine."""

    def __init__(self, srvprof, folder, said):
        self.srvprof, self.folder, self.said, self.notes = srvprof, folder, said, []
        with open(os.path.join(folder, "doctor.txt"), encoding="utf-8", errors="replace") as file:
            self.doctor_text = re.sub(r"\n {9}(?! )", " ", file.read())

    def note(self, text):
        self.notes.append(text)

    def _path(self, name):
        return os.path.join(self.folder, name)

    def _log(self, name):
        try:
            with open(self._path(name + ".log"), encoding="utf-8", errors="replace") as file:
                return " ".join(file.read().split())[-300:]
        except OSError:
            return "it was not tried"

    def _report(self, name, may_lose=False):
        """The report of a recording that ended in order; may_lose: or with so much lost that srvprof says so (6)."""
        recording = self._path(name + ".srvprof")
        check(os.path.exists(recording), f"no recording: {self._log(name)}")
        in_order = f"record {name} 0" in self.said or (may_lose and f"record {name} 6" in self.said)
        check(in_order, f"srvprof did not end in order: {self._log(name)}")
        out = self._path(name + ".report.json")
        done = subprocess.run([self.srvprof, "report", recording, "--format", "json", "-o", out, "--force"], check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        check(done.returncode == 0, f"srvprof report: {done.stderr.strip()}")
        with open(out, encoding="utf-8") as file:
            return report.Report(json.load(file))

    def _counted(self, name):
        with open(self._path(name + ".json"), encoding="utf-8") as file:
            return json.loads(file.read().strip().splitlines()[-1])["requests"]

    def doctor(self):
        """srvprof can record here; the cell names the way that it takes by itself."""
        check("srvprof can record here" in self.doctor_text, f"doctor: {self.doctor_text[-400:]}")
        used = re.search(r"capture (\w+): .*it is used", self.doctor_text)
        check(used, "doctor does not name the way of capture")
        return used.group(1)

    def counts(self, way):
        """Recorded requests are those that the load counted; "no" where doctor says that the kernel refuses the way."""
        line = next((l for l in self.doctor_text.splitlines() if f"capture {way}:" in l), "")
        if "may preempt its hooks" in line:
            return self._counted_short(way)
        if " ok " not in f" {line} ":
            check("without" in line, f"doctor says nothing of capture {way}")
            self.note(line.strip())
            return "no"
        name = "counts-" + way
        result, counted = self._report(name, may_lose=way == "kprobe"), self._counted(name)
        self.note(f"load {counted}, recorded {result.requests}")
        check(counted > 50, f"hardly any load: {counted}")
        if set(result.losses()) == {"return probes missed"}:
            return self._counted_short(way)
        check(not result.losses(), f"load {counted}, recorded {result.requests}, lost: {result.losses()}")
        check(0 <= result.requests - counted <= IN_FLIGHT, f"recorded {result.requests}, the load counted {counted}")
        return "exact"

    def _counted_short(self, way):
        """The kernel skips hooks while a thread is preempted in them, or runs out of return probes: it is said."""
        result, counted = self._report("counts-" + way, may_lose=True), self._counted("counts-" + way)
        skipped = sum(n for why, n in result.losses().items()
                      if why.startswith("skipped by the kernel: ") or why == "return probes missed")
        self.note(f"load {counted}, recorded {result.requests}, counted as lost: {result.losses()}")
        check(counted > 50, f"hardly any load: {counted}")
        check(counted - skipped <= result.requests <= counted + IN_FLIGHT,
              f"recorded {result.requests} and {skipped} skipped, the load counted {counted}")
        return "skips"

    def counts_close(self):
        """The same with a connection for every request."""
        result, counted = self._report("counts-close"), self._counted("counts-close")
        self.note(f"load {counted}, recorded {result.requests}")
        check(counted > 50, f"hardly any load: {counted}")
        check(0 <= result.requests - counted <= IN_FLIGHT, f"recorded {result.requests}, the load counted {counted}")
        return "exact"

    def hog(self):
        found = report.expect(self, self._report("hog"), "GET /busy", "runq-neighbour", at_least=0.5,
                              allow=("runq-load-generator", "observer", "runq-own-threads"))
        report.culprit(found, comm="hog")
        return "named"

    def quota(self):
        report.expect(self, self._report("quota"), "GET /busy", "cpu-quota", at_least=0.5,
                      allow=("runq-load-generator", "observer", "runq-own-threads"))
        return "named"

    def lock(self):
        found = report.expect(self, self._report("lock"), "GET /locked", "lock", at_least=0.5,
                              allow=("runq-load-generator", "observer"))
        report.culprit(found, comm="holder")
        return "named"

    def gc(self):
        """As many collection cycles as Go says it made; "no" where the kernel has no attach cookies, said so."""
        self._report("gc")
        dump = subprocess.run([self.srvprof, "dump", self._path("gc.srvprof")], check=True, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=120).stdout
        refused = re.search(r'^capability .*"?gc"? .*attach cookies.*$', dump, re.M)
        if refused:
            self.note(refused.group(0))
            return "no"
        with open(self._path("gc-before.json"), encoding="utf-8") as before, \
                open(self._path("gc-after.json"), encoding="utf-8") as after:
            said = json.load(after)["collections"] - json.load(before)["collections"]
        cycles = len(re.findall(r'^span .*name="?gc\.cycle', dump, re.M))
        self.note(f"Go made {said} collections, recorded {cycles}")
        check(said > 2, f"hardly any collection: {said}")
        check(abs(said - cycles) <= 1, f"Go made {said} collections, recorded {cycles}")
        return "exact"

    def walker(self):
        line = next((l for l in self.doctor_text.splitlines() if "stack walker:" in l), "")
        check(line, "doctor says nothing of the stack walker")
        self.note(line.strip())
        return "yes" if " ok " in f" {line} " else "no"


# Columns of the table, in its order.
COLUMNS = [("capture", "way taken", Judge.doctor),
           *((f"counts_{way}", f"`{way}`", lambda judge, way=way: judge.counts(way)) for way in WAYS),
           ("counts_close", "connection a request", Judge.counts_close),
           ("hog", "hog", Judge.hog), ("quota", "quota", Judge.quota), ("lock", "lock", Judge.lock),
           ("gc_go", "collections of Go", Judge.gc), ("walker", "stack walker", Judge.walker)]

__all__ = ["COLUMNS", "Failure", "Judge"]
