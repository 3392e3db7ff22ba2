"""How a test ends, other than by returning."""


class Skip(Exception):
    """The machine lacks what the test needs."""


class Failure(AssertionError):
    """Something is not as it should be."""


class TimedOut(BaseException):
    """The test's time limit passed (not an Exception: no handler may swallow it)."""


def check(condition, message):
    if not condition:
        raise Failure(message)
