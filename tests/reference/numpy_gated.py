# SPDX-License-Identifier: BSL-1.0
"""Cells with few gates: relatives of the GRU, and those whose units or products do not wait for each other."""

import numpy
from numpy import maximum, tanh

from numpy_cell import cell, sigmoid


def weights(c, name, rows=None):
    """Of one gate: for the input, for the state, and its bias."""
    return (
        c.matrix("W_" + name, rows or c.input, c.units),
        c.matrix("R_" + name, c.units, c.units),
        c.vector("b_" + name, c.units),
    )


@cell(input=3, units=5)
def ind_rnn(c):
    """Li et al., arXiv 1803.04831."""
    W, u, b = c.matrix("W_h", c.input, c.units), c.vector("p_h", c.units), c.vector("b_h", c.units)
    h = c.state("h", c.units)
    for x in c.steps():
        h = maximum(x @ W + u * h + b, 0)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def minimal_rnn(c):
    """Chen, arXiv 1711.06788."""
    W, b = c.matrix("W_z", c.input, c.units), c.vector("b_z", c.units)
    U_z, U_h, b_u = weights(c, "u", rows=c.units)
    h = c.state("h", c.units)
    for x in c.steps():
        embedded = tanh(x @ W + b)
        update = sigmoid(h @ U_h + embedded @ U_z + b_u)
        h = update * h + (1 - update) * embedded
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def mut1(c):
    """Jozefowicz, Zaremba and Sutskever, 2015; the input is made as wide as the state first."""
    fit = c.matrix("W_e", c.input, c.units)
    W_xz, b_z = c.matrix("W_z", c.units, c.units), c.vector("b_z", c.units)
    W_xr, W_hr, b_r = weights(c, "r", rows=c.units)
    W_hh, b_h = c.matrix("R_n", c.units, c.units), c.vector("b_n", c.units)
    h = c.state("h", c.units)
    for x in c.steps():
        x = x @ fit
        z = sigmoid(x @ W_xz + b_z)
        r = sigmoid(x @ W_xr + h @ W_hr + b_r)
        h = tanh((r * h) @ W_hh + tanh(x) + b_h) * z + h * (1 - z)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def mut2(c):
    fit = c.matrix("W_e", c.input, c.units)
    W_xz, W_hz, b_z = weights(c, "z", rows=c.units)
    W_hr, b_r = c.matrix("R_r", c.units, c.units), c.vector("b_r", c.units)
    W_xh, W_hh, b_h = weights(c, "n", rows=c.units)
    h = c.state("h", c.units)
    for x in c.steps():
        x = x @ fit
        z = sigmoid(x @ W_xz + h @ W_hz + b_z)
        r = sigmoid(x + h @ W_hr + b_r)
        h = tanh((r * h) @ W_hh + x @ W_xh + b_h) * z + h * (1 - z)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def mut3(c):
    W_xz, W_hz, b_z = weights(c, "z")
    W_xr, W_hr, b_r = weights(c, "r")
    W_xh, W_hh, b_h = weights(c, "n")
    h = c.state("h", c.units)
    for x in c.steps():
        z = sigmoid(x @ W_xz + tanh(h) @ W_hz + b_z)
        r = sigmoid(x @ W_xr + h @ W_hr + b_r)
        h = tanh((r * h) @ W_hh + x @ W_xh + b_h) * z + h * (1 - z)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def ugrnn(c):
    """Collins et al., arXiv 1611.09913."""
    W_cx, W_ch, b_c = weights(c, "n")
    W_gx, W_gh, b_g = weights(c, "g")
    h = c.state("h", c.units)
    for x in c.steps():
        candidate = tanh(h @ W_ch + x @ W_cx + b_c)
        g = sigmoid(h @ W_gh + x @ W_gx + b_g)
        h = g * h + (1 - g) * candidate
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def mgu(c):
    """Zhou et al., arXiv 1603.09420."""
    W_f, U_f, b_f = weights(c, "f")
    W_h, U_h, b_h = weights(c, "n")
    h = c.state("h", c.units)
    for x in c.steps():
        f = sigmoid(x @ W_f + h @ U_f + b_f)
        h = h + f * (tanh(x @ W_h + (f * h) @ U_h + b_h) - h)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def li_gru(c):
    """Ravanelli et al., arXiv 1803.10225, a bias in place of batch normalisation."""
    W_z, U_z, b_z = weights(c, "z")
    W_h, U_h, b_h = weights(c, "n")
    h = c.state("h", c.units)
    for x in c.steps():
        z = sigmoid(x @ W_z + h @ U_z + b_z)
        h = z * h + (1 - z) * maximum(x @ W_h + h @ U_h + b_h, 0)
        c.output(h)
    c.end(h=h)


