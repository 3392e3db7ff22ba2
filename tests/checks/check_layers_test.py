"""Self test of tools/check-layers: a small good tree passes, and each way to break a rule is seen."""
import os
import subprocess
import sys
import tempfile
import unittest

TOOL = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "tools", "check-layers")

GOOD = {
    "bpf/records.h": "#include <linux/types.h>\n",
    "bpf/config.h": "struct config { int on; };\n",
    "bpf/core.bpf.c": '#include <linux/bpf.h>\n#include <bpf/bpf_helpers.h>\n#include "config.h"\n',
    "src/base/result.h": "// std::cout is not used here, nor is \"/proc/self\"\n",
    "src/base/file.cc": '#include "base/result.h"\n#include <cstdio>\n'
                        'int n(char* s) { return snprintf(s, 9, "%d", 1\'000); }\n',
    "src/elf/elf.h": '#include "base/result.h"\n',
    "src/target/proc.cc": '#include "elf/elf.h"\nconst char* k = "/proc/self/maps";\n',
    "src/recording/record.cc": '#include "records.h"\n',
    "src/collect/collect.cc": '#include "records.h"\n#include "config.h"\n#include "srvprof.skel.h"\n'
                              '#include <bpf/libbpf.h>\n#include "target/proc.h"\n',
    "src/collect/child.cc": "void f(int fd) { dup2(fd, STDOUT_FILENO); _exit(127); }\n",
    "src/collect/CMakeLists.txt": "srvprof_library(collect SOURCES collect.cc DEPS base target LINK PkgConfig::LIBBPF)\n",
    "src/trace/trace.h": '#include "protocol/http1.h"\n#include "recording/reader.h"\n',
    "src/analyze/a.h": '#include "trace/trace.h"\n#include "runtime/runtime.h"\n',
    "src/render/text.cc": '#include "analyze/a.h"\nconst char* hint = "mount /proc first";\n',
    "src/cli/main.cc": '#include <boost/program_options.hpp>\n#include <iostream>\n#include "render/text.h"\n'
                       '#include "collect/collect.h"\nint main() { std::cout << 1; }\n',
    "src/cli/CMakeLists.txt": "srvprof_library(cli SOURCES main.cc DEPS render LINK Boost::program_options)\n",
}

# (rule, path that must be named, contents). Each one alone spoils the good tree.
BAD = [
    ("layer", "src/base/bad.cc", '#include "elf/elf.h"\n'),
    ("layer", "src/protocol/bad.cc", '#include "loadgen/wrk.h"\n'),
    ("layer", "src/loadgen/bad.h", '#include "trace/trace.h"\n'),
    ("layer", "src/elf/bad.h", '#include "target/proc.h"\n'),
    ("layer", "src/recording/bad.h", '#include "protocol/http1.h"\n'),
    ("layer", "src/target/bad.h", '#include "symbolize/s.h"\n'),
    ("layer", "src/symbolize/bad.h", '#include "unwind/u.h"\n'),
    ("layer", "src/unwind/bad.h", '#include "symbolize/s.h"\n'),
    ("layer", "src/runtime/bad.h", '#include "unwind/u.h"\n'),
    ("layer", "src/collect/bad.h", '#include "trace/trace.h"\n'),
    ("layer", "src/trace/bad.h", '#include "analyze/a.h"\n'),
    ("layer", "src/trace/bad.h", '#include "target/proc.h"\n'),
    ("layer", "src/analyze/bad.h", '#include "render/text.h"\n'),
    ("layer", "src/analyze/bad.h", '#include "protocol/http1.h"\n'),
    ("layer", "src/analyze/causes/bad.h", '#include "cli/main.h"\n'),
    ("layer", "src/render/bad.h", '#include "recording/reader.h"\n'),
    ("layer", "src/extra/bad.cc", "int x;\n"),
    ("layer", "src/render/CMakeLists.txt", "srvprof_library(render SOURCES a.cc DEPS base recording)\n"),
    ("libbpf", "src/recording/bad.cc", "#include <bpf/libbpf.h>\n"),
    ("libbpf", "src/cli/bad.cc", "#include <bpf/bpf.h>\n"),
    ("libbpf", "src/runtime/bad.cc", '#include "srvprof.skel.h"\n'),
    ("libbpf", "src/runtime/CMakeLists.txt", "srvprof_library(runtime SOURCES a.cc LINK PkgConfig::LIBBPF)\n"),
    ("records", "src/trace/bad.cc", '#include "records.h"\n'),
    ("records", "src/cli/bad.cc", '#include "records.h"\n'),
    ("records", "src/recording/bad.cc", '#include "config.h"\n'),
    ("boost", "src/analyze/bad.cc", "#include <boost/program_options.hpp>\n"),
    ("boost", "src/base/CMakeLists.txt", "srvprof_library(base SOURCES a.cc LINK Boost::program_options)\n"),
    ("stdout", "src/render/bad.cc", "void f() { std::cout << 1; }\n"),
    ("stdout", "src/render/bad.cc", 'void f() { printf("%d", 1); }\n'),
    ("stdout", "src/collect/bad.cc", 'void f() { fmt::print("{}", 1); }\n'),
    ("stdout", "src/analyze/bad.cc", "void f() { fputs(s, stdout); }\n"),
    ("stdout", "src/collect/bad.cc", "void f() { ::write(STDOUT_FILENO, b, 1); }\n"),
    ("stdout", "src/base/bad.cc", "#include <iostream>\n"),
    ("stdout", "src/base/bad.cc", "void f() { std::exit(1); }\n"),
    ("proc", "src/collect/bad.cc", 'const char* k = "/proc/self/maps";\n'),
    ("proc", "src/cli/bad.cc", 'auto k = R"(/proc/kallsyms)";\n'),
    ("path", "src/base/bad.cc", '#include "result.h"\n'),
    ("bpf", "bpf/bad.bpf.c", '#include "vmlinux.h"\n'),
    ("bpf", "bpf/bad.bpf.c", '#include "base/result.h"\n'),
    ("size", "src/base/bad.cc", "int x;\n" * 601),
    ("size", "tests/unit/base/bad_test.cc", "int x;\n" * 601),
]


def run(tree):
    with tempfile.TemporaryDirectory() as root:
        for path, text in tree.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as f:
                f.write(text)
        return subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True, check=False)


class CheckLayers(unittest.TestCase):
    def test_good_tree_passes(self):
        done = run(GOOD)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_each_breach_is_told_with_its_rule_and_place(self):
        for rule, path, text in BAD:
            with self.subTest(rule=rule, path=path, text=text[:40]):
                done = run({**GOOD, path: text})
                self.assertEqual(done.returncode, 1, done.stdout)
                lines = done.stdout.splitlines()
                self.assertEqual(len(lines), 2, done.stdout)
                self.assertTrue(lines[0].startswith(path + ":"), lines[0])
                self.assertIn(f"[{rule}]", lines[0])

    def test_line_number(self):
        done = run({**GOOD, "src/base/bad.cc": '/* a\n b */\n#include "base/result.h"\n#include "cli/x.h"\n'})
        self.assertIn("src/base/bad.cc:4: [layer]", done.stdout)

    def test_include_cycle(self):
        done = run({**GOOD, "src/base/a.h": '#include "base/b.h"\n', "src/base/b.h": '#include "base/a.h"\n'})
        self.assertEqual(done.returncode, 1)
        self.assertIn("[cycle] base/a.h -> base/b.h -> base/a.h", done.stdout)

    def test_no_tree(self):
        with tempfile.TemporaryDirectory() as root:
            done = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
