# SPDX-License-Identifier: BSL-1.0
"""Cells whose memories decay (numpy_cell.py): a matrix [keys, values] for each head, written head by head."""

import numpy
from numpy import diag, exp, log1p, outer, sqrt, tanh

from numpy_cell import cell, sigmoid
from numpy_matrices import heads, silu


def memory(c, name, rows, columns, groups):
    """The state of each head [batch, heads, rows / heads, columns / heads], and its name in the end."""
    S = c.state(name, rows // groups * columns)
    return S.reshape(len(S), groups, rows // groups, columns // groups).copy()


def flat(S):
    return S.reshape(len(S), -1)


def each(S):
    """Each row of the batch and each head."""
    return numpy.ndindex(*S.shape[:2])


@cell(input=3, units=21, groups=3, keys=15)
def retnet(c):
    """Sun et al., arXiv 2307.08621: every head forgets at its own rate, which is given."""
    W_q, W_k, W_v = c.matrix("W_q", 3, c.keys), c.matrix("W_k", 3, c.keys), c.matrix("W_v", 3, c.units)
    a = c.vector("a", c.groups, low=0.5, high=1)
    S = memory(c, "S", c.keys, c.units, c.groups)
    for x in c.steps():
        q, k, v = heads(c, x @ W_q), heads(c, x @ W_k), heads(c, x @ W_v)
        y = numpy.empty_like(v)
        for r, h in each(S):
            S[r, h] = a[h] * S[r, h] + outer(k[r, h], v[r, h])
            y[r, h] = S[r, h].T @ q[r, h]
        c.output(flat(y))
    c.end(S=flat(S))


@cell(input=3, units=21, groups=3, keys=15)
def hgrn2(c):
    """Qin et al., arXiv 2404.07904: what is forgotten is the key."""
    low = c.setting("lower_bound", 0.25)
    (W_f, b_f), (W_i, b_i), (W_o, b_o) = (
        (c.matrix("W_" + name, 3, width), c.vector("b_" + name, width))
        for name, width in (("f", c.keys), ("i", c.units), ("o", c.keys))
    )
    S = memory(c, "S", c.keys, c.units, c.groups)
    for x in c.steps():
        f, i = heads(c, low + (1 - low) * sigmoid(x @ W_f + b_f)), heads(c, silu(x @ W_i + b_i))
        o = heads(c, sigmoid(x @ W_o + b_o))
        y = numpy.empty_like(i)
        for r, h in each(S):
            S[r, h] = diag(f[r, h]) @ S[r, h] + outer(1 - f[r, h], i[r, h])
            y[r, h] = S[r, h].T @ o[r, h]
        c.output(flat(y))
    c.end(S=flat(S))


def rwkv(c, mixed, decay):
    """`mixed(name, x, before)` is the input of a product, `decay(x, before)` what the rows are multiplied with."""
    W_r, W_k, W_v = (c.matrix("W_" + name, 3, c.units) for name in "rkv")
    u = heads(c, c.vector("u", c.units)[None])[0]
    S = memory(c, "S", c.units, c.units, c.groups)
    before = c.state("x_t-1", 3)
    for x in c.steps():
        r, k, v = (heads(c, mixed(name, x, before) @ W) for name, W in zip("rkv", (W_r, W_k, W_v)))
        w = heads(c, decay(x, before))
        y = numpy.empty_like(v)
        for b, h in each(S):
            kv = outer(k[b, h], v[b, h])
            y[b, h] = r[b, h] @ (S[b, h] + diag(u[h]) @ kv)
            S[b, h] = diag(w[b, h]) @ S[b, h] + kv
        c.output(flat(y))
        before = x
    c.end(S=flat(S), **{"x_t-1": before})


@cell(input=3, units=15, groups=3)
def rwkv5(c):
    """Peng et al., arXiv 2404.05892, Eagle."""
    mu = {name: c.vector("mu_" + name, 3) for name in "rkv"}
    w = exp(-exp(c.vector("decay", c.units)))
    rwkv(c, lambda name, x, before: x + (before - x) * mu[name], lambda x, before: numpy.tile(w, (len(x), 1)))


@cell(input=3, units=15, groups=3, rank=2)
def rwkv6(c):
    """Peng et al., arXiv 2404.05892, Finch: mixing and decay depend on the input."""
    mu = {name: c.vector("mu_" + name, 3) for name in "xrkvw"}
    low = {name: (c.matrix("A_" + name, 3, c.rank), c.matrix("B_" + name, c.rank, 3)) for name in "rkvw"}
    lora = lambda x, A, B: tanh(x @ A) @ B
    d, A_d, B_d = c.vector("decay", c.units), c.matrix("A_d", 3, c.rank), c.matrix("B_d", c.rank, c.units)

    def mixed(name, x, before):
        return x + (before - x) * (mu[name] + lora(x + (before - x) * mu["x"], *low[name]))

    rwkv(c, mixed, lambda x, before: exp(-exp(d + lora(mixed("w", x, before), A_d, B_d))))


@cell(input=3, units=5, order=7, rank=2)
def mamba(c):
    """Gu and Dao, arXiv 2312.00752: each channel by itself."""
    W_u, W_B, W_C = c.matrix("W_u", 3, c.units), c.matrix("W_B", c.units, c.order), c.matrix("W_C", c.units, c.order)
    W_d1, W_d2, b_dt = c.matrix("W_d1", c.units, c.rank), c.matrix("W_d2", c.rank, c.units), c.vector("b_dt", c.units)
    A, D = -exp(c.vector("A", c.units * c.order).reshape(c.units, c.order)), c.vector("D", c.units)
    h = c.state("h", c.units * c.order).reshape(-1, c.units, c.order).copy()
    for x in c.steps():
        u = x @ W_u
        dt, B, C = log1p(exp(u @ W_d1 @ W_d2 + b_dt)), u @ W_B, u @ W_C
        y = numpy.empty_like(u)
        for b, n in numpy.ndindex(*u.shape):
            h[b, n] = exp(dt[b, n] * A[n]) * h[b, n] + dt[b, n] * u[b, n] * B[b]
            y[b, n] = C[b] @ h[b, n] + D[n] * u[b, n]
        c.output(y)
    c.end(h=flat(h))


@cell(input=3, units=21, groups=3, order=5)
def mamba2(c):
    """Dao and Gu, arXiv 2405.21060: a head has one decay, and all have the same B and C."""
    W_u, W_B, W_C = c.matrix("W_u", 3, c.units), c.matrix("W_B", 3, c.order), c.matrix("W_C", 3, c.order)
    W_dt, b_dt = c.matrix("W_dt", 3, c.groups), c.vector("b_dt", c.groups)
    A, D = -exp(c.vector("A", c.groups)), c.vector("D", c.groups)
    S = c.state("S", c.order * c.units).reshape(-1, c.order, c.groups, c.units // c.groups).copy()
    for x in c.steps():
        u, B, C = heads(c, x @ W_u), x @ W_B, x @ W_C
        dt = log1p(exp(x @ W_dt + b_dt))
        y = numpy.empty_like(u)
        for b, h in numpy.ndindex(*dt.shape):
            S[b, :, h] = exp(dt[b, h] * A[h]) * S[b, :, h] + outer(B[b], dt[b, h] * u[b, h])
            y[b, h] = S[b, :, h].T @ C[b] + D[h] * u[b, h]
        c.output(flat(y))
    c.end(S=flat(S))


@cell(input=3, units=15, groups=3)
def mlstm(c):
    """Beck et al., arXiv 2405.04517: of each head, with the largest exponent taken out."""
    W = {name: c.matrix("W_" + name, 3, c.groups if name in "if" else c.units) for name in "qkvifo"}
    bias = {name: c.vector("b_" + name, c.groups if name in "if" else c.units) for name in "qkvifo"}
    C, n, m = memory(c, "C", c.units, c.units, c.groups), heads(c, c.state("n", c.units)).copy(), c.state("m", c.groups)
    for x in c.steps():
        root = sqrt(c.units // c.groups)
        q, v = heads(c, x @ W["q"] + bias["q"]), heads(c, x @ W["v"] + bias["v"])
        k = heads(c, x @ W["k"] / root + bias["k"])
        i, f = x @ W["i"] + bias["i"], -log1p(exp(-(x @ W["f"] + bias["f"])))
        o = heads(c, sigmoid(x @ W["o"] + bias["o"]))
        most = numpy.maximum(numpy.maximum(f + m, i), 0)  # the paper has no 0; the output is the same
        y = numpy.empty_like(v)
        for b, h in each(C):
            kept, let_in = exp(f[b, h] + m[b, h] - most[b, h]), exp(i[b, h] - most[b, h])
            C[b, h] = kept * C[b, h] + let_in * outer(k[b, h], v[b, h])
            n[b, h] = kept * n[b, h] + let_in * k[b, h]
            y[b, h] = o[b, h] * (C[b, h].T @ q[b, h]) / max(abs(n[b, h] @ q[b, h]), exp(-most[b, h]))
        m = most
        c.output(flat(y))
    c.end(C=flat(C), n=flat(n), m=m)
