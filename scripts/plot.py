#!/usr/bin/env python3
"""Draws a metric against the length for any number of runs, and prints the same figures as a table.

    scripts/plot.py runs/quickstart -o runs/quickstart/quickstart.png

One colour per encoding (per combination, where runs differ in more). One seed: the line with its 95 % interval. Several
seeds: a thin line each and their median. A hollow point (* in tables) read parts of a table that training never touched,
so it says nothing about the encoding; at a square (°) training draws some of the evaluated inputs, too. Runs of different
tasks or protocols are refused: their figures cannot be compared. Runs evaluated over a second axis with several values
become heat-maps of lengths × values, one a combination, the best one first.
"""

import argparse
import sys
import warnings
from pathlib import Path

try:
    import matplotlib.pyplot as plt
    import numpy as np
    import pandas as pd
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle

    import lengthwise_runs as runs
except ModuleNotFoundError as error:
    import needs
    sys.exit(needs.line(error))

# Okabe and Ito's colours, which colour-blind readers can tell apart (their yellow is too pale for lines), then some more.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C564B", "#7F7F7F", "#BCBD22"]
GREY = "#666666"
TITLES = {"bits_per_token": "bits per byte", "exact_match": "exact match", "token_accuracy": "token accuracy",
          "loss": "loss in nats per scored token", "perplexity_ratio": "perplexity ÷ perplexity at the training length"}
HIGHER_IS_BETTER = ("exact_match", "token_accuracy")


def read(paths, protocol: str | None = None) -> pd.DataFrame:
    """The last evaluation of every run, with the columns perplexity_ratio, panel (what the run is called in the picture) and
    variant (the same with the value of the second axis, where there is one)."""
    table = runs.last_step(runs.one_protocol(runs.load(paths, ["evaluate.axis"]), protocol)).copy()
    axis = second_axis(table)
    if is_text(table):
        table["perplexity_ratio"] = runs.perplexity_ratio(table)
    differing = [key for key in table.columns if "." in key and key not in ("encoding.name", "run.seed") and table[key].nunique() > 1]
    table["panel"] = [" ".join([row["encoding.name"], *(f"{key}={row[key]}" for key in differing if pd.notna(row[key]))])
                      for _, row in table.iterrows()]
    table["variant"] = table["panel"] + (f" {axis}=" + table[axis].astype(str) if axis else "")
    return table


def second_axis(table: pd.DataFrame) -> str:
    """The option that these runs were evaluated over besides the length; empty without one. Throws ValueError on a mixture."""
    axes = {runs.second_axis({"evaluate.axis": text}) for text in table["evaluate.axis"].fillna("")}
    if len(axes) != 1:
        raise ValueError(f"these runs have different second axes ({', '.join(sorted(axes)).strip(', ')}): choose runs of one")
    return axes.pop()


def is_text(table: pd.DataFrame) -> bool:
    return table["task.name"].iat[0] == "text"


def default_metrics(table: pd.DataFrame) -> list[str]:
    """What the picture shows, then what the table adds."""
    return ["bits_per_token", "perplexity_ratio"] if is_text(table) else ["exact_match", "token_accuracy"]


def conditions(table: pd.DataFrame) -> str:
    """Without which a figure means nothing: task, protocol, training length."""
    trained = ", ".join(map(str, sorted(table["trained_length"].unique())))
    if (axis := second_axis(table)) and table["trained_value"].max() > 0:  # 0: the task chooses by the length
        trained += f" and {axis} " + ", ".join(map(str, sorted(table["trained_value"].unique())))
    mixed = is_text(table) and table.groupby("file")["scored_tokens"].nunique().max() > 1
    return (f"{table['task.name'].iat[0]}, protocol {table['protocol'].iat[0]}, trained up to length {trained}"
            + (", other tokens scored at each length" if mixed else ""))


def best_panels(table: pd.DataFrame, metric: str) -> list[str]:
    """The panels of a second axis by the mean of their cells, the best one first; those with cells left out come last."""
    ranks = table.groupby("panel")[metric].agg(missing=lambda cells: cells.isna().any(), mean="mean")
    return list(ranks.sort_values(["missing", "mean"], ascending=[True, metric not in HIGHER_IS_BETTER], kind="stable").index)


