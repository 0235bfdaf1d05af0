#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What compiling costs: seconds, memory, object size and, where the compiler counts them, instantiations.

    measure.py [--rounds N] [COMPILER ...]      g++ and clang++, three rounds, without arguments
    measure.py --check COMPILER                 fails where a program instantiates over 10 % more than is written down
    measure.py --write COMPILER                 writes that down, in instantiations.json

Five programs, each a file beside this one: (a) xtensor and xlinalg included, (b) the umbrella, (c) a cell that steps,
(d) and runs sequences, both with the header for running alone, (e) and learns; the last three also as programs that
link sluice::xtensor. Where CUDA's headers lie in /usr/local/cuda, or where CUDA_PATH says, also a cell that learns on
a device, with headers only and as a program that links sluice::cudnn. What follows links the library too, and is not
checked: the last three after <sluice/xtensor.hpp> as a precompiled header, which a project compiles once, and the
largest cells of the catalogue, forward and backward. They are compiled in turns, at -O2; of the rounds the one with
the fewest user and system seconds counts, because other work on the machine only adds to them, and x is the ratio to
(a).
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = [(program.stem, program, []) for program in sorted(HERE.glob("?_*.cpp"))]
PROGRAMS += [(f"{stem}, compiled", program, ["-DSLUICE_RUNTIME=extern"]) for stem, program, _ in PROGRAMS[2:]]
CUDA = Path(os.environ.get("CUDA_PATH", "/usr/local/cuda"), "include")
if (CUDA / "cudnn.h").exists():
    ON_DEVICE = [f"-I{ROOT / 'backends/cudnn/include'}", f"-isystem{CUDA}"]
    PROGRAMS += [("device", HERE / "device.cpp", ON_DEVICE),
                 ("device, compiled", HERE / "device.cpp", [*ON_DEVICE, "-DSLUICE_DEVICE_RUNTIME=extern"])]
PRECOMPILED = [(f"{stem}, precompiled", program, ["-DSLUICE_RUNTIME=extern"]) for stem, program, _ in PROGRAMS[2:5]]
LARGE = [("NAS", "nas", "nas"), ("sLSTM", "slstm", "slstm"), ("Mogrifier", "mogrifier_lstm", "mogrifier_lstm"),
         ("RHN of depth 10", "rhn", "rhn_of_depth<10>")]
LARGE = [(name, HERE / "large_cell.cpp", ["-DSLUICE_RUNTIME=extern", f"-DCOST_HEADER=<sluice/cells/{header}.hpp>", f"-DCOST_PAGE=sluice::{page}"])
         for name, header, page in LARGE]
FOLDERS = [f"-I{ROOT / 'include'}", f"-I{ROOT / 'backends/xtensor/include'}"]
COMMON = ["-std=c++20", "-DHAVE_CBLAS=1", "-c", *FOLDERS]
FLAGS = [*COMMON, "-O2", "-march=native", "-DNDEBUG"]
WRITTEN = HERE / "instantiations.json"
MOST = 1.1


def compile_once(compiler, program, options, target):
    """Seconds of the processor, MB at the most, and KB of the result."""
    steps = ["-fconstexpr-steps=100000000"] if "clang" in compiler else []  # for the largest cells
    child = subprocess.Popen([compiler, *FLAGS, *steps, *options, str(program), "-o", str(target)])
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{program.name} does not compile with {compiler}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, target.stat().st_size / 1024


def instantiations(compiler, program, options, folder):
    """clang writes down each template that it instantiates; g++ does not. For any machine, and unoptimised, which
    changes nothing in them, so that the counts are those of the headers."""
    if "clang" not in compiler:
        return None
    target = Path(folder, "traced.o")
    trace = [*COMMON, "-ftime-trace", "-ftime-trace-granularity=0"]
    subprocess.run([compiler, *trace, *options, str(program), "-o", str(target)], check=True)
    events = json.loads(target.with_suffix(".json").read_text())["traceEvents"]
    return sum(event["name"] in ("InstantiateClass", "InstantiateFunction") for event in events)


def all_instantiations(compiler):
    with tempfile.TemporaryDirectory() as folder:
        return {name: instantiations(compiler, program, options, folder) for name, program, options in PROGRAMS}


def check(compiler):
    written = json.loads(WRITTEN.read_text())
    grown = []
    for name, count in all_instantiations(compiler).items():
        expected = written.get(name)
        print(f"{name:<20}{count:>8} instantiations, {expected} written down")
        if expected is None or count > MOST * expected:
            grown.append(name)
    if grown:
        raise SystemExit(f"these instantiate over {MOST:.0%} of what {WRITTEN.name} says: {'; '.join(grown)}. Look for what "
                         f"they have come to need; if it is worth that, write it down: measure.py --write {compiler}")


def precompile(compiler, folder):
    """What it costs to precompile <sluice/xtensor.hpp>, and the options with which a program is compiled after it."""
    header = Path(folder, "precompiled.hpp")
    header.write_text("#include <sluice/xtensor.hpp>\n")
    result = header.with_suffix(".hpp.pch" if "clang" in compiler else ".hpp.gch")
    cost = compile_once(compiler, header, ["-DSLUICE_RUNTIME=extern", "-x", "c++-header"], result)
    return cost, ["-include-pch", str(result)] if "clang" in compiler else ["-include", str(header)]


def measure(compiler, rounds):
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "program.o")
        cost, after_header = precompile(compiler, folder)
        precompiled = [(name, program, options + after_header) for name, program, options in PRECOMPILED]
        programs = PROGRAMS + precompiled + LARGE
        found = {name: [] for name, _, _ in programs}
        for _ in range(rounds):
            for name, program, options in programs:
                found[name].append(compile_once(compiler, program, options, target))
        base = min(found[PROGRAMS[0][0]])[0]

        def write(name, cost, count=""):
            seconds, megabytes, kilobytes = cost
            print(f"{name:<20}{seconds:8.1f}{seconds / base:7.2f}{megabytes:7.0f}{kilobytes:8.0f}{count:>16}")

        print(f"{compiler:<20}{'s':>8}{'x':>7}{'MB':>7}{'KB':>8}{'instantiations':>16}")
        for name, program, options in programs:
            is_counted = (name, program, options) not in precompiled
            write(name, min(found[name]), is_counted and instantiations(compiler, program, options, folder) or "")
        write("the header itself", cost)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", metavar="COMPILER")
    parser.add_argument("--write", metavar="COMPILER")
    parser.add_argument("compilers", nargs="*", default=["g++", "clang++"])
    arguments = parser.parse_args()
    for compiler in (arguments.check, arguments.write):
        if compiler and "clang" not in compiler:
            raise SystemExit(f"clang++ counts instantiations, and {compiler} does not")
    if arguments.check:
        return check(arguments.check)
    if arguments.write:
        counts = all_instantiations(arguments.write)
        return WRITTEN.write_text(json.dumps(counts, indent=4) + "\n")
    for compiler in arguments.compilers:
        measure(compiler, arguments.rounds)


if __name__ == "__main__":
    main()
