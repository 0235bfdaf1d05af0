# SPDX-License-Identifier: BSL-1.0
"""The file of results that bench_cells and the scripts beside it write."""

import csv
import sys

HEAD = "work;library;microseconds;GFLOP/s;time over that of sluice;difference of the answer"
COLUMNS = HEAD.split(";")


def read(path):
    """Its rows: names, and numbers. Ends the program with a sentence where it is another file."""
    rows = []
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.reader(file, delimiter=";")
            if next(reader, None) != COLUMNS:
                sys.exit(f"{path} does not begin as a file of bench_cells does: {HEAD}")
            for fields in reader:
                if len(fields) != len(COLUMNS):
                    raise ValueError(f"it has {len(fields)} fields instead of {len(COLUMNS)}")
                rows.append(dict(zip(COLUMNS, fields[:2] + [float(field) for field in fields[2:]])))
    except OSError as error:
        sys.exit(f"{path} cannot be read: {error.strerror}; tests/bench/run makes it")
    except ValueError as error:
        sys.exit(f"Line {len(rows) + 2} of {path} is not as bench_cells writes it: {error}")
    return rows
