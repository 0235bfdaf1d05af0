#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Saves models as programs of PyTorch, Flax and MLX save them, with what they compute: framework_files/*.

    pip install torch==2.15.0 safetensors==0.8.0 jax==0.10.2 flax==0.12.8 mlx[cpu]==0.32.4      (Python 3.11)
    python3 make_framework_files.py

    pytorch.safetensors     safetensors.torch.save_file(model.state_dict(), ...): an encoder, two layers in both directions
                            without biases, beside a linear layer
    flax.safetensors        safetensors.flax.save_file of flattened parameters
    mlx.safetensors, .npz   module.save_weights(...)

What they compute is in outputs/NAME.safetensors.
"""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import sys
from pathlib import Path

import numpy

import recording

sys.path.pop(0)  # the folders beside this script have the names of frameworks
import flax.linen
import jax
import mlx.core
import mlx.nn
import safetensors.flax
import safetensors.torch
import torch
from flax.traverse_util import flatten_dict

here = Path(__file__).parent / "framework_files"
here.mkdir(exist_ok=True)
STEPS, BATCH, INPUT, UNITS = 6, 4, 5, 3
x = numpy.random.RandomState(7).uniform(-1, 1, (STEPS, BATCH, INPUT)).astype("float32")


def record(name, framework, layers, direction, outputs):
    facts = {
        "framework": framework,
        "cell": name,
        "layers": layers,
        "direction": direction,
        "input": INPUT,
        "units": UNITS,
    }
    recording.write(f"framework_files/outputs/{name}", facts, {"x": x, "outputs": numpy.asarray(outputs)})


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.GRU(INPUT, UNITS, 2, bias=False, bidirectional=True)
        self.head = torch.nn.Linear(2 * UNITS, 1)


torch.manual_seed(7)
model = Model()
safetensors.torch.save_file(model.state_dict(), here / "pytorch.safetensors")
record("pytorch", f"PyTorch {torch.__version__}", 2, "bidirectional", model.encoder(torch.from_numpy(x))[0].detach().numpy())

layer = flax.linen.RNN(flax.linen.LSTMCell(UNITS), time_major=True)
parameters = layer.init(jax.random.PRNGKey(7), x)
parameters = jax.tree_util.tree_map(lambda value: value + 0.1 * numpy.cos(numpy.arange(value.size)).reshape(value.shape), parameters)
safetensors.flax.save_file(flatten_dict(parameters, sep="/"), here / "flax.safetensors")
record("flax", f"Flax {flax.__version__}", 1, "forward", layer.apply(parameters, x))

mlx.core.random.seed(7)
gru = mlx.nn.GRU(INPUT, UNITS)
gru.save_weights(str(here / "mlx.safetensors"))
gru.save_weights(str(here / "mlx.npz"))
record("mlx", f"MLX {mlx.core.__version__}", 1, "forward", numpy.array(gru(mlx.core.array(x.swapaxes(0, 1).copy()))).swapaxes(0, 1))
