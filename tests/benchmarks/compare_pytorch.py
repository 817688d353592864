#!/usr/bin/env python3
"""lengthwise against PyTorch, pair by pair, as ratios: above 1, lengthwise is ahead.

    compare_pytorch.py BUILD step few variable attention long experiment [--rounds 5] [--write README.md]

BUILD is a build folder configured with -DLENGTHWISE_BENCHMARKS=ON. In every round the two programs run one right after
the other; a run during which other processes took more than 5 % of a core is repeated, three times at most, and marked
by * when that did not help. --python names further interpreters whose PyTorch takes part (a virtual environment with
the newest). Every run goes to compare_pytorch.jsonl; --write puts the tables between the marker lines of a file, where
rows that were not measured now stay if they are of the same machine and versions.
"""
import argparse, json, os, platform, re, resource, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN, END = "<!-- compare_pytorch: begin -->", "<!-- compare_pytorch: end -->"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("suites", nargs="+", choices=["step", "few", "variable", "attention", "long", "experiment"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3, help="of each run, beyond its start")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--sizes", default="A,B,C")
    parser.add_argument("--python", action="append", default=[], help="another interpreter with PyTorch")
    parser.add_argument("--longest", type=int, default=16384, help="longest sequence PyTorch is asked for")
    parser.add_argument("--cases", default="", help="a regular expression: only rows whose first cells match it")
    parser.add_argument("--write", help="file whose marked part becomes the tables")
    return parser.parse_args()


def cpu_seconds():
    """Of all processes of the machine, and of this one's finished children."""
    ticks = [int(t) for t in open("/proc/stat").readline().split()[1:9]]
    busy = sum(ticks) - ticks[3] - ticks[4]
    mine = resource.getrusage(resource.RUSAGE_CHILDREN)
    return busy / os.sysconf("SC_CLK_TCK"), mine.ru_utime + mine.ru_stime


def run(command, log, **facts):
    """The program's JSON line, with the CPU share that others took and the wall-clock seconds of the process."""
    for attempt in range(3):
        all_before, mine_before = cpu_seconds()
        begin = time.monotonic()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        seconds = time.monotonic() - begin
        all_after, mine_after = cpu_seconds()
        if done.returncode:
            return {"failed": done.stderr.strip().splitlines()[-1:] or done.returncode}
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        result = json.loads(lines[-1]) if lines else {}
        foreign = (all_after - all_before - (mine_after - mine_before)) / seconds
        result.update(facts, seconds=seconds, foreign=round(foreign, 3))
        log.write(json.dumps(result) + "\n")
        log.flush()
        if foreign < 0.05:
            break
    return result


def ratio_cells(ours, theirs, key):
    """Median of the rounds' ratios with their range, and the ratio of minima. `key`: what to compare, lower is better."""
    ratios = sorted(t[key] / o[key] for o, t in zip(ours, theirs))
    least = min(t.get("ms_min", t[key]) if key == "ms" else t[key] for t in theirs) / min(
        o.get("ms_min", o[key]) if key == "ms" else o[key] for o in ours)
    noisy = "*" if any(r["foreign"] >= 0.05 for r in ours + theirs) else ""
    return f"{statistics.median(ratios):.2f}{noisy} ({ratios[0]:.2f}-{ratios[-1]:.2f}) | {least:.2f}"


class Suites:
    def __init__(self, args):
        self.args = args
        self.bench = os.path.join(args.build, "tests", "benchmarks")
        self.log = open("compare_pytorch.jsonl", "a")
        self.tables = []
        self.peers = []  # name, command prefix, flags
        for python in ["/usr/bin/python3"] + args.python:
            asked = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True)
            if asked.returncode:
                sys.exit(f"compare_pytorch.py: {python} has no PyTorch; install it or leave it out: "
                         + (asked.stderr.strip().splitlines() or ["no message"])[-1])
            version = asked.stdout.strip()
            self.peers.append((f"torch {version}", python, []))
            if version.startswith("1."):
                shim = os.path.join(self.bench, "libsgemm_shim.so")
                self.peers.append((f"torch {version}, products by oneDNN", python, ["--preload", shim]))
            else:
                self.peers.append((f"torch {version}, fused attention", python, ["--engine", "sdpa"]))
                self.peers.append((f"torch {version}, compiled", python, ["--engine", "compile"]))
                self.peers.append((f"torch {version}, bfloat16", python, ["--engine", "sdpa", "--bf16"]))

    def ours(self, program, *flags):
        return [os.path.join(self.bench, program)] + [str(f) for f in flags]

    def theirs(self, python, command, *flags):
        return [python, os.path.join(HERE, "torch_peer.py"), command] + [str(f) for f in flags]

    def pairs(self, title, columns, cases, peers=None, key="ms"):
        """cases: label -> (our flags, their command and flags as functions of nothing)."""
        lines = [f"**{title}**", "",
                 f"| {columns} | against | median (range) | minima | ms | its ms | MiB | its MiB | rounds | measured |",
                 "|" + " --- |" * (columns.count("|") + 10)]
        peers = self.peers if peers is None else peers
        for label, our_command, their_flags in cases:
            asked = [peer for peer in peers if re.search(self.args.cases, f"{label} | {peer[0]}")]
            rounds = {name: ([], []) for name, _, _ in asked}
            failed = {}
            for _ in range(self.args.rounds):
                for name, python, more in asked:
                    if name in failed:
                        continue
                    theirs = run(self.theirs(python, *their_flags, *more), self.log, case=label, peer=name)
                    if "failed" in theirs:
                        failed[name] = theirs["failed"]
                        continue
                    rounds[name][0].append(run(our_command, self.log, case=label, peer="lengthwise"))
                    rounds[name][1].append(theirs)
            for name, (ours, theirs) in rounds.items():
                if name in failed or not ours:
                    lines.append(f"| {label} | {name} | failed: {failed.get(name)} | | | | | | | |")
                    continue
                middle = lambda results, what: statistics.median(r[what] for r in results)
                scale = 1000 if key == "seconds" else 1
                lines.append(
                    f"| {label} | {name} | {ratio_cells(ours, theirs, key)} | {scale * middle(ours, key):.4g} | "
                    f"{scale * middle(theirs, key):.4g} | {middle(ours, 'rss_mib'):.0f} | {middle(theirs, 'rss_mib'):.0f} | "
                    f"{len(ours)} | {time.strftime('%Y-%m-%d')} |")
                print(lines[-1], flush=True)
        self.add(lines)

    def add(self, lines):
        if len(lines) > 4:  # a row was asked for
            self.tables.append("\n".join(lines))

    def step(self):
        seconds = ["--seconds", self.args.seconds]
        cases = []
        for size in self.args.sizes.split(","):
            for threads in self.args.threads.split(","):
                flags = ["--size", size, "--threads", threads] + seconds
                cases.append((f"{size} | {threads}", self.ours("training_step", *flags), ["step"] + flags))
        self.pairs("A training step", "size | threads", cases)

    def few(self):
        cases = []
        for threads in self.args.threads.split(","):
            flags = ["--size", "A", "--batch", 4, "--length", 32, "--threads", threads, "--seconds", self.args.seconds]
            cases.append((threads, self.ours("training_step", *flags), ["step"] + flags))
        self.pairs("Few tokens: size A with 4 sequences of 32", "threads", cases)

    def variable(self):
        cases = []
        for size in "A", "B":
            for threads in self.args.threads.split(","):
                flags = ["--size", size, "--threads", threads, "--seconds", self.args.seconds]
                cases.append((f"{size} | {threads}", self.ours("training_step", *flags, "--variable", 1),
                              ["step"] + flags + ["--variable"]))
        peers = [p for p in self.peers if "compiled" not in p[0]]  # recompiles for every length
        self.pairs("Lengths uniform on 1..L: ragged against padded to the longest, steps of equal tokens", "size | threads",
                   cases, peers)

    def attention(self):
        cases = []
        for encoding in "alibi", "t5":
            for tokens in 64, 128, 256, 1024, 4096:
                for threads in self.args.threads.split(","):
                    flags = ["--encoding", encoding, "--tokens", tokens, "--threads", threads, "--seconds", self.args.seconds]
                    cases.append((f"{encoding} | {tokens} | {threads}", self.ours("attention_layer", *flags),
                                  ["attention"] + flags))
        peers = [p for p in self.peers if "fused" not in p[0] and "compiled" not in p[0] and "bfloat16" not in p[0]]
        self.pairs("Attention, forward and backward", "bias | tokens | threads", cases, peers)

    def long(self):
        debian = [p for p in self.peers if "fused" not in p[0] and "compiled" not in p[0] and "bfloat16" not in p[0]]
        cases = []
        for encoding in "alibi", "rope", "t5":
            for tokens in 1024, 4096, 16384:
                if tokens > self.args.longest:
                    continue
                flags = ["--encoding", encoding, "--tokens", tokens, "--threads", 2, "--seconds", 0]
                for name, block in ("materialised", 0), ("by blocks of 512", 512):
                    cases.append((f"{encoding} | {tokens} | {name}", self.ours("long_evaluation", *flags),
                                  ["long"] + flags + ["--block", block]))
        self.pairs("One long sequence, size B, forward", "encoding | tokens | PyTorch's scores", cases, debian)
        lines = ["**Memory of one long sequence, size B, forward, MiB**", "",
                 "| encoding | " + " | ".join(str(128 * 2 ** i) for i in range(10)) + " | exponent from 8192 on | measured |",
                 "|" + " --- |" * 13]
        for encoding in ("alibi", "rope", "t5"):
            if not re.search(self.args.cases, f"{encoding} | memory"):
                continue
            memory = {}
            for tokens in [128 * 2 ** i for i in range(10)]:
                flags = ["--encoding", encoding, "--tokens", tokens, "--threads", 2, "--seconds", 0, "--warm", 0]
                memory[tokens] = run(self.ours("long_evaluation", *flags), self.log, case="memory")["rss_mib"]
            import math
            slope = math.log(memory[65536] / memory[8192]) / math.log(8)
            lines.append(f"| {encoding} | " + " | ".join(f"{m:.0f}" for m in memory.values()) + f" | {slope:.2f} | "
                         f"{time.strftime('%Y-%m-%d')} |")
            print(lines[-1], flush=True)
        self.add(lines)

    def experiment(self):
        with tempfile.TemporaryDirectory() as folder:
            cases = []
            for threads in self.args.threads.split(","):
                ours = [os.path.join(self.args.build, "lengthwise"), "run", os.path.join(HERE, "copy_experiment.ini"),
                        f"--run.threads={threads}", f"--run.output={folder}", "--run.if_exists=overwrite"]
                measured = [sys.executable, os.path.join(HERE, "peak_memory.py")] + ours
                cases.append((threads, measured,
                              ["experiment", "--threads", threads, "--output", os.path.join(folder, "torch.h5")]))
            peers = [p for p in self.peers if "compiled" not in p[0] and "bfloat16" not in p[0]]
            self.pairs("A whole experiment, from start to result file: 2,000 steps of copying 1..40 bits, 512 examples each at "
                       "40, 80, 160, 320", "threads", cases, peers, key="seconds")


