"""Runs srvprof and reads what it wrote."""

import csv
import json
import os
import re
import signal

from .outcome import Failure, check
from .report import Report

# Printed on stderr once the probes are live.
LIVE = re.compile(r"^tracing pid|srvprof: tracing|start the load now", re.M)


class Attach:
    """A running `srvprof attach`, live from the start of the with block."""

    def __init__(self, t, pid, args=(), cpu=None, seconds=60):
        self.t = t
        self.path = t.path(f"run{len(os.listdir(t.dir))}.srvprof")
        argv = [t.srvprof, "attach", "-p", pid, "-d", f"{seconds}s", "-o", self.path, "--no-report", *args]
        self.process = t.start(argv, name="srvprof-attach", cpu=cpu)

    def wait_live(self):
        self.process.wait_output(LIVE, stream="err", timeout=25)

    def __enter__(self):
        self.wait_live()
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            self.stop()
        else:
            self.process.stop(signal.SIGKILL)

    def stop(self, number=signal.SIGINT, ok=(0,)):
        self.process.send(number)
        self.process.finish(20, ok)

    @property
    def recording(self):
        return Recording(self.t, self.path)

    def recording_with(self, *report_args):
        """The recording, whose report takes further arguments."""
        return Recording(self.t, self.path, report_args)


class Recording:
    """A finished recording."""

    def __init__(self, t, path, report_args=()):
        self.report_args = report_args
        check(os.path.exists(path), f"srvprof wrote no {os.path.basename(path)}")
        self.t = t
        self.path = path

    def _run(self, *words):
        return self.t.run([self.t.srvprof, *words], name=f"srvprof-{words[0]}", timeout=60)

    def dump(self):
        """The recording as text."""
        return self._run("dump", self.path).out()

    def report(self):
        out = self.path + "".join("." + os.path.basename(str(word)) for word in self.report_args) + ".report.json"
        if not os.path.exists(out):
            self._run("report", self.path, "--format", "json", "-o", out, *self.report_args)
        with open(out, encoding="utf-8") as file:
            return Report(json.load(file))

    def _export(self, form):
        out = f"{self.path}.{form}"
        if not os.path.exists(out):
            self._run("export", self.path, "--format", form, "-o", out)
        return out

    def requests(self):
        return RequestTable(self._export("csv"))

    def threads(self):
        """{tid: {comm, cpu_ns, runq_ns, throttled_ns}} over the whole recording."""
        with open(self._export("threads-csv"), encoding="utf-8", newline="") as file:
            return {int(row["tid"]): {"comm": row["comm"], **{k: int(row[k] or 0) for k in
                    ("cpu_ns", "runq_ns", "throttled_ns")}} for row in csv.DictReader(file)}


class RequestTable:
    """The rows of `export --format csv`, one request each, kept as lists: there may be 300,000."""

    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            self.columns = next(lines)
            self.rows = list(lines)
        self.index = {name: i for i, name in enumerate(self.columns)}

    def __len__(self):
        return len(self.rows)

    def column(self, name):
        """An integer column; an empty field (not known) is None."""
        if name not in self.index:
            raise Failure(f"the export has no column {name}: {self.columns}")
        at = self.index[name]
        return [int(row[at]) if row[at] else None for row in self.rows]

    def text(self, name):
        at = self.index[name]
        return [row[at] for row in self.rows]

    def by_id(self):
        """{id in the path: row as {column: text}} of paths that hold one of truthclient's ids."""
        found = {}
        for row in self.rows:
            match = re.search(r"/(\d{10})(?:$|[/?])", row[self.index["path"]])
            if match:
                found[int(match[1])] = dict(zip(self.columns, row))
        return found
