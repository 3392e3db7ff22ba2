#!/usr/bin/env python3
"""Prints what the client of loop_recording.py's GET /health measured, as the plain CSV of home-made generators.

usage: loop_client.py [SECONDS]     (default 8; as given to loop_recording.py)
"""
import sys

from loop_recording import MS, T0, arrivals

REALTIME = 1700000000000000000  # wall clock at T0
WAY = 50_000                    # ns from the client to the server, and back


def main():
    print("start_unix_ns,latency_ns,status,path,conn")
    free = T0
    for t, kind, conn in arrivals(int(sys.argv[1]) if len(sys.argv) > 1 else 8):
        start = max(free, t + 20_000 if t > free else t)
        done = start + 10_000 + (30 * MS if kind == "login" else 200_000)
        free = done
        if kind == "health":
            print(f"{REALTIME + t - WAY - T0},{done - t + 2 * WAY},200,/health?id={conn},{conn}")


if __name__ == "__main__":
    main()
