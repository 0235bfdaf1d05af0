#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Records what the recurrent cells of Flax, Haiku and MLX compute, with their weights: flax/, haiku/, mlx/*.safetensors.

    pip install jax==0.10.2 flax==0.12.8 dm-haiku==0.0.17 mlx[cpu]==0.32.4      (Python 3.11)
    python3 make_cells.py

Flax and Haiku compute in double, MLX in float. States start at zero. Names of weights are those of the frameworks, with /
between the parts of a nested one.
"""

import os

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"

import flax.linen
import haiku
import jax
import jax.numpy as jnp
import mlx.core
import mlx.nn
import mlx.utils
import numpy
from flax.traverse_util import flatten_dict, unflatten_dict

import recording

STEPS, BATCH, INPUT, UNITS = 6, 4, 5, 3
numbers = numpy.random.default_rng(7)


def random(shape, dtype=numpy.float64):
    return numbers.uniform(-1, 1, shape).astype(dtype)


def record(framework, version, layer, cell, weights, x, outputs):
    assert outputs.shape == (STEPS, BATCH, UNITS), outputs.shape
    facts = {
        "framework": f"{framework} {version}",
        "layer": layer,
        "cell": cell,
        "layers": 1,
        "direction": "forward",
        "input": INPUT,
        "units": UNITS,
    }
    tensors = {name: numpy.asarray(value) for name, value in weights.items()}
    recording.write(f"{framework.lower()}/{cell}", facts, {**tensors, "x": x, "outputs": numpy.asarray(outputs)})


def record_flax(cell, make):
    layer = make(features=UNITS, dtype=jnp.float64, param_dtype=jnp.float64)
    x = random((STEPS, BATCH, INPUT))
    first = layer.initialize_carry(jax.random.PRNGKey(0), x[0].shape)
    shapes = flatten_dict(layer.init(jax.random.PRNGKey(0), first, x[0])["params"], sep="/")
    weights = {name: 0.7 * random(value.shape) for name, value in shapes.items()}
    carry = jax.tree_util.tree_map(lambda value: jnp.zeros(value.shape), first)
    outputs = []
    for step in x:
        carry, output = layer.apply({"params": unflatten_dict(weights, sep="/")}, carry, step)
        outputs.append(output)
    record("Flax", flax.__version__, f"flax.linen.{make.__name__}({UNITS})", cell, weights, x, numpy.stack(outputs))


def record_haiku(cell, make):
    x = random((STEPS, BATCH, INPUT))

    def run(xs):
        core = make(UNITS)
        return haiku.dynamic_unroll(core, xs, core.initial_state(BATCH))[0]

    layer = haiku.transform(run)
    shapes = flatten_dict(layer.init(jax.random.PRNGKey(0), x), sep="/")
    weights = {name: 0.7 * random(value.shape) for name, value in shapes.items()}
    nested = {}
    for name, value in weights.items():
        module, _, tensor = name.rpartition("/")
        nested.setdefault(module, {})[tensor] = jnp.asarray(value)
    outputs = layer.apply(nested, None, jnp.asarray(x))
    record("Haiku", haiku.__version__, f"haiku.{make.__name__}({UNITS})", cell, weights, x, outputs)


def record_mlx(cell, make):
    layer = make(INPUT, UNITS)
    shapes = dict(mlx.utils.tree_flatten(layer.parameters()))
    weights = {name: 0.7 * random(value.shape, numpy.float32) for name, value in shapes.items()}
    layer.load_weights([(name, mlx.core.array(value)) for name, value in weights.items()])
    x = random((STEPS, BATCH, INPUT), numpy.float32)
    outputs = layer(mlx.core.array(x.swapaxes(0, 1).copy()))
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    record("MLX", mlx.core.__version__, f"mlx.nn.{make.__name__}({INPUT}, {UNITS})", cell, weights, x,
           numpy.array(outputs).swapaxes(0, 1))


for cell, make in {"gru": flax.linen.GRUCell, "lstm": flax.linen.LSTMCell, "rnn": flax.linen.SimpleCell}.items():
    record_flax(cell, make)
for cell, make in {"gru": haiku.GRU, "lstm": haiku.LSTM}.items():
    record_haiku(cell, make)
for cell, make in {"gru": mlx.nn.GRU, "lstm": mlx.nn.LSTM, "rnn": mlx.nn.RNN}.items():
    record_mlx(cell, make)
