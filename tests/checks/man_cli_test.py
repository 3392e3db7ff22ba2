"""The man page and the program tell of the same commands and options.

usage: man_cli_test.py PROGRAM MAN_PAGE      exit code 77: there is no program
"""
import os
import re
import subprocess
import sys

OPTION = re.compile(r"--[a-z][a-z-]+")


def help_of(program, *command):
    done = subprocess.run([program, *command, "--help"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=30, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} --help ended with {done.returncode}: {done.stderr}")
    return done.stdout


def main(program, page):
    if not os.access(program, os.X_OK):
        print(f"{program} is not built")
        return 77
    with open(page, encoding="utf-8") as f:
        manual = re.sub(r"\\f[A-Z]", "", f.read()).replace("\\-", "-")
    in_manual = set(re.findall(r"^\.BR? srvprof ([a-z]+)", manual[manual.index(".SH COMMANDS"):], re.M))
    # What completes is what there is: the bash completions come from the same lists as the parser.
    general = help_of(program)
    commands = {name for name in re.findall(r"^\s+(?:srvprof )?([a-z]+)\b", general, re.M)
                if subprocess.run([program, name, "--help"], stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=30, check=False).returncode == 0 and name != "help"}
    wrong = [f"the man page lacks the command {c}" for c in sorted(commands - in_manual)]
    wrong += [f"the man page tells of {c}, which is no command" for c in sorted(in_manual - commands)]

    known = set(OPTION.findall(general)) | {"--completions", "--version"}
    for command in commands:
        known |= {m for line in help_of(program, command).splitlines() if "--" in line
                  for m in OPTION.findall(line.split("  hint")[0])}
    options = manual[manual.index(".SH OPTIONS"):manual.index(".SH SIGNALS")]
    told = set(OPTION.findall(options))
    # An example in a help text may carry another program's option.
    for option in sorted(known - told):
        listed = any(re.search(rf"^\s+(?:-\w, )?{option}\b", help_of(program, c), re.M) for c in commands)
        if listed:
            wrong.append(f"the man page lacks {option}")
    wrong += [f"the man page tells of {o}, which no command has" for o in sorted(told - known)]
    print("\n".join(wrong) if wrong else f"{len(commands)} commands, {len(told)} options")
    return 1 if wrong or not commands else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
