#!/usr/bin/env python3
"""What the benchmark programs do, in PyTorch; each command prints one JSON line.

    torch_peer.py step --size A --threads 2            training steps          (training_step)
    torch_peer.py long --encoding alibi --tokens 4096  one long sequence       (long_evaluation)
    torch_peer.py attention --tokens 256               attention with a bias   (attention_layer)
    torch_peer.py experiment --output result.h5        train and evaluate copy (lengthwise run copy_experiment.ini)

The program starts itself anew under the settings that serve PyTorch best where they are present: the OpenMP build of
OpenBLAS, tcmalloc and AVX-512 kernels for Debian's 1.13; a newer PyTorch brings its own. --preload adds a library.
"""
import argparse, json, math, os, resource, statistics, sys, time

SIZES = {"A": (2, 64, 4, 64, 32, 32), "B": (4, 128, 4, 128, 32, 64), "C": (6, 256, 8, 256, 16, 256)}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in "step", "long", "attention", "experiment":
        command = commands.add_parser(name)
        command.add_argument("--threads", type=int, default=2)
        command.add_argument("--seconds", type=float, default=5)
        command.add_argument("--preload", default="", help="a library to load first")
        command.add_argument("--size", choices=SIZES, default="B" if name == "long" else "A")
        command.add_argument("--encoding", choices=["none", "learned", "alibi", "t5", "rope"],
                             default="learned" if name == "step" else "alibi")
        command.add_argument("--engine", choices=["eager", "sdpa", "compile"], default="eager")
        command.add_argument("--bf16", action="store_true", help="CPU autocast")
        command.add_argument("--batch", type=int, default=0)
        command.add_argument("--length", type=int, default=0)
        command.add_argument("--variable", action="store_true", help="lengths uniform on 1..L, padded to the longest")
        command.add_argument("--tokens", type=int, default=4096, help="of the long sequence, or of one attention")
        command.add_argument("--block", type=int, default=0, help="long: attend by blocks of this many queries")
        command.add_argument("--output", default="torch.h5")
    return parser.parse_args()


def restart_tuned():
    if "TORCH_PEER_TUNED" in os.environ:
        return
    environment, library = dict(os.environ), "/usr/lib/x86_64-linux-gnu"
    if os.path.exists(library + "/openblas-openmp/libopenblas.so.0"):
        environment["LD_LIBRARY_PATH"] = library + "/openblas-openmp:" + environment.get("LD_LIBRARY_PATH", "")
    preload = [args.preload, library + "/libtcmalloc_minimal.so.4", environment.get("LD_PRELOAD", "")]
    environment["LD_PRELOAD"] = " ".join(path for path in preload if path and os.path.exists(path))
    if "avx512vl" in open("/proc/cpuinfo").read():
        environment.setdefault("ATEN_CPU_CAPABILITY", "avx512")
    environment.update(TORCH_PEER_TUNED="1", OMP_NUM_THREADS=str(args.threads), OPENBLAS_NUM_THREADS=str(args.threads))
    os.execve(sys.executable, [sys.executable] + sys.argv, environment)


args = arguments()
restart_tuned()
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

torch.set_num_threads(args.threads)
torch.set_flush_denormal(True)
torch.manual_seed(0)


def t5_buckets(distance, buckets=32, farthest=128):
    """Causal: half of the buckets exact, the others logarithmic."""
    exact = buckets // 2
    far = exact + (torch.log(distance.clamp(min=1).float() / exact) / math.log(farthest / exact) * (buckets - exact)).long()
    return torch.where(distance < exact, distance, far.clamp(max=buckets - 1))


