"""What srvprof may do: as little as it can."""

import os
import shutil

from live import loads, quality, servers, srvprof
from live.build import tool
from live.outcome import check

NET_RAW, SYS_MODULE, SYS_RAWIO, BPF, PERFMON = 13, 16, 17, 39, 38
USER = "65534"


def capabilities(pid):
    """The numbers of the capabilities that a process may use."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        mask = next(int(line.split()[1], 16) for line in file if line.startswith("CapPrm:"))
    return {number for number in range(64) if mask >> number & 1}


def test_privileges_given_up(t):
    """Root gives up what it does not need once the probes are live."""
    server = servers.node(t, "http.js")
    with srvprof.Attach(t, server.pid) as run:
        held = capabilities(run.process.pid)
    t.note(f"{len(held)} capabilities while it records")
    check({BPF, PERFMON} <= held, f"it could not attach to a child that comes later: {sorted(held)}")
    check(not held & {NET_RAW, SYS_MODULE, SYS_RAWIO}, f"it holds what it does not need: {sorted(held)}")


def test_privileges_file_capabilities(t):
    """An ordinary user with four file capabilities: the same counts and names."""
    server = servers.node(t, "names.js")
    os.chmod(t.dir, 0o777)
    program = shutil.copy(t.srvprof, t.path("srvprof"))
    t.run([tool("setcap"), "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_dac_read_search+ep", program])
    path = t.path("user.srvprof")
    run = t.start([tool("setpriv"), "--reuid", USER, "--regid", USER, "--clear-groups", program, "attach", "-p", server.pid,
                   "-d", "60s", "-o", path, "--no-report"], name="srvprof-attach")
    run.wait_output(srvprof.LIVE, stream="err", timeout=25)
    count = loads.wrk(t, server.url("/cpu"), seconds=4)
    run.send(2)
    run.finish(20)
    recording = srvprof.Recording(t, path)
    quality.check_complete(t, recording.report(), count, 64)
    check(os.stat(path).st_uid == int(USER), "the recording is not the user's")
    flame = t.run([t.srvprof, "export", path, "--format", "folded", "-o", "-"], name="srvprof-export").out()
    check("parserOnHeadersComplete node:_http_common:" in flame, "JavaScript has no names")
