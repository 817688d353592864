"""Run files for tests, in the schema that the program writes. The figures follow simple formulas; no model was trained."""

import math
import sys
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS))

TEXT_LENGTHS = [64, 96, 128, 256, 512, 1024]


def scaled(group: h5py.Group, name: str, values, dimensions: tuple[str, ...] = ()) -> None:
    """A variable with a scale on every axis, or (without dimensions) the scale itself."""
    data = group.create_dataset(name, data=np.asarray(values))
    if not dimensions:
        data.make_scale(name)
    for axis, dimension in enumerate(dimensions):
        data.dims[axis].attach_scale(group[dimension])


def write_run(path: Path, *, task="text", encoding="rope", seed=0, trained=64, lengths=tuple(TEXT_LENGTHS), steps=(600, 1200),
              slope=0.1, untrained_from=math.inf, shared_up_to=0, protocol=None, status="complete", extra="", axis=None,
              scored=16) -> Path:
    """A run whose loss rises by `slope` nats a doubling of the length beyond the trained one. Returns the path.

    `axis`: (option, values), a second axis; each further value costs 0.1 of the exact match. `scored`: tokens of an example, of
    each length or of all. `shared_up_to`: the longest length with inputs that training draws, too.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    protocol = protocol or ("last_16" if task == "text" else "teacher_forced")
    lengths, steps = np.asarray(lengths, np.int64), np.asarray(steps, np.int64)
    beyond = np.maximum(0, np.log2(lengths / trained))
    loss = (1.4 + 0.01 * seed + slope * beyond) * np.linspace(1.2, 1.0, max(len(steps), 1))[:len(steps), None]
    right = np.clip(1.0 - slope * beyond - 0.02 * seed, 0, 1) * np.ones((len(steps), 1))
    with h5py.File(path, "w", track_order=True) as file:
        file.attrs.update({
            "status": status, "status_reason": "" if status == "complete" else "the loss is not finite", "schema_version": 1,
            "name": path.stem, "seed": seed, "threads": 1, "train_positions": trained, "seconds": 1.5, "parameter_count": 12,
            "config": f"[run]\nname = {path.stem}\nseed = {seed}\n[task]\nname = {task}\n[encoding]\nname = {encoding}\n"
                      f"[train]\nlengths = {trained}\n{extra}"
                      + (f"\n[{task}]\n{axis[0]} = {axis[1][0]}\n[evaluate]\naxis = {axis[0]}: {','.join(map(str, axis[1]))}" if axis else "")})
        train = file.create_group("train")
        scaled(train, "step", np.arange(5))
        for name in ("loss", "token_accuracy", "learning_rate", "gradient_norm"):
            scaled(train, name, np.linspace(2, 1, 5), ("step",))
        evaluation = file.create_group(f"evaluation/{protocol}")
        scaled(evaluation, "step", steps)
        scaled(evaluation, "length", lengths)
        untrained = np.where(lengths >= untrained_from, 0.25, 0.0) * np.ones_like(loss)
        metrics = {"untrained_fraction": untrained, "chance": np.full_like(loss, 0.5), "examples": np.full(loss.shape, 512),
                   "scored_tokens": 512 * np.asarray(scored) * np.ones_like(loss)}
        for name, values, spread in (("loss", loss, 0.02), ("bits_per_token", loss / math.log(2), 0.03),
                                     ("exact_match", right, 0.03), ("token_accuracy", right, 0.01)):
            metrics |= {name: values, f"{name}_low": values - spread, f"{name}_high": values + spread}
        dimensions = ("step", "length")
        if axis:
            scaled(evaluation, axis[0], np.asarray(axis[1]))
            dimensions += (axis[0],)
            metrics = {name: np.repeat(values[..., None], len(axis[1]), axis=2) for name, values in metrics.items()}
            metrics["exact_match"] = metrics["exact_match"] - 0.1 * np.arange(len(axis[1]))
        overlap = np.where(lengths <= shared_up_to, 0.5, 0.0)
        scaled(evaluation, "overlap", np.repeat(overlap[:, None], len(axis[1]), axis=1) if axis else overlap, dimensions[1:])
        for name, values in metrics.items():
            scaled(evaluation, name, values, dimensions)
        model = file.create_group("model")
        scaled(model, "row", np.arange(3))
        scaled(model, "head.weight", np.ones(3, np.float32), ("row",))
    return path


def write_quickstart(folder: Path) -> list[Path]:
    """Five encodings on text, the learned table with rows that training never touched."""
    slopes = {"sinusoidal": 0.5, "rope": 0.35, "t5": 0.05, "alibi": -0.02, "none": 0.2}
    return [write_run(folder / f"text-{name}.h5", encoding=name, slope=slope, untrained_from=512 if name == "t5" else math.inf)
            for name, slope in slopes.items()]
