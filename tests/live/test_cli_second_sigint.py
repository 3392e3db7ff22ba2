"""A second Ctrl-C aborts with 130, or comes too late; nothing stays loaded in either case."""

import signal

from live import bpf, servers, srvprof


def test_cli_second_sigint(t):
    server = servers.node(t, "http.js")
    before = bpf.ids()
    run = srvprof.Attach(t, server.pid)
    run.wait_live()
    watch = bpf.Watch(t, run.process.pid, before)
    run.process.send(signal.SIGINT)
    run.process.send(signal.SIGINT)
    run.process.finish(20, (0, 130))
    watch.check_gone()
