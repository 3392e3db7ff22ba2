"""The man page and the program's help tell of the same commands and options.

usage: man_cli_test.py PROGRAM MAN_PAGE      exit code 77: there is no program
"""
import os
import re
import subprocess
import sys


def help_of(program, *command):
    done = subprocess.run([program, *command, "--help"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=30, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} --help ended with {done.returncode}: {done.stderr}")
    return done.stdout


def options_in(text):
    return set(re.findall(r"^  (?:-\w, |    )(--[a-z-]+)", text, re.M))


def main(program, page):
    if not os.access(program, os.X_OK):
        print(f"{program} is not built")
        return 77
    with open(page, encoding="utf-8") as f:
        manual = f.read().replace("\\-", "-")
    told_commands = set(re.findall(r"^\.B srvprof ([a-z]+)", manual.split(".SH COMMANDS")[1].split(".SH")[0], re.M))
    told_options = set(re.findall(r"--[a-z-]+", manual.split(".SH OPTIONS")[1].split(".SH")[0]))

    general = help_of(program)
    commands = set(re.findall(r"^  ([a-z]+) ", general.split("\ncommands:\n")[1].split("\n\n")[0], re.M))
    options = options_in(general)
    for command in commands:
        options |= options_in(help_of(program, command))

    wrong = [f"the man page lacks {x}" for x in sorted((commands - told_commands) | (options - told_options))]
    wrong += [f"the man page tells of {x}, which the program has not"
              for x in sorted((told_commands - commands) | (told_options - options))]
    print("\n".join(wrong) if wrong else f"{len(commands)} commands, {len(options)} options")
    return 1 if wrong or len(commands) < 2 or len(options) < 2 else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
