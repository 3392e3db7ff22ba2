"""SIGTERM ends a recording in order."""

import signal

from live import hygiene


def test_hygiene_sigterm(t):
    hygiene.end_by(t, lambda server, run: run.process.send(signal.SIGTERM), code=0, least=1500)
