"""Every shipped config names a run, and every [sweep] runs, that the program accepts."""

import subprocess
import sys
import tempfile
import unittest

from sample_runs import SCRIPTS

import config_text
from sweep import find_program

CONFIGS = SCRIPTS.parent / "configs"
# Configs that only make sense after another one.
AFTER = {"grids.ini": "fashion.ini", "extend.ini": "extend_pretrain.ini"}


class ConfigsTest(unittest.TestCase):
    def test_the_program_accepts_it(self):
        book = tempfile.NamedTemporaryFile()  # as long as the one that setup.sh writes
        self.addCleanup(book.close)
        book.write(b"In the beginning " * 260_000)
        book.flush()
        for config in sorted(CONFIGS.glob("*.ini")):
            with self.subTest(config.name):
                text = config.read_text()
                files = [str(CONFIGS / name) for name in (AFTER.get(config.name), config.name) if name]
                of_text = "path = data/kjv.txt" in "".join(open(file).read() for file in files)
                if any(key.startswith("sweep.") for key in config_text.parse(text)):
                    command = [sys.executable, "-B", str(SCRIPTS / "sweep.py"), *files, "--dry-run"]
                    command += ["--set", f"text.path={book.name}"] * of_text
                else:
                    command = [find_program(), "run", *files, "--print-path"] + [f"--text.path={book.name}"] * of_text
                done = subprocess.run(command, capture_output=True, text=True, cwd=SCRIPTS.parent)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(".h5", done.stdout)


if __name__ == "__main__":
    unittest.main()
