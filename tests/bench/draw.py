#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws the table of bench_cells: python3 draw.py FILE.csv PICTURE.png

A panel for each group of works, a point for each peer: its time over ours, on a logarithmic axis with a line at 1. To the
right of it this library is faster.
"""

import math
import sys

import results

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plot
except Exception as error:  # one that does not fit the other packages raises what it likes
    print(f"No picture is drawn: {error} (pip install matplotlib).")
    sys.exit(0)

COLOURS = {
    "oneDNN": "tab:blue",
    "dnnl_sgemm": "tab:cyan",
    "ONNX": "tab:green",
    "PyTorch": "tab:red",
    "torch eager": "tab:pink",
    "torch.compile": "tab:purple",
    "Eigen": "tab:orange",
    "xsimd": "tab:brown",
    "cuDNN's GRU": "tab:gray",
    "sluice": "black",
}
MARKS = "os^Dv*"


def colour(library):
    return next((value for key, value in COLOURS.items() if library.startswith(key)), "tab:olive")


def group_of(work):
    """The words before the colon; sequences at batch 1 to 4 apart from the larger ones."""
    group = work.split(":")[0]
    if group == "sequence":
        return "sequence, batch 1 to 4" if work.endswith(("batch 1", "batch 2", "batch 4")) else "sequence, batched"
    return group


def grouped(rows):
    """The points of each work of each group, and the peers in the order in which they come."""
    groups, libraries = {}, []
    for row in rows:
        if row["library"] in ("sluice", "sluice, fixed sizes", "sluice, two threads"):
            continue
        if not row["time over that of sluice"] > 0:  # a logarithm is to be taken of it
            continue
        works = groups.setdefault(group_of(row["work"]), {})
        works.setdefault(row["work"].split(": ", 1)[-1], []).append((row["library"], row["time over that of sluice"]))
        if row["library"] not in libraries:
            libraries.append(row["library"])
    return groups, libraries


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = sys.argv[1:]
    groups, libraries = grouped(results.read(source))
    if not libraries:
        print(f"No picture is drawn: {source} has no peer's time.")
        return
    heights = [len(works) + 1.5 for works in groups.values()]
    columns = 2
    places = [[], []]
    filled = [0, 0]
    for (group, works), height in sorted(zip(groups.items(), heights), key=lambda pair: -pair[1]):
        column = filled.index(min(filled))
        places[column].append((group, works))
        filled[column] += height + 2
    figure = plot.figure(figsize=(16, 2 + 0.24 * max(filled)), layout="constrained")
    for column, part in zip(places, figure.subfigures(1, columns)):
        if not column:
            continue
        all_axes = part.subplots(
            len(column), 1, squeeze=False, gridspec_kw={"height_ratios": [len(works) + 1.5 for _, works in column]}
        )
        for (group, works), (axes,) in zip(column, all_axes):
            for height, points in enumerate(works.values()):
                for library, ratio in points:
                    mark = MARKS[libraries.index(library) % len(MARKS)]
                    axes.plot(ratio, height, mark, color=colour(library), markersize=5)
            axes.axvline(1, color="black", linewidth=0.8)
            axes.set_xscale("log", base=2)
            low, high = (math.floor(math.log2(limit)) for limit in axes.get_xlim())
            ticks = [2.0**power for power in range(low, high + 2)]
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.set_yticks(range(len(works)), list(works), fontsize=7)
            axes.set_ylim(len(works) - 0.5, -0.5)
            axes.grid(axis="x", linewidth=0.3)
            axes.set_title(group, fontsize=9, loc="left")
    handles = [
        plot.Line2D([], [], marker=MARKS[i % len(MARKS)], linestyle="", color=colour(library), label=library)
        for i, library in enumerate(libraries)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=8)
    figure.suptitle("Time of a peer over ours: to the right of 1 this library is faster", fontsize=11)
    figure.savefig(target, dpi=110)
    print(f"Drawn: {target}")


if __name__ == "__main__":
    main()
