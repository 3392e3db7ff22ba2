"""POST /pool hashes in libuv's pool: /health waits in the run queue behind the process's own threads,
the loop is not blamed; /pool itself waits for the pool."""

from live import report, scenarios


def test_cause_pool_hashing(t):
    server = scenarios.blocker(t, HASH_ROUNDS=15000)
    recording, _ = scenarios.record(
        t, server,
        f"4,rate=200 GET {server.url('/health')}",
        f"8 POST {server.url('/pool')}", seconds=8)
    result = recording.report()
    report.expect(t, result, "GET /health", "runq-own-threads")
    report.expect(t, result, "POST /pool", "pool", allow=["runq-own-threads"])