class Positions(nn.Module):
    """What the encoding adds: to the embeddings, to queries and keys, to a block of scores."""

    def __init__(self, width, heads, length):
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.table = nn.Parameter(torch.randn(length, width) * 0.02) if args.encoding == "learned" else None
        self.buckets = nn.Parameter(torch.zeros(32, heads)) if args.encoding == "t5" else None
        self.register_buffer("slopes", torch.tensor([2.0 ** (-8 * (h + 1) / heads) for h in range(heads)]))

    def embed(self, x):
        return x if self.table is None else x + self.table[: x.size(1)]

    def turn(self, x):
        """x [B, H, L, d], by the half-split rotation."""
        if args.encoding != "rope":
            return x
        half = self.head // 2
        angle = torch.arange(x.size(2))[:, None] * 10000.0 ** (-torch.arange(half) / half)
        sin, cos = angle.sin(), angle.cos()
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)

    def bias(self, first, last, keys):
        """[1 or H, last - first, keys], the causal mask included."""
        distance = torch.arange(first, last)[:, None] - torch.arange(keys)[None]
        mask = torch.zeros(distance.shape).masked_fill(distance < 0, float("-inf"))[None]
        if args.encoding == "alibi":
            return mask - self.slopes[:, None, None] * distance.clamp(min=0)
        if args.encoding == "t5":
            return mask + self.buckets[t5_buckets(distance.clamp(min=0))].permute(2, 0, 1)
        return mask


def attend(q, k, v, positions, block, bias=None):
    """q, k, v [B, H, L, d] -> [B, H, L, d]."""
    batch, heads, length, head = q.shape
    q, k = positions.turn(q), positions.turn(k)
    if args.engine != "eager":
        if args.encoding in ("none", "learned", "rope"):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias[None].expand(batch, heads, length, length))
    q, k, v = (t.reshape(batch * heads, length, head) for t in (q, k, v))
    parts = []
    for first in range(0, length, block or length):
        last = min(length, first + (block or length))
        part = bias if bias is not None else positions.bias(first, last, last)
        if part.size(0) > 1:
            part = part.expand(batch, heads, last - first, last).reshape(-1, last - first, last)
        scores = torch.baddbmm(part, q[:, first:last], k[:, :last].transpose(1, 2), alpha=1 / math.sqrt(head))
        parts.append(torch.bmm(torch.softmax(scores, -1), v[:, :last]))
    return (parts[0] if len(parts) == 1 else torch.cat(parts, 1)).view(batch, heads, length, head)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, positions, bias):
        batch, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
        y = attend(*qkv.permute(2, 0, 3, 1, 4).unbind(0), positions, args.block, bias)
        x = x + self.projection(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self, layers, width, heads, length, vocabulary):
        super().__init__()
        self.token = nn.Embedding(vocabulary, width)
        self.positions = Positions(width, heads, length)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, 0, 0.02)
        self.cached = {}

    def forward(self, tokens):
        length = tokens.size(1)
        x = self.positions.embed(self.token(tokens))
        bias = None
        if not args.block:
            if self.positions.buckets is not None:
                bias = self.positions.bias(0, length, length)
            else:
                if length not in self.cached:
                    self.cached[length] = self.positions.bias(0, length, length)
                bias = self.cached[length]
        for block in self.blocks:
            x = block(x, self.positions, bias)
        return self.head(self.norm(x))


def adamw(model):
    return torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1, foreach=True)


def update(model, forward, optimizer, tokens, targets):
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=args.bf16):
        logits = forward(tokens).float()
        loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1), ignore_index=-100)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def timed(work, warm_up):
    """work(i) -> units done. Times of single calls, units in all: at least three calls, or one if --seconds is 0."""
    warm = time.perf_counter() + 1
    for i in range(warm_up):
        if i < 2 or time.perf_counter() < warm:
            work(i)
    times, units, end = [], 0, time.perf_counter() + args.seconds
    while time.perf_counter() < end or len(times) < (3 if args.seconds else 1):
        begin = time.perf_counter()
        units += work(len(times))
        times.append(time.perf_counter() - begin)
    return times, units