def medians(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Variants × lengths: the median over the seeds, the best at the longest length first; with a second axis panel by panel,
    the best one first, and its values ascending."""
    if metric not in table:
        raise ValueError(f"no metric '{metric}' in these runs; there are {', '.join(table.select_dtypes('number').columns)}")
    result = table.pivot_table(index="variant", columns="length", values=metric, aggfunc="median", dropna=False)
    if axis := second_axis(table):
        rank = {panel: place for place, panel in enumerate(best_panels(table, metric))}
        order = {row["variant"]: (rank[row["panel"]], row[axis]) for _, row in table.iterrows()}
        return result.loc[sorted(result.index, key=order.get)]
    return result.sort_values(result.columns[-1], ascending=metric not in HIGHER_IS_BETTER)


# What is to be known of a cell: a column of the run files that is above 0, its mark in tables, and what that means.
MARKS = {"untrained_fraction": ("*", "read parameters that training never touched: says nothing about the encoding"),
         "overlap": ("°", "training draws some of these inputs, too: learned by heart there")}


def flagged(table: pd.DataFrame, column: str, rows: str, like: pd.DataFrame) -> pd.DataFrame:
    """`rows` × lengths, as `like` has them: whether any seed has a value above 0 in the column of MARKS."""
    if column not in table:  # files of earlier versions
        return like.notna() & False
    return table.groupby([rows, "length"])[column].max().unstack().reindex_like(like) > 0


def tabulate(table: pd.DataFrame, metric: str) -> str:
    values = medians(table, metric)
    flags = {mark: flagged(table, column, "variant", values) for column, (mark, _) in MARKS.items()}
    width = max(1, sum(flag.to_numpy().any() for flag in flags.values()))
    seeds = table.groupby("variant")["file"].nunique()

    def cell(variant: str, length: int) -> str:
        value = values.at[variant, length]
        text = "-" if np.isnan(value) else f"{value:.3f}" if abs(value) < 1000 else f"{value:.3g}"
        return text + "".join(mark for mark, flag in flags.items() if flag.at[variant, length]).ljust(width)

    rows = [["length", *(f"{length}" + " " * width for length in values.columns)],
            *([f"{variant} ({seeds[variant]} seeds)" if seeds[variant] > 1 else variant,
               *(cell(variant, length) for length in values.columns)] for variant in values.index)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = [row[0].ljust(widths[0]) + "".join(text.rjust(width + 2) for text, width in zip(row[1:], widths[1:])) for row in rows]
    heading = f"{TITLES.get(metric, metric)}{', median over seeds' if seeds.max() > 1 else ''} ({conditions(table)})"
    notes = [f"{mark} {meaning}" for mark, meaning in MARKS.values() if flags[mark].to_numpy().any()]
    return "\n".join([heading, *(line.rstrip() for line in lines), *notes])


def colours(table: pd.DataFrame) -> dict[str, str]:
    """The colour of each variant."""
    return {variant: COLOURS[i % len(COLOURS)] for i, variant in enumerate(sorted(table["variant"].unique()))}


def draw(table: pd.DataFrame, metric: str, axes: plt.Axes, logy: bool = False) -> None:
    values = medians(table, metric)
    marked = flagged(table, "untrained_fraction", "variant", values)
    shared = flagged(table, "overlap", "variant", values)
    lengths = values.columns.to_numpy()
    handles, several_seeds, bands = [], False, False

    # The legend in the order in which the lines end.
    for variant in values.iloc[:, -1].sort_values(ascending=False, na_position="last").index:
        rows, colour = table[table["variant"] == variant], colours(table)[variant]
        files = rows["file"].unique()
        if len(files) > 1:
            several_seeds = True
            for _, seed in rows.groupby("file"):
                seed = seed.sort_values("length")
                axes.plot(seed["length"], seed[metric], color=colour, linewidth=0.8, alpha=0.45)
        elif f"{metric}_low" in rows:
            bands = True
            rows = rows.sort_values("length")
            axes.fill_between(rows["length"], rows[f"{metric}_low"], rows[f"{metric}_high"], color=colour, alpha=0.16, linewidth=0)
        line = values.loc[variant].dropna()
        axes.plot(line.index, line, color=colour, linewidth=2)
        for hollow in (False, True):
            for square in (False, True):
                points = line[(marked.loc[variant, line.index] == hollow) & (shared.loc[variant, line.index] == square)]
                axes.plot(points.index, points, "s" if square else "o", color=colour, markersize=5.5, markeredgewidth=1.4,
                          markerfacecolor="white" if hollow else colour, zorder=3)
        handles.append(Line2D([], [], color=colour, linewidth=2, marker="o", markersize=5.5, label=variant))

    for length in sorted(table["trained_length"].unique()):
        axes.axvline(length, color=GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    if metric == "token_accuracy" and "chance" in table:
        chance = table.groupby("length")["chance"].max()
        axes.plot(chance.index, chance, color=GREY, linewidth=1, linestyle=":")
        handles.append(Line2D([], [], color=GREY, linewidth=1, linestyle=":", label="chance"))
    handles.append(Line2D([], [], color=GREY, linewidth=1, linestyle=(0, (4, 3)), label="longest trained length"))
    if bands:
        handles.append(Patch(facecolor=GREY, alpha=0.25, label="95 % interval"))
    if several_seeds:
        handles.append(Line2D([], [], color=GREY, linewidth=0.8, label="one seed (thick: median)"))
    if marked.to_numpy().any():
        handles.append(Line2D([], [], color=GREY, marker="o", markersize=5.5, linewidth=0, markerfacecolor="white",
                              label="hollow: reads parameters\nthat were never trained"))
    if shared.to_numpy().any():
        handles.append(Line2D([], [], color=GREY, marker="s", markersize=5.5, linewidth=0,
                              label="square: training draws some\nof these inputs, too"))

    gaps = np.diff(lengths)
    if len(gaps) and gaps.max() > 4 * gaps.min():  # doublings rather than steps
        axes.set_xscale("log", base=2)
    if len(lengths) <= 12:
        axes.set_xticks(lengths, [str(length) for length in lengths])
        axes.minorticks_off()
    if logy:
        axes.set_yscale("log")
    elif metric in HIGHER_IS_BETTER:
        axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel("length")
    axes.set_ylabel(f"{TITLES.get(metric, metric)} ({'higher' if metric in HIGHER_IS_BETTER else 'lower'} is better)")
    axes.set_title(conditions(table), loc="left", fontsize=10, color=GREY)
    axes.grid(axis="y", color="#E5E5E5", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(handles=handles, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, labelspacing=0.7)


def draw_maps(table: pd.DataFrame, metric: str, figure: plt.Figure) -> None:
    """A heat-map of lengths × values of the second axis for each panel, the median over its seeds, with the marks of MARKS. What
    was trained is framed."""
    axis, panels, seen, framed = second_axis(table), best_panels(table, metric), set(), False
    grids = {panel: rows.pivot_table(index=axis, columns="length", values=metric, aggfunc="median", dropna=False)
             for panel, rows in table.groupby("panel")}
    bounded = metric in HIGHER_IS_BETTER
    low, high = (0, 1) if bounded else (min(grid.min().min() for grid in grids.values()), max(grid.max().max() for grid in grids.values()))
    all_axes = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    for panel, axes in zip(panels, all_axes):
        grid, rows = grids[panel], table[table["panel"] == panel]
        flags = {mark: flagged(rows, column, axis, grid) for column, (mark, _) in MARKS.items()}
        image = axes.imshow(grid, origin="lower", aspect="auto", vmin=low, vmax=high, cmap="viridis" if bounded else "viridis_r")
        for (y, x), value in np.ndenumerate(grid.to_numpy()):
            if pd.notna(value):
                bright = image.norm(value) > 0.6 if bounded else image.norm(value) < 0.4
                marks = [mark for mark, flag in flags.items() if flag.iat[y, x]]
                seen.update(marks)
                axes.text(x, y, f"{value:.2f}" + "".join(marks), ha="center", va="center", fontsize=8,
                          color="black" if bright else "white")
        # A trained value of 0 leaves the choice to the task: then the lengths alone are known.
        value = rows["trained_value"].max() or np.inf
        trained = ((grid.columns <= rows["trained_length"].max()).sum(), (grid.index <= value).sum())
        if min(trained):
            framed = True
            axes.add_patch(Rectangle((-0.5, -0.5), *trained, fill=False, edgecolor="#D55E00", linewidth=2.5))
        axes.set_xticks(range(len(grid.columns)), grid.columns)
        axes.set_yticks(range(len(grid.index)), grid.index)
        axes.set_xlabel("length")
        axes.set_title(panel, fontsize=10)
    all_axes[0].set_ylabel(axis)
    figure.colorbar(image, ax=list(all_axes), label=TITLES.get(metric, metric) + (" (framed: up to what was trained)" if framed else ""))
    notes = [f"{mark} {meaning}" for mark, meaning in MARKS.values() if mark in seen]
    figure.text(0.125, -0.02, "\n".join(notes), fontsize=8, color=GREY, va="top")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("runs", nargs="+", type=Path, help="run files, or folders of them")
    parser.add_argument("-o", "--output", type=Path, help="the picture, .png, .svg or .pdf; without it only the table is printed")
    parser.add_argument("--metric", help="a variable of /evaluation, or perplexity_ratio (bits_per_token for text, else exact_match)")
    parser.add_argument("--protocol", help="which protocol, when the runs have several")
    parser.add_argument("--logy", action="store_true", help="logarithmic vertical axis")
    args = parser.parse_args()
    warnings.showwarning = lambda message, *_: print(f"plot.py: {message}", file=sys.stderr)
    try:
        table = read(args.runs, args.protocol)
        metrics = [args.metric] if args.metric else default_metrics(table)
        print("\n\n".join(tabulate(table, metric) for metric in metrics))
        if args.output:
            axis = second_axis(table)
            if axis and table[axis].nunique() > 1:
                draw_maps(table, metrics[0], plt.figure(figsize=(2 + 4.5 * table["panel"].nunique(), 4.8)))
            else:
                draw(table, metrics[0], plt.subplots(figsize=(9, 4.8))[1], args.logy)
            args.output.parent.mkdir(parents=True, exist_ok=True)
            plt.savefig(args.output, dpi=160, bbox_inches="tight")
    except (OSError, ValueError) as error:
        sys.exit(f"plot.py: {error}")


if __name__ == "__main__":
    main()
