"""The notebook runs on sample run files, and is stored without outputs."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from sample_runs import SCRIPTS, write_quickstart


class NotebookTest(unittest.TestCase):
    def test_it_is_stored_without_outputs(self):
        for cell in json.loads((SCRIPTS / "explore.ipynb").read_text())["cells"]:
            self.assertFalse(cell.get("outputs"))
            self.assertIsNone(cell.get("execution_count"))

    def test_it_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            write_quickstart(Path(folder) / "my runs")
            environment = os.environ | {"LENGTHWISE_RUNS": f"{folder}/my runs", "PYDEVD_DISABLE_FILE_VALIDATION": "1",
                                        "PYTHONDONTWRITEBYTECODE": "1", "IPYTHONDIR": folder}
            done = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", SCRIPTS / "explore.ipynb",
                                   "--output-dir", folder, "--output", "done.ipynb"], env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            outputs = [output for cell in json.loads((Path(folder) / "done.ipynb").read_text())["cells"] for output in cell.get("outputs", [])]
        pictures = [output for output in outputs if "image/png" in output.get("data", {})]
        self.assertEqual(len(pictures), 3)
        self.assertIn("sinusoidal", "".join("".join(output.get("text", "")) for output in outputs))


if __name__ == "__main__":
    unittest.main()
