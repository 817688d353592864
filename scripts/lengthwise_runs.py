"""Run files of lengthwise as pandas and xarray objects.

    import lengthwise_runs as runs
    table = runs.load("runs/quickstart")           # a row per run, protocol, step and length
    table["ratio"] = runs.perplexity_ratio(table)
    data = runs.open_run("runs/quickstart/x.h5")   # {"train": xarray.Dataset, "evaluation/last_16": ..., ...}

Files are read whole and closed at once, without locks, so that a run in progress can go on writing.
"""

import glob
import io
import warnings
from pathlib import Path
from typing import Iterable

import config_text
import needs

try:
    import h5py
    import numpy as np
    import pandas as pd
    import xarray as xr
    import h5netcdf  # noqa: F401 - xarray's way into the files
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(needs.line(error), name=error.name) from None

ALWAYS = ("encoding.name", "task.name", "run.seed")  # config keys that every table has
BOOKKEEPING = ("run.name", "run.output", "run.threads", "run.if_exists")  # keys that do not change what a run computes


def find(paths: str | Path | Iterable[str | Path]) -> list[Path]:
    """Run files, sorted: files, globs, and folders (their *.h5). Checkpoints are left out."""
    paths = [paths] if isinstance(paths, (str, Path)) else list(paths)
    found = []
    for path in map(Path, paths):
        if path.is_dir():
            matches = sorted(path.glob("*.h5"))
        elif path.exists():
            matches = [path]
        else:
            matches = sorted(map(Path, glob.glob(str(path), recursive=True)))
        matches = [match for match in matches if not match.name.startswith(".") and not match.name.endswith(".checkpoint.h5")]
        if not matches:
            raise FileNotFoundError(f"{path}: no run file there")
        found += matches
    return list(dict.fromkeys(found))


def attributes(path: str | Path) -> dict:
    """What the run says of itself: status, seed, resolved config, versions, times."""
    try:
        with h5py.File(path, "r", locking=False) as file:
            return dict(file.attrs)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise OSError(f"{path}: not a readable run file: {error}") from None


def config(path: str | Path) -> dict[str, str]:
    """The resolved config, {"section.key": text}."""
    return config_text.parse(attributes(path)["config"])


def open_run(path: str | Path, within: str = "") -> dict[str, xr.Dataset]:
    """Every group of the file that holds arrays, by its path: "train", "evaluation/PROTOCOL", "model", ...

    `within` takes only the groups whose path begins with it.
    """
    content = io.BytesIO(Path(path).read_bytes())  # one version of the file, even while the run replaces it
    groups = []
    with h5py.File(content, "r") as file:
        file.visititems(lambda name, item: groups.append(name) if isinstance(item, h5py.Group) and name.startswith(within)
                        and any(isinstance(child, h5py.Dataset) for child in item.values()) else None)
    return {group: xr.load_dataset(content, engine="h5netcdf", group=group) for group in groups}


def trained_length(settings: dict[str, str]) -> int:
    """The longest length of training, in the task's n."""
    return max(map(int, config_text.expand(settings["train.lengths"])))


def second_axis(settings: dict[str, str]) -> str:
    """The option of the task that the run was evaluated over besides the length; empty without one."""
    return settings.get("evaluate.axis", "").partition(":")[0].strip()


def trained_value(settings: dict[str, str]) -> int:
    """The largest value in training of the second axis' option."""
    axis, (drawn, _, values) = second_axis(settings), settings.get("train.axis", "").partition(":")
    return max(map(int, config_text.expand(values))) if drawn.strip() == axis else int(settings[f"{settings['task.name']}.{axis}"])


def load(paths: str | Path | Iterable[str | Path], keys: Iterable[str] = ()) -> pd.DataFrame:
    """One row per run, protocol, step and length, with all metrics.

    Columns: run, file, status, protocol, step, length, the metrics, trained_length, and the config keys that differ between
    the runs, those of `keys` and those of ALWAYS. With a second axis (evaluate.axis) a row per value too: a column by the
    option's name, and trained_value. Runs that have no evaluation (yet, or
    since they failed) have no row; a warning names them.
    """
    tables, settings = [], {}
    for path in find(paths):
        about = attributes(path)
        if about["status"] != "complete":
            warnings.warn(": ".join(filter(None, [str(path), about["status"], about.get("status_reason")])), stacklevel=2)
        settings[path] = config_text.parse(about["config"])
        for group, data in open_run(path, "evaluation/").items():
            if data.sizes.get("step", 0):
                table = data.to_dataframe().reset_index()
                table.insert(0, "run", about["name"])
                table.insert(1, "file", str(path))
                table.insert(2, "status", about["status"])
                table.insert(3, "protocol", group.removeprefix("evaluation/"))
                table["trained_length"] = trained_length(settings[path])
                if second_axis(settings[path]):
                    table["trained_value"] = trained_value(settings[path])
                tables.append(table)
    if not tables:
        raise ValueError("none of the runs has an evaluation yet")
    result = pd.concat(tables, ignore_index=True)
    for key in dict.fromkeys([*ALWAYS, *keys, *differing(settings.values())]):
        result[key] = result["file"].map({str(path): values.get(key) for path, values in settings.items()})
    return result


def differing(settings: Iterable[dict[str, str]]) -> list[str]:
    """Keys with more than one value among the runs that have them, bookkeeping aside."""
    values: dict[str, set] = {}
    for run in settings:
        for key, value in run.items():
            values.setdefault(key, set()).add(value)
    return [key for key, seen in values.items() if len(seen) > 1 and key not in BOOKKEEPING]


def last_step(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of each run's last evaluation."""
    return table[table["step"] == table.groupby(["file", "protocol"])["step"].transform("max")]


def one_protocol(table: pd.DataFrame, protocol: str | None = None) -> pd.DataFrame:
    """The rows of one task and one protocol: figures of different ones cannot be compared. Throws ValueError on a mixture."""
    if protocol is not None:
        table = table[table["protocol"] == protocol]
    for column in ("task.name", "protocol"):
        found = sorted(table[column].unique())
        if len(found) != 1:
            raise ValueError(f"{column} is {', '.join(found) or 'none of those asked for'}; figures of different ones cannot "
                             "be compared: choose one")
    return table


def perplexity_ratio(table: pd.DataFrame) -> pd.Series:
    """Perplexity at each length over perplexity at the training length, run by run; aligned with the table's rows."""
    at_training = table[table["length"] == table["trained_length"]].set_index(["file", "protocol", "step"])["loss"]
    rows = pd.MultiIndex.from_frame(table[["file", "protocol", "step"]])
    base = at_training.reindex(rows).to_numpy()
    if np.isnan(base).any():
        lost = table.loc[np.isnan(base), ["file", "trained_length"]].iloc[0]
        raise ValueError(f"{lost['file']}: not evaluated at its training length {lost['trained_length']}: add it to evaluate.lengths")
    return pd.Series(np.exp(table["loss"].to_numpy() - base), index=table.index, name="perplexity_ratio")
