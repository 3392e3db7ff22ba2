"""The table kernel x capability, in the repository's README between two marks."""

import re

BEGIN, END = "<!-- kernels: made by tests/vm/run --write -->", "<!-- kernels: end -->"


def render(titles, rows):
    """rows: [(label, {title: cell})]"""
    lines = ["| kernel | " + " | ".join(titles) + " |", "|---" * (len(titles) + 1) + "|"]
    lines += [f"| {label} | " + " | ".join(cells.get(title, "failed") for title in titles) + " |" for label, cells in rows]
    return "\n".join(lines)


def read(path):
    """{label: line} of the table in the file."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = re.search(re.escape(BEGIN) + r"\n(.*?)" + re.escape(END), text, re.S)
    lines = found.group(1).strip().splitlines() if found else []
    return {line.split("|")[1].strip(): line for line in lines[2:]}


def write(path, titles, rows, order):
    """Puts rows into the table; kernels that were not run keep theirs. order(label) sorts."""
    lines = {**read(path), **{label: render(titles, [(label, cells)]).splitlines()[-1] for label, cells in rows}}
    table = "\n".join([*render(titles, []).splitlines(), *(lines[label] for label in sorted(lines, key=order))])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    new = re.sub(re.escape(BEGIN) + r"\n.*?" + re.escape(END), lambda _: f"{BEGIN}\n{table}\n{END}", text, flags=re.S)
    with open(path, "w", encoding="utf-8") as file:
        file.write(new)
