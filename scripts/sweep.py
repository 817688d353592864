#!/usr/bin/env python3
"""Runs a grid of experiments, several at a time, each as one `lengthwise run` with a run file of its own.

    scripts/sweep.py configs/copy.ini --grid encoding.name=rope,alibi --grid run.seed=0..5

An axis is a config key with several values: from a config's [sweep] section (`encoding.name = rope, alibi`) or from
--grid, which replaces an axis of the same key. Seeds are an axis like any other. `0..5` and `0..10:2` are ranges with both
ends. Where values hold commas or ranges themselves, separate them by | : --grid 'train.lengths=1..20|1..40'.

The same command again runs only what is missing: a run counts as done when its file opens and says it is complete.
Each run writes a .log beside its file; index.csv in the output folder lists every run of the sweep with its state.

Exit codes: 0 every run is complete, 1 a run failed, 2 bad input, 75 interrupted (the same command goes on).
"""

import argparse
import collections
import csv
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import config_text
import needs

try:
    import h5py
except ModuleNotFoundError as error:
    sys.exit(needs.line(error))

INTERRUPTED = 75  # the exit code of an interrupted, resumable run, and of a sweep with one


class BadInput(Exception):
    pass


@dataclass
class Cell:
    """One combination of the axes' values: one run."""
    values: dict[str, str]
    name: dict[str, str] = field(default_factory=dict)  # run.name, where the config's own would be shared
    path: Path | None = None
    status: str = "pending"  # pending, complete, failed, refused (the config is bad), interrupted
    error: str = ""
    seconds: float = 0.0

    def __str__(self) -> str:
        return " ".join(f"{key}={value}" for key, value in self.values.items()) or "(one run)"


# What to run


def read_axis(key: str, values: str, where: str) -> list[str]:
    try:
        result = [v.strip() for v in values.split("|")] if "|" in values else config_text.expand(values)
    except ValueError as error:
        raise BadInput(f"{where}: {key}: {error}") from None
    if "" in result or len(set(result)) < len(result):
        raise BadInput(f"{where}: {key} = {values}: a value is empty or given twice; every combination runs once")
    return result


def key_and_value(argument: str, option: str) -> tuple[str, str]:
    key, equals, value = argument.partition("=")
    if not equals or not re.fullmatch(r"\w+\.\w+", key.strip()):
        raise BadInput(f"{option} {argument}: write {option} section.key=value, such as run.seed=0..5")
    return key.strip(), value.strip()


def read_axes(configs: list[Path], texts: list[str], grid: list[str], fixed: dict[str, str]) -> dict[str, list[str]]:
    """Axes in the order they run, the first one slowest. Later configs override earlier ones, --grid and --set override all."""
    axes = {}
    for config, text in zip(configs, texts):
        seen = set()
        for number, line in enumerate(config_text.scan(text), 1):
            if line.section == "sweep" and line.key:
                if line.key in seen:
                    raise BadInput(f"{config}:{number}: {line.key} is given twice in [sweep]")
                seen.add(line.key)
                axes[line.key] = read_axis(line.key, line.value, f"{config}:{number}")
    given = set()
    for argument in grid:
        key, values = key_and_value(argument, "--grid")
        if key in given or key in fixed:
            raise BadInput(f"--grid {argument}: {key} is already given; list all its values once, separated by commas")
        given.add(key)
        axes[key] = read_axis(key, values, "--grid")
    return {key: values for key, values in axes.items() if key not in fixed}


def find_program() -> str:
    asked = os.environ.get("LENGTHWISE")
    built = Path(__file__).resolve().parent.parent / "build/release/lengthwise"
    program = shutil.which(asked or built) or (None if asked else shutil.which("lengthwise"))
    if not program:
        raise BadInput(f"no program at {asked or built}: build it with scripts/quickstart.sh, or set LENGTHWISE to its path")
    return os.path.abspath(program)


