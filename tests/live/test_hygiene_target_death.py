"""The target dies: the run ends by itself, with its recording and a note."""

import signal

from live import hygiene


def test_hygiene_target_death(t):
    hygiene.end_by(t, lambda server, run: server.process.send(signal.SIGKILL), code=0, least=1500)
