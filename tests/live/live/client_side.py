"""The load generator's end of the connections: what a recording says of it."""

import json
import time

from .outcome import Failure, check
from .quality import percentile, spread

LINES = ("connect", "send", "transit", "server", "write", "runq", "own", "idle", "unknown")


def part(report):
    """The client view's part with most requests that are not the first of their connection."""
    view = report.data["client"]
    check(view is not None, "the client's end was not recorded")
    for found in view["parts"]:
        if not found["first_requests"]:
            return found
    raise Failure(f"the client view has no part: {view}")


def mean(found, name):
    """Mean of one line of a part, ns."""
    return sum(line["mean_ns"] for line in found["lines"] if line["line"] == name)


def words(found):
    lines = ", ".join(f"{line['line']} {line['mean_ns'] / 1e6:.3f}" for line in found["lines"])
    return (f"{found['requests']} requests ({found['missing']} not seen), mean ms: client {found['client_mean_ns'] / 1e6:.3f} "
            f"= {lines}; server {found['server_mean_ns'] / 1e6:.3f}; turnaround {found['turnaround_ns'] / 1e6:.3f}")


def check_sums(t, table):
    """The lines of each request's client ledger add up to its latency, to the ns; returns how many have one."""
    latency = table.column("client_latency_ns")
    columns = [table.column(f"client_{name}_ns") for name in LINES]
    seen = wrong = negative = 0
    for i, total in enumerate(latency):
        if total is None:
            continue
        seen += 1
        values = [column[i] for column in columns]
        wrong += sum(values) != total
        negative += min(values) < 0
    t.note(f"{seen} of {len(latency)} requests have a client ledger; {len(LINES)} lines sum to the ns")
    check(wrong == 0 and negative == 0, f"{wrong} of {seen} client ledgers do not add up, {negative} have negative lines")
    return seen


def check_truth(t, table, rows, limit=0.02):
    """Client latencies against the client's own clock: the median of the relative error."""
    errors, outside = [], 0
    recorded = table.by_id()
    # The client's clock begins with the send: connecting, of first requests, lies before it.
    for row, latency in pairs(table, rows):
        begin = int(recorded[row["id"]]["client_begin_ns"])
        truth = row["recv_ns"] - row["send_ns"]
        errors.append(abs(latency - truth) / truth)
        outside += begin < row["send_ns"] or begin + latency > row["recv_ns"]
    check(len(errors) > 500, f"only {len(errors)} requests can be compared")
    t.note(f"{len(errors)} client latencies against the client's clock, relative error {spread(errors, 0.01, ' %')}")
    check(outside == 0, f"{outside} of {len(errors)} lie outside of what the client measured")
    check(percentile(errors, 0.5) <= limit, f"the median error is {100 * percentile(errors, 0.5):.2f} %")


def pairs(table, rows):
    """[(row of the client's own log, its latency by the recording)] of answered requests that both have."""
    recorded = table.by_id()
    found = []
    for row in rows:
        mine = recorded.get(row["id"])
        if row["recv_ns"] and mine and mine["client_latency_ns"] and not row["first_of_conn"]:
            found.append((row, int(mine["client_latency_ns"])))
    return found


def write_vegeta(path, rows, unix, url):
    """Rows of the client's log as `vegeta encode -to csv` writes them."""
    with open(path, "w", encoding="ascii") as file:
        for number, row in enumerate(rows):
            file.write(f"{int(unix(row['send_ns']) * 1e9)},200,{row['recv_ns'] - row['send_ns']},0,{row['bytes']},,,"
                       f"attack,{number},GET,{url},\n")


def write_k6(path, rows, unix, url):
    """The same as `k6 run --out json` writes them: the time of a point is the request's end."""
    with open(path, "w", encoding="ascii") as file:
        for row in rows:
            ns = int(unix(row["recv_ns"]) * 1e9)
            at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // 10**9)) + f".{ns % 10**9:09d}Z"
            tags = {"expected_response": "true", "method": "GET", "name": url, "status": "200", "url": url}
            for metric, value in (("http_reqs", 1), ("http_req_duration", (row["recv_ns"] - row["send_ns"]) / 1e6),
                                  ("http_req_blocked", 0), ("http_req_connecting", 0)):
                point = {"metric": metric, "type": "Point", "data": {"time": at, "value": value, "tags": tags}}
                file.write(json.dumps(point, separators=(",", ":")) + "\n")


def middle_and_tail(values):
    """Means over p45..p55 and above p99."""
    ordered = sorted(values)
    n = len(ordered)
    middle, tail = ordered[int(0.45 * n):int(0.55 * n)], ordered[int(0.99 * n):]
    return sum(middle) / len(middle), sum(tail) / len(tail)