def bistable(c, feedback):
    """Vecoven et al., arXiv 2006.05252; what the gates see of the state is feedback of it and of their own weights."""
    U_a, U_c, U = (c.matrix("W_" + name, c.input, c.units) for name in "ach")
    w_a, w_c = feedback[0]("a"), feedback[0]("c")
    h = c.state("h", c.units)
    for x in c.steps():
        a = 1 + tanh(x @ U_a + feedback[1](h, w_a))
        keep = sigmoid(x @ U_c + feedback[1](h, w_c))
        h = keep * h + (1 - keep) * tanh(x @ U + a * h)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def brc(c):
    bistable(c, (lambda name: c.vector("p_" + name, c.units), numpy.multiply))


@cell(input=3, units=5)
def nbrc(c):
    bistable(c, (lambda name: c.matrix("R_" + name, c.units, c.units), numpy.matmul))


@cell(input=3, units=5)
def janet(c):
    """van der Westhuizen and Lasenby, arXiv 1804.04849."""
    beta = c.setting("beta", 0.625)
    W_f, U_f, b_f = weights(c, "f")
    W_c, U_c, b_c = weights(c, "n")
    h = c.state("h", c.units)
    for x in c.steps():
        s = h @ U_f + x @ W_f + b_f
        candidate = tanh(h @ U_c + x @ W_c + b_c)
        h = sigmoid(s) * h + (1 - sigmoid(s - beta)) * candidate
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def star(c):
    """Turkoglu et al., arXiv 1911.11033."""
    W_z, b_z = c.matrix("W_z", c.input, c.units), c.vector("b_z", c.units)
    W_x, W_h, b_k = weights(c, "k")
    h = c.state("h", c.units)
    for x in c.steps():
        k = sigmoid(x @ W_x + h @ W_h + b_k)
        h = tanh((1 - k) * h + k * tanh(x @ W_z + b_z))
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def ran(c):
    """Lee et al., arXiv 1705.07393."""
    W_c = c.matrix("W_n", c.input, c.units)
    W_i, U_i, b_i = weights(c, "i")
    W_f, U_f, b_f = weights(c, "f")
    h, memory = c.state("h", c.units), c.state("c", c.units)
    for x in c.steps():
        i, f = sigmoid(h @ U_i + x @ W_i + b_i), sigmoid(h @ U_f + x @ W_f + b_f)
        memory = i * (x @ W_c) + f * memory
        h = tanh(memory)
        c.output(h)
    c.end(h=h, c=memory)


@cell(input=3, units=5)
def sru(c):
    """Lei et al., arXiv 1709.02755v5, with a projected highway."""
    W_f, W_r, W, W_highway = (c.matrix("W_" + name, c.input, c.units) for name in "frcP")
    v_f, v_r = c.vector("p_f", c.units), c.vector("p_r", c.units)
    b_f, b_r = c.vector("b_f", c.units), c.vector("b_r", c.units)
    memory = c.state("c", c.units)
    for x in c.steps():
        f = sigmoid(x @ W_f + v_f * memory + b_f)
        r = sigmoid(x @ W_r + v_r * memory + b_r)
        memory = f * memory + (1 - f) * (x @ W)
        c.output(r * memory + (1 - r) * (x @ W_highway))
    c.end(c=memory)


