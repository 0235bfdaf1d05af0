# SPDX-License-Identifier: BSL-1.0
"""Variants of the LSTM and what followed it: coupled, multiplicative and normalised gates, exponential ones, cells
whose gates see the input alone, deep transitions."""

import numpy
from numpy import exp, log, maximum, tanh

from numpy_cell import cell, in_groups, sigmoid


def affine(c, gate, recurrent="R_", width=None):
    """x W + h R + b of a gate."""
    W, R = c.matrix("W_" + gate, c.input, c.units), c.matrix(recurrent + gate, width or c.units, c.units)
    b = c.vector("b_" + gate, c.units)
    return lambda x, h: x @ W + h @ R + b


def of_input(c, gate):
    """x W + b of a gate."""
    W, b = c.matrix("W_" + gate, c.input, c.units), c.vector("b_" + gate, c.units)
    return lambda x: x @ W + b


@cell(input=3, units=5)
def coupled_lstm(c):
    """Greff et al., arXiv 1503.04069: f = 1 - i."""
    block, ins, outs = (affine(c, g) for g in "zio")
    p_i, p_o = c.vector("p_i", c.units), c.vector("p_o", c.units)
    h, memory = c.state("h", c.units), c.state("c", c.units)
    for x in c.steps():
        z = tanh(block(x, h))
        i = sigmoid(ins(x, h) + p_i * memory)
        f = 1 - i
        memory = z * i + memory * f
        h = tanh(memory) * sigmoid(outs(x, h) + p_o * memory)
        c.output(h)
    c.end(h=h, c=memory)


@cell(input=3, units=5)
def multiplicative_lstm(c):
    """Krause et al., arXiv 1609.07959."""
    W_m, R_m = c.matrix("W_m", c.input, c.units), c.matrix("R_m", c.units, c.units)
    gates = {g: affine(c, g) for g in "jiof"}
    h, memory = c.state("h", c.units), c.state("c", c.units)
    for x in c.steps():
        m = (x @ W_m) * (h @ R_m)
        j, i, o, f = (gates[g](x, m) for g in "jiof")
        memory = sigmoid(f) * memory + sigmoid(i) * tanh(j)
        h = tanh(memory) * sigmoid(o)
        c.output(h)
    c.end(h=h, c=memory)


@cell(input=3, units=5)
def nas(c):
    """TensorFlow's NASCell."""
    W = [c.matrix(f"W_{k}", c.input, c.units) for k in range(1, 9)]
    R = [c.matrix(f"R_{k}", c.units, c.units) for k in range(1, 9)]
    h, memory = c.state("h", c.units), c.state("c", c.units)
    relu = lambda z: maximum(z, 0)
    for x in c.steps():
        of_x, of_h = [x @ w for w in W], [h @ r for r in R]
        first = [
            function(of_x[k] * of_h[k] if k == 3 else of_x[k] + of_h[k])
            for k, function in enumerate((sigmoid, relu, sigmoid, relu, tanh, sigmoid, tanh, sigmoid))
        ]
        product, sum_ = tanh(first[0] * first[1]), tanh(first[2] + first[3])
        memory = tanh(product + memory) * sum_
        product, sum_ = tanh(first[4] * first[5]), sigmoid(first[6] + first[7])
        h = tanh(memory * tanh(product + sum_))
        c.output(h)
    c.end(h=h, c=memory)


@cell(input=3, units=5)
def min_gru(c):
    """Feng et al., arXiv 2410.01201."""
    update, candidate = of_input(c, "z"), of_input(c, "n")
    h = c.state("h", c.units)
    for x in c.steps():
        z = sigmoid(update(x))
        h = (1 - z) * h + z * candidate(x)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def min_lstm(c):
    """Feng et al., arXiv 2410.01201: the two gates add up to 1."""
    forget, enter, candidate = of_input(c, "f"), of_input(c, "i"), of_input(c, "n")
    h = c.state("h", c.units)
    for x in c.steps():
        f, i = sigmoid(forget(x)), sigmoid(enter(x))
        total = f + i
        h = (f / total) * h + (i / total) * candidate(x)
        c.output(h)
    c.end(h=h)


def qrnn(c, gates):
    """Bradbury et al., arXiv 1611.01576: the gates for every step at once, by a masked convolution; then a pooling."""
    filters = {g: (c.matrix("V_" + g, c.input, c.units), c.matrix("W_" + g, c.input, c.units)) for g in gates}
    biases = {g: c.vector("b_" + g, c.units) for g in gates}
    before = c.state("x_t-1", c.input)
    xs = numpy.array(list(c.steps()))
    padded = numpy.concatenate([before[None], xs])
    sums = {g: padded[:-1] @ V + padded[1:] @ W + biases[g] for g, (V, W) in filters.items()}
    return tanh(sums.pop("z")), {g: sigmoid(z) for g, z in sums.items()}, xs[-1]


