#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Records what PyTorch's recurrent layers compute, in double, with all gradients: pytorch/*.safetensors.

    pip install torch==1.12.1 'numpy<2'      (Python 3.10)
    python3 make_pytorch.py

Ragged sequences go in packed (pack_padded_sequence) and come out padded with zeros. The numbers of x behind the end
of a sequence are there, and mean nothing.
"""

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import recording

STEPS, BATCH, INPUT, UNITS, PROJECTION = 6, 4, 5, 3, 2
LENGTHS = [4, 6, 1, 3]

CELLS = {
    "gru": (torch.nn.GRU, {}),
    "lstm": (torch.nn.LSTM, {}),
    "lstm_projected": (torch.nn.LSTM, {"proj_size": PROJECTION}),
    "rnn_tanh": (torch.nn.RNN, {"nonlinearity": "tanh"}),
    "rnn_relu": (torch.nn.RNN, {"nonlinearity": "relu"}),
}
# layers, direction, ragged
RUNS = [
    (1, "forward", False),
    (2, "forward", True),
    (2, "bidirectional", False),
    (3, "bidirectional", True),
]


def record(cell, layers, direction, ragged):
    numbers = torch.Generator().manual_seed(7)

    def random(*shape):
        return torch.empty(*shape, dtype=torch.double).uniform_(-1, 1, generator=numbers)

    make, options = CELLS[cell]
    network = make(INPUT, UNITS, layers, bidirectional=direction == "bidirectional", **options).double()
    with torch.no_grad():
        for weight in network.parameters():
            weight.copy_(0.7 * random(*weight.shape))

    width = options.get("proj_size", UNITS)
    rows = layers * (2 if direction == "bidirectional" else 1)
    first = {"h_0": random(rows, BATCH, width)}
    if make is torch.nn.LSTM:
        first["c_0"] = random(rows, BATCH, UNITS)
    given = {"x": random(STEPS, BATCH, INPUT), **first}
    for tensor in given.values():
        tensor.requires_grad_()

    x = pack_padded_sequence(given["x"], LENGTHS, enforce_sorted=False) if ragged else given["x"]
    outputs, last = network(x, tuple(first.values()) if len(first) > 1 else first["h_0"])
    if ragged:
        outputs, _ = pad_packed_sequence(outputs, total_length=STEPS)
    last = last if isinstance(last, tuple) else (last,)
    results = {"outputs": outputs, **dict(zip(("h_n", "c_n"), last))}

    back = {name: random(*tensor.shape) for name, tensor in results.items()}
    sum((results[name] * back[name]).sum() for name in results).backward()

    weights = dict(network.named_parameters())
    tensors = {**given, **results, **weights}
    tensors |= {f"gradient/{name}": tensor for name, tensor in back.items()}
    tensors |= {f"gradient/{name}": tensor.grad for name, tensor in (given | weights).items()}
    facts = {
        "framework": f"PyTorch {torch.__version__}",
        "layer": f"torch.nn.{network}",
        "cell": cell,
        "layers": layers,
        "direction": direction,
        "input": INPUT,
        "units": UNITS,
    }
    if cell == "lstm_projected":
        facts["projection"] = PROJECTION
    if ragged:
        facts["lengths"] = " ".join(map(str, LENGTHS))
    recording.write(
        f"pytorch/{cell}_{layers}_{direction}{'_ragged' if ragged else ''}",
        facts,
        {name: tensor.detach().numpy() for name, tensor in tensors.items()},
    )


for cell in CELLS:
    for run in RUNS[1::2] if cell.startswith("rnn") else RUNS:
        record(cell, *run)
