"""Debian's kernels, fetched by apt with a state of its own for each release: the machine's apt is left alone."""

import glob
import os
import re
import subprocess

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
META = "linux-image-cloud-amd64"  # small, and everything that is needed is built in


class Unavailable(Exception):
    """A kernel cannot be had here."""


def _mirror():
    """Where this machine gets Debian's packages from."""
    lines = []
    for path in ["/etc/apt/sources.list", *sorted(glob.glob("/etc/apt/sources.list.d/*"))]:
        try:
            with open(path, encoding="utf-8") as file:
                lines += file.read().splitlines()
        except OSError:
            continue
    for line in lines:
        found = re.match(r"(?:URIs:|deb(?: \[.*\])?) *(\S+/debian)/?(?:\s|$)", line)
        if found:
            return found.group(1)
    return "http://deb.debian.org/debian"


class Suite:
    """One Debian release's packages, under a folder."""

    def __init__(self, name, folder):
        self.name = name
        self.root = os.path.join(folder, name)
        for part in ("lists/partial", "archives/partial", "debs"):
            os.makedirs(os.path.join(self.root, part), exist_ok=True)
        with open(os.path.join(self.root, "sources.list"), "w", encoding="ascii") as file:
            file.write(f"deb [signed-by={KEYRING}] {_mirror()} {name} main\n")
        open(os.path.join(self.root, "status"), "a", encoding="ascii").close()

    def _apt(self, program, *words, cwd=None):
        settings = {"Dir::State": self.root, "Dir::State::lists": f"{self.root}/lists",
                    "Dir::State::status": f"{self.root}/status", "Dir::Cache": self.root,
                    "Dir::Etc::sourcelist": f"{self.root}/sources.list", "Dir::Etc::sourceparts": "-",
                    "Dir::Etc::preferencesparts": "-", "Acquire::Languages": "none", "Acquire::Retries": "3",
                    "APT::Architecture": "amd64", "Acquire::Check-Valid-Until": "false",
                    "APT::Sandbox::User": ""}
        options = [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]
        try:
            done = subprocess.run([program, *options, *words], cwd=cwd, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=240, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable(f"{program} {words[0]}: {error}") from None
        if done.returncode != 0:
            said = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise Unavailable(f"{program} {words[0]} for {self.name}: {said}")
        return done.stdout

    def _depends(self, package, pattern):
        text = self._apt("apt-cache", "show", "--no-all-versions", package)
        depends = re.search(r"^Depends: (.*)$", text, re.M)
        return sorted(set(re.findall(pattern, depends.group(1)))) if depends else []

    def kernel(self):
        """Path of the newest vmlinuz of the release."""
        if not os.path.exists(KEYRING):
            raise Unavailable(f"{KEYRING} is not there")
        self._apt("apt-get", "-qq", "update")
        images = self._depends(META, r"linux-image-\d[^ ,]*")
        if not images:
            raise Unavailable(f"{META} of {self.name} names no kernel")
        # From 7.x on the image is in a package of its own.
        packages = self._depends(images[0], r"linux-binary-\d[^ ,]*") or images[:1]
        tree = os.path.join(self.root, packages[0])
        if not glob.glob(f"{tree}/**/vmlinuz*", recursive=True):
            debs = os.path.join(self.root, "debs")
            self._apt("apt-get", "-qq", "download", packages[0], cwd=debs)
            [deb] = glob.glob(os.path.join(debs, f"{packages[0]}_*.deb"))
            subprocess.run(["dpkg", "-x", deb, tree], check=True, stdin=subprocess.DEVNULL)
            os.remove(deb)
        return glob.glob(f"{tree}/**/vmlinuz*", recursive=True)[0]
