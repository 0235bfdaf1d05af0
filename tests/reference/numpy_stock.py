# SPDX-License-Identifier: BSL-1.0
"""The plain RNNs, GRUs, LSTMs and the G-LSTM."""

from numpy import maximum, tanh

from numpy_cell import cell, in_groups, sigmoid


def rnn(c, activation):
    W, R, b = c.matrix("W_h", c.input, c.units), c.matrix("R_h", c.units, c.units), c.vector("b_h", c.units)
    h = c.state("h", c.units)
    for x in c.steps():
        h = activation(x @ W + h @ R + b)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def tanh_rnn(c):
    rnn(c, tanh)


@cell(input=3, units=5)
def relu_rnn(c):
    rnn(c, lambda z: maximum(z, 0))


def gates(c, names, recurrent):
    """For each name the sum of its products and its bias, as a function of x and of what recurs."""
    made = {}
    for name in names:
        W, R = c.matrix("W_" + name, c.input, c.units), c.matrix("R_" + name, recurrent, c.units)
        b = c.vector("b_" + name, c.units)
        made[name] = lambda x, h, W=W, R=R, b=b: x @ W + h @ R + b
    return made


@cell(input=3, units=5)
def gru(c):
    """Cho et al., arXiv 1406.1078v3."""
    gate = gates(c, "run", c.units)
    h = c.state("h", c.units)
    for x in c.steps():
        r, u = sigmoid(gate["r"](x, h)), sigmoid(gate["u"](x, h))
        n = tanh(gate["n"](x, r * h))
        h = u * h + (1 - u) * n
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def cudnn_gru(c):
    """The reset gate behind the product, which has a bias of its own."""
    gate = gates(c, "ru", c.units)
    W, b = c.matrix("W_n", c.input, c.units), c.vector("b_n", c.units)
    R, inner = c.matrix("R_n", c.units, c.units), c.vector("b_Rn", c.units)
    h = c.state("h", c.units)
    for x in c.steps():
        r, u = sigmoid(gate["r"](x, h)), sigmoid(gate["u"](x, h))
        n = tanh(x @ W + b + r * (h @ R + inner))
        h = u * h + (1 - u) * n
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def canonical_gru(c):
    """cuDNN's own parameters: matrices act on columns, two biases for each gate."""
    W = {g: c.matrix("W_" + g, c.units, c.input) for g in "run"}
    R = {g: c.matrix("R_" + g, c.units, c.units) for g in "run"}
    b = {g: (c.vector("b_W" + g, c.units), c.vector("b_R" + g, c.units)) for g in "run"}
    h = c.state("h", c.units)
    for x in c.steps():
        of_x = {g: x @ W[g].T + b[g][0] for g in "run"}
        of_h = {g: h @ R[g].T + b[g][1] for g in "run"}
        r, u = sigmoid(of_x["r"] + of_h["r"]), sigmoid(of_x["u"] + of_h["u"])
        n = tanh(of_x["n"] + r * of_h["n"])
        h = u * h + (1 - u) * n
        c.output(h)
    c.end(h=h)


def lstm_run(c, recurrent, peepholes=False, project=None):
    """Sak et al., arXiv 1402.1128."""
    bias = c.setting("forget_bias", 0.75)
    gate = gates(c, "ijfo", recurrent)
    p = {g: c.vector("p_" + g, c.units) if peepholes else 0 for g in "ifo"}
    P = c.matrix("W_P", c.units, recurrent) if project else None
    h, cell_ = c.state("h", recurrent), c.state("c", c.units)
    for x in c.steps():
        before = cell_
        i = sigmoid(gate["i"](x, h) + p["i"] * before)
        f = sigmoid(gate["f"](x, h) + p["f"] * before + bias)
        cell_ = f * before + i * tanh(gate["j"](x, h))
        h = sigmoid(gate["o"](x, h) + p["o"] * cell_) * tanh(cell_)
        h = h @ P if project else h
        c.output(h)
    c.end(h=h, c=cell_)


@cell(input=3, units=5)
def lstm(c):
    lstm_run(c, c.units)


@cell(input=3, units=5)
def peephole_lstm(c):
    lstm_run(c, c.units, peepholes=True)


@cell(input=3, units=7, projection=5)
def projected_lstm(c):
    lstm_run(c, c.projection, project=True)


@cell(input=6, units=9, groups=3)
def glstm(c):
    """Kuchaiev and Ginsburg, arXiv 1703.10722."""
    bias = c.setting("forget_bias", 0.75)
    W = {g: c.grouped("W_" + g, c.groups, c.input, c.units) for g in "ijfo"}
    R = {g: c.grouped("R_" + g, c.groups, c.units, c.units) for g in "ijfo"}
    b = {g: c.vector("b_" + g, c.units) for g in "ijfo"}
    h, cell_ = c.state("h", c.units), c.state("c", c.units)
    for x in c.steps():
        i, j, f, o = (in_groups(x, W[g]) + in_groups(h, R[g]) + b[g] for g in "ijfo")
        cell_ = sigmoid(f + bias) * cell_ + sigmoid(i) * tanh(j)
        h = sigmoid(o) * tanh(cell_)
        c.output(h)
    c.end(h=h, c=cell_)
