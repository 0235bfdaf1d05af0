# SPDX-License-Identifier: BSL-1.0
"""Cells that are dynamical systems: residual steps, oscillators, continuous time, memories and reservoirs."""

import numpy
from numpy import exp, maximum, tanh

from numpy_cell import cell, sigmoid


def affine(c, name, rows=None, columns=None):
    """x W + h R + b of that name, as a function of x and of what recurs."""
    columns = columns or c.units
    W, R = c.matrix("W_" + name, c.input, columns), c.matrix("R_" + name, rows or c.units, columns)
    b = c.vector("b_" + name, columns)
    return lambda x, h: x @ W + h @ R + b


@cell(input=3, units=5)
def fast_rnn(c):
    """Kusupati et al., arXiv 1901.02358."""
    alpha, beta = sigmoid(c.scalar("alpha")), sigmoid(c.scalar("beta"))
    candidate = affine(c, "h")
    h = c.state("h", c.units)
    for x in c.steps():
        h = alpha * tanh(candidate(x, h)) + beta * h
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def fast_grnn(c):
    """Kusupati et al., arXiv 1901.02358."""
    zeta, nu = sigmoid(c.scalar("zeta")), sigmoid(c.scalar("nu"))
    W, R = c.matrix("W_h", c.input, c.units), c.matrix("R_h", c.units, c.units)
    b_z, b_n = c.vector("b_z", c.units), c.vector("b_n", c.units)
    h = c.state("h", c.units)
    for x in c.steps():
        shared = x @ W + h @ R
        z = sigmoid(shared + b_z)
        h = (zeta * (1 - z) + nu) * tanh(shared + b_n) + z * h
        c.output(h)
    c.end(h=h)


def antisymmetric(c, gated):
    """Chang et al., arXiv 1902.09689, with matrices on columns."""
    epsilon, gamma = c.setting("epsilon", 0.3), c.setting("gamma", 0.2)
    W = c.matrix("R", c.units, c.units).T
    M = W - W.T - gamma * numpy.eye(c.units)
    V = {g: c.matrix("W_" + g, c.input, c.units).T for g in ("hz" if gated else "h")}
    b = {g: c.vector("b_" + g, c.units)[:, None] for g in V}
    h = c.state("h", c.units).T
    for x in c.steps():
        change = tanh(M @ h + V["h"] @ x.T + b["h"])
        h = h + epsilon * change * (sigmoid(M @ h + V["z"] @ x.T + b["z"]) if gated else 1)
        c.output(h.T)
    c.end(h=h.T)


@cell(input=3, units=5)
def antisymmetric_rnn(c):
    antisymmetric(c, gated=False)


@cell(input=3, units=5)
def gated_antisymmetric_rnn(c):
    antisymmetric(c, gated=True)


def oscillators(c, implicit):
    """Rusch and Mishra, arXiv 2010.00951."""
    dt, gamma, epsilon = c.setting("dt", 0.3), c.setting("gamma", 1.5), c.setting("epsilon", 0.8)
    V, W, W_hat = c.matrix("W_a", c.input, c.units), c.matrix("R_y", c.units, c.units), c.matrix("R_z", c.units, c.units)
    b = c.vector("b_a", c.units)
    y, z = c.state("y", c.units), c.state("z", c.units)
    for x in c.steps():
        force = tanh(y @ W + z @ W_hat + x @ V + b) - gamma * y
        z = (z + dt * force) / (1 + dt * epsilon) if implicit else z + dt * (force - epsilon * z)
        y = y + dt * z
        c.output(y)
    c.end(y=y, z=z)


@cell(input=3, units=5)
def cornn(c):
    oscillators(c, implicit=False)


@cell(input=3, units=5)
def imex_cornn(c):
    oscillators(c, implicit=True)


@cell(input=3, units=5)
def unicornn(c):
    """Rusch and Mishra, arXiv 2103.05487."""
    dt, alpha = c.setting("dt", 0.7), c.setting("alpha", 1.3)
    step = dt * (0.5 + 0.5 * tanh(c.vector("c", c.units) / 2))
    w, V, b = c.vector("p_y", c.units), c.matrix("W_y", c.input, c.units), c.vector("b_y", c.units)
    y, z = c.state("y", c.units), c.state("z", c.units)
    for x in c.steps():
        z = z - step * (tanh(w * y + x @ V + b) + alpha * y)
        y = y + step * z
        c.output(y)
    c.end(y=y, z=z)


@cell(input=3, units=5)
def lem(c):
    """Rusch et al., arXiv 2110.04744."""
    dt = c.setting("dt", 0.6)
    of = {name: affine(c, name) for name in "dezy"}
    y, z = c.state("y", c.units), c.state("z", c.units)
    for x in c.steps():
        d, e = dt * sigmoid(of["d"](x, y)), dt * sigmoid(of["e"](x, y))
        z = z + d * (tanh(of["z"](x, y)) - z)
        y = y + e * (tanh(of["y"](x, z)) - y)
        c.output(y)
    c.end(y=y, z=z)