@cell(input=3, units=5)
def qrnn_f(c):
    zs, gates, last = qrnn(c, "zf")
    h = c.state("h", c.units)
    for z, f in zip(zs, gates["f"]):
        h = f * h + (1 - f) * z
        c.output(h)
    c.end(h=h, **{"x_t-1": last})


@cell(input=3, units=5)
def qrnn_fo(c):
    zs, gates, last = qrnn(c, "zfo")
    memory = c.state("c", c.units)
    for z, f, o in zip(zs, gates["f"], gates["o"]):
        memory = f * memory + (1 - f) * z
        c.output(o * memory)
    c.end(c=memory, **{"x_t-1": last})


@cell(input=3, units=5)
def qrnn_ifo(c):
    zs, gates, last = qrnn(c, "zfoi")
    memory = c.state("c", c.units)
    for z, f, o, i in zip(zs, gates["f"], gates["o"], gates["i"]):
        memory = f * memory + i * z
        c.output(o * memory)
    c.end(c=memory, **{"x_t-1": last})


@cell(input=3, units=6, groups=2)
def slstm(c):
    """Beck et al., arXiv 2405.04517, as it is before the stabiliser, by which both c and n are divided."""
    W = {g: c.matrix("W_" + g, c.input, c.units) for g in "zifo"}
    R = {g: c.grouped("R_" + g, c.groups, c.units, c.units) for g in "zifo"}
    b = {g: c.vector("b_" + g, c.units) for g in "zifo"}
    h, m = c.state("h", c.units), c.state("m", c.units)
    scaled_c, scaled_n = c.state("c", c.units), c.state("n", c.units, low=0.5, high=1.5)
    memory, normaliser = scaled_c * exp(m), scaled_n * exp(m)
    for x in c.steps():
        z, i, f, o = (x @ W[g] + in_groups(h, R[g]) + b[g] for g in "zifo")
        m = maximum(log(sigmoid(f)) + m, i)
        memory = sigmoid(f) * memory + exp(i) * tanh(z)
        normaliser = sigmoid(f) * normaliser + exp(i)
        h = sigmoid(o) * memory / normaliser
        c.output(h)
    c.end(h=h, m=m, c=memory / exp(m), n=normaliser / exp(m))


@cell(input=3, units=5)
def rwkv4(c):
    """Peng et al., arXiv 2305.13048: the sums themselves, without the largest exponent taken out."""
    mu = {g: c.vector("mu_" + g, c.input, low=0.1) for g in "rkv"}
    W = {g: c.matrix("W_" + g, c.input, c.units) for g in "rkv"}
    W_o, u, w = c.matrix("W_o", c.units, c.units), c.vector("u", c.units), exp(c.vector("decay", c.units))
    before, m = c.state("x_t-1", c.input), c.state("m", c.units)
    values = c.state("A", c.units) * exp(m)
    weights = c.state("B", c.units, low=0.5, high=1.5) * exp(m)
    for x in c.steps():
        r, k, v = ((mu[g] * x + (1 - mu[g]) * before) @ W[g] for g in "rkv")
        c.output((sigmoid(r) * (values + exp(u + k) * v) / (weights + exp(u + k))) @ W_o)
        values = exp(-w) * values + exp(k) * v
        weights = exp(-w) * weights + exp(k)
        m = maximum(m - w, k)
        before = x
    c.end(m=m, A=values / exp(m), B=weights / exp(m), **{"x_t-1": before})


@cell(input=3, units=5)
def mogrifier_lstm(c, rounds=5):
    """Melis et al., arXiv 1909.01792."""
    shapes = {"Q": (c.units, c.input), "R": (c.input, c.units)}
    mixing = [c.matrix(f"{'RQ'[k % 2]}_{k}", *shapes["RQ"[k % 2]]) for k in range(1, rounds + 1)]
    gates = {g: affine(c, g) for g in "ijfo"}
    h, memory = c.state("h", c.units), c.state("c", c.units)
    for x in c.steps():
        for k, M in enumerate(mixing, 1):
            if k % 2:
                x = 2 * sigmoid(h @ M) * x
            else:
                h = 2 * sigmoid(x @ M) * h
        i, j, f, o = (gates[g](x, h) for g in "ijfo")
        memory = sigmoid(f) * memory + sigmoid(i) * tanh(j)
        h = sigmoid(o) * tanh(memory)
        c.output(h)
    c.end(h=h, c=memory)


