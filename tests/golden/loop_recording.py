#!/usr/bin/env python3
"""Prints the text form of a recording: an event loop on which POST /login computes.

usage: loop_recording.py [SECONDS [LOGIN_MS]]     (default 8 and 30)

GET /health arrives every 2 ms and costs 0.2 ms; POST /login arrives every 400 ms. Whoever comes while
a login computes waits behind it. The numbers are made up, the form is what srvprof records.
"""
import sys

MS = 1_000_000
LOOP = 11       # pid and tid of the server
T0 = 1000 * MS  # probes live
WRK, HEY = 90, 91
LOGIN_PCS = "0x400300,0x400200,0x400100"
HEALTH_PCS = "0x400400,0x400100"


def arrivals(seconds):
    """(time, kind, connection), sorted: kind "health" or "login"."""
    health = [(T0 + i * 2 * MS + 100_000, "health", 1 + i % 8) for i in range(seconds * 500)]
    login = [(T0 + i * 400 * MS + 250 * MS, "login", 9) for i in range(int(seconds / 0.4))]
    return sorted(health + login)


def head():
    print("srvprof-text 1")
    for key, value in [
            ("srvprof.version", "0.1.0"), ("srvprof.command", "srvprof attach -p 11 -d 8s"), ("mode", "default"),
            ("host.kernel", "6.1.0"), ("host.cpus", "2"), ("target.pid", LOOP), ("target.comm", "node"),
            ("target.argv", "node auth.js"), ("target.runtime", "node"), ("target.ports", 3000),
            ("option.keep-query", 0)]:
        print(f'meta key={key} value="{value}"')
    print(f"clock t={T0} realtime_ns=1700000000000000000")
    print(f"process t={T0} pid={LOOP} target=1 comm=node argv=\"node auth.js\"")
    for pid, comm in [(WRK, "wrk"), (HEY, "hey")]:
        print(f"process t={T0} pid={pid} comm={comm}")
    for tid, comm in [(LOOP, "node"), (WRK, "wrk"), (HEY, "hey")]:
        print(f"task t={T0} tid={tid} pid={tid} comm={comm}")
    print(f"thread_state t={T0} tid={LOOP} pid={LOOP} run=3 state=83 sysnr=281 flags=32 comm=node")
    print(f"listener t={T0} pid={LOOP} port=3000 backlog=511 addr=127.0.0.1")
    for conn in range(1, 10):
        port = 40000 + conn
        print(f"conn id={conn} pid={LOOP} tid={LOOP} flags=2 proto=1 local_port=3000 remote_port={port}"
              " local_addr=127.0.0.1 remote_addr=127.0.0.1")
        print(f'meta key="peer.{port}" value={HEY if conn == 9 else WRK}')
    for name, pcs in [(1, LOGIN_PCS), (2, HEALTH_PCS)]:
        print(f"stack hash={name} pid={LOOP} pcs={pcs}")
    for pc, function in [(0x400100, "loop_turn"), (0x400200, "login"), (0x400300, "hash<sha256>"), (0x400400, "health")]:
        print(f'frame pid={LOOP} pc={pc:#x} function="{function}" module=/usr/bin/node source=elf')
    print('capability name="tp_btf/sched_switch" used=1')
    print('capability name=irq used=0 detail="off unless asked for (--irq)"')


def serve(events, login_ms):
    """The loop serves one request after the other and idles in epoll between them."""
    free = T0            # when it has done what came so far
    next_sample = T0
    for t, kind, conn in events:
        if t > free:     # it slept; 20 us from the wake-up to the first instruction
            print(f"off_cpu tid={LOOP} t_out={free} t_wake={t} t_in={t + 20_000} state=83 sysnr=281 flags=32 cpu=0")
            free = t + 20_000
        read = free + 10_000
        done = read + (login_ms * MS if kind == "login" else 200_000)
        method, path = ("POST", "/login") if kind == "login" else ("GET", "/health")
        print(f"request conn={conn} t_arrive={t} t_read={read} t_write={done} t_write_last={done} tid_read={LOOP}"
              f" tid_write={LOOP} status=200 bytes_in=90 bytes_out=120 n_read=1 n_write=1 method={method} path={path}")
        while next_sample < done:
            if next_sample >= read:
                print(f"sample t={next_sample} tid={LOOP} cpu=0 ustack={1 if kind == 'login' else 2}")
            next_sample += 10_101_010  # 99 Hz
        free = done
    return free


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    head()
    free = serve(arrivals(seconds), int(sys.argv[2]) if len(sys.argv) > 2 else 30)
    end = T0 + seconds * 1000 * MS
    for second in range(1, seconds + 1):
        t = T0 + second * 1000 * MS
        print(f"clock t={t} realtime_ns={1700000000000000000 + second * 10**9}")
        for pid, comm, cpu in [(LOOP, "node", 170), (WRK, "wrk", 30), (HEY, "hey", 5)]:
            print(f"cpu_use t={t} pid={pid} comm={comm} cpu_ns={cpu * MS} runq_ns=0 interval_ns={1000 * MS}")
        print(f"own_cost t={t} cpu_ns={second * 20 * MS} rss_bytes=52428800 ring_bytes={second * 100_000}"
              f" ring_peak=4096 ring_size=16777216 bpf_run_ns={second * 40_000} bpf_runs={second * 100}"
              f" bpf_sampled_ns={second * 50 * MS} file_bytes={second * 20_000}")
    print(f"thread_state t={end} tid={LOOP} pid={LOOP} run=3 since={free} state=83 sysnr=281 flags=32 at_end=1")
    print(f"end t={end} reason=duration")


if __name__ == "__main__":
    main()
