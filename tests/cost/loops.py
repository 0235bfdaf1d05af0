#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What an edit costs: touches a file, builds its test and runs it, and prints CPU seconds beside what is aimed at.

    loops.py               all loops, in build/g++-release-each, one compiler at a time; what they need is built first
    loops.py plan/buffers  those whose file has this in its name

CXX and BUILD_TYPE choose the build, as for tests/run.
"""

import os
import resource
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
Loop = namedtuple("Loop", "what file tests seconds")
LOOPS = (
    Loop("a pass of the graph", "include/sluice/graph/shape.hpp", "^graph[.]shape$", 5),
    Loop("a page of the graph", "include/sluice/graph/print/notation.hpp", "^graph[.]notation$", 5),
    Loop("a pass of the planner", "include/sluice/plan/buffers.hpp", "^plan[.]buffers$", 5),
    Loop("a page of the planner", "include/sluice/plan/make_plan.hpp", "^plan[.]make_plan$", 5),
    Loop("a test file of a pass", "tests/plan/buffers.cpp", "^plan[.]buffers$", 5),
    Loop("a kernel", "backends/xtensor/include/sluice/xtensor/tiles.hpp", "^xtensor[.]tiles$", 20),
    Loop("a page", "include/sluice/cells/lem.hpp", "^catalogue[.]lem$", 20),
    Loop("a header of sequence", "include/sluice/sequence/stream.hpp", "^sequence[.]stream$", 40),
    Loop("a header of train", "include/sluice/train/adam.hpp", "^train[.]adam$", 40),
    Loop("a loss", "include/sluice/train/softmax_cross_entropy.hpp", "^train[.]softmax_cross_entropy$", 40),
    Loop("what optimisers share", "include/sluice/train/optimizer.hpp", "^train[.]optimizer$", 40),
    Loop("a file format", "include/sluice/checkpoint/formats/npz.hpp", "^checkpoint[.]npz$", 10),
    Loop("a part of a file format", "include/sluice/checkpoint/formats/hdf5/dataset.hpp", "^checkpoint[.]dataset$", 10),
    Loop("a header of checkpoint", "include/sluice/checkpoint/header.hpp", "^checkpoint[.]header$", 10),
    Loop("a convention of weights", "include/sluice/layout/frameworks/keras_weights.hpp", "^layout[.]keras_weights$", 10),
    Loop("a header of layout", "include/sluice/layout/find.hpp", "^layout[.]find$", 10),
    Loop("what includes all conventions", "include/sluice/layout/recognise.hpp", "^layout[.]recognise$", 10),
    Loop("a header that writes weights", "include/sluice/layout/write.hpp", "^layout[.]write$", 10),
)


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_tests(pattern):
    command = [str(ROOT / "tests/run"), "-R", pattern]
    done = subprocess.run(command, env=os.environ | {"JOBS": "1"}, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")


def main(chosen):
    loops = [loop for loop in LOOPS if not chosen or any(word in loop.file for word in chosen)]
    if not loops:
        sys.exit(f"No loop edits a file with {' or '.join(chosen)} in its name; the files are\n" + "\n".join(loop.file for loop in LOOPS))
    print("| edited | file | CPU s | aimed at |\n| --- | --- | --- | --- |")
    for loop in loops:
        run_tests(loop.tests)  # what it needs is built
        before = cpu_seconds()
        (ROOT / loop.file).touch()
        run_tests(loop.tests)
        print(f"| {loop.what} | `{loop.file}` | {cpu_seconds() - before:.1f} | {loop.seconds} |", flush=True)


if __name__ == "__main__":
    if any(word.startswith("-") for word in sys.argv[1:]):
        sys.exit(__doc__)
    main(sys.argv[1:])
