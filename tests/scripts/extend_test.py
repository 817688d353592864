"""Ways to a longer context, compared from one checkpoint: the whole table, of a model too small to show anything."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from sample_runs import SCRIPTS

import numpy as np

import extend
import lengthwise_runs as runs


class ExtendTest(unittest.TestCase):
    def test_every_method_has_its_row_and_its_own_figures(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "text").write_bytes(np.random.default_rng(0).choice(list(b"abcdefgh "), 20000).astype(np.uint8).tobytes())
            tiny = {"run.output": folder / "out", "run.threads": 1, "text.path": folder / "text", "model.width": 16, "model.heads": 2,
                    "model.init_std": 0.5, "train.steps": 3, "evaluate.examples": 8, "text.evaluation_fraction": 0.3}
            command = [sys.executable, "-B", str(SCRIPTS / "extend.py"), *(f"--set={key}={value}" for key, value in tiny.items())]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            table = done.stdout.split("\n\n")[0].splitlines()[1:]
            rows = {name: cells for name, *cells in (re.split(r"  +", line.strip()) for line in table)}
            self.assertEqual(list(rows), [name for name, _, _ in extend.METHODS])
            for name, cells in rows.items():
                self.assertEqual(len(cells), 5, name)
                short, long, gain = (float(cell.split()[0]) for cell in cells[:3])
                self.assertAlmostEqual(gain, short - long, delta=0.0015, msg=name)
            self.assertEqual(len({cells[1] for cells in rows.values()}), len(rows), rows)  # no two methods are one
            self.assertEqual(len(re.findall(r"\], (as published|the other way round|not decided)$", done.stdout, re.M)), 2)

            # Further training knows where it came from and what the first L was.
            trained = {path: runs.config(path) for path in runs.find(folder / "out/text-*.h5") if ".evaluate-" not in path.name}
            (base,) = (path for path, settings in trained.items() if not settings["train.init_from"])
            onward = [settings for settings in trained.values() if settings["train.init_from"]]
            self.assertEqual(len(onward), 4)
            for settings in onward:
                self.assertEqual(settings["train.init_from"], str(base))
                self.assertEqual(settings["train.original_positions"], "128")
            written = {path: os.stat(path).st_mtime_ns for path in (folder / "out").glob("*.h5") if "evaluate" not in path.name}
            again = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(again.stdout, done.stdout)
            self.assertEqual(written, {path: os.stat(path).st_mtime_ns for path in written})


if __name__ == "__main__":
    unittest.main()
