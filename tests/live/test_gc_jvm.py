"""Every collection of HotSpot is recorded, as the MXBeans count them: Serial and G1."""

from live import collector, hygiene, servers
from live.outcome import check


def collections(truth):
    # Newer versions have a bean for what G1 does beside collecting the young generation.
    return sum(n for bean, n in truth.said["collections"].items() if "Concurrent" not in bean)


def test_gc_jvm(t):
    for flag in ("-XX:+UseSerialGC", "-XX:+UseG1GC"):
        server = servers.java(t, "Collector", flags=["-Xmx256m", "-Xmn16m", flag], env={"LIVE_MB": 16})
        before, after, recording = collector.record(t, server, f"4 GET {server.url('/alloc?kb=256')}", seconds=5)
        said = collections(after) - collections(before)
        everything = collector.spans(recording)
        operations = {row["kind"] for row in everything if row["name"] == "vmop"}
        # The pauses of G1's concurrent cycle are counted by no bean of Java 17.
        uncounted = [row for row in everything if row["kind"] in ("G1PauseRemark", "G1PauseCleanup")]
        counted = [row for row in everything if row["name"] == "gc.stw" and not any(
            other["t_begin"] <= row["t_begin"] <= other["t_end"] for other in uncounted)]
        collector.check_count(t, flag, said, counted, before, after)
        t.note(f"operations of the VM thread: {', '.join(sorted(operations))}")
        check(operations and all(operations), "an operation of the VM thread without its name")
        collector.check_source(t, recording)
        check(hygiene.changed_code(server.pid) == 0, "the code is not that of the file after detach")
        server.process.stop()


def test_gc_jvm_zgc(t):
    """ZGC marks and moves while the program runs: its pauses are operations of the VM thread, and count as GC."""
    server = servers.java(t, "Collector", flags=["-Xmx256m", "-XX:+UseZGC"], env={"LIVE_MB": 16})
    before, after, recording = collector.record(t, server, f"4 GET {server.url('/alloc?kb=256')}", seconds=5)
    said = after.said["collections"]["ZGC Pauses"] - before.said["collections"]["ZGC Pauses"]
    pauses = [row for row in collector.spans(recording, "vmop") if row["kind"] in ("ZMarkStart", "ZMarkEnd", "ZRelocateStart")]
    collector.check_count(t, "ZGC", said, pauses, before, after)
    collector.check_source(t, recording)
    check(hygiene.changed_code(server.pid) == 0, "the code is not that of the file after detach")
