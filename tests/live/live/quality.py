"""Is what a recording says true? Sums, counts and comparisons with other clocks."""

from .outcome import Failure, check

STATES = (
    "stopped_ns", "throttled_ns", "steal_ns", "runq_preempt_ns", "runq_wake_ns", "irq_ns", "cpu_ns", "behind_ns",
    "blocked_lock_ns", "blocked_disk_ns", "blocked_fault_ns", "blocked_pipe_ns", "blocked_sleep_ns",
    "downstream_ns", "pool_ns", "backpressure_ns", "unexplained_ns",
)
PHASES = ("accept_ns", "ready_ns", "service_ns", "write_ns")


def percentile(values, q):
    """The smallest value that a share q of the values does not exceed."""
    ordered = sorted(values)
    if not ordered:
        raise Failure("a percentile of nothing")
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def spread(values, scale=1.0, unit=""):
    return " ".join(f"{name} {percentile(values, q) / scale:.4g}{unit}" for name, q in
                    (("min", 0), ("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1)))


def check_complete(t, report, count, in_flight):
    """The recording holds what the generator counted, and what was in flight at its end."""
    t.note(f"{count}; recorded {report.requests}")
    check(count.errors == 0, f"the load had errors: {count}")
    check(count.requests > 1000, f"hardly any load: {count}")
    check(not report.losses(), f"lost: {report.losses()}")
    check(not report.governor_engaged(), "the sampling governor engaged")
    more = report.requests - count.requests
    check(0 <= more <= in_flight, f"recorded {report.requests}, {count.name} counted {count.requests} "
                                  f"({more:+d}; 0 to {in_flight} may be in flight)")


def check_exact(t, table):
    """States and phases of every request sum to its latency to the ns; nothing is negative."""
    latency = table.column("latency_ns")
    check(latency, "no request was exported")
    for names in (STATES, PHASES):
        columns = [table.column(name) for name in names]
        wrong = negative = 0
        example = ""
        for i, total in enumerate(latency):
            values = [column[i] or 0 for column in columns]
            if min(values) < 0:
                negative += 1
                example = example or f"{dict(zip(names, values))} of {total}"
            if sum(values) != total:
                wrong += 1
                example = example or f"{sum(values)} of {total}: {dict(zip(names, values))}"
        check(wrong == 0 and negative == 0,
              f"of {len(latency)} requests {wrong} do not sum to their latency, {negative} have negative lines; {example}")
    t.note(f"{len(latency)} requests: {len(STATES)} states and {len(PHASES)} phases sum to the ns")


def slowest_rows(table, slowest):
    latency = table.column("latency_ns")
    order = sorted(range(len(latency)), key=latency.__getitem__, reverse=True)
    return order[:max(1, int(len(order) * slowest))]


def unexplained_share(table, slowest=0.01):
    """Share of the time of the slowest requests that nothing is said about."""
    latency = table.column("latency_ns")
    unknown = [a + (b or 0) for a, b in zip(table.column("unexplained_ns"), table.column("unnamed_ns"))]
    tail = slowest_rows(table, slowest)
    return sum(unknown[i] for i in tail) / max(1, sum(latency[i] for i in tail))


def tail_in_words(table, slowest=0.01):
    """What the time of the slowest requests is made of: every state and the unnamed part of it, in percent."""
    tail = slowest_rows(table, slowest)

    def total(name):
        column = table.column(name)
        return sum(column[i] or 0 for i in tail)

    latency = total("latency_ns")
    largest = sorted(((total(name), name[:-3]) for name in (*STATES, "unnamed_ns")), reverse=True)
    made_of = ", ".join(f"{name} {100 * value / max(1, latency):.1f} %" for value, name in largest if value)
    arrived, unknown = table.column("t_arrive_ns"), table.column("unexplained_ns")
    first = min(arrived)
    worst = sorted(tail, key=unknown.__getitem__, reverse=True)[:3]
    return made_of + "; the worst arrived " + ", ".join(
        f"{(arrived[i] - first) / 1e6:.1f} ms after the first ({unknown[i] / 1e6:.2f} ms unexplained)" for i in worst)


def check_explained(t, table, limit=0.05):
    share = unexplained_share(table)
    t.note(f"unexplained in the slowest 1 %: {100 * share:.2f} %")
    if share >= limit:
        raise Failure(f"{100 * share:.1f} % of the time of the slowest 1 % is unexplained (limit {100 * limit:g} %): "
                      f"{tail_in_words(table)}")


def check_inside_client(t, table, rows):
    """Each id's [t_arrive, t_done] lies inside the client's [send, recv].

    On loopback the client may have the answer before the server's write() returns: that overshoot
    of t_done is stated, and only its size is limited.
    """
    recorded = table.by_id()
    answered = [row for row in rows if row["recv_ns"]]
    missing = [row["id"] for row in answered if row["id"] not in recorded]
    check(not missing, f"{len(missing)} of {len(answered)} ids are not in the recording, e.g. {missing[:3]}")
    early, overshoot, longer = [], [], 0
    for row in answered:
        mine = recorded[row["id"]]
        if int(mine["t_arrive_ns"]) < row["send_ns"]:
            early.append(row["id"])
        over = int(mine["t_done_ns"]) - row["recv_ns"]
        overshoot.append(max(0, over))
        longer += int(mine["latency_ns"]) > row["recv_ns"] - row["send_ns"] + max(0, over)
    share = sum(1 for over in overshoot if over) / len(overshoot)
    t.note(f"{len(answered)} ids inside the client's interval; overshoot of {100 * share:.1f} % of them: "
           f"{spread(overshoot, 1000, ' us')}")
    check(not early, f"{len(early)} requests arrive before the client sent them, e.g. {early[:3]}")
    check(longer == 0, f"{longer} latencies are longer than the client's interval")
    check(percentile(overshoot, 0.5) < 1_000_000, "half of the replies end 1 ms after the client had them")


def read_handler_log(path, since_ns):
    """{id: (entry_ns, exit_ns, cpu_ns)} that the server's handler wrote of requests since `since_ns`.

    Every client numbers from the same start, so what a warm-up left in the log has the same ids.
    """
    found = {}
    with open(path, encoding="ascii") as file:
        next(file)
        for line in file:
            number, entry, leave, cpu = line.split(",")
            if int(entry) >= since_ns:
                found[int(number)] = (int(entry), int(leave), int(cpu))
    return found


def check_handler_inside(t, table, handler):
    """The handler's own timer lies between the read and the first write."""
    recorded = table.by_id()
    both = [i for i in handler if i in recorded]
    check(len(both) > 100, f"only {len(both)} handled ids are in the recording")
    outside = [i for i in both if handler[i][0] < int(recorded[i]["t_read_ns"])
               or handler[i][1] > int(recorded[i]["t_first_write_ns"])]
    before = [handler[i][0] - int(recorded[i]["t_read_ns"]) for i in both]
    after = [int(recorded[i]["t_first_write_ns"]) - handler[i][1] for i in both]
    t.note(f"{len(both)} handlers; read to handler {spread(before, 1000, ' us')}")
    t.note(f"handler to first write {spread(after, 1000, ' us')}")
    check(not outside, f"{len(outside)} handlers run outside of the service phase, e.g. {outside[:3]}")


def check_cpu(t, table, handler, median=0.10, most=0.25):
    """Own CPU per id against the handler's busy time."""
    recorded = table.by_id()
    errors = [abs(int(recorded[i]["cpu_ns"]) - cpu) / cpu for i, (_, _, cpu) in handler.items()
              if i in recorded and cpu > 0]
    check(len(errors) > 100, f"only {len(errors)} ids can be compared")
    t.note(f"own CPU against the handler's, relative error of {len(errors)} ids: {spread(errors, 0.01, ' %')}")
    check(percentile(errors, 0.5) <= median, f"own CPU is off by {100 * percentile(errors, 0.5):.1f} % in the median")
    check(percentile(errors, 0.95) <= most, f"own CPU is off by {100 * percentile(errors, 0.95):.1f} % at the 95th percentile")


SHORT_SLICE_NS = 60_000
WAKE_NS = 20_000
WAKE_SHARE_NS = 3_000


def check_threads(t, threads, before, after, limit=0.02, least_ns=100_000_000, woken=False):
    """Per thread CPU and run-queue time agree with schedstat, for sums worth comparing.

    before/after: process.schedstat() around the load, inside the recording, the target idle.

    woken: the threads preempt each other by wake-ups all the time, as Go's do. The kernel charges such
    a thread from the wake-up on, not from the switch: its clock is not updated in between
    (rq_clock_skip_update in wakeup_preempt). Its own figure is off by that much a slice, and one that
    only runs for microseconds (sysmon) by a third and more.
    """
    compared = 0
    for tid, (cpu, runq, slices) in after.items():
        cpu_0, runq_0, slices_0 = before.get(tid, (0, 0, 0))
        slices -= slices_0
        short = slices and (cpu - cpu_0) / slices < SHORT_SLICE_NS
        for name, truth in (("cpu_ns", cpu - cpu_0), ("runq_ns", runq - runq_0)):
            if truth < least_ns:
                continue
            check(tid in threads, f"thread {tid} is not in the recording")
            mine = threads[tid][name]
            compared += 1
            t.note(f"{threads[tid]['comm']} {tid} {name}: {mine / 1e6:.1f} ms, schedstat {truth / 1e6:.1f} ms "
                   f"({100 * (mine / truth - 1):+.2f} %), {slices} slices{', short' if short else ''}")
            allowed = limit * truth
            if woken:
                allowed = max(allowed, (WAKE_NS if short else WAKE_SHARE_NS) * slices)
            check(abs(mine - truth) <= allowed, f"thread {tid}: {name} {mine}, schedstat says {truth}")
    check(compared > 0, "no thread ran long enough to compare")
