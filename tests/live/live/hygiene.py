"""One recording that is ended in some way: nothing stays loaded and what was recorded is readable."""

import os
import re
import subprocess

from . import bpf, loads, scenarios, servers, srvprof
from .outcome import check


def end_by(t, end, code, least=500):
    """Starts server, load and srvprof, calls end(server, attach), expects srvprof's exit code."""
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    before = bpf.ids()
    run = srvprof.Attach(t, server.pid)
    run.wait_live()
    watch = bpf.Watch(t, run.process.pid, before)
    loads.truth(t, f"8,rate=500 GET {server.url('/hello')}", seconds=3)
    end(server, run)
    run.process.finish(20, (code,))
    watch.check_gone()
    recorded = run.recording.report().requests
    t.note(f"{recorded} requests are readable")
    check(recorded >= least, f"only {recorded} of 1500 requests are in the recording")
    return run.process


def changed_code(pid):
    """How many bytes of a process's code differ from the files that it was loaded from: probes that are on."""
    different = 0
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            span, flags, offset, _, inode, *path = line.split(maxsplit=5)
            if flags[2] != "x" or flags[1] == "w" or inode == "0" or not path:
                continue
            begin, end = (int(part, 16) for part in span.split("-"))
            with open(f"/proc/{pid}/map_files/{begin:x}-{end:x}", "rb", buffering=0) as file:
                for at in range(begin, end, 1 << 20):
                    length = min(1 << 20, end - at)
                    memory.seek(at)
                    file.seek(int(offset, 16) + at - begin)
                    loaded, original = memory.read(length), file.read(length)
                    loaded = loaded[:len(original)]  # the last page is filled up
                    if loaded != original:
                        different += sum(a != b for a, b in zip(loaded, original))
    return different


def semaphores(pid):
    """{"provider:name": value} of the counters that enable a program's USDT probes; {} if it has none."""
    exe = os.path.realpath(f"/proc/{pid}/exe")
    notes = subprocess.run(["readelf", "-n", "-W", exe], capture_output=True, text=True, check=True).stdout
    places = re.findall(r"Provider: (\S+)\s+Name: (\S+)\s+Location: \S+ Base: \S+ Semaphore: (0x[0-9a-f]+)", notes)
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        start = next(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(exe))
    header = subprocess.run(["readelf", "-h", "-W", exe], capture_output=True, text=True, check=True).stdout
    bias = start if "DYN" in header else 0
    found = {}
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for provider, name, address in places:
            if int(address, 16):
                memory.seek(bias + int(address, 16))
                found[f"{provider}:{name}"] = int.from_bytes(memory.read(2), "little")
    return found
