"""The progress line of a terminal names the stage of the load while it goes on."""

import re
import time

from live import loads, scenarios, servers
from live.build import tool
from live.outcome import Skip, check


def test_load_progress(t):
    if not t.long:
        raise Skip("takes a quarter of a minute: with --long")
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    loads.warm_up(t, f"8 GET {server.url('/hello')}")
    attach = [t.srvprof, "attach", "-p", str(server.pid), "-d", "13s", "--no-report", "-o", t.path("run.srvprof")]
    run = t.start([tool("script"), "-qec", " ".join(attach), "/dev/null"], name="srvprof-attach", cpu=scenarios.CLIENT_CPU)
    run.wait_output("start the load now", timeout=25)
    time.sleep(2.2)
    load = loads.start_truth(t, f"8,rate=400 GET {server.url('/hello')}", seconds=9)
    time.sleep(6)
    t.run([t.srvprof, "mark", "-p", server.pid, "second-half"])
    load.finish()
    run.finish(20)
    said = re.findall(r"(\d\d:\d\d)/00:13 req [\d,]+ \([\d.k]+/s\) p50 \S+ ms p99 \S+ ms loss 0 \| (\S+) since (\d\d:\d\d)",
                      run.out())
    stages = []
    for _, name, since in said:
        if not stages or stages[-1][0] != name:
            stages.append((name, since))
    t.note(", ".join(f"{name} since {since}" for name, since in stages))
    check(len(said) >= 10, f"only {len(said)} progress lines: {run.out()[-400:]}")
    check([name for name, _ in stages] == ["idle", "changing", "steady", "second-half"], f"the stages are {stages}")
    check(stages[2][1] in ("00:02", "00:03", "00:04"), f"steady since {stages[2][1]}, the load began at 00:02")
