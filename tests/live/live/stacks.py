"""User stacks: how many are complete, and do other unwinders see the same?"""

import json
import os
import re
import urllib.request

from . import loads, names, srvprof
from .outcome import Skip, check

FEW = 50  # stacks below which a share says nothing


def oracle(t, server, path, runtime="", seconds=4, conns=16):
    """Runs tests/oracle/stack_oracle on a server under load; {"on": {...}, "off": {...}}."""
    program = os.path.join(os.path.dirname(os.path.abspath(t.srvprof)), "stack_oracle")
    if not os.path.exists(program):
        raise Skip("stack_oracle is not built")
    said = []

    def sample():
        said.append(t.run([program, server.pid, seconds, 499, runtime], timeout=seconds + 40).out())

    loads.wrk(t, server.url(path), conns=conns, seconds=seconds + 2, meanwhile=sample)
    return json.loads(said[0])


def share(part, whole):
    return part / whole if whole else 0.0


def check_oracle(t, found, what, complete=0.99, same=0.98):
    """Stacks on and off CPU are complete, and equal to the walks of copies of the same stacks."""
    for where in ("on", "off"):
        f = found[where]
        t.note(f"{what} {where} CPU: {f['stacks']} stacks, complete {100 * share(f['complete'], f['stacks']):.2f} %, "
               f"as by rows in user space {100 * share(f['rows_same'], f['stacks']):.2f} %; libdw got as far with "
               f"{f['dwarf']} and says the same of {100 * share(f['dwarf_same'], f['dwarf']):.2f} %, gave up "
               f"{f['dwarf_short']} earlier, the same so far in {100 * share(f['dwarf_short_same'], f['dwarf_short']):.2f} %")
        t.note(f"  a walk: {f['walk_ns'][0] / 1e3:.1f} us median, {f['walk_ns'][1] / 1e3:.1f} us p90; bpf_get_stack "
               f"{f['kernel_ns'][0] / 1e3:.1f} us, {f['kernel_ns'][1] / 1e3:.1f} us")
        for difference in f["differences"][:3]:
            t.note(f"  {difference}")
        if f["stacks"] < FEW:
            check(where == "off", f"{what}: only {f['stacks']} stacks {where} CPU")
            continue  # a saturated loop never sleeps
        check(share(f["complete"], f["stacks"]) >= complete, f"{what}: too few stacks {where} CPU are complete: {f}")
        check(share(f["rows_same"], f["stacks"]) >= same, f"{what}: other stacks than the oracle's {where} CPU: {f}")


def check_dwarf(found, what, same=0.98, places=("on", "off")):
    """libdw, which knows nothing of our rows, followed the stacks to their end and says the same."""
    for where in places:
        f = found[where]
        if f["stacks"] < FEW:
            continue
        check(f["dwarf"] >= FEW, f"{what}: libdw followed only {f['dwarf']} stacks {where} CPU")
        check(share(f["dwarf_same"], f["dwarf"]) >= same, f"{what}: libdw says otherwise {where} CPU: {f}")


def check_report(t, server, path, what, complete=0.99, seconds=4):
    """The product's own count, from a recording."""
    with srvprof.Attach(t, server.pid, ("-F", "499")) as run:
        loads.wrk(t, server.url(path), conns=16, seconds=seconds)
    lines = [line for line in run.recording.report().data["coverage"] if line["topic"].startswith("stacks o")]
    check(lines, f"{what}: the report does not say how many stacks are complete")
    for line in lines:
        match = re.match(r"([\d.]+) % of ([\d,]+) reach", line["text"])
        check(match, f"{what}: {line}")
        t.note(f"{what}: {line['topic']}: {line['text']}")
        if int(match[2].replace(",", "")) >= FEW:
            check(float(match[1]) >= 100 * complete, f"{what}: {line['topic']}: {line['text']}")


def check_late(t, server):
    """A shared object that is loaded while srvprof is attached: its stacks are complete, its functions have names."""
    with srvprof.Attach(t, server.pid, ("-F", "499")) as run:
        loads.wrk(t, server.url("/work"), conns=4, seconds=1)
        with urllib.request.urlopen(server.url("/load"), timeout=5) as reply:
            check(reply.status == 200, "late_part.so is not loaded")
        loads.wrk(t, server.url("/work"), conns=4, seconds=4)
    found = names.Stacks(t, run.recording)
    whole = []
    for frames in found.in_order():
        functions = [frame.function for frame in frames]
        if functions[:1] == ["late_inner"]:
            at = iter(functions)
            whole.append(all(name in at for name in ("late_inner", "late_middle", "late_outer", "main")))
    check(len(whole) >= FEW and any(whole), f"of {len(whole)} samples in what was loaded {sum(whole)} lead out of it")
    # The tables follow some tenths of a second after the first stack that breaks off.
    followed = whole[whole.index(True):]
    names.check_share(t, "samples in what was loaded that were taken when its tables were there", len(followed), len(whole), 0.75)
    names.check_share(t, "of these, with all its functions, to main()", sum(followed), len(followed), 0.99)
    files = {frame.module for frame, _ in found.frames if frame.function == "late_middle"}
    check(all(file.endswith("late_part.so") for file in files), f"late_middle is in {files}")