@cell(input=3, units=5, backbone=7)
def cfc(c):
    """Hasani et al., arXiv 2106.13898."""
    backbone = affine(c, "k", columns=c.backbone)
    W = {g: c.matrix("W_" + g, c.backbone, c.units) for g in "fgn"}
    b = {g: c.vector("b_" + g, c.units) for g in "fgn"}
    h = c.state("h", c.units)
    for x, dt in c.steps(dt=(1, 0.1, 2)):
        k = tanh(backbone(x, h))
        f, g, n = (k @ W[i] + b[i] for i in "fgn")
        h = tanh(g) / (1 + exp(f * dt)) + tanh(n) / (1 + exp(-f * dt))
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def ctrnn(c):
    """Beer, Adaptive Behavior 3, 1995."""
    dt = c.setting("dt", 0.3)
    tau, theta = c.vector("tau", c.units, low=0.5, high=2), c.vector("b_h", c.units)
    W, R = c.matrix("W_h", c.input, c.units), c.matrix("R_h", c.units, c.units)
    h = c.state("h", c.units)
    for x in c.steps():
        h = (1 - dt / tau) * h + dt / tau * (sigmoid(h + theta) @ R + x @ W)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def ltc(c):
    """Hasani et al., arXiv 2006.04439: algorithm 1 with six steps."""
    dt = c.setting("dt", 1.5) / 6
    tau, A = c.vector("tau", c.units, low=0.5, high=2), c.vector("A", c.units)
    net = affine(c, "f")
    h = c.state("h", c.units)
    for x in c.steps():
        for _ in range(6):
            f = sigmoid(net(x, h))
            h = (h + dt * f * A) / (1 + dt * (1 / tau + f))
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def gru_ode(c):
    """De Brouwer et al., arXiv 1905.12374, Euler's method."""
    of = {name: affine(c, name) for name in "rzn"}
    h = c.state("h", c.units)
    for x, dt in c.steps(dt=(1, 0.1, 2)):
        r, z = sigmoid(of["r"](x, h)), sigmoid(of["z"](x, h))
        h = h + dt * (1 - z) * (tanh(of["n"](x, r * h)) - h)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def gru_d(c):
    """Che et al., arXiv 1606.01865."""
    w, b_x = c.vector("p_d", c.input), c.vector("b_d", c.input)
    W, b_h = c.matrix("W_e", c.input, c.units), c.vector("b_e", c.units)
    mean = c.vector("mean", c.input)
    of = {name: affine(c, name) for name in "zrn"}
    V = {name: c.matrix("V_" + name, c.input, c.units) for name in "zrn"}
    h, last = c.state("h", c.units), c.state("last", c.input)
    for x, m, delta in c.steps(m=(3, 0, 1), delta=(3, 0.1, 2)):
        decay = exp(-maximum(0, w * delta + b_x))
        seen = m * x + (1 - m) * (decay * last + (1 - decay) * mean)
        h = exp(-maximum(0, delta @ W + b_h)) * h
        z = sigmoid(of["z"](seen, h) + m @ V["z"])
        r = sigmoid(of["r"](seen, h) + m @ V["r"])
        h = (1 - z) * h + z * tanh(of["n"](seen, r * h) + m @ V["n"])
        last = m * x + (1 - m) * last
        c.output(h)
    c.end(h=h, last=last)


def legendre_memory(order, theta):
    """exp([a, b; 0, 0] / theta) by Taylor's series of a thousandth part, as its parts A and B, transposed."""
    both = numpy.zeros((order + 1, order + 1))
    for i in range(order):
        both[i, :order] = [(2 * i + 1) * (-1 if i < j else (-1) ** (i - j + 1)) for j in range(order)]
        both[i, order] = (2 * i + 1) * (-1) ** i
    small, term = numpy.eye(order + 1), numpy.eye(order + 1)
    for k in range(1, 20):
        term = term @ both / (theta * 1024 * k)
        small = small + term
    whole = numpy.linalg.matrix_power(small, 1024)
    return whole[:order, :order].T, whole[:order, order:].T


@cell(input=3, units=5, order=7)
def lmu(c):
    """Voelker, Kajic and Eliasmith, NeurIPS 2019: a memory of 6 steps."""
    e_x, e_h, e_m = c.matrix("e_x", c.input, 1), c.matrix("e_h", c.units, 1), c.matrix("e_m", c.order, 1)
    A, B = legendre_memory(c.order, 6)
    c.tensors["A"], c.tensors["B"] = A, B
    W, R, M = c.matrix("W_h", c.input, c.units), c.matrix("R_h", c.units, c.units), c.matrix("W_m", c.order, c.units)
    h, m = c.state("h", c.units), c.state("m", c.order)
    for x in c.steps():
        u = x @ e_x + h @ e_h + m @ e_m
        m = m @ A + u @ B
        h = tanh(x @ W + h @ R + m @ M)
        c.output(h)
    c.end(h=h, m=m)


@cell(input=3, units=5)
def echo_state(c):
    """Jaeger et al., Neural Networks 20, 2007."""
    leak = c.setting("leak", 0.4)
    reservoir = affine(c, "h")
    W_y, W_P, b = c.matrix("W_y", c.units, c.units), c.matrix("W_P", c.input, c.units), c.vector("b_y", c.units)
    h = c.state("h", c.units)
    for x in c.steps():
        h = (1 - leak) * h + leak * tanh(reservoir(x, h))
        c.output(h @ W_y + x @ W_P + b)
    c.end(h=h)
