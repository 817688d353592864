"""The INI dialect: what the scripts read must be what the program reads."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import config_text


class ConfigTextTest(unittest.TestCase):
    def test_comments_blanks_and_line_ends(self):
        text = "top = 1\r\n[train] # how\r\n  steps = 1000 # 1M later\r\n#lr = 3\r\n\r\n[text]\r\npath = my data/a = b.txt"
        self.assertEqual(config_text.parse(text), {"top": "1", "train.steps": "1000", "text.path": "my data/a = b.txt"})

    def test_a_section_is_removed_and_the_others_keep_their_lines(self):
        text = "[run]\nseed = 1\n[sweep]\nrun.seed = 1, 2\n\n[train] # after\nsteps = 5"
        self.assertEqual(config_text.without_section(text, "sweep"), "[run]\nseed = 1\n\n\n\n[train] # after\nsteps = 5\n")

    def test_lists_and_ranges(self):
        self.assertEqual(config_text.expand("rope, abacus+fire"), ["rope", "abacus+fire"])
        self.assertEqual(config_text.expand("0..3, 8"), ["0", "1", "2", "3", "8"])
        self.assertEqual(config_text.expand("10..45:10"), ["10", "20", "30", "40"])
        self.assertEqual(config_text.expand("0.1,1e-3,-2"), ["0.1", "1e-3", "-2"])
        for bad in ("", "1,,2", "5..2", "1..5:0"):
            with self.assertRaises(ValueError, msg=bad):
                config_text.expand(bad)


if __name__ == "__main__":
    unittest.main()
