"""kill -9: the kernel lets go of everything; the recording is readable up to its last whole chunk."""

import signal

from live import hygiene


def test_hygiene_kill(t):
    hygiene.end_by(t, lambda server, run: run.process.send(signal.SIGKILL), code=-signal.SIGKILL, least=300)