class Runner:
    """Turns cells into command lines of the program."""

    def __init__(self, program: str, configs: list[Path], texts: list[str], copies: Path, fixed: dict[str, str], threads: int):
        self.program, self.fixed, self.threads = program, fixed, threads
        self.configs = []
        self.originals = {}  # of the copies, for messages
        for index, (config, text) in enumerate(zip(configs, texts)):
            if any(line.section == "sweep" for line in config_text.scan(text)):  # which `run` refuses
                copy = copies / str(index) / config.name
                copy.parent.mkdir()
                copy.write_text(config_text.without_section(text, "sweep"), encoding="utf-8")
                self.originals[str(copy)] = str(config)
                config = copy
            self.configs.append(str(config))

    def command(self, cell: Cell) -> list[str]:
        options = self.fixed | cell.values | cell.name
        return [self.program, "run", *self.configs, *(f"--{k}={v}" for k, v in options.items()), f"--run.threads={self.threads}"]

    def last_line(self, output: str) -> str:
        for copy, original in self.originals.items():
            output = output.replace(copy, original)
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        return lines[-1] if lines else ""

    def resolve(self, cell: Cell) -> None:
        """Asks the program where the run's file will be; a cell whose config it refuses gets the reason."""
        answer = subprocess.run([*self.command(cell), "--print-path"], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, start_new_session=True)
        if answer.returncode == 0 and answer.stdout.strip():
            cell.path = Path(answer.stdout.strip().splitlines()[-1])
        else:
            cell.status, cell.error = "refused", self.last_line(answer.stderr) or f"exit code {answer.returncode}"


def state(path: Path) -> str:
    """What a run file says of itself (running, complete, failed, interrupted), or "missing" or "unreadable"."""
    try:
        with h5py.File(path, "r", locking=False) as file:
            return file.attrs.get("status", "unreadable")
    except FileNotFoundError:
        return "missing"
    except OSError:  # cut off, or something else under this name
        return "unreadable"


def resolve_all(cells: list[Cell], runner: Runner) -> None:
    """Gives every cell its own path, and finds those that are complete already."""
    def shared() -> list[Cell]:
        count = collections.Counter(cell.path for cell in cells)
        return [cell for cell in cells if cell.path and count[cell.path] > 1]

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(runner.resolve, cells))
        renamed = shared()
        for cell in renamed:  # the config sets run.name: keep it, and tell the runs apart
            cell.name = {"run.name": "-".join([cell.path.stem, *(re.sub(r"[^\w.+-]", "_", v) for v in cell.values.values())])}
        list(pool.map(runner.resolve, renamed))
    if clash := shared():
        raise BadInput(f"'{clash[0]}' and '{clash[1]}' would both write {clash[0].path}; leave run.name out of the config")
    if all(cell.status == "refused" for cell in cells):
        raise BadInput(cells[0].error)
    for cell in cells:
        if cell.path and state(cell.path) == "complete":
            cell.status = "complete"


# Running


