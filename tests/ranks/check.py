#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Whether examples/ranks prints and saves the same for any number of ranks, and learns.

    check.py PROGRAM [MPIRUN]     with MPIRUN also as processes
    check.py --self-test          shows that a difference is found
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# What Open MPI wants to hear from root, and on a machine with fewer cores than ranks.
FREELY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def faults(results):
    """Of results by name: what a program printed, and the file that it saved."""
    first, (expected, saved) = next(iter(results.items()))
    losses = [float(number) for number in re.findall(r"loss (\S+)", expected)]
    if len(losses) < 4 or not losses[-1] < 0.05 * losses[0]:
        yield f"{first} does not learn: {expected}"
    for name, (printed, file) in results.items():
        if printed != expected:
            yield f"{name} prints\n{printed}and {first}\n{expected}"
        if file != saved or not file:
            yield f"{name} saves another file than {first}"


def run(command, file):
    done = subprocess.run([*map(str, command), str(file)], capture_output=True, text=True, env=os.environ | FREELY)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout, file.read_bytes()


def main(program, mpirun=None):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "net.safetensors")
        results = {f"{ranks} ranks": run([program, ranks], file) for ranks in (1, 2, 3)}
        if mpirun:
            results |= {f"{ranks} processes": run([mpirun, "-np", ranks, program], file) for ranks in (2, 3)}
    found = list(faults(results))
    print("\n".join(found) or f"{', '.join(results)}: the same to the last digit.")
    return 1 if found else 0


def self_test():
    good = "step 0: loss 1\nstep 1: loss 0.5\nstep 2: loss 0.1\nstep 3: loss 0.01\n"
    assert not list(faults({"a": (good, b"1"), "b": (good, b"1")}))
    assert len(list(faults({"a": (good, b"1"), "b": (good.replace("0.5", "0.6"), b"2")}))) == 2
    assert len(list(faults({"a": (good.replace("0.01", "0.2"), b"1")}))) == 1
    assert len(list(faults({"a": (good, b"")}))) == 1
    print("Differences are found.")
    return 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else main(*sys.argv[1:]) if len(sys.argv) in (2, 3) else __doc__)
