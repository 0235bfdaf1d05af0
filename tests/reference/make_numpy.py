#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Records what every cell of the catalogue computes, written once more in numpy and in double: numpy/*.safetensors.

    pip install 'numpy<2'
    python3 make_numpy.py [CELL ...]         all, or those

The files beside this one that are called numpy_*.py have the cells, each as its paper has it.
"""

import importlib
import sys
from pathlib import Path

import numpy_cell
import recording

if __name__ == "__main__":
    for source in sorted(Path(__file__).parent.glob("numpy_*.py")):
        importlib.import_module(source.stem)
    for name in sys.argv[1:] or numpy_cell.CELLS:
        recording.write("numpy/" + name, *numpy_cell.run(name))
