#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Models of RTNeural's JSON with what PyTorch, in double, gives for them: tests/reference/rtneural/.

    make_rtneural.py FOLDER        needs the module torch

Each file has two members more than a model needs: "x" [time], the input, and "y" [time, outputs].
"""

import json
import sys
from pathlib import Path

import torch

torch.set_default_dtype(torch.float64)
STEPS = 23


def tensor(values):
    return values.detach().tolist()


def lstm(layer):
    """PyTorch's gates i, f, g, o are Keras's i, f, c, o; its biases are added."""
    bias = layer.bias_ih_l0 + layer.bias_hh_l0
    return {"type": "lstm", "activation": "", "shape": [None, None, layer.hidden_size],
            "weights": [tensor(layer.weight_ih_l0.T), tensor(layer.weight_hh_l0.T), tensor(bias)]}


def gru(layer):
    """PyTorch's gates r, z, n are Keras's z, r, h in another order."""
    def ordered(values):
        r, z, n = values.chunk(3)
        return torch.cat([z, r, n])
    bias = torch.stack([ordered(layer.bias_ih_l0), ordered(layer.bias_hh_l0)])
    return {"type": "gru", "activation": "", "shape": [None, None, layer.hidden_size],
            "weights": [tensor(ordered(layer.weight_ih_l0).T), tensor(ordered(layer.weight_hh_l0).T), tensor(bias)]}


def dense(layer, activation="", kind="dense"):
    return {"type": kind, "activation": activation, "shape": [None, None, layer.out_features],
            "weights": [tensor(layer.weight.T), tensor(layer.bias)]}


def activation(name, width):
    return {"type": "activation", "activation": name, "shape": [None, None, width], "weights": []}


def write(folder, name, layers, run):
    x = torch.rand(1, STEPS, 1) * 2 - 1
    y = run(x)
    text = json.dumps({"in_shape": [None, None, 1], "layers": layers, "x": tensor(x[0, :, 0]), "y": tensor(y[0])})
    (folder / f"{name}.json").write_text(text + "\n")


def main(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(11)
    nn = torch.nn
    one, out = nn.LSTM(1, 5, batch_first=True), nn.Linear(5, 1)
    write(folder, "lstm", [lstm(one), dense(out)], lambda x: out(one(x)[0]))

    two, middle, last = nn.GRU(1, 7, batch_first=True), nn.Linear(7, 3), nn.Linear(3, 2)
    slopes = nn.PReLU(2)
    with torch.no_grad():
        slopes.weight.copy_(torch.tensor([0.3, -0.2]))
    write(folder, "gru", [gru(two), dense(middle, "tanh", "time-distributed-dense"), activation("sigmoid", 3), dense(last),
                          {"type": "prelu", "shape": [None, None, 2], "weights": [[tensor(slopes.weight)]]}],
          lambda x: slopes_of(slopes, last(torch.sigmoid(torch.tanh(middle(two(x)[0]))))))

    first, second, wide = nn.GRU(1, 3, batch_first=True), nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 5)
    write(folder, "both", [gru(first), lstm(second), dense(wide, "softmax"), activation("elu", 5), activation("relu", 5)],
          lambda x: torch.relu(nn.functional.elu(torch.softmax(wide(second(first(x)[0])[0]), -1))))


def slopes_of(layer, values):
    return layer(values.transpose(1, 2)).transpose(1, 2)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
