"""Self test of tools/run-tests: how results are counted, and that no failure gets lost."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
TOOL = os.path.join(ROOT, "tools", "run-tests")

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("run_tests", TOOL)
run_tests = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", loader))
loader.exec_module(run_tests)


def counts(tally):
    return len(tally.passed), len(tally.failed), len(tally.skipped)


class Live(unittest.TestCase):
    GOOD = ["PASS a (1.2 s)", "    a note", "SKIP b: the kernel refuses BPF", "1 passed, 0 failed, 1 skipped"]

    def test_good(self):
        tally = run_tests.parse_live(self.GOOD, 0, 30)
        self.assertEqual(counts(tally), (1, 0, 1))
        self.assertEqual(tally.skipped, [("b", "the kernel refuses BPF")])

    def test_failure(self):
        tally = run_tests.parse_live(["noise", "FAIL a share 0.2 below 0.5", "0 passed, 1 failed, 0 skipped"], 1, 30)
        self.assertEqual(tally.failed, [("a", "share 0.2 below 0.5")])

    def test_each_broken_end_is_one_failure(self):
        for lines, code in [
            (["PASS a"], 0),                                    # no last line
            ([], 1),                                            # no output
            (["PASS a", "2 passed, 0 failed, 0 skipped"], 0),   # counts what it did not run
            (self.GOOD[:-1] + ["Traceback"], 1),
            (self.GOOD, 1),                                     # exit code without a failed test
            (["PASS a"], None),                                 # out of time
        ]:
            with self.subTest(lines=lines, code=code):
                self.assertEqual(counts(run_tests.parse_live(lines, code, 30))[1], 1)

    def test_exit_code_must_tell_of_failures(self):
        tally = run_tests.parse_live(["FAIL a x", "0 passed, 1 failed, 0 skipped"], 0, 30)
        self.assertEqual(counts(tally)[1], 2)


class Junit(unittest.TestCase):
    """Against a ctest of the machine, not against an idea of its format."""

    def test_all_kinds(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "CTestTestfile.cmake"), "w", encoding="utf-8") as f:
                f.write('add_test(good true)\nadd_test(bad false)\nadd_test(absent /nonexistent/program)\n'
                        'add_test(skips sh -c "echo one; echo the reason; exit 77")\n'
                        'set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)\n'
                        'add_test(gtest sh -c "echo \'a_test.cc:3: Skipped\'; echo why; echo; echo \'[  SKIPPED ] A\'")\n'
                        'set_tests_properties(gtest PROPERTIES SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")\n')
            junit = os.path.join(folder, "out.xml")
            subprocess.run(["ctest", "--test-dir", folder, "--output-junit", junit], capture_output=True, check=False)
            tally = run_tests.parse_junit(junit)
        self.assertEqual([n for n, _ in tally.passed], ["good"])
        self.assertEqual(sorted(n for n, _ in tally.failed), ["absent", "bad"])
        self.assertEqual(sorted(tally.skipped), [("gtest", "why"), ("skips", "the reason")])


class Whole(unittest.TestCase):
    def run_on(self, testfile, *more):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "CTestTestfile.cmake"), "w", encoding="utf-8") as f:
                f.write(testfile)
            done = subprocess.run([sys.executable, TOOL, folder, "--no-live", *more],
                                  capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def test_last_line_and_exit_code(self):
        self.assertEqual(self.run_on("add_test(good true)\n")[0], 0)
        code, lines = self.run_on("add_test(good true)\nadd_test(bad false)\n")
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertEqual(len([l for l in lines if run_tests.LAST.match(l)]), 1)

    def test_no_test_is_a_failure(self):
        code, lines = self.run_on("")
        self.assertEqual(code, 1)
        self.assertRegex(lines[-1], r"^0 passed, [12] failed, 0 skipped$")

    def test_hung_suite_is_ended_and_counted(self):
        started = time.monotonic()
        # Half a second over what is kept in reserve.
        code, lines = self.run_on("add_test(hangs sleep 50)\n", "--minutes", str((run_tests.RESERVE + 0.5) / 60))
        self.assertLess(time.monotonic() - started, 40)
        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed, 0 skipped"))


if __name__ == "__main__":
    unittest.main()
