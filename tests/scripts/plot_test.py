"""The table and the picture: what they show, and what they refuse to show."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from sample_runs import SCRIPTS, write_quickstart, write_run

import matplotlib
import numpy as np
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import plot


class PlotTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "my runs"

    def program(self, *arguments, code=0):
        done = subprocess.run([sys.executable, "-B", str(SCRIPTS / "plot.py"), *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout if code == 0 else done.stderr

    def drawn(self, **options):
        table = plot.read(self.folder)
        figure, axes = plt.subplots()
        self.addCleanup(plt.close, figure)
        plot.draw(table, options.pop("metric", plot.default_metrics(table)[0]), axes, **options)
        return axes

    def test_the_table_of_the_quick_start(self):
        write_quickstart(self.folder)
        said = self.program(self.folder, "-o", self.folder / "pictures/a b.png")
        self.assertTrue((self.folder / "pictures/a b.png").read_bytes().startswith(b"\x89PNG"))
        bits, ratio = said.split("\n\n")
        self.assertTrue(bits.startswith("bits per byte (text, protocol last_16, trained up to length 64)"))
        self.assertEqual(bits.splitlines()[1].split(), ["length", "64", "96", "128", "256", "512", "1024"])
        # exp(0.05 x 4 doublings) = 1.221, starred since that run read untrained buckets there
        self.assertRegex(ratio, r"t5 +1\.000 +1\.030 +1\.051 +1\.105 +1\.162\* +1\.221\*")
        self.assertRegex(ratio, r"rope +1\.000 .* 4\.055\n")
        self.assertEqual(re.findall(r"^(\w+) +\d+\.", bits, re.M), ["alibi", "t5", "none", "rope", "sinusoidal"])

    def test_text_that_scores_other_tokens_at_each_length_is_labelled(self):
        write_run(self.folder / "run.h5", lengths=(64, 128), protocol="teacher_forced", scored=(64, 128))
        self.assertIn("trained up to length 64, other tokens scored at each length)", self.program(self.folder, "-o", self.folder / "a.png"))

    def test_seeds_become_thin_lines_and_a_median(self):
        for seed in range(3):
            write_run(self.folder / f"{seed}.h5", task="copy_repeat", seed=seed, trained=20, lengths=range(10, 81, 10))
        axes = self.drawn()
        thin = [line for line in axes.lines if line.get_linewidth() == 0.8]
        median = next(line for line in axes.lines if line.get_linewidth() == 2)
        self.assertEqual(len(thin), 3)
        self.assertEqual(list(median.get_ydata()), list(thin[1].get_ydata()))  # seed 1 lies between the others
        self.assertFalse(axes.collections)  # no band of one seed passed off as the spread
        self.assertIn("rope (3 seeds)", self.program(self.folder))

    def test_one_seed_has_its_interval_and_the_training_length_is_marked(self):
        write_run(self.folder / "a.h5")
        axes = self.drawn()
        self.assertEqual(len(axes.collections), 1)
        vertical = [line for line in axes.lines if set(line.get_xdata()) == {64}]
        self.assertEqual(len(vertical), 1)
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertEqual(labels, ["rope", "longest trained length", "95 % interval"])

    def test_points_from_untrained_parameters_are_hollow(self):
        write_run(self.folder / "a.h5", encoding="t5", untrained_from=512)
        axes = self.drawn()
        points = {line.get_markerfacecolor() == "white": list(line.get_xdata()) for line in axes.lines if line.get_marker() == "o"}
        self.assertEqual(points, {False: [64, 96, 128, 256], True: [512, 1024]})
        self.assertTrue(any("never trained" in text.get_text() for text in axes.get_legend().get_texts()))

    def test_points_whose_inputs_training_draws_are_squares(self):
        write_run(self.folder / "a.h5", task="copy_repeat", trained=20, lengths=[2, 4, 20, 40], shared_up_to=4)
        axes = self.drawn()
        squares = [list(line.get_xdata()) for line in axes.lines if line.get_marker() == "s"]
        self.assertIn([2, 4], squares)
        self.assertTrue(any("training draws" in text.get_text() for text in axes.get_legend().get_texts()))
        self.assertRegex(self.program(self.folder), r"rope +1\.000° +1\.000° +1\.000 +0\.900\n° training draws")

    def test_runs_that_differ_otherwise_are_told_apart(self):
        write_run(self.folder / "a.h5", extra="steps = 100")
        write_run(self.folder / "b.h5", extra="steps = 200")
        self.assertEqual(set(plot.read(self.folder)["variant"]), {"rope train.steps=100", "rope train.steps=200"})

    def test_mixtures_are_refused_until_one_is_chosen(self):
        write_run(self.folder / "a.h5")
        write_run(self.folder / "b.h5", protocol="sliding")
        self.assertIn("plot.py: protocol is last_16, sliding; figures of different ones cannot be compared",
                      self.program(self.folder, code=1))
        self.assertIn("protocol sliding", self.program(self.folder, "--protocol", "sliding"))

    def test_an_unknown_metric_names_the_known_ones(self):
        write_run(self.folder / "a.h5")
        self.assertRegex(self.program(self.folder, "--metric", "accuracy", code=1), "no metric 'accuracy'.*exact_match")

    def test_a_second_axis_becomes_a_heat_map(self):
        for name, slope in (("rope", 0.2), ("alibi", 0.1)):
            write_run(self.folder / f"{name}.h5", task="add_k", encoding=name, trained=10, lengths=[5, 10, 20], slope=slope,
                      axis=("operands", [2, 3, 4]))
        said = self.program(self.folder, "-o", self.folder / "map.png")
        self.assertTrue((self.folder / "map.png").read_bytes().startswith(b"\x89PNG"))
        self.assertRegex(said, r"rope operands=4 +0\.800 +0\.800 +0\.600")
        self.assertIn("trained up to length 10 and operands 2)", said)
        self.assertEqual(re.findall(r"(\w+) operands=(\d)", said.split("\n\n")[0]),
                         [(name, value) for name in ("alibi", "rope") for value in "234"])
        figure = plt.figure()
        self.addCleanup(plt.close, figure)
        plot.draw_maps(plot.read(self.folder), "exact_match", figure)
        alibi, rope, _ = figure.axes
        self.assertEqual((alibi.get_title(), rope.get_title(), alibi.get_ylabel()), ("alibi", "rope", "operands"))
        np.testing.assert_allclose(rope.images[0].get_array(), [[1, 1, 0.8], [0.9, 0.9, 0.7], [0.8, 0.8, 0.6]])
        frame = rope.patches[0]
        self.assertEqual((frame.get_width(), frame.get_height()), (2, 1))  # lengths 5 and 10, operands 2

    def test_cells_of_heat_maps_are_marked(self):
        write_run(self.folder / "a.h5", task="add_k", trained=10, lengths=[5, 10, 20], axis=("operands", [2, 10]),
                  untrained_from=20, shared_up_to=5)
        figure = plt.figure()
        self.addCleanup(plt.close, figure)
        plot.draw_maps(plot.read(self.folder), "exact_match", figure)
        cells = [text.get_text() for text in figure.axes[0].texts]
        self.assertEqual(cells, ["1.00°", "1.00", "0.90*", "0.90°", "0.90", "0.80*"])
        self.assertIn("* read parameters", figure.texts[0].get_text())
        self.assertIn("° training draws", figure.texts[0].get_text())
        rows = [line.split()[1] for line in self.program(self.folder).split("\n\n")[0].splitlines()[2:4]]
        self.assertEqual(rows, ["operands=2", "operands=10"])

    def test_one_value_of_a_second_axis_is_a_curve(self):
        write_run(self.folder / "a.h5", task="add_k", trained=10, lengths=[5, 10, 20], axis=("operands", [3]))
        self.program(self.folder, "-o", self.folder / "curve.png")
        self.assertEqual(set(plot.read(self.folder)["variant"]), {"rope operands=3"})
        write_run(self.folder / "b.h5", task="add_k", trained=10, lengths=[5, 10, 20])
        self.assertIn("different second axes (operands)", self.program(self.folder, code=1))

    def test_logarithmic_axis(self):
        write_run(self.folder / "a.h5")
        self.assertEqual(self.drawn(logy=True, metric="perplexity_ratio").get_yscale(), "log")


if __name__ == "__main__":
    unittest.main()
