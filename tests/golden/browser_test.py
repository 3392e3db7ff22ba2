#!/usr/bin/env python3
"""Opens a flame graph and a report page in headless Chromium and uses them: zoom, search, reset.

usage: browser_test.py SRVPROF         exit code 77 if there is no Chromium
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Runs in the page and leaves what it saw as JSON in <pre id="seen">. Each step is what a user does.
USE_PAGE = """
<pre id="seen"></pre><script>
var seen = {}, svg = document.getElementById("fg1");
var frames = Array.prototype.slice.call(svg.querySelectorAll(".fr > g"));
function name(g) { return g.querySelector("title").textContent.split("\\n")[0]; }
function visible() { return frames.filter(function (g) { return !g.classList.contains("off"); }).map(name); }
function frame(n) { return frames.filter(function (g) { return name(g) === n; })[0]; }
function width(g) { return +g.querySelector("rect").getAttribute("width"); }
function type(text) {
  var input = svg.querySelector(".find");
  input.value = text;
  input.dispatchEvent(new Event("input"));
}
seen.all = visible();
seen.before = width(frame("login"));
frame("login").dispatchEvent(new MouseEvent("click", {bubbles: true}));
seen.zoomed = visible();
seen.after = width(frame("login"));
seen.parent_is_faded = frame("loop_turn").classList.contains("up");
svg.querySelector(".reset").dispatchEvent(new MouseEvent("click", {bubbles: true}));
seen.reset = visible();
seen.again = width(frame("login"));
type("SHA256");
seen.hits = frames.filter(function (g) { return g.classList.contains("hit"); }).map(name);
seen.match = svg.querySelector(".match").textContent;
type("(");
seen.bad_expression = svg.querySelector(".match").textContent;
frame("login").dispatchEvent(new MouseEvent("mouseenter"));
seen.info = svg.querySelector(".info").textContent;
document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
seen.cleared = svg.querySelector(".match").textContent;
seen.graphs = document.querySelectorAll("svg").length;
document.getElementById("seen").textContent = JSON.stringify(seen);
</script></body>
"""


def check(condition, message):
    if not condition:
        raise SystemExit(f"browser_test: {message}")


def dump_dom(browser, url, profile):
    """The document after its scripts ran."""
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}",
         "--virtual-time-budget=2000", "--dump-dom", url],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    check(done.returncode == 0, f"{browser} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    return done.stdout.decode("utf-8", "replace")


def test_file(browser, folder):
    """The SVG alone, in the state that its address asks for."""
    url = "file://" + os.path.join(folder, "cpu.svg")
    profile = os.path.join(folder, "profile")
    plain = dump_dom(browser, url, profile)
    check('class="hit"' not in plain and 'class="off"' not in plain, "a plain graph is zoomed or searched")
    titles = re.findall(r"<title>([^\n<]*)\n", plain)
    check("login" in titles, f"there is no frame 'login' in {titles}")
    dom = dump_dom(browser, f"{url}#x={titles.index('login')}&s=sha256", profile)
    check(len(re.findall(r'<g class="[^"]*\bhit\b', dom)) == 1, "the search of the address marks no frame")
    check(re.search(r"matched 1 frames, \d+\.\d %", dom), "the search of the address is not counted")
    check(re.search(r'<g class="[^"]*\boff\b[^"]*"><title>health\n', dom), "the zoom of the address hides nothing")


def test_page(browser, folder):
    with open(os.path.join(folder, "report.html"), encoding="utf-8") as file:
        page = file.read()
    check(page.count("</body>") == 1, "the page has not one end")
    path = os.path.join(folder, "used.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(page.replace("</body>", USE_PAGE))
    dom = dump_dom(browser, "file://" + path, os.path.join(folder, "profile"))
    text = re.search(r'<pre id="seen">([^<]*)</pre>', dom)
    check(text and text[1], "the script did not come to its end")
    seen = json.loads(html.unescape(text[1]))
    check({"login", "health", "hash<sha256>"} <= set(seen["all"]), f"frames are missing: {seen['all']}")
    check("health" not in seen["zoomed"] and "hash<sha256>" in seen["zoomed"], f"zoom shows {seen['zoomed']}")
    check(seen["after"] == 1180 and seen["before"] < 1180, f"zoom: {seen['before']} -> {seen['after']}")
    check(seen["parent_is_faded"], "what is below the zoomed frame is not faded")
    check(seen["reset"] == seen["all"] and abs(seen["again"] - seen["before"]) < 0.01, "reset does not restore")
    check(seen["hits"] == ["hash<sha256>"], f"the search finds {seen['hits']}")
    check(seen["match"].startswith("matched 1 frames, "), f"the search says {seen['match']!r}")
    check(seen["bad_expression"].startswith("matched 0 frames"), f"'(' gives {seen['bad_expression']!r}")
    check(seen["info"].startswith("login   "), f"hovering says {seen['info']!r}")
    check(seen["cleared"].strip() == "", "Escape does not clear the search")
    check(seen["graphs"] >= 3, f"the page has {seen['graphs']} graphs")


def main():
    program = os.path.realpath(sys.argv[1])
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("no Chromium is installed")
        return 77
    folder = tempfile.mkdtemp(prefix="srvprof-browser-")
    try:
        run = lambda *words: subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "loop.txt"), "w", encoding="utf-8") as file:
            subprocess.run([sys.executable, os.path.join(HERE, "loop_recording.py")], check=True, stdout=file)
        run(program, "dump", "--from-text", "loop.txt", "-o", "loop.srvprof")
        run(program, "flamegraph", "loop.srvprof", "-o", "cpu.svg")
        run(program, "report", "loop.srvprof", "-o", "report.html")
        test_file(browser, folder)
        test_page(browser, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("zoom, search, reset and the address work in the file and in the page")
    return 0


if __name__ == "__main__":
    sys.exit(main())
