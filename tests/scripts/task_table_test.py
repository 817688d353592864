"""The table of tasks, of two configs too small to learn anything."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from sample_runs import SCRIPTS

import lengthwise_runs as runs

TINY = """[task]
name = {task}
[model]
layers = 1
width = 16
heads = 2
[train]
lengths = 1..{trained}
steps = 3
[evaluate]
examples = 40
"""


class TaskTableTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.configs = []
        for task, trained in (("parity", 3), ("copy_repeat", 4)):
            self.configs.append(self.folder / f"{task}.ini")
            self.configs[-1].write_text(TINY.format(task=task, trained=trained))

    def program(self, *arguments, code=0):
        command = [sys.executable, "-B", str(SCRIPTS / "task_table.py"), "--set=run.threads=1",
                   f"--set=run.output={self.folder / 'out'}"]
        done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_a_row_a_config_between_the_marker_lines(self):
        page = self.folder / "page.md"
        page.write_text("before\n<!-- task-table: begin -->\nold\n<!-- task-table: end -->\nafter\n")
        self.program(*self.configs, "--write", page)
        written = page.read_text()
        self.assertTrue(written.startswith("before\n<!-- task-table: begin -->\n\n| task |"))
        self.assertTrue(written.endswith(" |\n\n<!-- task-table: end -->\nafter\n"))
        self.assertNotIn("old", written)

        files = {runs.config(file)["task.name"]: file for file in runs.find(self.folder / "out")}
        titles, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in written.splitlines() if line.startswith("|"))
        self.assertEqual([row[0] for row in rows], ["parity", "copy_repeat"])
        for row, trained in zip(rows, (3, 4)):
            cells = dict(zip(titles, row, strict=True))
            self.assertEqual((cells["L"], cells["steps"], cells["chance of a token"]), (str(trained), "3", "0.5"))
            table = runs.load(files[cells["task"]]).set_index("length")
            self.assertEqual(list(table.index), [trained, 2 * trained])
            for title, length in (("exact match at L", trained), ("at 2L", 2 * trained)):
                at = table.loc[length]
                self.assertEqual(cells[title], f"{at.exact_match:.3f} [{at.exact_match_low:.3f}, {at.exact_match_high:.3f}]")

        before = {file: file.read_bytes() for file in files.values()}
        self.program(*self.configs, "--write", page)  # nothing runs twice
        self.assertEqual(page.read_text(), written)
        self.assertEqual({file: file.read_bytes() for file in files.values()}, before)

    def test_what_it_refuses(self):
        page = self.folder / "page.md"
        page.write_text("no markers")
        self.assertIn("task-table: begin", self.program(self.configs[0], "--write", page, code=1))
        self.assertFalse((self.folder / "out").exists())
        self.assertIn("absent.ini", self.program(self.folder / "absent.ini", code=1))


if __name__ == "__main__":
    unittest.main()
