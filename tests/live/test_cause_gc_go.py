"""Requests of Go that allocate wait for collections; the twin that does not allocate has no such finding."""

from live import gc_cause, scenarios, servers

ARGS = ["--gc-assists"]


def test_cause_gc_go(t):
    # Hardly any room beyond what lives: each request has to assist the collector, in few long turns: a probe costs more
    # than the assist of a small object.
    server = servers.go(t, "gc", cpu=scenarios.SERVER_CPU, env={"LIVE_MB": 64, "GOGC": 20})
    gc_cause.check_blamed(t, server, "3,rate=40 /pages?kb=512", args=ARGS, at_least=0.3,
                          allow=["runq-own-threads", "handler-cpu", "page-fault", "behind-same-route"])
    idle = servers.go(t, "gc", cpu=scenarios.SERVER_CPU)
    gc_cause.check_innocent(t, idle, "8,rate=60 /work?us=2000", args=ARGS)


test_cause_gc_go.limit = 150
