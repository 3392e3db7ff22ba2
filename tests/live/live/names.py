"""Names of frames: what a recording says of the user stacks of its samples."""

import collections
import re
import shutil
import subprocess

from . import loads, srvprof
from .build import tool
from .outcome import Skip, check

FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')


def _fields(line):
    return {key: value[1:-1] if value.startswith('"') else value for key, value in FIELD.findall(line)}


def _numbers(text):
    return [int(word, 0) for word in text.split(",")] if text else []


class Frame:
    """One frame of one stack; rows: what it means, innermost inlined function first ([] = nothing)."""

    def __init__(self, pc, hint, leaf, rows):
        self.pc, self.hint, self.leaf, self.rows = pc, hint, leaf, rows
        last = rows[-1] if rows else {}
        self.function = last.get("function", "")
        self.module = last.get("module", "")
        self.source = last.get("source", "")
        self.file = last.get("file", "")
        self.line = int(last.get("line", 0))


class Stacks:
    """frames: [(Frame, how many samples have it)] of the user stacks of all samples."""

    def on_cpu(self):
        """[(the frames of a stack, innermost first, how many samples have it)]."""
        return [(frames, times) for hash_, times in self._samples.items() if (frames := self._stack(hash_))]

    def in_order(self):
        """The frames of each sample's user stack, in the order of time."""
        return [frames for _, hash_ in sorted(self._times) if (frames := self._stack(hash_))]

    def off_cpu(self, tid):
        """The frames of each user stack with which a thread left its CPU."""
        return [frames for hash_ in self._off[tid] if (frames := self._stack(hash_))]

    def _stack(self, hash_):
        row = self._stacks.get(hash_)
        if row is None or "pid" not in row:
            return []
        pid, pcs, hints = int(row["pid"]), _numbers(row["pcs"]), _numbers(row.get("hints", ""))
        frames = []
        for i, pc in enumerate(pcs):
            hint = hints[i] if i < len(hints) else 0
            rows = self._known.get((pid, pc, hint)) or self._known.get((pid, pc, 0)) or []
            frames.append(Frame(pc, hint, i == 0, rows))
        return frames

    def __init__(self, t, recording):
        self.path = recording.path
        dump = t.run([t.srvprof, "dump", recording.path], name="srvprof-dump", timeout=60).out()
        known, stacks, samples = collections.defaultdict(list), {}, collections.Counter()
        self._known, self._stacks, self._samples, self._off = known, stacks, samples, collections.defaultdict(list)
        self._times = []
        for line in dump.splitlines():
            kind = line.split(" ", 1)[0]
            if kind == "frame":
                row = _fields(line)
                known[(int(row.get("pid", 0)), int(row["pc"], 0), int(row.get("hint", "0"), 0))].append(row)
            elif kind == "stack":
                row = _fields(line)
                stacks[row["hash"]] = row
            elif kind == "off_cpu":
                row = _fields(line)
                if "ustack" in row:
                    self._off[int(row["tid"])].append(row["ustack"])
            elif kind == "sample":
                row = _fields(line)
                samples[row.get("ustack")] += 1
                self._times.append((int(row["t"]), row.get("ustack", "")))
        self.samples = sum(samples.values())
        self.frames = [(frame, times) for frames, times in self.on_cpu() for frame in frames]

    def count(self, wanted):
        return sum(times for frame, times in self.frames if wanted(frame))

    def functions(self):
        return {frame.function for frame, _ in self.frames}


def record_names(t, server, seconds=3):
    """Records a names.js under both of its routes, after a warm-up, and gives its Stacks."""
    for path in ("/alloc", "/cpu"):
        loads.wrk(t, server.url(path), conns=8, seconds=1)
    with srvprof.Attach(t, server.pid, ["--frequency", "499"]) as run:
        for path in ("/alloc", "/cpu"):
            loads.wrk(t, server.url(path), conns=8, seconds=seconds)
    stacks = Stacks(t, run.recording)
    check(stacks.samples > 200, f"only {stacks.samples} samples were taken")
    return stacks


