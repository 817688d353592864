"""sweep.py with a stub in the program's place: what runs, where, how often, and what is said of it."""

import csv
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import h5py

ROOT = Path(__file__).resolve().parents[2]
SWEEP = ROOT / "scripts/sweep.py"

# `run` of the program, without the work. WAIT: stay until a signal comes; "stubborn" ignores it.
STUB = """#!/usr/bin/python3 -IS
import json, os, shutil, signal, sys, time
here = os.path.dirname(os.path.abspath(__file__))
command, *arguments = sys.argv[1:]
assert command == "run"
options = dict(a[2:].split("=", 1) for a in arguments if a.startswith("--") and "=" in a)
configs = [a for a in arguments if not a.startswith("--")]
texts = [open(config).read() for config in configs]
settings = dict(line.split(" = ") for line in "\\n".join(texts).splitlines() if " = " in line)
if any("[sweep]" in text for text in texts):
    sys.exit("run refuses [sweep]")
if options.get("encoding.name") == "ropee":
    print(configs[0] + ":4: encoding.name is 'ropee'. Did you mean 'rope'?", file=sys.stderr)
    sys.exit(2)
free = "-".join(v for k, v in sorted(options.items()) if k not in ("run.threads", "run.output"))
path = os.path.join(options.get("run.output", settings.get("output")), options.get("run.name", settings.get("name", "run-" + free)) + ".h5")
if "--print-path" in arguments:
    print(path)
    sys.exit()

signals = []
def note(number, frame):
    signals.append(number)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, note)
def tell(event):
    with open(os.path.join(here, "ran.jsonl"), "a") as log:
        log.write(json.dumps(dict(event=event, pid=os.getpid(), options=options, configs=configs, path=path, time=time.time(), signals=signals)) + "\\n")
tell("start")
wait = os.environ.get("WAIT")
if options.get("run.seed", "") == os.environ.get("BREAKS_INDEX"):
    time.sleep(0.3)  # until the other run is there
    os.remove(os.path.join(os.path.dirname(path), "index.csv"))
    os.makedirs(os.path.join(os.path.dirname(path), "index.csv", "in the way"))
    sys.exit()
while wait == "stubborn" or wait and not signals:
    time.sleep(0.02)
if wait:
    time.sleep(0.2)  # time for a second signal, which should not come
    shutil.copy(os.path.join(here, "interrupted.h5"), path)
    tell("end")
    sys.exit(75)
time.sleep(float(os.environ.get("SECONDS_EACH", 0)))
tell("end")
if options.get("run.seed", "") == os.environ.get("FAILS"):
    print("step 7: the loss is not finite", file=sys.stderr)
    sys.exit(1)
if options.get("run.seed", "") == os.environ.get("CRASHES"):
    os.kill(os.getpid(), signal.SIGKILL)
if options.get("run.seed", "") != os.environ.get("FORGETS"):
    shutil.copy(os.path.join(here, "complete.h5"), path)
"""


class SweepTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "my runs/x y"  # blanks everywhere
        self.folder.mkdir(parents=True)
        self.stub = self.folder / "length wise"
        # Isolated and without site packages Python starts in some 10 ms.
        self.stub.write_text(STUB)
        self.stub.chmod(0o755)
        for status in ("complete", "interrupted"):
            with h5py.File(self.folder / f"{status}.h5", "w") as file:
                file.attrs["status"] = status
                file["data"] = list(range(1000))
        self.config = self.write_config("base.ini")

    def write_config(self, name, extra="", run=""):
        path = self.folder / name
        path.write_text(f"[run]\noutput = {self.folder}/out put\n{run}[task]\nkind = copy\n{extra}")
        return path

    def command(self, *arguments):
        return [sys.executable, "-B", str(SWEEP), *map(str, arguments)]

    def environment(self, **variables):
        return os.environ | {"LENGTHWISE": str(self.stub)} | variables

    def sweep(self, *arguments, code=0, **variables):
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, cwd=self.folder,
                              env=self.environment(**variables), timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout + done.stderr

    def events(self, event="start"):
        log = self.folder / "ran.jsonl"
        rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return [row for row in rows if row["event"] == event]

    def index(self, folder="out put"):
        with open(self.folder / folder / "index.csv", newline="") as file:
            return list(csv.DictReader(file))

    # The grid

    def test_dry_run_lists_exactly_what_runs(self):
        grid = ("--grid", "encoding.name=rope,alibi,t5", "--grid", "run.seed=0..1", "--grid", "model.layers=2,4")
        listed = self.sweep(self.config, *grid, "--dry-run")
        self.assertEqual(self.events(), [])
        self.assertFalse((self.folder / "out put").exists())
        self.sweep(self.config, *grid)
        keys = ("encoding.name", "run.seed", "model.layers")
        ran = sorted(tuple(row["options"][key] for key in keys) for row in self.events())
        self.assertEqual(ran, sorted((e, s, l) for e in ("rope", "alibi", "t5") for s in "01" for l in "24"))
        cells = re.findall(r"^\d+/12  pending  encoding\.name=(\S+) run\.seed=(\S+) model\.layers=(\S+)  (.*)$", listed, re.M)
        self.assertEqual(sorted(cell[:3] for cell in cells), ran)
        self.assertEqual(sorted(cell[3] for cell in cells), sorted(row["path"] for row in self.index()))

    def test_axes_come_from_the_config_and_grid_and_set_override_them(self):
        config = self.write_config("swept.ini", "[sweep]\nencoding.name = rope, alibi # two\nrun.seed = 0..2\n")

        def cells(*arguments):
            return re.findall(r"pending  (.*?)  /", self.sweep(config, "--dry-run", *arguments))
        self.assertEqual(len(cells()), 6)
        self.assertEqual(cells("--grid", "run.seed=7"), ["encoding.name=rope run.seed=7", "encoding.name=alibi run.seed=7"])
        self.assertEqual(cells("--set", "encoding.name=t5"), [f"run.seed={seed}" for seed in range(3)])
        self.assertEqual(cells("--set", "run.seed=1", "--set", "encoding.name=t5"), ["(one run)"])
        self.sweep(config, "--set", "encoding.name=t5", "--set", "run.seed=10..12")  # a value as it is, no axis
        self.assertEqual([row["options"]["run.seed"] for row in self.events()], ["10..12"])

    def test_values_with_commas_are_separated_by_bars(self):
        self.sweep(self.config, "--grid", "train.lengths=1..20|5,10")
        self.assertEqual({row["options"]["train.lengths"] for row in self.events()}, {"1..20", "5,10"})

    def test_the_copy_without_sweep_is_removed(self):
        config = self.write_config("swept.ini", "[sweep]\nrun.seed = 0..1\n")
        self.sweep(config)
        for row in self.events():
            self.assertNotEqual(row["configs"], [str(config)])
            self.assertFalse(Path(row["configs"][0]).parent.parent.exists())

    def test_bad_input_is_refused_before_anything_runs(self):
        twice = self.write_config("twice.ini", "[sweep]\nrun.seed = 1\nrun.seed = 2\n")
        for arguments, message in (
                ((self.config, "--grid", "run.seed=0,1,0"), "given twice"),
                ((self.config, "--grid", "run.seed=5..2"), "holds nothing"),
                ((self.config, "--grid", "seed=1"), "section.key=value"),
                ((self.config, "--grid", "run.seed=1", "--grid", "run.seed=2"), "already given"),
                ((self.config, "--grid", "run.seed=1", "--set", "run.seed=2"), "already given"),
                ((self.config, "--grid", "run.seed=1,,2"), "empty"),
                ((twice,), "twice.ini:7: run.seed is given twice"),
                ((self.folder / "no.ini",), "no.ini: cannot be read"),
                ((self.config, "--jobs", "0"), "at least 1"),
                ((self.config, "--grid", "encoding.name=ropee"), "Did you mean 'rope'?")):
            with self.subTest(message=message):
                self.assertIn(message, self.sweep(*arguments, code=2))
        self.assertEqual(self.events(), [])

    # Outputs

    def test_a_name_in_the_config_does_not_make_runs_collide(self):
        config = self.write_config("named.ini", run="name = mine\n")
        self.sweep(config, "--grid", "encoding.name=rope,alibi,a/b", "--grid", "run.seed=0,1", "--jobs", "3", "--threads", "1")
        names = sorted(path.name for path in (self.folder / "out put").glob("*.h5"))
        self.assertEqual(names, sorted(f"mine-{e}-{s}.h5" for e in ("rope", "alibi", "a_b") for s in "01"))
        self.assertEqual(sorted(Path(row["path"]).name for row in self.index()), names)

    def test_values_that_look_alike_in_a_name_are_refused(self):
        config = self.write_config("named.ini", run="name = mine\n")
        self.assertIn("would both write", self.sweep(config, "--grid", "encoding.name=a/b,a:b", code=2))

    def test_output_puts_runs_and_index_elsewhere(self):
        self.sweep(self.config, "--grid", "run.seed=0,1", "--output", "else where")
        self.assertEqual({row["status"] for row in self.index("else where")}, {"complete"})
        self.assertEqual(len(list((self.folder / "else where").glob("*.h5"))), 2)

    # Failures

    def test_one_failing_run_leaves_the_others(self):
        said = self.sweep(self.config, "--grid", "run.seed=0..9", code=1, FAILS="5")
        self.assertEqual(len(list((self.folder / "out put").glob("*.h5"))), 9)
        self.assertIn("failed  run.seed=5: step 7: the loss is not finite", said)
        failed = [row for row in self.index() if row["status"] != "complete"]
        self.assertEqual([(row["run.seed"], row["status"], row["error"]) for row in failed],
                         [("5", "failed", "step 7: the loss is not finite")])

    def test_stop_at_first_failure(self):
        self.sweep(self.config, "--grid", "run.seed=0..9", "--jobs", "1", "--stop-at-first-failure", code=1, FAILS="2")
        self.assertEqual([row["options"]["run.seed"] for row in self.events()], ["0", "1", "2"])
        self.assertEqual([row["status"] for row in self.index()], ["complete"] * 2 + ["failed"] + ["pending"] * 7)

    def test_a_crash_and_a_lost_file_are_failures(self):
        said = self.sweep(self.config, "--grid", "run.seed=0..2", code=1, CRASHES="0", FORGETS="2")
        self.assertIn("run.seed=0: killed by SIGKILL", said)
        self.assertIn("run.seed=2: no complete run file", said)
        self.assertEqual([row["status"] for row in self.index()], ["failed", "complete", "failed"])

    def test_a_refused_config_is_listed_under_its_own_name(self):
        config = self.write_config("swept.ini", "[sweep]\nencoding.name = rope, ropee\n")
        said = self.sweep(config, code=1)
        self.assertIn(f"refused  encoding.name=ropee: {config}:4: encoding.name is 'ropee'", said)
        self.assertEqual([row["status"] for row in self.index()], ["complete", "refused"])

    def test_a_missing_package_is_named_in_one_line(self):
        done = subprocess.run([sys.executable, "-S", "-B", str(SWEEP), str(self.config)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("python3-h5py", done.stderr)
        self.assertIn("scripts/setup.sh", done.stderr)

    # Resuming

    def test_only_what_is_missing_runs_again(self):
        grid = ("--grid", "encoding.name=rope,alibi,t5", "--grid", "run.seed=0..3")
        self.sweep(self.config, *grid)
        files = sorted((self.folder / "out put").glob("*.h5"))
        files[1].unlink()
        files[4].unlink()
        files[7].write_bytes(files[7].read_bytes()[:3000])
        redone = [str(files[i]) for i in (1, 4, 7)]

        def state():
            return {f: (f.stat().st_mtime_ns, hashlib.sha256(f.read_bytes()).digest()) for f in files if str(f) not in redone}
        before = state()
        (self.folder / "ran.jsonl").unlink()
        self.sweep(self.config, *grid)
        self.assertEqual(sorted(row["path"] for row in self.events()), redone)
        self.assertEqual(state(), before)
        self.assertEqual({row["status"] for row in self.index()}, {"complete"})

    def interrupt(self, number, expected, *arguments, to_group=False, **variables):
        """Starts four waiting runs, sends a signal, and expects a quiet end. Returns the index."""
        command = self.command(self.config, "--grid", "run.seed=0..5", "--jobs", "4", "--threads", "1", *arguments)
        with subprocess.Popen(command, env=self.environment(**variables), cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, start_new_session=True) as sweep:
            deadline = time.monotonic() + 30
            while len(self.events()) < 4 and time.monotonic() < deadline:
                time.sleep(0.05)
            (os.killpg if to_group else os.kill)(sweep.pid, number)
            said, _ = sweep.communicate(timeout=60)
        self.assertEqual(sweep.returncode, 75, said)
        self.assertEqual(len(self.events()), 4)
        for row in self.events():
            with self.assertRaises(ProcessLookupError):
                os.kill(row["pid"], 0)
        index = self.index()
        self.assertEqual([row["status"] for row in index], expected)
        return index

    def test_a_signal_lets_runs_save_and_the_sweep_goes_on_later(self):
        for number, to_group in ((signal.SIGTERM, False), (signal.SIGINT, True), (signal.SIGHUP, False)):
            with self.subTest(signal=number.name):
                expected = ["interrupted"] * 4 + ["pending"] * 2
                # SIGHUP is not one the stub catches: it dies of it, which counts as interrupted all the same.
                self.interrupt(number, expected, to_group=to_group, WAIT="yes")
                self.assertEqual([row["signals"] for row in self.events("end")], [[number]] * 4 if number != signal.SIGHUP else [])
                (self.folder / "ran.jsonl").unlink()
        self.sweep(self.config, "--grid", "run.seed=0..5")
        self.assertEqual([row["status"] for row in self.index()], ["complete"] * 6)

    def test_runs_that_do_not_stop_are_killed_after_the_grace_time(self):
        index = self.interrupt(signal.SIGTERM, ["interrupted"] * 4 + ["pending"] * 2, "--grace", "0.5", WAIT="stubborn")
        self.assertEqual(index[0]["error"], "killed after the grace time")

    def test_nohup_is_respected(self):
        with subprocess.Popen(["nohup", *self.command(self.config, "--grid", "run.seed=0..1")], cwd=self.folder,
                              env=self.environment(SECONDS_EACH="1"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as sweep:
            while not self.events() and sweep.poll() is None:
                time.sleep(0.05)
            sweep.send_signal(signal.SIGHUP)
            sweep.communicate(timeout=60)
        self.assertEqual(sweep.returncode, 0)

    def test_no_run_outlives_a_sweep_that_cannot_write(self):
        self.assertIn("sweep.py: ", self.sweep(self.config, "--grid", "run.seed=0..1", "--jobs", "2", code=1, WAIT="1", BREAKS_INDEX="0"))
        deadline = time.monotonic() + 30
        while not self.events("end") and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual([(row["options"]["run.seed"], row["signals"]) for row in self.events("end")], [("1", [signal.SIGTERM])])

    # Cores

    def test_jobs_times_threads_stay_within_the_cores(self):
        cores = len(os.sched_getaffinity(0))
        for arguments, jobs, threads in (((), min(cores, 6), cores // min(cores, 6)), (("--jobs", "1"), 1, cores),
                                         (("--threads", str(cores)), 1, cores), (("--jobs", "3", "--threads", "1"), 3, 1)):
            with self.subTest(arguments=arguments):
                self.sweep(self.config, "--grid", "run.seed=0..5", *arguments, "--output", " ".join(["jobs", *arguments]),
                           SECONDS_EACH="0.1")
                starts, ends = self.events("start"), self.events("end")
                times = sorted([(row["time"], 1) for row in starts] + [(row["time"], -1) for row in ends])
                at_once = [sum(change for _, change in times[:i + 1]) for i in range(len(times))]
                self.assertLessEqual(max(at_once), jobs)
                self.assertEqual({row["options"]["run.threads"] for row in starts}, {str(threads)})
                (self.folder / "ran.jsonl").unlink()


if __name__ == "__main__":
    unittest.main()
