"""The loader on run files with known contents."""

import math
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

from sample_runs import SCRIPTS, TEXT_LENGTHS, write_quickstart, write_run

import lengthwise_runs as runs


class LoaderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "résultats 模型"

    def test_a_row_per_run_protocol_step_and_length(self):
        write_run(self.folder / "a.h5", encoding="rope", seed=0)
        write_run(self.folder / "b.h5", encoding="t5", seed=1, protocol="last_32")
        table = runs.load(self.folder)
        self.assertEqual(len(table), 2 * 2 * len(TEXT_LENGTHS))
        self.assertEqual(set(table.groupby("run")["protocol"].unique().str[0]), {"last_16", "last_32"})
        row = table[(table["run"] == "b") & (table["step"] == 1200) & (table["length"] == 256)].iloc[0]
        self.assertAlmostEqual(row["loss"], 1.41 + 0.1 * 2)  # the formula of write_run
        self.assertAlmostEqual(row["bits_per_token"], row["loss"] / math.log(2))
        self.assertEqual((row["encoding.name"], row["run.seed"], row["trained_length"]), ("t5", "1", 64))
        self.assertEqual(len(runs.last_step(table)), 2 * len(TEXT_LENGTHS))

    def test_columns_are_the_keys_that_differ_or_are_asked_for(self):
        write_run(self.folder / "a.h5", extra="steps = 100\nbatch = 8\n[rope]\nbase = 10000")
        write_run(self.folder / "b.h5", extra="steps = 200\nbatch = 8\n[t5]\nbuckets = 32")
        table = runs.load(self.folder)
        self.assertEqual(sorted(table["train.steps"].unique()), ["100", "200"])
        self.assertFalse({"train.batch", "rope.base", "t5.buckets", "run.name"} & set(table.columns))
        self.assertEqual(runs.load(self.folder, keys=["train.batch"])["train.batch"].unique(), ["8"])

    def test_a_second_axis_is_a_column(self):
        write_run(self.folder / "a.h5", task="add_k", trained=10, lengths=[5, 10, 20], axis=("operands", [2, 3, 4]))
        table = runs.last_step(runs.load(self.folder))
        self.assertEqual(len(table), 9)
        row = table[(table["length"] == 5) & (table["operands"] == 4)].iloc[0]
        self.assertAlmostEqual(row["exact_match"], 0.8)
        self.assertEqual((row["trained_length"], row["trained_value"]), (10, 2))
        settings = {"evaluate.axis": "operands: 2..4", "train.axis": "operands: 2..3", "task.name": "add_k", "add_k.operands": "2"}
        self.assertEqual(runs.trained_value(settings), 3)
        self.assertEqual(runs.trained_value(settings | {"train.axis": "hops: 7"}), 2)

    def test_find_takes_files_globs_and_folders_but_no_checkpoints(self):
        a, b = write_run(self.folder / "a.h5"), write_run(self.folder / "b.h5")
        write_run(self.folder / "a.checkpoint.h5")
        write_run(self.folder / ".b.h5")
        self.assertEqual(runs.find(self.folder), [a, b])
        self.assertEqual(runs.find(str(self.folder / "*.h5")), [a, b])
        self.assertEqual(runs.find([b, self.folder]), [b, a])
        with self.assertRaisesRegex(FileNotFoundError, "no run file"):
            runs.find(self.folder / "c*.h5")

    def test_open_run_has_named_dimensions_and_leaves_the_file_free(self):
        path = write_run(self.folder / "a.h5")
        groups = runs.open_run(path)
        self.assertEqual(set(groups), {"train", "evaluation/last_16", "model"})
        self.assertEqual(groups["evaluation/last_16"]["loss"].dims, ("step", "length"))
        self.assertEqual(list(groups["evaluation/last_16"]["length"].values), TEXT_LENGTHS)
        np.testing.assert_array_equal(groups["model"]["head.weight"], np.ones(3))
        self.assertEqual(set(runs.open_run(path, "evaluation/")), {"evaluation/last_16"})
        import h5py
        with h5py.File(path, "r+") as file:  # would fail were the file still open for reading
            file.attrs["status"] = "complete"

    def test_a_run_in_progress_can_be_replaced_under_the_reader(self):
        path = write_run(self.folder / "a.h5", seed=0)
        groups = runs.open_run(path)
        write_run(self.folder / "new.h5", seed=5).replace(path)
        self.assertAlmostEqual(float(groups["evaluation/last_16"]["loss"][-1, 0]), 1.4)
        self.assertEqual(runs.config(path)["run.seed"], "5")

    def test_perplexity_ratio_is_to_the_training_length_of_the_same_run(self):
        write_quickstart(self.folder)
        table = runs.load(self.folder)
        table["ratio"] = runs.perplexity_ratio(table)
        self.assertTrue((table.loc[table["length"] == 64, "ratio"] == 1).all())
        row = table[(table["encoding.name"] == "rope") & (table["length"] == 1024) & (table["step"] == 1200)].iloc[0]
        self.assertAlmostEqual(row["ratio"], math.exp(0.35 * 4))

    def test_perplexity_ratio_needs_the_training_length(self):
        write_run(self.folder / "a.h5", trained=100)
        with self.assertRaisesRegex(ValueError, "not evaluated at its training length 100"):
            runs.perplexity_ratio(runs.load(self.folder))

    def test_mixtures_are_refused(self):
        write_run(self.folder / "a.h5")
        write_run(self.folder / "b.h5", protocol="window_stride_1")
        write_run(self.folder / "c.h5", task="copy_repeat", protocol="last_16")
        table = runs.load(self.folder)
        with self.assertRaisesRegex(ValueError, "task.name is copy_repeat, text"):
            runs.one_protocol(table)
        text = table[table["task.name"] == "text"]
        with self.assertRaisesRegex(ValueError, "protocol is last_16, window_stride_1"):
            runs.one_protocol(text)
        self.assertEqual(runs.one_protocol(text, "last_16")["run"].unique(), ["a"])

    def test_a_failed_run_without_evaluation_is_named(self):
        write_run(self.folder / "a.h5")
        write_run(self.folder / "b.h5", status="failed", steps=())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            table = runs.load(self.folder)
        self.assertEqual(set(table["run"]), {"a"})
        self.assertEqual(len(caught), 1)
        self.assertIn("b.h5: failed: the loss is not finite", str(caught[0].message))

    def test_a_broken_file_is_named(self):
        path = write_run(self.folder / "a.h5")
        path.write_bytes(path.read_bytes()[:5000])
        with self.assertRaisesRegex(OSError, "a.h5: not a readable run file"):
            runs.load(path)

    def test_a_missing_package_is_named(self):
        done = subprocess.run([sys.executable, "-S", "-B", "-c", "import lengthwise_runs"], cwd=SCRIPTS, capture_output=True, text=True)
        self.assertIn("python3-h5py", done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
