#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Records what ONNX Runtime's GRU, LSTM and RNN give: onnx/*.safetensors.

    pip install onnx==1.23.2 onnxruntime==1.31.1      (Python 3.12)
    python3 make_onnx.py

Its kernels compute in float and know no gradients. Outputs behind the end of a sequence are zeros. ONNX gives outputs
as [time, directions, batch, units]; the recording has them as [time, batch, directions * units].
"""

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper

import recording

STEPS, BATCH, INPUT, UNITS = 6, 4, 5, 3
LENGTHS = [4, 6, 1, 3]
OPSET = 14

# operator, gates, recorded attributes, whether it has peepholes
CELLS = {
    "gru_reset_before": ("GRU", 3, {"linear_before_reset": 0}, False),
    "gru_reset_after": ("GRU", 3, {"linear_before_reset": 1}, False),
    "lstm": ("LSTM", 4, {}, False),
    "lstm_peephole": ("LSTM", 4, {}, True),
    "rnn_tanh": ("RNN", 1, {"activations": "Tanh"}, False),
    "rnn_relu": ("RNN", 1, {"activations": "Relu"}, False),
}
# direction, ragged
RUNS = [("forward", False), ("forward", True), ("reversed", True), ("bidirectional", True)]
DIRECTIONS = {"forward": "forward", "reversed": "reverse", "bidirectional": "bidirectional"}


def record(cell, direction, ragged):
    numbers = numpy.random.RandomState(7)

    def random(*shape):
        return numbers.uniform(-1, 1, shape).astype(numpy.float32)

    operator, gates, attributes, peepholes = CELLS[cell]
    rows = 2 if direction == "bidirectional" else 1
    if "activations" in attributes:
        attributes = {"activations": [attributes["activations"]] * rows}
    weights = {
        "W": 0.7 * random(rows, gates * UNITS, INPUT),
        "R": 0.7 * random(rows, gates * UNITS, UNITS),
        "B": 0.7 * random(rows, 2 * gates * UNITS),
    }
    if peepholes:
        weights["P"] = 0.7 * random(rows, 3 * UNITS)
    states = ["h", "c"] if operator == "LSTM" else ["h"]
    given = {"x": random(STEPS, BATCH, INPUT)} | {f"{s}_0": random(rows, BATCH, UNITS) for s in states}

    # The operator takes its inputs by position: X W R B sequence_lens initial_h initial_c P.
    inputs = ["x", "W", "R", "B", "lengths" if ragged else "", "h_0"]
    if operator == "LSTM":
        inputs += ["c_0", "P" if peepholes else ""]
    results = ["outputs"] + [f"{s}_n" for s in states]
    node = helper.make_node(
        operator, inputs, results, hidden_size=UNITS, direction=DIRECTIONS[direction], **attributes
    )
    constants = [numpy_helper.from_array(values, name) for name, values in weights.items()]
    if ragged:
        constants.append(numpy_helper.from_array(numpy.array(LENGTHS, dtype=numpy.int32), "lengths"))
    shapes = {name: (rows, BATCH, UNITS) for name in results} | {"outputs": (STEPS, rows, BATCH, UNITS)}
    FLOAT = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [node],
        cell,
        [helper.make_tensor_value_info(name, FLOAT, values.shape) for name, values in given.items()],
        [helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in shapes.items()],
        constants,
    )
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", OPSET)])
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found = dict(zip(results, session.run(results, given)))
    found["outputs"] = found["outputs"].swapaxes(1, 2).reshape(STEPS, BATCH, rows * UNITS)

    facts = {
        "framework": f"ONNX Runtime {onnxruntime.__version__}, opset {OPSET}",
        "layer": f"{operator} {attributes}" + (" with peepholes" if peepholes else ""),
        "cell": cell,
        "layers": 1,
        "direction": direction,
        "input": INPUT,
        "units": UNITS,
    }
    if ragged:
        facts["lengths"] = " ".join(map(str, LENGTHS))
    recording.write(
        f"onnx/{cell}_{direction}{'_ragged' if ragged else ''}", facts, given | weights | found
    )


for cell in CELLS:
    for run in RUNS:
        record(cell, *run)
