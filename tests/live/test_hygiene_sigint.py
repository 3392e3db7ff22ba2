"""Ctrl-C ends a recording in order."""

import signal

from live import hygiene


def test_hygiene_sigint(t):
    hygiene.end_by(t, lambda server, run: run.process.send(signal.SIGINT), code=0, least=1500)