@cell(input=3, units=5)
def rhn(c, depth=3):
    """Zilly et al., arXiv 1607.03474, with a carry gate that is coupled."""
    of_x = {g: c.matrix(f"W_{g}1", c.input, c.units) for g in "nt"}
    R = {g: [c.matrix(f"R_{g}{l + 1}", c.units, c.units) for l in range(depth)] for g in "nt"}
    b = {g: [c.vector(f"b_{g}{l + 1}", c.units) for l in range(depth)] for g in "nt"}
    s = c.state("h", c.units)
    for x in c.steps():
        for l in range(depth):
            n, t = ((x @ of_x[g] if l == 0 else 0) + s @ R[g][l] + b[g][l] for g in "nt")
            transform = sigmoid(t)
            carry = 1 - transform
            s = tanh(n) * transform + s * carry
        c.output(s)
    c.end(h=s)


def layer_norm(z, epsilon):
    centred = z - z.mean(axis=1, keepdims=True)
    return centred / numpy.sqrt((centred**2).mean(axis=1, keepdims=True) + epsilon)


@cell(input=3, units=5)
def layer_norm_lstm(c):
    """Ba et al., arXiv 1607.06450: one normalisation over all four gates, of each of the two products, and of c."""
    epsilon = c.setting("epsilon", 0.2)
    W, R = ({g: c.matrix(m + g, n, c.units) for g in "fiog"} for m, n in (("W_", c.input), ("R_", c.units)))
    b = numpy.concatenate([c.vector("b_" + g, c.units) for g in "fiog"])
    gains = lambda of: numpy.concatenate([c.vector(of + g, c.units, low=0.5, high=1.5) for g in "fiog"])
    of_x, of_h = gains("p_x"), gains("p_h")
    of_c, shift = c.vector("p_c", c.units, low=0.5, high=1.5), c.vector("b_c", c.units)
    W, R = (numpy.concatenate([m[g] for g in "fiog"], axis=1) for m in (W, R))
    h, memory = c.state("h", c.units), c.state("c", c.units)
    for x in c.steps():
        sums = layer_norm(h @ R, epsilon) * of_h + layer_norm(x @ W, epsilon) * of_x + b
        f, i, o, g = numpy.split(sums, 4, axis=1)
        memory = sigmoid(f) * memory + sigmoid(i) * tanh(g)
        h = sigmoid(o) * tanh(layer_norm(memory, epsilon) * of_c + shift)
        c.output(h)
    c.end(h=h, c=memory)


@cell(input=3, units=5)
def layer_norm_gru(c):
    """Ba et al., arXiv 1607.06450: the two gates are normalised together, the candidate's products each by itself."""
    epsilon = c.setting("epsilon", 0.01)
    W = {g: c.matrix("W_" + g, c.input, c.units) for g in "zrn"}
    R = {g: c.matrix("R_" + g, c.units, c.units) for g in "zrn"}
    of_x = {g: c.vector("p_x" + g, c.units, low=0.5, high=1.5) for g in "zrn"}
    of_h = {g: c.vector("p_h" + g, c.units, low=0.5, high=1.5) for g in "zrn"}
    b = {g: c.vector("b_" + g, c.units) for g in ("z", "r", "n", "hn")}
    both = lambda table: numpy.concatenate([table["z"], table["r"]], axis=-1)
    h = c.state("h", c.units)
    for x in c.steps():
        sums = layer_norm(h @ both(R), epsilon) * both(of_h) + layer_norm(x @ both(W), epsilon) * both(of_x) + both(b)
        z, r = (sigmoid(part) for part in numpy.split(sums, 2, axis=1))
        inner = layer_norm(h @ R["n"], epsilon) * of_h["n"] + b["hn"]
        n = tanh(layer_norm(x @ W["n"], epsilon) * of_x["n"] + b["n"] + r * inner)
        h = (1 - z) * h + z * n
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def on_lstm(c):
    """Shen et al., arXiv 1810.09536, chunks of one unit."""
    gates = {g: affine(c, g) for g in "FIfioj"}
    h, memory = c.state("h", c.units), c.state("c", c.units)

    def cumax(z):
        e = exp(z)
        return numpy.cumsum(e / e.sum(axis=1, keepdims=True), axis=1)

    for x in c.steps():
        f, i, o, j = (gates[g](x, h) for g in "fioj")
        keep, write = cumax(gates["F"](x, h)), 1 - cumax(gates["I"](x, h))
        both = keep * write
        forget = sigmoid(f) * both + (keep - both)
        enter = sigmoid(i) * both + (write - both)
        memory = forget * memory + enter * tanh(j)
        h = sigmoid(o) * tanh(memory)
        c.output(h)
    c.end(h=h, c=memory)


@cell(input=3, units=5)
def sub_lstm(c):
    """Costa et al., arXiv 1711.02448: what gates do by multiplication in an LSTM, they do by subtraction."""
    gates = {g: affine(c, g) for g in "zifo"}
    h, memory = c.state("h", c.units), c.state("c", c.units)
    for x in c.steps():
        z, i, f, o = (sigmoid(gates[g](x, h)) for g in "zifo")
        memory = f * memory + z - i
        h = sigmoid(memory) - o
        c.output(h)
    c.end(h=h, c=memory)
