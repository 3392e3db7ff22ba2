"""Functions of CPython in stacks, against what the interpreter itself says of a parked thread and of its clock."""

import collections
import glob
import json
import os
import urllib.request

from . import loads, names, servers, srvprof
from .outcome import Skip, check


def private(version):
    """A CPython of another version, as pyenv installs them."""
    found = sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python3")))
    if not found:
        raise Skip(f"there is no Python {version} here")
    return found[-1]


def interpreted(frames):
    """(function, file, line) of the Python functions of a stack, innermost first."""
    return [(f.function, f.file, f.line) for f in frames if f.source == "python"]


def check_parked(t, stacks, said):
    """The stacks of a thread that sleeps: each has just the functions that the interpreter says."""
    wanted = [tuple(frame) for frame in said["stack"]]
    found = stacks.off_cpu(said["tid"])
    same = sum(interpreted(frames) == wanted for frames in found)
    if found and same < len(found):
        other = next(f for f in found if interpreted(f) != wanted)
        t.note(f"another: {interpreted(other)}")
    names.check_share(t, "stacks of the parked thread as the interpreter says", same, len(found), 0.95)


def check_mix(t, stacks):
    """Samples by the innermost Python function: the server's clock decides how long each runs."""
    leaves, unnamed, loop = collections.Counter(), 0, 0
    for frames, times in stacks.on_cpu():
        python = interpreted(frames)
        if python:
            leaves[python[0][0]] += times
        loop += times * sum(f.source == "python" or f.function == "_PyEval_EvalFrameDefault" for f in frames)
        unnamed += times * sum(f.function == "_PyEval_EvalFrameDefault" for f in frames)
    t.note(f"innermost: {', '.join(f'{name} {n}' for name, n in leaves.most_common(5))}")
    names.check_share(t, "frames of the interpreter's loop with their function", loop - unnamed, loop, 0.99)
    most, rest = leaves["spin_most"], leaves["Work.spin_rest"]
    check(most + rest > 200, f"only {most + rest} samples in the two functions")
    check(0.65 <= most / (most + rest) <= 0.85, f"spin_most has {most} of {most + rest} samples, not three quarters")
    through_c = [f for f, _ in stacks.on_cpu() if interpreted(f)[:1] and interpreted(f)[0][0] == "Work.spin_rest"]
    chain = ["Work.spin_rest", "Work.through_c.<locals>.<lambda>", "Work.through_c", "cpu", "Handler.do_GET"]
    good = sum([name for name, *_ in interpreted(f)][:5] == chain for f in through_c)
    names.check_share(t, "stacks through C with their callers", good, len(through_c), 0.95)


def check_python(t, program=None):
    server = servers.python(t, "names.py", program=program)
    with urllib.request.urlopen(server.url("/parked"), timeout=20) as answer:
        said = json.load(answer)
    check([f[0] for f in said["stack"][:3]] == ["park_inner", "park_outer.<locals>.<lambda>", "park_outer"],
          f"the server is parked elsewhere: {said}")
    with srvprof.Attach(t, server.pid, ["--frequency", "499"]) as run:
        loads.truth(t, f"1 GET {server.url('/cpu')}", seconds=4)
    stacks = names.Stacks(t, run.recording)
    check_parked(t, stacks, said)
    check_mix(t, stacks)
