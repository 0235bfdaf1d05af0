#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes models as programs export them, with what ONNX Runtime computes of them: models/*.onnx, models/*.safetensors.

    pip install onnx==1.23.2 onnxruntime==1.32.0      (Python 3.11)
    python3 make_onnx_models.py

`types.onnx` has a constant of each type, once as raw data ("raw/...") and once as numbers ("data/..."), which are those of
make_npz.py. The other files have to be refused.
"""

from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import recording

here = Path(__file__).parent / "models"
here.mkdir(exist_ok=True)
STEPS, BATCH, INPUT, UNITS = 6, 4, 5, 3
numbers = numpy.random.RandomState(7)


def random(*shape):
    return numbers.uniform(-1, 1, shape).astype(numpy.float32)


def model_of(nodes, constants, name):
    tensor = lambda called, shape: helper.make_tensor_value_info(called, TensorProto.FLOAT, shape)
    graph = helper.make_graph(
        nodes, name, [tensor("x", [STEPS, BATCH, INPUT])], [tensor("y", [STEPS, None, BATCH, UNITS])], constants
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def record(cell, operator, gates, rows, **attributes):
    shapes = {"W": (rows, gates * UNITS, INPUT), "R": (rows, gates * UNITS, UNITS), "B": (rows, 2 * gates * UNITS)}
    weights = {name: 0.7 * random(*shape) for name, shape in shapes.items()}
    names = {"W": "onnx::weight_17", "R": "onnx::weight_18", "B": "onnx::bias_19"}
    constants = [numpy_helper.from_array(value, names[name]) for name, value in weights.items()]
    # As numbers.
    constants[0] = helper.make_tensor(names["W"], TensorProto.FLOAT, shapes["W"], weights["W"].ravel())
    if rows == 2:
        attributes["direction"] = "bidirectional"
    node = helper.make_node(
        operator, ["x", *names.values()], ["y"], name="encoder", hidden_size=UNITS, **attributes
    )
    model = model_of([node], constants, cell)
    onnx.checker.check_model(model)
    onnx.save(model, here / f"{cell}.onnx")
    x = random(STEPS, BATCH, INPUT)
    y = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
    facts = {
        "framework": f"ONNX Runtime {onnxruntime.__version__}",
        "cell": cell,
        "layers": 1,
        "direction": "bidirectional" if rows == 2 else "forward",
        "input": INPUT,
        "units": UNITS,
    }
    outputs = y.swapaxes(1, 2).reshape(STEPS, BATCH, rows * UNITS)
    recording.write(f"models/{cell}", facts, {"x": x, "outputs": outputs})


record("gru", "GRU", 3, 1, linear_before_reset=1)
record("gru_reset_before", "GRU", 3, 2)
record("lstm", "LSTM", 4, 1)


def filled(dtype):
    dtype = numpy.dtype(dtype)
    count = numpy.arange(15)
    count = count % 2 == 1 if dtype.kind == "b" else 3 * count - (0 if dtype.kind == "u" else 7)
    return count.reshape(3, 5).astype(dtype)


constants = []
for dtype in "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8".split():
    raw = numpy_helper.from_array(filled(dtype), f"raw/{dtype}")
    constants.append(raw)
    constants.append(helper.make_tensor(f"data/{dtype}", raw.data_type, (3, 5), filled(dtype).ravel()))
constants.append(numpy_helper.from_array(numpy.float32(2.5), "scalar"))
onnx.save(model_of([], constants, "types"), here / "types.onnx")

words = helper.make_tensor("words", TensorProto.STRING, (2,), [b"a", b"b"])
onnx.save(model_of([], [words], "strings"), here / "strings.onnx")
outside = numpy_helper.from_array(numpy.zeros(3, numpy.float32), "outside")
outside.data_location = TensorProto.EXTERNAL
outside.ClearField("raw_data")
onnx.save(model_of([], [outside], "outside"), here / "outside.onnx")
