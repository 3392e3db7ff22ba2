"""Bun: functions of JavaScriptCore by name, of compiled code."""

from live import names, servers
from live.outcome import check


def test_names_bun(t):
    server = servers.bun(t, "names.js")
    stacks = names.record_names(t, server)
    compiled = stacks.count(names.is_jit)
    named = stacks.count(lambda f: names.is_jit(f) and f.source == "jsc" and f.function)
    names.check_share(t, "compiled frames with a name", named, compiled, 0.95)
    names.check_mine(stacks)
    # Two functions of names.js have no name: what is given to filter() and to map().
    unnamed = stacks.count(lambda f: f.function == "(anonymous)" and not f.file.endswith("/names.js"))
    check(unnamed <= 0.05 * compiled, f"{unnamed} of {compiled} frames are called (anonymous) and are not mine")
