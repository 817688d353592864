#!/usr/bin/env python3
"""One training step of the model of training_step.cpp in PyTorch, timed the same way; one JSON line.

The program re-executes itself under the settings that serve PyTorch best where they are present: the OpenMP build of
OpenBLAS, tcmalloc and AVX-512 kernels for Debian's 1.13; a newer PyTorch brings its own.
"""
import argparse, json, math, os, resource, statistics, sys, time

SIZES = {"A": (2, 64, 4, 64, 32, 32), "B": (4, 128, 4, 128, 32, 64), "C": (6, 256, 8, 256, 16, 256)}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="A")
    parser.add_argument("--encoding", choices=["none", "learned", "alibi"], default="learned")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--length", type=int, default=0)
    parser.add_argument("--variable", action="store_true", help="lengths uniform on 1..L, padded to the longest")
    parser.add_argument("--engine", choices=["eager", "sdpa", "compile"], default="eager")
    parser.add_argument("--bf16", action="store_true", help="CPU autocast")
    return parser.parse_args()


def restart_tuned(threads):
    if "TORCH_STEP_TUNED" in os.environ:
        return
    environment, library = dict(os.environ), "/usr/lib/x86_64-linux-gnu"
    if os.path.exists(library + "/openblas-openmp/libopenblas.so.0"):
        environment["LD_LIBRARY_PATH"] = library + "/openblas-openmp:" + environment.get("LD_LIBRARY_PATH", "")
    if os.path.exists(library + "/libtcmalloc_minimal.so.4"):
        environment["LD_PRELOAD"] = (library + "/libtcmalloc_minimal.so.4 " + environment.get("LD_PRELOAD", "")).strip()
    if "avx512vl" in open("/proc/cpuinfo").read():
        environment.setdefault("ATEN_CPU_CAPABILITY", "avx512")
    environment.update(TORCH_STEP_TUNED="1", OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
    os.execve(sys.executable, [sys.executable] + sys.argv, environment)


args = arguments()
restart_tuned(args.threads)
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

torch.set_num_threads(args.threads)
torch.set_flush_denormal(True)
torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, width, heads, layers):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, bias):
        batch, length, width = x.shape
        head = width // self.heads
        q, k, v = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, head).permute(2, 0, 3, 1, 4).unbind(0)
        if args.engine == "eager":
            flat = [t.reshape(batch * self.heads, length, head) for t in (q, k, v)]
            scores = torch.baddbmm(bias, flat[0], flat[1].transpose(1, 2), alpha=1 / math.sqrt(head))
            y = torch.bmm(torch.softmax(scores, -1), flat[2]).view(batch, self.heads, length, head)
        elif bias.size(0) == 1:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.view(batch, self.heads, length, length))
        x = x + self.projection(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self, layers, width, heads, length, vocabulary):
        super().__init__()
        self.token = nn.Embedding(vocabulary, width)
        self.position = nn.Parameter(torch.randn(length, width) * 0.02) if args.encoding == "learned" else None
        self.blocks = nn.ModuleList(Block(width, heads, layers) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, 0, 0.02)
        mask = torch.full((length, length), float("-inf")).triu_(1)[None]
        if args.encoding == "alibi":
            slopes = torch.tensor([2.0 ** (-8 * (h + 1) / heads) for h in range(heads)])
            i = torch.arange(length).float()
            mask = mask - slopes[:, None, None] * (i[:, None] - i[None, :]).abs()
        self.register_buffer("mask", mask)

    def forward(self, tokens):
        batch, length = tokens.shape
        x = self.token(tokens)
        if self.position is not None:
            x = x + self.position[:length]
        bias = self.mask[:, :length, :length]
        if bias.size(0) > 1:
            bias = bias.expand(batch, *bias.shape).reshape(-1, length, length)
        for block in self.blocks:
            x = block(x, bias)
        return self.head(self.norm(x))


layers, width, heads, length, batch, vocabulary = SIZES[args.size]
length, batch = args.length or length, args.batch or batch
model = Model(layers, width, heads, length, vocabulary)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1, foreach=True)
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
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=args.bf16):
        logits = forward(tokens).float()
        loss = F.cross_entropy(logits.reshape(-1, vocabulary), targets.reshape(-1), ignore_index=-100)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return count


for i in range(5):
    step(i)
times, tokens, end = [], 0, time.perf_counter() + args.seconds
while time.perf_counter() < end or len(times) < 5:
    begin = time.perf_counter()
    tokens += step(len(times))
    times.append(time.perf_counter() - begin)
print(json.dumps({
    "impl": "torch-" + torch.__version__, "engine": args.engine, "size": args.size, "enc": args.encoding, "threads": args.threads,
    "steps": len(times), "step_ms": round(1e3 * statistics.median(times), 4), "step_ms_min": round(1e3 * min(times), 4),
    "tokens_per_s": round(tokens / sum(times), 1),
    "peak_rss_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)}))
