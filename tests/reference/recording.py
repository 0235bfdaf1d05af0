# SPDX-License-Identifier: BSL-1.0
"""Writes what a framework computed to a safetensors file, for the scripts beside this one. numpy is enough.

A recording holds, in every framework alike,

    x                               [time, batch, input]
    h_0, h_n, c_0, c_n              first and last states, [layers * directions, batch, width]
    outputs                         [time, batch, directions * width]
    gradient/outputs, /h_n, /c_n    what comes back: the loss is sum(outputs * gradient/outputs) + ...
    gradient/x, /h_0, /c_0          what that gives

and the weights, with gradient/ before their names, as the framework calls and lays them out. The metadata has the
configuration; `lengths` stands there if the sequences are ragged.
"""

import json
import struct
from pathlib import Path

import numpy

TYPES = {"float64": "F64", "float32": "F32"}


def write(name, facts, tensors):
    """Writes NAME.safetensors beside this script."""
    header = {"__metadata__": {key: str(value) for key, value in facts.items()}}
    data = b""
    for key in sorted(tensors):
        values = numpy.asarray(tensors[key], order="C")
        header[key] = {
            "dtype": TYPES[values.dtype.name],
            "shape": values.shape,
            "data_offsets": [len(data), len(data) + values.nbytes],
        }
        data += values.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path = Path(__file__).parent / f"{name}.safetensors"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