@cell(input=3, units=5, context=2)
def scrn(c):
    """Mikolov et al., arXiv 1412.7753."""
    alpha = c.setting("alpha", 0.875)
    A, B = c.matrix("W_h", c.input, c.units), c.matrix("W_s", c.input, c.context)
    P, R = c.matrix("W_P", c.context, c.units), c.matrix("R_h", c.units, c.units)
    s, h = c.state("s", c.context), c.state("h", c.units)
    for x in c.steps():
        s = (1 - alpha) * (x @ B) + alpha * s
        h = sigmoid(s @ P + x @ A + h @ R)
        c.output(numpy.concatenate([h, s], axis=1))
    c.end(h=h, s=s)


def reduced_gru(c, gate):
    """Dey and Salem, arXiv 1701.05923; gate makes a function of the state."""
    update, reset = gate("u"), gate("r")
    W, U, b = weights(c, "n")
    h = c.state("h", c.units)
    for x in c.steps():
        z, r = sigmoid(update(h)), sigmoid(reset(h))
        h = (1 - z) * h + z * tanh(x @ W + (r * h) @ U + b)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def gru1(c):
    def gate(name):
        U, b = c.matrix("R_" + name, c.units, c.units), c.vector("b_" + name, c.units)
        return lambda h: h @ U + b

    reduced_gru(c, gate)


@cell(input=3, units=5)
def gru2(c):
    def gate(name):
        U = c.matrix("R_" + name, c.units, c.units)
        return lambda h: h @ U

    reduced_gru(c, gate)


@cell(input=3, units=5)
def gru3(c):
    def gate(name):
        b = c.vector("b_" + name, c.units)
        return lambda h: b

    reduced_gru(c, gate)


@cell(input=3, units=5)
def cfn(c):
    """Laurent and von Brecht, arXiv 1612.06212."""
    V_theta, U_theta, b_theta = weights(c, "f")
    V_eta, U_eta, b_eta = weights(c, "i")
    W = c.matrix("W_h", c.input, c.units)
    h = c.state("h", c.units)
    for x in c.steps():
        theta = sigmoid(h @ U_theta + x @ V_theta + b_theta)
        eta = sigmoid(h @ U_eta + x @ V_eta + b_eta)
        h = theta * tanh(h) + eta * tanh(x @ W)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def atr(c):
    """Zhang et al., arXiv 1810.12546."""
    W, U = c.matrix("W_h", c.input, c.units), c.matrix("R_h", c.units, c.units)
    h = c.state("h", c.units)
    for x in c.steps():
        p, q = x @ W, h @ U
        h = sigmoid(p + q) * p + sigmoid(p - q) * h
        c.output(h)
    c.end(h=h)


def integrated(c):
    """Wu et al., arXiv 1606.06630: products of the input and of the state as a function of both."""
    alpha, beta_1, beta_2 = (c.vector(name, c.units) for name in ("alpha", "beta_h", "beta_x"))
    b = c.vector("b_h", c.units)
    return lambda Wx, Uh: tanh(alpha * Wx * Uh + beta_1 * Uh + beta_2 * Wx + b)


@cell(input=3, units=5)
def mi_rnn(c):
    W, U = c.matrix("W_h", c.input, c.units), c.matrix("R_h", c.units, c.units)
    both = integrated(c)
    h = c.state("h", c.units)
    for x in c.steps():
        h = both(x @ W, h @ U)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def delta_rnn(c):
    """Ororbia et al., arXiv 1703.08864."""
    W, V = c.matrix("W_h", c.input, c.units), c.matrix("R_h", c.units, c.units)
    b_r = c.vector("b_r", c.units)
    both = integrated(c)
    h = c.state("h", c.units)
    for x in c.steps():
        r = sigmoid(x @ W + b_r)
        h = tanh((1 - r) * both(x @ W, h @ V) + r * h)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def jordan_rnn(c):
    """Jordan, 1986."""
    mu = c.setting("mu", 0.375)
    W, R, b = weights(c, "z")
    W_y, b_y = c.matrix("W_y", c.units, c.units), c.vector("b_y", c.units)
    before = c.state("s", c.units)
    for x in c.steps():
        y = sigmoid(sigmoid(x @ W + before @ R + b) @ W_y + b_y)
        before = mu * before + y
        c.output(y)
    c.end(s=before)
