#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The README's table of performance out of what tests/bench/run wrote.

    table.py build/bench.csv
"""

import sys
from collections import defaultdict

import results

ROWS = [
    ("step of constant sizes, GRU 16", "fixed step: GRU 16, batch 1"),
    ("GRU 32", "fixed step: GRU 32, batch 1"),
    ("GRU 64", "fixed step: GRU 64, batch 1"),
    ("step, GRU 128", "step: GRU 128, batch 1"),
    ("GRU 256", "step: GRU 256, batch 1"),
    ("GRU 512", "step: GRU 512, batch 1"),
    ("LSTM 256", "step: LSTM 256, batch 1"),
    ("100 steps, GRU 128, batch 1", "sequence: GRU 128, T 100, batch 1"),
    ("LSTM 512, batch 1", "sequence: LSTM 512, T 100, batch 1"),
    ("GRU 256, batch 16", "sequence: GRU 256, T 100, batch 16"),
    ("LSTM 256, batch 16", "sequence: LSTM 256, T 100, batch 16"),
    ("GRU 512, batch 64", "sequence: GRU 512, T 100, batch 64"),
    ("LSTM 512, batch 64", "sequence: LSTM 512, T 100, batch 64"),
    ("G-LSTM 512 of 4 groups, batch 16", "sequence: G-LSTM 512, 4 groups, T 100, batch 16"),
    ("training, 50 steps, GRU 256, batch 32", "training: GRU 256, T 50, batch 32"),
    ("LSTM 256, batch 32", "training: LSTM 256, T 50, batch 32"),
    ("GRU 256, batch 1", "training: GRU 256, T 50, batch 1"),
    ("LSTM 256, batch 1", "training: LSTM 256, T 50, batch 1"),
    ("LSTM 512 with projection, batch 32", "training: LSTM 512/256, T 50, batch 32"),
]


def in_words(microseconds):
    """Three digits, and two of what is below a microsecond."""
    if microseconds < 1:
        return f"{microseconds:.2f} us"
    number, unit = (microseconds, "us") if microseconds < 1000 else (microseconds / 1000, "ms")
    return f"{number:.{2 if number < 10 else 1}f} {unit}"


def main(path):
    times = defaultdict(dict)
    for row in results.read(path):
        times[row["work"]][row["library"]] = row["microseconds"]
    print("| work | Sluice | best of the others | its time over Sluice's |\n| --- | --- | --- | --- |")
    for called, work in ROWS:
        ours = min((time for library, time in times[work].items() if library.startswith("sluice")), default=None)
        others = {library: time for library, time in times[work].items() if not library.startswith("sluice")}
        if ours is None or not others:
            mine = "not measured" if ours is None else in_words(ours)
            print(f"| {called} | {mine} | not measured | |")
            continue
        best = min(others, key=others.get)
        print(f"| {called} | {in_words(ours)} | {best}, {in_words(others[best])} | {others[best] / ours:.2f} |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
