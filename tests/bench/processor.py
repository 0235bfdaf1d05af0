#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints `avx512` where PyTorch's kernels for AVX-512 run on this processor, else nothing.

PyTorch takes them only when ATEN_CPU_CAPABILITY asks for them, and ends with an illegal instruction where the processor
does not have them.
"""

NEEDED = {"avx512f", "avx512bw", "avx512dq", "avx512vl", "fma"}


def has_avx512(path="/proc/cpuinfo"):
    """Of every processor; no where that cannot be known."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            found = [set(line.partition(":")[2].split()) for line in file if line.split(":")[0].strip() == "flags"]
    except OSError:
        return False
    return bool(found) and all(NEEDED <= flags for flags in found)


if __name__ == "__main__" and has_avx512():
    print("avx512")
