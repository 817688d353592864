#!/usr/bin/env python3
"""Trains the shipped configs of the small tasks, and tables what each reaches at its longest trained length L and at 2L.

    scripts/task_table.py                      # the table in Markdown
    scripts/task_table.py --write README.md    # the same between the lines <!-- task-table: begin --> and <!-- task-table: end -->
    scripts/task_table.py configs/parity.ini   # these configs alone

Intervals (95 %) are over examples, of one seed. The same command again runs only what is missing.
"""

import argparse
import subprocess
import sys
from pathlib import Path

try:
    import config_text
    import lengthwise_runs as runs
    from extend import run
    from sweep import BadInput, find_program, key_and_value
except ModuleNotFoundError as error:
    import needs
    sys.exit(needs.line(error))

CONFIGS = Path(__file__).resolve().parent.parent / "configs"
SHIPPED = ("parity", "copy", "copy_unique", "reverse", "sort", "missing_dup", "mod_arith", "bin_add", "add", "scan", "induction", "mqar",
           "passkey", "dyck", "mines", "canvas")
BEGIN, END = "<!-- task-table: begin -->", "<!-- task-table: end -->"
COLUMNS = ("task", "config", "encoding", "seconds", "steps", "L", "exact match at L", "at 2L", "chance of a token")


def trained_length(config: Path) -> int:
    try:
        return runs.trained_length(config_text.parse(config.read_text(encoding="utf-8-sig")))
    except (OSError, KeyError, ValueError) as error:
        raise BadInput(f"{config}: needs whole numbers in train.lengths: {error}") from None


def row(config: Path, path: Path) -> list[str]:
    """A run's line of the table, one text a column."""
    table = runs.last_step(runs.one_protocol(runs.load(path))).set_index("length")
    trained = int(table["trained_length"].iloc[0])

    def exact(length: int) -> str:
        return "{exact_match:.3f} [{exact_match_low:.3f}, {exact_match_high:.3f}]".format(**table.loc[length])

    at = table.loc[trained]
    return [at["task.name"], config.name, at["encoding.name"], f"{runs.attributes(path)['seconds']:.0f}", str(at["step"]),
            str(trained), exact(trained), exact(2 * trained), f"{at['chance']:.3g}"]


def around_table(path: Path) -> tuple[str, str]:
    """The file's text up to the opening marker and from the closing one on."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise BadInput(f"{path}: has no line {BEGIN} with a line {END} after it; add the two where the table should be")
    return before + begin, end + after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("config", nargs="*", type=Path, default=[CONFIGS / f"{name}.ini" for name in SHIPPED],
                        help=f"INI files (in configs: {', '.join(SHIPPED)})")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table between the marker lines of this file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="one value for every run")
    args = parser.parse_args()
    program = find_program()
    options = ["--{}={}".format(*key_and_value(text, "--set")) for text in args.set]
    lengths = {config: trained_length(config) for config in args.config}
    if args.write:
        around_table(args.write)  # no markers: say so before the work, not after it

    rows = []
    for config, n in lengths.items():
        rows.append(row(config, run(program, "run", str(config), f"--evaluate.lengths={n},{2 * n}", *options)))
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in [COLUMNS, ["---"] * len(COLUMNS), *rows])
    if args.write:
        before, after = around_table(args.write)
        args.write.write_text(f"{before}\n\n{table}\n\n{after}", encoding="utf-8")
    else:
        print(table)


if __name__ == "__main__":
    try:
        main()
    except (BadInput, OSError) as error:
        sys.exit(f"task_table.py: {error}")
    except subprocess.CalledProcessError as error:  # the program has said why
        sys.exit(error.returncode)
