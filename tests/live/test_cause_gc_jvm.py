"""Requests of a JVM that allocate wait for the collector; the twin that does not allocate has no such finding."""

from live import gc_cause, scenarios, servers

FLAGS = ["-Xmx192m", "-Xms192m", "-Xmn24m", "-XX:+UseSerialGC"]
# The JDK's HTTP server allocates a little for each request: room for all of it, or it is collected once.
ROOM = ["-Xmx512m", "-Xms512m", "-Xmn384m", "-XX:+UseSerialGC"]


def test_cause_gc_jvm(t):
    server = servers.java(t, "Collector", flags=FLAGS, cpu=scenarios.SERVER_CPU, env={"LIVE_MB": 48})
    gc_cause.check_blamed(t, server, "4,rate=60 /alloc?kb=384", warm_up=4, at_least=0.3,
                          allow=["runq-own-threads", "handler-cpu", "page-fault", "lock"])
    idle = servers.java(t, "Collector", flags=ROOM, cpu=scenarios.SERVER_CPU)
    gc_cause.check_innocent(t, idle, "4,rate=60 /work?us=2000", warm_up=4)


test_cause_gc_jvm.limit = 120
