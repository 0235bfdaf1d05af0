#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes files as numpy does, one array of each type, order and rank: npz/*.npy, *.npz.

    pip install numpy==2.4.6
    python3 make_npz.py

Element number i of an array, in C order, is 3 i - 7; of an unsigned one 3 i, of a boolean one whether i is odd.
"""

import zipfile
from pathlib import Path

import numpy

here = Path(__file__).parent / "npz"
here.mkdir(exist_ok=True)


def filled(dtype, shape, order="C"):
    dtype = numpy.dtype(dtype)
    numbers = numpy.arange(int(numpy.prod(shape)))
    numbers = numbers % 2 == 1 if dtype.kind == "b" else 3 * numbers - (0 if dtype.kind == "u" else 7)
    return numpy.asarray(numbers.reshape(shape).astype(dtype), order=order)


arrays = {f"type/{dtype}": filled(dtype, (3, 5)) for dtype in "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8".split()}
arrays |= {f"big/{dtype}": filled(f">{dtype}", (3, 5)) for dtype in "i2 u4 i8 f2 f4 f8 c8".split()}
arrays |= {f"fortran/{len(shape)}": filled("f4", shape, "F") for shape in [(7,), (3, 5), (2, 3, 5), (2, 3, 1, 5)]}
arrays |= {f"rank/{len(shape)}": filled("f8", shape) for shape in [(), (4,), (2, 2), (2, 3, 4, 1, 2)]}
arrays |= {"empty/0": filled("f4", (0,)), "empty/3x0": filled("f4", (3, 0)), "name with spaces, Müller": filled("f4", (2,))}

numpy.savez(here / "stored.npz", **arrays)
numpy.savez_compressed(here / "deflated.npz", **arrays, zeros=numpy.zeros((100, 1000), numpy.float32))
numpy.save(here / "kernel.npy", filled(">f4", (3, 5), "F"))
with open(here / "version_2.npy", "wb") as file:
    numpy.lib.format.write_array(file, filled("f4", (3, 5)), version=(2, 0))
with open(here / "version_3.npy", "wb") as file:
    numpy.lib.format.write_array(file, filled("f4", (3, 5)), version=(3, 0))

# what has to be refused
numpy.save(here / "objects.npy", numpy.array([{}, []], dtype=object))
numpy.save(here / "records.npy", numpy.zeros(2, dtype=[("a", "f4"), ("b", "i4")]))
numpy.save(here / "long_double.npy", numpy.zeros(2, dtype=numpy.longdouble))
with zipfile.ZipFile(here / "model.pt", "w") as file:  # as torch.save names its parts
    file.writestr("model/data.pkl", b"\x80\x02}.")
    file.writestr("model/data/0", b"\0" * 4)