def machine(build):
    cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    version = subprocess.run([os.path.join(build, "lengthwise"), "--version"], capture_output=True, text=True).stdout
    facts = re.sub(r"\s*\n\s*", "; ", version.strip())
    return f"{cpu}, {os.cpu_count()} cores, {platform.system()}; {facts}."


def tables_of(text):
    """Title -> table, in the order of the text."""
    return {table.split("**")[1]: table for table in re.split(r"\n\n(?=\*\*)", text) if table.startswith("**")}


def merged(old, new):
    """A table with the rows of both; where they measured the same, the new one's."""
    head = new.split("\n")[:4]
    columns = head[2].split(" | ")
    label = columns.index("median (range)") if "median (range)" in columns else 1
    rows = {tuple(row.split(" | ")[:label]): row for table in (old, new) for row in table.split("\n")[4:]}
    return "\n".join(head + list(rows.values()))


def main():
    args = parse()
    suites = Suites(args)
    for suite in args.suites:
        getattr(suites, suite)()
    here, measured = machine(args.build), tables_of("\n\n".join(suites.tables))
    print("\n" + "\n\n".join([here, *measured.values()]) + "\n")
    if args.write:
        old = open(args.write).read()
        if BEGIN not in old or END not in old:
            sys.exit(f"compare_pytorch.py: {args.write} lacks the lines '{BEGIN}' and '{END}'.")
        (head, rest), tail = old.split(BEGIN), old.split(END)[1]
        kept = rest.split(END)[0].strip()
        if kept.split("\n")[0] == here:
            old = tables_of(kept)
            measured = {**old, **{title: merged(old.get(title, new), new) for title, new in measured.items()}}
        open(args.write, "w").write("\n".join([head + BEGIN, "\n\n".join([here, *measured.values()]), END + tail]))


main()
