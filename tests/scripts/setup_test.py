"""setup.sh with stubs in the place of Debian's package tools, and the shell scripts under shellcheck."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHELL_SCRIPTS = [*sorted((ROOT / "scripts").glob("*.sh")), ROOT / ".ci/run"]


class SetupTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "a copy"
        (self.folder / "scripts").mkdir(parents=True)
        (self.folder / "bin").mkdir()
        shutil.copy(ROOT / "scripts/setup.sh", self.folder / "scripts")
        self.stub("dpkg-query", 'case " $MISSING " in *" ${@: -1} "*) exit 1;; esac; echo -n installed')
        self.stub("apt-get", 'echo "apt-get $*" >> "$CALLS"')
        self.stub("sudo", 'echo sudo >> "$CALLS"; exec "$@"')

    def stub(self, name, body):
        path = self.folder / "bin" / name
        path.write_text(f"#!/usr/bin/env bash\n{body}\n")
        path.chmod(0o755)

    def setup(self, missing="", code=0):
        """Returns what was said and the lines of apt-get."""
        calls = self.folder / "calls"
        calls.write_text("")
        environment = os.environ | {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "MISSING": missing, "CALLS": str(calls)}
        done = subprocess.run([self.folder / "scripts/setup.sh"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr, [line for line in calls.read_text().splitlines() if line != "sudo"]

    @unittest.skipUnless(shutil.which("bible"), "needs bible-kjv")
    def test_the_text_is_written_once_and_the_same_each_time(self):
        said, calls = self.setup()
        self.assertEqual((said, calls), ("Wrote data/kjv.txt\n", []))
        text = self.folder / "data/kjv.txt"
        first = text.read_bytes()
        lines = first.decode("ascii").splitlines()
        self.assertEqual((len(first), len(lines)), (4404412, 31102))
        self.assertEqual(lines[0], "Ge1:1 In the beginning God created the heaven and the earth.")
        self.assertTrue(lines[-1].startswith("Rev22:21 "))
        written = text.stat().st_mtime_ns
        self.assertEqual(self.setup(), ("", []))  # nothing to do: silent, and the file untouched
        self.assertEqual(text.stat().st_mtime_ns, written)
        text.write_bytes(first[:1000])  # a broken copy is mended
        self.setup()
        self.assertEqual(text.read_bytes(), first)

    def test_only_what_is_missing_is_installed(self):
        self.stub("bible", "exit 0")
        _, calls = self.setup(missing="ninja-build python3-xarray", code=1)  # the stub's text is empty
        self.assertEqual([call.split()[-1] for call in calls], ["update", "python3-xarray"])
        self.assertIn("install -y --no-install-recommends ninja-build python3-xarray", calls[1])

    def test_another_text_is_refused(self):
        self.stub("bible", "echo In the beginning")
        said, _ = self.setup(code=1)
        self.assertIn("another text than expected (17 bytes instead of 4404412)", said)
        self.assertFalse((self.folder / "data/kjv.txt").exists())


class ShellcheckTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("shellcheck"), "needs shellcheck")
    def test_scripts_are_clean(self):
        done = subprocess.run(["shellcheck", *SHELL_SCRIPTS], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_scripts_are_executable(self):
        for script in [*SHELL_SCRIPTS, ROOT / "scripts/sweep.py", ROOT / "scripts/plot.py"]:
            self.assertTrue(os.access(script, os.X_OK), script)


if __name__ == "__main__":
    unittest.main()