def is_jit(frame):
    """Code outside of files: what a JIT compiler made."""
    return (frame.module in ("[jit]", "[anon]", "[v8 compiled]", "[jsc compiled]", "")
            or frame.module.startswith(("[anon:", "/memfd:")))


def is_interpreted(frame):
    return frame.module.endswith(" interpreted]") or frame.function.startswith("Builtins_Interpreter")


def check_share(t, what, part, all_, at_least):
    check(all_ > 0, f"there are no {what}")
    t.note(f"{what}: {part} of {all_} ({100 * part / all_:.2f} %)")
    check(part >= at_least * all_, f"{what}: {part} of {all_}, less than {100 * at_least:g} %")


def stripped(t, binary):
    """A copy without symbols."""
    copy = t.path("stripped")
    shutil.copy(binary, copy)
    try:
        subprocess.run([tool("strip"), copy], check=True, capture_output=True)
    except subprocess.CalledProcessError as error:
        raise Skip(f"strip refuses: {error.stderr.decode(errors='replace')[:200]}") from None
    return copy


def check_v8(t, server):
    """Functions of names.js and of Node itself, compiled and interpreted, with file and line."""
    stacks = record_names(t, server)
    scripts = stacks.count(lambda f: is_jit(f) or is_interpreted(f))
    named = stacks.count(lambda f: f.source == "v8" and f.file and f.line)
    check_share(t, "JavaScript frames with function, file and line", named, scripts, 0.99)
    check_mine(stacks)
    return stacks


def check_mine(stacks):
    """The functions of names.js; those that a compiler put into their caller are in no stack of their own."""
    mine = {f.function for f, _ in stacks.frames if f.file.endswith("/names.js")}
    check(mine & {"burnCpu", "hashText"} or mine & {"text", "makeItems"}, f"functions of names.js: {sorted(mine)}")
    check(mine <= {"burnCpu", "hashText", "makeItems", "text", "answer", "(anonymous)"},
          f"functions of names.js that it has not: {sorted(mine)}")


class PerfMap:
    """/tmp/perf-PID.map; where entries overlap, the last one holds."""

    def __init__(self, pid):
        self.entries = []
        with open(f"/tmp/perf-{pid}.map", encoding="utf-8", errors="replace") as file:
            for line in file:
                words = line.rstrip("\n").split(" ", 2)
                if len(words) == 3:
                    self.entries.append((int(words[0], 16), int(words[1], 16), words[2]))

    def find(self, pc):
        for start, size, name in reversed(self.entries):
            if start <= pc < start + size:
                return name
        return None


def _plain(name):
    """("hashText", "/app/names.js:9") of "JS:*hashText /app/names.js:9:18"."""
    name = name.split(":", 1)[1].lstrip("*^~+'") if ":" in name else name
    function, _, place = name.rpartition(" ")
    return function, place.rsplit(":", 1)[0].removeprefix("file://")


def check_perf_map(t, stacks, pid):
    """Each compiled function against what V8 itself wrote down (--perf-basic-prof)."""
    perf_map = PerfMap(pid)
    same, all_, odd = 0, 0, collections.Counter()
    for frame, times in stacks.frames:
        if not is_jit(frame):
            continue
        said = perf_map.find(frame.pc - (0 if frame.leaf else 1))
        if said is None or not said.startswith(("JS:", "LazyCompile:", "Function:", "Script:", "Eval:")):
            continue  # regular expressions, and code of V8 itself
        function, place = _plain(said)
        all_ += times
        ours = "" if frame.function == "(anonymous)" else frame.function
        if ours == function and f"{frame.file}:{frame.line}" == place:
            same += times
        else:
            odd[f"{frame.function} {frame.file}:{frame.line} is {said}"] += times
    for what, times in odd.most_common(4):
        t.note(f"{times}: {what}")
    check_share(t, "compiled frames with V8's own name, file and line", same, all_, 0.98)
