"""POST /pool hashes in libuv's pool: /health waits in the run queue behind the process's own threads,
the loop is not blamed; /pool itself waits for the pool."""

from live import report, scenarios


def test_cause_pool_hashing(t):
    server = scenarios.blocker(t, HASH_ROUNDS=15000)
    recording, _ = scenarios.record(
        t, server,
        f"4,rate=200 GET {server.url('/health')}",
        f"2,rate=5 POST {server.url('/pool')}",
        f"16,burst=1,once=1 POST {server.url('/pool')}", seconds=8)
    result = recording.report()
    # A worker that loses its CPU while it holds libuv's queue lock makes the loop wait in that lock with
    # a /pool request in hand: that part is rightly "behind" it.
    report.expect(t, result, "GET /health", "runq-own-threads", allow=["behind-other-route"])
    report.expect(t, result, "POST /pool", "pool", allow=["runq-own-threads", "accept-queue"], first=True)