def write_index(cells: list[Cell]) -> Path:
    """index.csv in the folder that holds all run files."""
    folder = Path(os.path.commonpath([cell.path.absolute().parent for cell in cells if cell.path]))
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".index.{os.getpid()}.tmp"
    with open(temporary, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow([*cells[0].values, "path", "status", "seconds", "error"])
        for cell in cells:
            rows.writerow([*cell.values.values(), cell.path or "", cell.status, f"{cell.seconds:.1f}", cell.error])
    return temporary.replace(folder / "index.csv")


def duration(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Progress:
    """A line per finished run, and on a terminal a last line with the state of all."""

    def __init__(self, cells: list[Cell], jobs: int):
        self.cells, self.jobs, self.start = cells, jobs, time.monotonic()
        self.live = sys.stdout.isatty()
        self.todo = sum(cell.status == "pending" for cell in cells)
        self.ended, self.drawn = [], ""

    def end(self, cell: Cell) -> None:
        self.ended.append(cell)
        self.drawn = ""
        print(f"{self.clear()}[{len(self.ended)}/{self.todo}] {cell.status}  {cell}  {duration(cell.seconds)}"
              f"{'  ' + cell.error if cell.error else ''}", flush=True)

    def draw(self, running: int) -> None:
        if not self.live:
            return
        line = f"{len(self.ended)} of {self.todo} runs, {running} running, {duration(time.monotonic() - self.start)}"
        if self.ended:
            left = sum(cell.seconds for cell in self.ended) / len(self.ended) * (self.todo - len(self.ended)) / self.jobs
            line += f", about {duration(left)} left"
        if line != self.drawn:
            print(f"{self.clear()}{line}", end="", flush=True)
            self.drawn = line

    def clear(self) -> str:
        return "\r\033[K" if self.live else ""


class Child:
    """A running cell. It has a session of its own, so that Ctrl-C reaches it once, through the sweep."""

    def __init__(self, cell: Cell, runner: Runner):
        self.cell, self.runner, self.start = cell, runner, time.monotonic()
        self.told = self.killed = False
        cell.path.parent.mkdir(parents=True, exist_ok=True)
        if state(cell.path) == "unreadable":  # nothing in it can be resumed, but it is not ours to delete
            cell.path.replace(cell.path.with_suffix(".h5.broken"))
        self.log = open(cell.path.with_suffix(".log"), "ab+")
        self.log_start = self.log.tell()
        self.process = subprocess.Popen(runner.command(cell), stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=subprocess.STDOUT, start_new_session=True)

    def tell(self, number: int) -> None:
        self.told = True
        os.killpg(self.process.pid, number)

    def kill(self) -> None:
        self.killed = True
        os.killpg(self.process.pid, signal.SIGKILL)

    def ended(self) -> bool:
        code = self.process.poll()
        if code is None:
            return False
        self.log.seek(self.log_start)
        output = self.log.read().decode("utf-8", "replace")
        self.log.close()
        cell = self.cell
        cell.seconds = time.monotonic() - self.start
        if code == 0 and state(cell.path) == "complete":
            cell.status = "complete"
        elif code == INTERRUPTED or (self.told and code < 0):
            cell.status, cell.error = "interrupted", "killed after the grace time" if self.killed else ""
        else:
            cell.status = "failed"
            ending = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            cell.error = ("no complete run file though the exit code is 0" if code == 0 else
                          self.runner.last_line(output) or f"{ending}, no message")
        return True


class Stop:
    """A signal that asks the sweep to stop. The handler only takes note, so that no child can slip past it."""

    def __init__(self, grace: float):
        self.grace, self.signal, self.times, self.deadline = grace, None, 0, None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
                signal.signal(number, self.note)

    def note(self, number, _frame) -> None:
        self.signal, self.times = number, self.times + 1

    def hand_on(self, running: list[Child]) -> None:
        """Tells the runs once, and kills those that are still there after the grace time or at a second signal."""
        if self.deadline is None:
            self.deadline = time.monotonic() + self.grace
            print(f"\n{signal.Signals(self.signal).name}: {len(running)} runs are saving (killed in {self.grace:g} s, or at a "
                  "second signal)", flush=True)
            for child in running:
                child.tell(self.signal)
        elif time.monotonic() > self.deadline or self.times > 1:
            for child in running:
                child.kill()


def run_all(cells: list[Cell], runner: Runner, stop: Stop, jobs: int, stop_at_first_failure: bool) -> None:
    waiting = collections.deque(cell for cell in cells if cell.status == "pending")
    progress = Progress(cells, jobs)
    running: list[Child] = []
    write_index(cells)
    try:
        while running or (waiting and not stop.signal):
            while waiting and len(running) < jobs and not stop.signal:
                running.append(Child(waiting.popleft(), runner))
            if stop.signal:
                stop.hand_on(running)
            for child in [child for child in running if child.ended()]:
                running.remove(child)
                progress.end(child.cell)
                write_index(cells)
                if stop_at_first_failure and child.cell.status == "failed":
                    waiting.clear()
            progress.draw(len(running))
            time.sleep(0.05)
    finally:
        for child in running:  # left over when the index could not be written: none outlives the sweep
            child.tell(signal.SIGTERM)
    print(progress.clear(), end="")


def share_cores(jobs: int | None, threads: int | None, runs: int) -> tuple[int, int]:
    """Jobs and threads a job: together no more than the cores, unless both are asked for."""
    cores = len(os.sched_getaffinity(0))
    jobs = jobs or max(1, min(cores // (threads or 1), runs))
    threads = threads or max(1, cores // jobs)
    if jobs * threads > cores:
        print(f"sweep.py: {jobs} jobs of {threads} threads on {cores} cores: they will wait for each other", file=sys.stderr)
    return jobs, threads


def summary(cells: list[Cell], index: Path, stopped: bool) -> int:
    """Prints what became of the cells; returns the exit code."""
    count = collections.Counter(cell.status for cell in cells)
    print(f"{len(cells)} runs: " + ", ".join(f"{number} {status}" for status, number in count.items()) + f"; see {index}")
    for cell in cells:
        if cell.status in ("failed", "refused"):
            log = f" ({cell.path.with_suffix('.log')})" if cell.status == "failed" else ""
            print(f"  {cell.status}  {cell}: {cell.error}{log}")
    if count["interrupted"] or (stopped and count["pending"]):
        print("The same command goes on where this one stopped.")
        return INTERRUPTED
    return 1 if count["failed"] or count["refused"] else 0


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 1")
    return int(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("config", nargs="+", type=Path, help="INI files; later ones override earlier ones")
    parser.add_argument("--grid", action="append", default=[], metavar="KEY=V,V..", help="an axis: section.key and its values")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="one value for every run")
    parser.add_argument("--jobs", type=positive, help="runs at a time (as many as fit the cores)")
    parser.add_argument("--threads", type=positive, help="threads of each run (the cores shared among the jobs)")
    parser.add_argument("--output", metavar="DIR", help="the same as --set run.output=DIR")
    parser.add_argument("--grace", type=float, default=60, metavar="S", help="seconds that interrupted runs get to save (60)")
    parser.add_argument("--stop-at-first-failure", action="store_true", help="start no run after one failed")
    parser.add_argument("--dry-run", action="store_true", help="list the runs, run nothing")
    args = parser.parse_args()

    texts = []
    for config in args.config:
        try:
            texts.append(config.read_text(encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{config}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    fixed = dict(key_and_value(argument, "--set") for argument in args.set)
    if args.output:
        fixed["run.output"] = args.output
    axes = read_axes(args.config, texts, args.grid, fixed)
    cells = [Cell(dict(zip(axes, values))) for values in itertools.product(*axes.values())]

    stop = Stop(args.grace)
    with tempfile.TemporaryDirectory(prefix="lengthwise-sweep-") as copies:
        runner = Runner(find_program(), args.config, texts, Path(copies), fixed, args.threads or 1)
        resolve_all(cells, runner)
        if args.dry_run:
            for number, cell in enumerate(cells, 1):
                print(f"{number}/{len(cells)}  {cell.status}  {cell}  {cell.path or cell.error}")
            return 0
        pending = sum(cell.status == "pending" for cell in cells)
        jobs, runner.threads = share_cores(args.jobs, args.threads, pending)
        print(f"{len(cells)} runs, {pending} to do; {jobs} at a time, {runner.threads} thread{'s' * (runner.threads > 1)} each", flush=True)
        run_all(cells, runner, stop, jobs, args.stop_at_first_failure)
        return summary(cells, write_index(cells), bool(stop.signal))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BadInput as error:
        print(f"sweep.py: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:  # the output cannot be written
        print(f"sweep.py: {error}", file=sys.stderr)
        sys.exit(1)
