#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Models in the formats of RTNeural, GuitarML and NAM with what PyTorch, in double, gives for them:
tests/reference/audio/.

    make_audio.py FOLDER        needs the module torch

Each file has two members more than a model needs: "x" [time, inputs], and "y" [time, outputs].
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


def put(folder, name, model, run, inputs=1):
    x = torch.rand(1, STEPS, inputs) * 2 - 1
    (folder / name).write_text(json.dumps(model | {"x": tensor(x[0]), "y": tensor(run(x)[0])}) + "\n")


def write(folder, name, layers, run, **more):
    put(folder, f"{name}.json", {"in_shape": [None, None, 1], "layers": layers} | more, run)


def guitarml(rec, lin, skip):
    """Automated-GuitarAmpModelling's file of a model whose parts are called rec and lin."""
    about = {"model": "SimpleRNN", "input_size": rec.input_size, "skip": skip, "output_size": lin.out_features,
             "unit_type": type(rec).__name__, "num_layers": rec.num_layers, "hidden_size": rec.hidden_size,
             "bias_fl": rec.bias}
    state = {f"rec.{key}": tensor(value) for key, value in rec.state_dict().items()}
    return {"model_data": about, "state_dict": state | {f"lin.{key}": tensor(value) for key, value in lin.state_dict().items()}}


def nam(rec, lin, starts):
    """A .nam file; starts are h and c of each layer."""
    numbers = []
    for layer, (h, c) in enumerate(starts):
        w, r, b, more = (getattr(rec, f"{name}_l{layer}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        for part in (torch.cat([w, r], 1), b + more, h, c):
            numbers += part.flatten().tolist()
    numbers += lin.weight.flatten().tolist() + lin.bias.tolist()
    return {"version": "0.5.4", "architecture": "LSTM", "sample_rate": 48000, "weights": numbers,
            "config": {"input_size": 1, "hidden_size": rec.hidden_size, "num_layers": rec.num_layers}}


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

    aida, one_out = nn.LSTM(1, 3, batch_first=True), nn.Linear(3, 1)
    write(folder, "aida", [lstm(aida), dense(one_out)], lambda x: one_out(aida(x)[0]) + x, in_skip=1, samplerate=48000)

    for kind, inputs, layers, skip in ((nn.LSTM, 1, 1, 1), (nn.GRU, 3, 2, 0), (nn.LSTM, 2, 2, 1)):
        rec, lin = kind(inputs, 4, layers, batch_first=True), nn.Linear(4, 1)
        put(folder, f"guitarml_{kind.__name__.lower()}_{inputs}.json", guitarml(rec, lin, skip),
            lambda x: lin(rec(x)[0]) + skip * x[:, :, :1], inputs)

    rec, lin = nn.LSTM(1, 3, 2, batch_first=True), nn.Linear(3, 1)
    starts = [(torch.rand(3) - 0.5, torch.rand(3) - 0.5) for _ in range(2)]
    h, c = (torch.stack([start[k] for start in starts])[:, None] for k in range(2))
    put(folder, "lstm.nam", nam(rec, lin, starts), lambda x: lin(rec(x, (h, c))[0]))


def slopes_of(layer, values):
    return layer(values.transpose(1, 2)).transpose(1, 2)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
