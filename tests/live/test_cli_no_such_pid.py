"""A pid that is not there: exit code 5, and a message that names it."""

from live.outcome import check


def test_cli_no_such_pid(t):
    with open("/proc/sys/kernel/pid_max", encoding="ascii") as file:
        pid = int(file.read()) - 1
    done = t.run([t.srvprof, "attach", "-p", pid, "-d", "1s", "-o", t.path("x.srvprof"), "--no-report"], ok=(5,), timeout=20)
    check(str(pid) in done.err() and "hint:" in done.err(), f"no helpful message: {done.err()!r}")