def report(times, units, **more):
    print(json.dumps({
        "impl": "torch-" + torch.__version__, "engine": args.engine, "size": args.size, "encoding": args.encoding,
        "threads": args.threads, "repeats": len(times), "ms": round(1e3 * statistics.median(times), 4),
        "ms_min": round(1e3 * min(times), 4), "per_second": round(units / sum(times), 1),
        "rss_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1), **more}))


def train_steps():
    layers, width, heads, length, batch, vocabulary = SIZES[args.size]
    length, batch = args.length or length, args.batch or batch
    model = Model(layers, width, heads, length, vocabulary)
    optimizer = adamw(model)
    forward = torch.compile(model) if args.engine == "compile" else model
    batches = []
    for _ in range(8):
        tokens = torch.randint(vocabulary, (batch, length + 1))
        targets = tokens[:, 1:].clone()
        lengths = torch.randint(1, length + 1, (batch,)) if args.variable else torch.full((batch,), length)
        longest = int(lengths.max())
        targets[torch.arange(length)[None] >= lengths[:, None]] = -100
        batches.append((tokens[:, :longest].contiguous(), targets[:, :longest].contiguous(), int(lengths.sum())))

    def step(i):
        tokens, targets, count = batches[i % 8]
        update(model, forward, optimizer, tokens, targets)
        return count

    report(*timed(step, 5))


def evaluate_long():
    layers, width, heads, _, _, vocabulary = SIZES[args.size]
    model = Model(layers, width, heads, args.tokens, vocabulary)
    tokens = torch.randint(vocabulary, (1, args.tokens))

    @torch.inference_mode()
    def forward(_):
        model(tokens)
        return args.tokens

    report(*timed(forward, 1), tokens=args.tokens, block=args.block)


def one_attention():
    """Forward and backward, the bias's gradient included where it has one. The shapes of perf's attention table."""
    n, heads = args.tokens, 4
    head, batch = 16 if n <= 64 else 32, max(1, 2048 // n)
    positions = Positions(heads * head, heads, n)
    x = torch.randn(batch, n, 3 * heads * head, requires_grad=True)
    grad = torch.randn(batch, n, heads * head)
    fixed = positions.bias(0, n, n) if positions.buckets is None else None

    def work(_):
        bias = fixed if fixed is not None else positions.bias(0, n, n)
        y = attend(*x.view(batch, n, 3, heads, head).permute(2, 0, 3, 1, 4).unbind(0), positions, 0, bias)
        y.transpose(1, 2).reshape(batch, n, heads * head).backward(grad)
        x.grad = None
        return batch * n

    report(*timed(work, 2), tokens=n)


def copy_experiment():
    """2,000 steps of copying 1..40 bits, then exact match at 40, 80, 160 and 320 of 512 examples each."""
    import h5py, numpy as np
    rng, vocabulary, (layers, width, heads, _, batch, _) = np.random.default_rng(0), 7, SIZES["A"]
    model = Model(layers, width, heads, 642, vocabulary)
    optimizer = adamw(model)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min((s + 1) / 100, 0.5 * (1 + math.cos(math.pi * max(0, s - 100) / 1900))))

    def examples(lengths):
        longest = int(lengths.max())
        tokens = np.zeros((len(lengths), 2 * longest + 3), np.int64)
        targets = np.full((len(lengths), 2 * longest + 2), -100)
        for row, n in enumerate(lengths):
            bits = rng.integers(5, 7, n)
            tokens[row, : 2 * n + 3] = np.concatenate([[1], bits, [2], bits, [3]])
            targets[row, n + 1 : 2 * n + 2] = tokens[row, n + 2 : 2 * n + 3]
        return torch.from_numpy(tokens[:, :-1]), torch.from_numpy(targets)

    begin = time.perf_counter()
    for _ in range(2000):
        update(model, model, optimizer, *examples(rng.integers(1, 41, batch)))
        schedule.step()
    train_seconds, exact, lengths = time.perf_counter() - begin, [], [40, 80, 160, 320]
    with torch.inference_mode():
        for n in lengths:
            together, right = max(1, 4096 // (2 * n + 2)), []
            for first in range(0, 512, together):
                tokens, targets = examples(np.full(min(together, 512 - first), n))
                right.append((model(tokens).argmax(-1).eq(targets) | targets.eq(-100)).all(-1))
            exact.append(float(torch.cat(right).float().mean()))
    with h5py.File(args.output, "w") as file:
        file["length"], file["exact_match"] = lengths, exact
        for name, parameter in model.named_parameters():
            file["model/" + name] = parameter.detach().numpy()
    report([train_seconds], 2000, exact_match=exact)


{"step": train_steps, "long": evaluate_long, "attention": one_attention, "experiment": copy_experiment}[args.command]()
