# SPDX-License-Identifier: BSL-1.0
"""Cells that correct a memory (numpy_cell.py), a matrix [keys, values] for each head, written head by head."""

import numpy
from numpy import diag, eye, exp, log1p, outer, tanh

from numpy_cell import cell, sigmoid
from numpy_decays import each, flat, memory
from numpy_matrices import heads, l2, silu


def lengths(c, W, x):
    """Of length 1 in each head."""
    return l2(heads(c, silu(x @ W)))


@cell(input=3, units=15, groups=3, rank=2)
def rwkv7(c):
    """Peng et al., arXiv 2503.14456: the state of the paper is [values, keys]."""
    mu = {name: c.vector("mu_" + name, 3) for name in "rwkva"}
    W_r, W_k, W_v = (c.matrix("W_" + name, 3, c.units) for name in "rkv")
    A_w, B_w, decay = c.matrix("A_w", 3, c.rank), c.matrix("B_w", c.rank, c.units), c.vector("decay", c.units)
    A_a, B_a, b_a = c.matrix("A_a", 3, c.rank), c.matrix("B_a", c.rank, c.units), c.vector("b_a", c.units)
    xi, alpha = c.vector("xi", c.units), c.vector("alpha", c.units)
    S, before = memory(c, "S", c.units, c.units, c.groups), c.state("x_t-1", 3)
    for x in c.steps():
        mixed = {name: x + (before - x) * mu[name] for name in mu}
        r, k, v = mixed["r"] @ W_r, mixed["k"] @ W_k, heads(c, mixed["v"] @ W_v)
        w = heads(c, exp(-exp(-0.5) * sigmoid(decay + tanh(mixed["w"] @ A_w) @ B_w)))
        a = sigmoid(b_a + mixed["a"] @ A_a @ B_a)
        kappa = heads(c, k * xi)
        kappa = kappa / numpy.sqrt((kappa**2).sum(-1, keepdims=True) + 1e-12)
        put, a, r = heads(c, k * (1 + (a - 1) * alpha)), heads(c, a), heads(c, r)
        y = numpy.empty_like(v)
        for b, h in each(S):
            wkv = S[b, h].T @ (diag(w[b, h]) - outer(kappa[b, h], a[b, h] * kappa[b, h])) + outer(v[b, h], put[b, h])
            y[b, h] = wkv @ r[b, h]
            S[b, h] = wkv.T
        c.output(flat(y))
        before = x
    c.end(S=flat(S), **{"x_t-1": before})


@cell(input=3, units=21, groups=3, keys=15)
def comba(c):
    """Hu et al., arXiv 2506.02475: the state of the paper is [values, keys]."""
    W_q, W_k, W_v = c.matrix("W_q", 3, c.keys), c.matrix("W_k", 3, c.keys), c.matrix("W_v", 3, c.units)
    W_b, W_a, A, dt = c.matrix("W_b", 3, c.groups), c.matrix("W_a", 3, c.groups), c.vector("A", c.groups), c.vector("dt", c.groups)
    p, d = c.vector("p", c.groups), c.vector("d", c.groups)
    S = memory(c, "S", c.keys, c.units, c.groups)
    for x in c.steps():
        q, k, v = lengths(c, W_q, x), lengths(c, W_k, x), heads(c, silu(x @ W_v))
        b, a = sigmoid(x @ W_b), exp(-exp(A) * log1p(exp(x @ W_a + dt)))
        y = numpy.empty_like(v)
        for r, h in each(S):
            key, erased = k[r, h], sigmoid(p[h]) * b[r, h]
            of = S[r, h].T @ (a[r, h] * eye(len(key)) - erased * outer(key, key)) + b[r, h] * outer(v[r, h], key)
            y[r, h] = of @ (q[r, h] - d[h] * key)
            S[r, h] = of.T
        c.output(flat(y))
    c.end(S=flat(S))


@cell(input=3, units=21, groups=3, keys=15)
def delta_product(c):
    """Siems et al., arXiv 2502.10297: two Householder matrices in each step."""
    most = c.setting("range", 2)
    W_q = c.matrix("W_q", 3, c.keys)
    W_k = [c.matrix(f"W_k{i}", 3, c.keys) for i in range(2)]
    W_v = [c.matrix(f"W_v{i}", 3, c.units) for i in range(2)]
    W_b = [c.matrix(f"W_b{i}", 3, c.groups) for i in range(2)]
    S = memory(c, "S", c.keys, c.units, c.groups)
    for x in c.steps():
        q = lengths(c, W_q, x)
        for i in range(2):
            k, v, b = lengths(c, W_k[i], x), heads(c, silu(x @ W_v[i])), most * sigmoid(x @ W_b[i])
            for r, h in each(S):
                key = k[r, h]
                S[r, h] = (eye(len(key)) - b[r, h] * outer(key, key)) @ S[r, h] + b[r, h] * outer(key, v[r, h])
        c.output(numpy.einsum("bhk,bhkv->bhv", q, S).reshape(len(x), -1))
    c.end(S=flat(S))


