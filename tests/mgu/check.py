#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What the program of the README prints: its equations, and numbers that are right.

    check.py PROGRAM
"""

import re
import subprocess
import sys

EQUATIONS = (
    "f = sigmoid(x W_f + h R_f + b_f)",
    "n = tanh(x W_n + (f . h) R_n + b_n)",
    "next(h) = (1 - f) . h + f . n",
)
NUMBERS = re.compile(r"parameters: 90, output 2 x 5, loss (\S+), largest gradient of R_n: (\S+)")
# Of seed 7 and the first numbers of xtensor's generator, to what a float and any BLAS agree on.
LOSS, GRADIENT, DIGITS = 0.175135, 0.0524952, 1e-4


def main(program):
    result = subprocess.run([program], capture_output=True, text=True, timeout=60)
    *equations, last = result.stdout.splitlines() or [""]
    numbers = NUMBERS.fullmatch(last)
    right = (
        result.returncode == 0
        and tuple(equations) == EQUATIONS
        and numbers
        and abs(float(numbers[1]) / LOSS - 1) < DIGITS
        and abs(float(numbers[2]) / GRADIENT - 1) < DIGITS
    )
    if not right:
        print(f"{program} ended with {result.returncode} and said:\n{result.stdout}{result.stderr}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
