#!/usr/bin/env python3
"""Trains a rotary model on short windows and compares ways to make it serve windows four times as long.

    scripts/extend.py

Position Interpolation (Chen et al. 2023, arXiv:2306.15595) and its rivals, all from one checkpoint: some change the scaling at
evaluation alone, some let training go on. On text, every row scores the same bytes, the last of each window, with L and with 4L
bytes of context; the context gain is the difference between the two. A second model of the same shape is trained to find a
passkey, and must find it in 4L tokens. Intervals (95 %) are over windows or prompts: they tell how well these models were
measured, not how another seed would do.

The configs are configs/extend_pretrain.ini, for the second model configs/extend_passkey.ini, and configs/extend.ini for what
training that goes on changes; --set changes any key for all runs. The same command again runs only what is missing.
"""

import argparse
import subprocess
import sys
from pathlib import Path

try:
    import numpy as np

    import lengthwise_runs as runs
    from sweep import BadInput, find_program, key_and_value
except ModuleNotFoundError as error:
    import needs
    sys.exit(needs.line(error))

CONFIGS = Path(__file__).resolve().parent.parent / "configs"
PRETRAIN, PASSKEY, EXTEND = (str(CONFIGS / name) for name in ("extend_pretrain.ini", "extend_passkey.ini", "extend.ini"))

# Name, the scaling, and where training goes on (None: nowhere).
METHODS = [("plain extrapolation", "none", None), ("interpolation", "linear", None), ("NTK-aware", "ntk", None),
           ("YaRN", "yarn", None), ("fine-tuned interpolation", "linear", "4L"), ("fine-tuned YaRN", "yarn", "4L"),
           ("fine-tuned without scaling", "none", "4L"), ("as many steps at L", "none", "L")]
PUBLISHED_ORDER = ["fine-tuned interpolation", "interpolation", "plain extrapolation"]  # by loss at 4L, best first


def run(*command: str) -> Path:
    """Runs the program and returns the file it wrote, the last line it prints."""
    print(" ".join(command), file=sys.stderr, flush=True)
    return Path(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip().splitlines()[-1])


def all_methods(program: str, configs: list[str], options: list[str]) -> dict[str, Path]:
    """The evaluations of every method, from one checkpoint."""
    base = run(program, "run", *configs, *options)
    settings = runs.config(base)
    (evaluation,) = runs.open_run(base, "evaluation/").values()
    tokens, lengths = evaluation["tokens"].to_numpy(), evaluation["length"].to_numpy()
    going_on = {"L": [f"--train.{key}={settings['train.' + key]}" for key in ("lengths", "length_law", "batch")],
                "4L": [f"--train.lengths={lengths[-1]}"]}
    paths = {}
    for name, scaling, further in METHODS:
        scaled = [] if scaling == "none" else [f"--rope.scaling={scaling}", f"--rope.factor={tokens[-1] / tokens[0]:g}"]
        if further:
            paths[name] = run(program, "run", *configs, EXTEND, f"--train.init_from={base}", *going_on[further], *scaled, *options)
        else:
            paths[name] = run(program, "evaluate", str(base), *scaled) if scaled else base
    return paths


def window_bits(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Bits per byte of every window, with L and with 4L bytes of context."""
    (examples,) = runs.open_run(path, "examples/").values()
    bits = (examples["loss"] / examples["tokens_scored"]).transpose("length", "example").to_numpy() / np.log(2)
    return bits[0], bits[-1]


def bounds(values: np.ndarray) -> tuple[float, float, float]:
    """Mean and its 95 % interval, by a bootstrap over windows. All windows score equally many bytes."""
    means = values[np.random.default_rng(0).integers(len(values), size=(2000, len(values)))].mean(axis=1)
    return values.mean(), *np.quantile(means, [0.025, 0.975])


def interval(values: np.ndarray) -> str:
    return "{:.3f} [{:.3f}, {:.3f}]".format(*bounds(values))


def found_keys(path: Path, length: int) -> str:
    """Exact match [95 %] at the shortest length (0) or the longest (-1)."""
    (evaluation,) = runs.open_run(path, "evaluation/").values()
    return "{:.3f} [{:.3f}, {:.3f}]".format(*(float(evaluation["exact_match" + end][-1, length]) for end in ("", "_low", "_high")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="one value for every run")
    args = parser.parse_args()
    program = find_program()
    options = ["--{}={}".format(*key_and_value(text, "--set")) for text in args.set]

    text = {name: window_bits(path) for name, path in all_methods(program, [PRETRAIN], options).items()}
    passkey = all_methods(program, [PRETRAIN, PASSKEY], options)

    rows = [["", "bits per byte at L", "at 4L", "context gain", "passkey at L", "at 4L"]]
    for name, (short, long) in text.items():
        rows.append([name, interval(short), interval(long), interval(short - long),
                     found_keys(passkey[name], 0), found_keys(passkey[name], -1)])
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]))

    print("\nLoss at 4L against the published order, best first, and by how much each is ahead of the next:")
    for better, worse in zip(PUBLISHED_ORDER, PUBLISHED_ORDER[1:]):
        ahead = text[worse][1] - text[better][1]
        _, low, high = bounds(ahead)
        verdict = "as published" if low > 0 else "the other way round" if high < 0 else "not decided"
        print(f"  {better} before {worse}: {interval(ahead)}, {verdict}")


if __name__ == "__main__":
    try:
        main()
    except BadInput as error:
        sys.exit(f"extend.py: {error}")
    except subprocess.CalledProcessError as error:  # the program has said why
        sys.exit(error.returncode)
