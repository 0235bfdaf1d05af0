#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Characters a second of char_lm and of an earlier build of it: python3 char_lm.py PROGRAM BEFORE [--quick] [--csv FILE]

Both learn the same text with the defaults, in turns, without validations between and a sample behind; what a short run
takes is taken off a longer one's time, so that reading the text and writing the checkpoint do not count.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import progress
import results


def seconds(program, characters, folder):
    checkpoint = pathlib.Path(folder) / "char_lm.safetensors"
    for old in pathlib.Path(folder).iterdir():
        old.unlink()
    start = time.perf_counter()
    words = [program, "--characters", str(characters), "--checkpoint", str(checkpoint)]
    words += ["--validate-every", "1000000000", "--sample", "0"]
    try:
        done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    except OSError as error:
        sys.exit(f"char_lm is not measured: {program} cannot be started: {error.strerror}")
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        sys.exit(f"char_lm is not measured: {program} ended with the exit code {done.returncode}: {last}")
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description="Characters a second of two builds of char_lm.")
    parser.add_argument("program")
    parser.add_argument("before")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--csv")
    options = parser.parse_args()
    few, many = (20_000, 120_000) if options.quick else (50_000, 450_000)
    rates = {"sluice": [], "before": []}
    rounds = 1 if options.quick else 5
    with tempfile.TemporaryDirectory() as folder, progress.Progress("bench", 2 * rounds) as bar:
        for round in range(rounds):
            for i, (called, program) in enumerate((("sluice", options.program), ("before", options.before))):
                bar.show(2 * round + i, f"char_lm: {called}")
                taken = seconds(program, many, folder) - seconds(program, few, folder)
                if taken <= 0:
                    sys.exit(f"char_lm is not measured: {program} takes no longer for {many} characters than for {few}")
                rates[called].append((many - few) / taken)
    found = {called: statistics.median(values) for called, values in rates.items()}
    print(f"char_lm: {found['sluice']:.0f} characters a second, before {found['before']:.0f}: "
          f"{found['sluice'] / found['before']:.2f}")
    if options.csv:
        with open(options.csv, "w", encoding="utf-8") as file:
            file.write(results.HEAD + "\n")
            for called, rate in found.items():
                file.write(f"training: char_lm, a character;{called};{1e6 / rate};0;{found['sluice'] / rate};0\n")


if __name__ == "__main__":
    main()
