"""CPython's functions by name, file and line, of the system's interpreter."""

from live import python


def test_names_python(t):
    python.check_python(t)


def test_names_python_312(t):
    python.check_python(t, python.private("3.12"))


def test_names_python_313(t):
    python.check_python(t, python.private("3.13"))
