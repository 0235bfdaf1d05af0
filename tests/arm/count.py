# SPDX-License-Identifier: BSL-1.0
"""Prints how many instructions a step takes: the difference of two numbers of steps, by the emulator's count.

    count.py COUNTER STEPS EMULATOR ...

An instruction is not a time: no machine's speed follows from it."""

import subprocess
import sys

FEW, MANY = 20, 60


def output(command, stream):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed: {done.stderr}")
    return getattr(done, stream)


def main(counter, steps, *emulator):
    def count(name, n):
        return int(output([*emulator, "-plugin", counter, steps, name, str(n)], "stderr"))

    print("Instructions of a step on NEON; the products alone are so many vectors of weights:")
    for line in output([*emulator, steps], "stdout").splitlines():
        name, vectors = line.split()
        each = (count(name, MANY) - count(name, FEW)) / (MANY - FEW)
        print(f"  {name:18} {each:10.0f} instructions, {int(vectors):7} vectors, {each / int(vectors):.2f} for each")
        if each < int(vectors):
            sys.exit("Fewer instructions than vectors: something was not counted.")


main(*sys.argv[1:])
