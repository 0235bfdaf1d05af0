#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Records what TensorFlow's cells compute in dynamic_rnn, in double, with their variables: tensorflow/*.safetensors.

    pip install tensorflow-cpu==2.15.1      (Python 3.11)
    python3 make_tensorflow.py

The names are those of a checkpoint, where the program has put the run into the variable scope `model`. States start at
zero.
"""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy
import tensorflow

import recording

STEPS, BATCH, INPUT, UNITS, PROJECTION = 6, 4, 5, 3, 2
v1 = tensorflow.compat.v1
cells = v1.nn.rnn_cell
v1.disable_eager_execution()
v1.logging.set_verbosity(v1.logging.ERROR)

CELLS = {
    "gru": lambda: cells.GRUCell(UNITS),
    "gru_2": lambda: cells.MultiRNNCell([cells.GRUCell(UNITS) for _ in range(2)]),
    "lstm": lambda: cells.BasicLSTMCell(UNITS),
    "lstm_forget_2": lambda: cells.LSTMCell(UNITS, forget_bias=2.0),
    "lstm_peephole": lambda: cells.LSTMCell(UNITS, use_peepholes=True),
    "lstm_projected": lambda: cells.LSTMCell(UNITS, num_proj=PROJECTION),
    "rnn_tanh": lambda: cells.BasicRNNCell(UNITS),
}


def record(cell, make):
    numbers = numpy.random.default_rng(7)
    x = numbers.uniform(-1, 1, (STEPS, BATCH, INPUT))
    v1.reset_default_graph()
    with v1.variable_scope("model"):
        outputs, _ = v1.nn.dynamic_rnn(make(), v1.constant(x), dtype=v1.float64, time_major=True)
    variables = v1.global_variables()
    weights = {one.op.name: 0.7 * numbers.uniform(-1, 1, one.shape) for one in variables}
    with v1.Session() as session:
        for one in variables:
            one.load(weights[one.op.name], session)
        computed = session.run(outputs)
    facts = {
        "framework": f"TensorFlow {tensorflow.__version__}",
        "layer": f"tf.compat.v1.nn.rnn_cell, {cell}",
        "cell": cell,
        "layers": 2 if cell == "gru_2" else 1,
        "direction": "forward",
        "input": INPUT,
        "units": UNITS,
    }
    if cell == "lstm_projected":
        facts["projection"] = PROJECTION
    recording.write(f"tensorflow/{cell}", facts, {**weights, "x": x, "outputs": computed})


for cell, make in CELLS.items():
    record(cell, make)
