#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Records what Keras's GRU and LSTM layers compute, in double, with all gradients: keras/*.safetensors.

    pip install keras==3.15.1 jax==0.12.0.1      (Python 3.12)
    python3 make_keras.py

Ragged sequences have a mask. What a layer gives behind the end of a sequence is a choice of Keras: a forward layer
repeats the last output ("behind the end" is "last output" in the metadata; what comes back there belongs to the last
output, too), and layers with zero_output_for_mask give zeros, which Bidirectional sets by itself. Of a sequence that has
no step, and of a layer that goes backwards, the last output is not the same with all backends of Keras, so both are
recorded with zeros.

The activation is jax's tanh: Keras's rounds double to float with this backend (keras-team/keras#23223).

Keras is batch-major, and a layer with go_backwards gives its outputs in the order of its steps. The recording has both
turned: time first, and step t of the outputs belongs to step t of x.
"""

import os

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"

import jax
import keras
import numpy

import recording

keras.config.set_floatx("float64")

STEPS, BATCH, INPUT, UNITS = 6, 4, 5, 3
LENGTHS = {"zeros": [4, 6, 0, 3], "last output": [4, 6, 1, 3]}

CELLS = {
    "gru_reset_after": (keras.layers.GRU, {"reset_after": True}),
    "gru_reset_before": (keras.layers.GRU, {"reset_after": False}),
    "lstm": (keras.layers.LSTM, {}),
}
# direction, behind the end of a sequence; None: all sequences are full
RUNS = [
    ("forward", None),
    ("forward", "last output"),
    ("forward", "zeros"),
    ("reversed", "zeros"),
    ("bidirectional", None),
    ("bidirectional", "zeros"),
]


@keras.saving.register_keras_serializable()
def tanh(x):
    return jax.numpy.tanh(x)


def record(cell, direction, behind):
    numbers = numpy.random.RandomState(7)

    def random(*shape):
        return numbers.uniform(-1, 1, shape)

    make, options = CELLS[cell]
    if behind == "zeros" and direction != "bidirectional":
        options = options | {"zero_output_for_mask": True}
    layer = make(
        UNITS,
        activation=tanh,
        return_sequences=True,
        return_state=True,
        go_backwards=direction == "reversed",
        **options,
    )
    if direction == "bidirectional":
        layer = keras.layers.Bidirectional(layer, merge_mode="concat")
    layer.build((BATCH, STEPS, INPUT))

    # Variables in the order of Keras: kernel, recurrent_kernel, bias, of the forward layer first.
    names = ["kernel", "recurrent_kernel", "bias"]
    if direction == "bidirectional":
        names = [f"{side}_layer/{name}" for side in ("forward", "backward") for name in names]
    assert [v.path.split("/")[-1] for v in layer.trainable_variables] == [n.split("/")[-1] for n in names]
    weights = {n: 0.7 * random(*v.shape) for n, v in zip(names, layer.trainable_variables)}

    rows = 2 if direction == "bidirectional" else 1
    states = ["h", "c"] if cell == "lstm" else ["h"]
    first = {f"{s}_0": random(rows, BATCH, UNITS) for s in states}
    x = random(STEPS, BATCH, INPUT)
    lengths = LENGTHS[behind] if behind else None
    mask = numpy.arange(STEPS) < numpy.array(lengths)[:, None] if behind else None

    def run(given, weights):
        # Keras lists the states row by row: h, c of the forward layer, then h, c of the backward layer.
        state = [given[f"{s}_0"][row] for row in range(rows) for s in states]
        (outputs, *last), _ = layer.stateless_call(
            [weights[name] for name in names],
            [v.value for v in layer.non_trainable_variables],
            given["x"].swapaxes(0, 1),
            initial_state=state,
            mask=mask,
        )
        outputs = outputs.swapaxes(0, 1)
        if direction == "reversed":
            outputs = outputs[::-1]
        return {"outputs": outputs} | {
            f"{s}_n": jax.numpy.stack(last[i :: len(states)]) for i, s in enumerate(states)
        }

    given = {"x": x, **first}
    results = run(given, weights)
    back = {name: random(*values.shape) for name, values in results.items()}

    def loss(given, weights):
        return sum((values * back[name]).sum() for name, values in run(given, weights).items())

    gradients = jax.grad(loss, argnums=(0, 1))(given, weights)
    tensors = {**given, **weights, **results}
    tensors |= {f"gradient/{name}": values for name, values in back.items()}
    for part in gradients:
        tensors |= {f"gradient/{name}": values for name, values in part.items()}
    facts = {
        "framework": f"Keras {keras.__version__}, jax {jax.__version__}",
        "layer": f"keras.layers.{make.__name__}({options})",
        "cell": cell,
        "layers": 1,
        "direction": direction,
        "input": INPUT,
        "units": UNITS,
    }
    if behind:
        facts |= {"lengths": " ".join(map(str, lengths)), "behind the end": behind}
    ragged = f"_ragged_{behind.replace(' ', '_')}" if behind else ""
    recording.write(
        f"keras/{cell}_{direction}{ragged}",
        facts,
        {name: numpy.asarray(values) for name, values in tensors.items()},
    )


for cell in CELLS:
    for run in RUNS:
        record(cell, *run)
