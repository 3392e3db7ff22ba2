"""Every 40th request waits for pages that a userfaultfd handler delivers late: not a lock, not a disk."""

import urllib.error
import urllib.request

from live import loads, report, scenarios, servers
from live.outcome import Skip


def test_cause_page_fault(t):
    server = servers.c_lock(t, cpu=scenarios.SERVER_CPU)
    try:
        urllib.request.urlopen(server.url("/paged"), timeout=5).read()
    except urllib.error.HTTPError as error:
        raise Skip(f"the server has no userfaultfd ({error})") from None
    mix = f"4,rate=200 GET {server.url('/paged')}"
    loads.warm_up(t, mix)
    recording, _ = scenarios.record(t, server, mix)
    report.expect(t, recording.report(), "GET /paged", "page-fault", at_least=0.7)
