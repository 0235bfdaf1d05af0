#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The single header: made twice it is the same, and examples/mgu compiles from it alone, and runs.

    single_header.py COMPILER [FOLDER ...]                         with the include folders of xtensor, xsimd and Boost
    single_header.py --compare NUMBER COMPILER [FOLDER ...]        also how long the compiler takes: the least of so many times
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
MAKE = TREE / "packages/single_header/make"
# Of g++ and of clang: each passes over what the other calls a warning.
WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Wno-unknown-warning-option -Wno-maybe-uninitialized -Wno-uninitialized".split()
OLD = "#include <sluice/xtensor.hpp>\n"
# A user's page of numbers: what the header has besides.
MORE = """\
// Compiles if the header has the catalogue, the counts and the plans.
#define SLUICE_WITH_CATALOGUE
#include "sluice.hpp"
static_assert(sluice::parameter_count<sluice::gru>({.input = 3, .units = 5}) == 135);
static_assert(sluice::flops<sluice::gru>({.input = 3, .units = 5}) > 0);
auto plan() { return sluice::print_plan<sluice::gru>(); }
"""
SLOWER = 1.05  # times the headers' time, within which two timings are the same


def run(command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def seconds(command):
    """Of the processor, not of the clock."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check_text(folder):
    for name, cwd in (("one", "/"), ("other", folder)):
        run([sys.executable, MAKE, "-o", folder / name / "sluice.hpp"], cwd=cwd, env=os.environ | {"PYTHONHASHSEED": str(len(name))})
    text = (folder / "one/sluice.hpp").read_text(encoding="utf-8")
    if text != (folder / "other/sluice.hpp").read_text(encoding="utf-8"):
        sys.exit("The header is another one when it is made again.")
    lines = text.splitlines()
    licence = (TREE / "LICENSE").read_text(encoding="utf-8").splitlines()[0]
    if lines[0] != "// SPDX-License-Identifier: BSL-1.0" or not lines[1].startswith("// Sluice ") or f"// {licence}" not in lines[:9]:
        sys.exit("The header should begin with its licence and its version, and begins:\n" + "\n".join(lines[:8]))
    return folder / "one"


def check_program(folder, single, compiler, others):
    """The program, whose compiler read no file of the tree."""
    changed = 0
    for path in (TREE / "examples/mgu").glob("*.[ch]pp"):
        text = path.read_text(encoding="utf-8")
        changed += text.count(OLD)
        (folder / path.name).write_text(text.replace(OLD, '#include "sluice.hpp"\n'), encoding="utf-8")
    if changed != 1:
        sys.exit(f"examples/mgu should say {OLD.strip()} once, and says it {changed} times.")
    run([compiler, "-std=c++20", "-O0", *WARNINGS, f"-I{single}", *others, folder / "main.cpp", "-o", folder / "mgu",
         "-MD", "-MF", folder / "read"])
    read = (folder / "read").read_text().replace("\\\n", " ").split()
    if ours := [path for path in read if "/sluice/" in path] or str(single / "sluice.hpp") not in read:
        sys.exit(f"The program should read {single}/sluice.hpp of the library alone, and read {ours}.")
    run([sys.executable, TREE / "tests/mgu/check.py", folder / "mgu"])
    (folder / "more.cpp").write_text(MORE)
    run([compiler, "-std=c++20", "-fsyntax-only", *WARNINGS, f"-I{single}", *others, folder / "more.cpp"])


def check_refusals(folder, single, compiler, others):
    for flags, words in ((["-std=c++17"], "C++20 is needed"), (["-std=c++20", "-DSLUICE_RUNTIME=extern"], "compiles all that it needs"),
                         (["-std=c++20", "-DSLUICE_VERSION_MAJOR=0"], "comes after another header")):
        (folder / "refused.cpp").write_text('#include "sluice.hpp"\n')
        done = subprocess.run([compiler, *flags, "-fsyntax-only", f"-I{single}", *others, folder / "refused.cpp"],
                              capture_output=True, text=True)
        if done.returncode == 0 or words not in done.stderr or done.stderr.count("error:") != 1:
            sys.exit(f"With {' '.join(flags)} one error should say: {words}; but it says:\n{done.stderr[:2000]}")


def compare(folder, single, compiler, others, times):
    common = [compiler, "-std=c++20", "-O2", *others, "-c", "-o", folder / "timed.o"]
    ways = {"headers": [*common, f"-I{TREE / 'include'}", f"-I{TREE / 'backends/xtensor/include'}", TREE / "examples/mgu/main.cpp"],
            "single header": [*common, f"-I{single}", folder / "main.cpp"]}
    least = dict.fromkeys(ways, float("inf"))
    for _ in range(times):
        for way, command in ways.items():
            least[way] = min(least[way], seconds(command))
    ratio = least["single header"] / least["headers"]
    print(f"{compiler} -O2, examples/mgu: headers {least['headers']:.2f} s, single header {least['single header']:.2f} s "
          f"of the processor, {ratio:.3f} of the time")
    if ratio > SLOWER:
        sys.exit("The single header is slower to compile than the headers.")


def main(arguments):
    times = 0
    if arguments[:1] == ["--compare"]:
        times, arguments = int(arguments[1]), arguments[2:]
    if not arguments:
        sys.exit(__doc__)
    compiler, *folders = arguments
    # What the compiler searches itself stays at its place.
    others = [word for folder in folders if folder != "/usr/include" for word in ("-isystem", folder)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        single = check_text(folder)
        check_program(folder, single, compiler, others)
        check_refusals(folder, single, compiler, others)
        if times:
            compare(folder, single, compiler, others, times)
    print("The single header compiles alone, and its program is right.")


if __name__ == "__main__":
    main(sys.argv[1:])
