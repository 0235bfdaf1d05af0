#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What compiling costs: seconds, memory, object size and, where the compiler counts them, instantiations.

    measure.py [--rounds N] [COMPILER ...]      g++ and clang++, three rounds, without arguments

Five programs, each a file beside this one: (a) xtensor and xlinalg included, (b) the umbrella, (c) a cell that steps,
(d) and runs sequences, (e) and learns. They are compiled in turns, at -O2; of the rounds the median of user and system
seconds counts, and x is the ratio to (a).
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = sorted(HERE.glob("?_*.cpp"))
FLAGS = ["-std=c++20", "-O2", "-march=native", "-DNDEBUG", "-DHAVE_CBLAS=1", "-c"]
FLAGS += [f"-I{ROOT / 'include'}", f"-I{ROOT / 'backends/xtensor/include'}"]


def compile_once(compiler, program, target):
    """Seconds of the processor, and MB at the most."""
    child = subprocess.Popen([compiler, *FLAGS, str(program), "-o", str(target)])
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{program.name} does not compile with {compiler}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def instantiations(compiler, program, folder):
    """clang writes down each template that it instantiates for long enough; g++ counts none."""
    if "clang" not in compiler:
        return None
    target = Path(folder, "traced.o")
    command = [compiler, *FLAGS, "-ftime-trace", "-ftime-trace-granularity=0", str(program), "-o", str(target)]
    subprocess.run(command, check=True)
    events = json.loads(target.with_suffix(".json").read_text())["traceEvents"]
    return sum(event["name"] in ("InstantiateClass", "InstantiateFunction") for event in events)


def measure(compiler, rounds):
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "program.o")
        seconds = {program: [] for program in PROGRAMS}
        for _ in range(rounds):
            for program in PROGRAMS:
                found, megabytes = compile_once(compiler, program, target)
                seconds[program].append((found, megabytes, target.stat().st_size / 1024))
        print(f"{compiler:<12}{'s':>8}{'x':>7}{'MB':>7}{'KB':>8}{'instantiations':>16}")
        base = statistics.median(found[0] for found in seconds[PROGRAMS[0]])
        for program in PROGRAMS:
            median = [statistics.median(column) for column in zip(*seconds[program])]
            count = instantiations(compiler, program, folder)
            print(f"{program.stem:<12}{median[0]:8.1f}{median[0] / base:7.2f}{median[1]:7.0f}{median[2]:8.0f}"
                  f"{'' if count is None else count:>16}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("compilers", nargs="*", default=["g++", "clang++"])
    arguments = parser.parse_args()
    for compiler in arguments.compilers:
        measure(compiler, arguments.rounds)


if __name__ == "__main__":
    main()