@cell(input=3, units=21, groups=3, keys=15)
def gated_oja(c):
    """Oja, 1982, and Irie, Schlag and Schmidhuber, arXiv 2210.06184, with a decay of each feature of the value."""
    W_q, W_k, W_v = c.matrix("W_q", 3, c.keys), c.matrix("W_k", 3, c.keys), c.matrix("W_v", 3, c.units)
    W_b, W_a, A, dt = c.matrix("W_b", 3, c.groups), c.matrix("W_a", 3, c.units), c.vector("A", c.groups), c.vector("dt", c.units)
    S = memory(c, "S", c.keys, c.units, c.groups)
    for x in c.steps():
        q, k, v = heads(c, x @ W_q), heads(c, silu(x @ W_k)), lengths(c, W_v, x)
        b, a = sigmoid(x @ W_b), exp(-exp(A)[None, :, None] * heads(c, log1p(exp(x @ W_a + dt))))
        y = numpy.empty_like(v)
        for r, h in each(S):
            T = S[r, h] @ diag(a[r, h])
            S[r, h] = T + b[r, h] * outer(k[r, h] - T @ v[r, h], v[r, h])
            y[r, h] = S[r, h].T @ q[r, h]
        c.output(flat(y))
    c.end(S=flat(S))


@cell(input=3, units=15, groups=3)
def ttt_linear(c):
    """Sun et al., arXiv 2407.04620: gradient descent on the error of a linear model."""
    rate = c.setting("rate", 0.5)
    W_q, W_k, W_v = (c.matrix("W_" + name, 3, c.units) for name in "qkv")
    W_b, b_b = c.matrix("W_b", 3, c.groups), c.vector("b_b", c.groups)
    M = memory(c, "M", c.units, c.units, c.groups)
    for x in c.steps():
        q, k, v = (heads(c, x @ W) for W in (W_q, W_k, W_v))
        step = rate * sigmoid(x @ W_b + b_b)
        y = numpy.empty_like(v)
        for r, h in each(M):
            error = M[r, h].T @ k[r, h] - v[r, h]
            M[r, h] -= step[r, h] * 2 * outer(k[r, h], error)
            y[r, h] = M[r, h].T @ q[r, h]
        c.output(flat(y))
    c.end(M=flat(M))


@cell(input=3, units=15, groups=3)
def titans(c):
    """Behrouz, Zhong and Mirrokni, arXiv 2501.00663, of a linear memory."""
    W_q, W_k, W_v = (c.matrix("W_" + name, 3, c.units) for name in "qkv")
    gates = [(c.matrix("W_" + name, 3, c.groups), c.vector("b_" + name, c.groups)) for name in "abc"]
    S, M = memory(c, "S", c.units, c.units, c.groups), memory(c, "M", c.units, c.units, c.groups)
    for x in c.steps():
        q, k, v = lengths(c, W_q, x), lengths(c, W_k, x), heads(c, silu(x @ W_v))
        alpha, theta, eta = (sigmoid(x @ W + b) for W, b in gates)
        y = numpy.empty_like(v)
        for r, h in each(M):
            error = M[r, h].T @ k[r, h] - v[r, h]
            S[r, h] = eta[r, h] * S[r, h] - theta[r, h] * 2 * outer(k[r, h], error)
            M[r, h] = (1 - alpha[r, h]) * M[r, h] + S[r, h]
            y[r, h] = M[r, h].T @ q[r, h]
        c.output(flat(y))
    c.end(S=flat(S), M=flat(M))


@cell(input=3, units=21, groups=3, keys=15)
def m2rnn(c):
    """Mishra et al., arXiv 2603.14360."""
    W_q, W_k, W_v = c.matrix("W_q", 3, c.keys), c.matrix("W_k", 3, c.keys), c.matrix("W_v", 3, c.units)
    W_f, A, dt = c.matrix("W_f", 3, c.groups), c.vector("A", c.groups), c.vector("dt", c.groups)
    W = c.grouped("W", c.groups, c.units, c.units)
    S = memory(c, "S", c.keys, c.units, c.groups)
    for x in c.steps():
        q, k, v = heads(c, x @ W_q), heads(c, x @ W_k), heads(c, x @ W_v)
        f = (1 + exp(x @ W_f + dt)) ** -exp(A)
        y = numpy.empty_like(v)
        for r, h in each(S):
            Z = tanh(S[r, h] @ W[h] + outer(k[r, h], v[r, h]))
            S[r, h] = f[r, h] * S[r, h] + (1 - f[r, h]) * Z
            y[r, h] = S[r, h].T @ q[r, h]
        c.output(flat(y))
    c.end(S=flat(S))


@cell(input=3, units=5)
def rg_lru(c):
    """De et al., arXiv 2402.19427."""
    W_u, (W_r, b_r), (W_i, b_i) = c.matrix("W_u", 3, 5), *((c.matrix("W_" + n, 5, 5), c.vector("b_" + n, 5)) for n in "ri")
    a = sigmoid(c.vector("decay", 5))
    h = c.state("h", 5)
    for x in c.steps():
        u = x @ W_u
        a_t = a ** (8 * sigmoid(u @ W_r + b_r))
        h = a_t * h + numpy.sqrt(1 - a_t**2) * (sigmoid(u @ W_i + b_i) * u)
        c.output(h)
    c.end(h=h)


@cell(input=3, units=5)
def s5(c):
    """Smith, Warrington and Linderman, arXiv 2208.04933, in complex numbers."""
    L = -exp(c.vector("rate", 5)) + 1j * c.vector("angle", 5, low=-3, high=3)
    D = exp(L * exp(c.vector("log_dt", 5)))
    B = c.matrix("W_p", 3, 5) + 1j * c.matrix("W_q", 3, 5)
    C = c.matrix("C_p", 5, 3) + 1j * c.matrix("C_q", 5, 3)
    d = c.vector("d", 3)
    z = c.state("p", 5) + 1j * c.state("q", 5)
    for x in c.steps():
        z = D * z + (D - 1) / L * (x @ B)
        c.output(2 * (z @ C).real + d * x)
    c.end(p=z.real, q=z.imag)
