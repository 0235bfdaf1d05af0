# SPDX-License-Identifier: BSL-1.0
"""Cells whose state is a matrix for each head (numpy_cell.py): [batch, heads, keys, values], written head by head."""

import numpy
from numpy import exp, log1p, sqrt

from numpy_cell import cell, sigmoid


def silu(z):
    return z * sigmoid(z)


def weights(c, *names, width=None):
    return [c.matrix("W_" + name, c.input, width or c.units) for name in names]


def memory(c):
    """The state S, whose rows lie one after the other in each head."""
    size = c.units // c.groups
    S = c.state("S", c.units * size)
    return S.reshape(len(S), c.groups, size, size).copy()


def heads(c, z):
    return z.reshape(len(z), c.groups, -1)


def l2(z):
    """Of length 1 in each head."""
    return z / sqrt((z**2).sum(-1, keepdims=True) + 1e-6)


def read(q, S):
    """The output of all heads, side by side."""
    return numpy.einsum("bhk,bhkv->bhv", q, S).reshape(len(q), -1)


@cell(input=3, units=6, groups=2)
def linear_attention(c):
    """Katharopoulos et al., arXiv 2006.16236: all that was seen, weighted by the product of its key and the query."""
    W_q, W_k, W_v = weights(c, "q", "k", "v")
    S, z = memory(c), heads(c, c.state("z", c.units, low=0.5, high=1.5))

    def positive(a):
        return numpy.where(a > 0, a, exp(numpy.minimum(a, 0)) - 1) + 1

    for x in c.steps():
        q, k, v = heads(c, positive(x @ W_q)), heads(c, positive(x @ W_k)), heads(c, x @ W_v)
        S = S + k[..., :, None] * v[..., None, :]
        z = z + k
        share = (q * z).sum(-1)
        c.output(read(q / share[..., None], S))
    c.end(S=S.reshape(len(S), -1), z=z.reshape(len(z), -1))


@cell(input=3, units=6, groups=2)
def gated_linear_attention(c):
    """Yang et al., arXiv 2312.06635: every feature of a key has a gate."""
    W_q, W_k, W_v = weights(c, "q", "k", "v")
    W_f1, W_f2, b_f = c.matrix("W_f1", c.input, 16), c.matrix("W_f2", 16, c.units), c.vector("b_f", c.units)
    S = memory(c)
    for x in c.steps():
        q, k, v = (heads(c, x @ W) for W in (W_q, W_k, W_v))
        f = heads(c, sigmoid(x @ W_f1 @ W_f2 + b_f) ** (1 / 16))
        for b in range(len(x)):
            for h in range(c.groups):
                S[b, h] = numpy.diag(f[b, h]) @ S[b, h] + numpy.outer(k[b, h], v[b, h])
        c.output(read(q, S))
    c.end(S=S.reshape(len(S), -1))


def delta(c, decay):
    """`decay(x)` is what a memory is multiplied with from the left, a diagonal of each head."""
    W_q, W_k, W_v = weights(c, "q", "k", "v")
    (W_b,) = weights(c, "b", width=c.groups)
    decay = decay()
    S = memory(c)
    for x in c.steps():
        q, k, v = l2(heads(c, silu(x @ W_q))), l2(heads(c, silu(x @ W_k))), heads(c, silu(x @ W_v))
        b, a = sigmoid(x @ W_b), decay(x)
        for r in range(len(x)):
            for h in range(c.groups):
                T = numpy.diag(a[r, h]) @ S[r, h]
                S[r, h] = T + b[r, h] * numpy.outer(k[r, h], v[r, h] - T.T @ k[r, h])
        c.output(read(q, S))
    c.end(S=S.reshape(len(S), -1))


@cell(input=3, units=6, groups=2)
def delta_net(c):
    """Yang et al., arXiv 2406.06484."""
    delta(c, lambda: lambda x: numpy.ones((len(x), c.groups, c.units // c.groups)))


@cell(input=3, units=8, groups=2)
def gated_delta_net(c):
    """Yang et al., arXiv 2412.06464: one decay for each head."""

    def decay():
        A, W_a, dt = c.vector("A", c.groups), *weights(c, "a", width=c.groups), c.vector("dt", c.groups)
        size = c.units // c.groups
        return lambda x: numpy.repeat(exp(-exp(A) * log1p(exp(x @ W_a + dt)))[:, :, None], size, axis=2)

    delta(c, decay)


@cell(input=3, units=6, groups=2)
def kimi_delta_net(c):
    """Kimi Team, arXiv 2510.26692: one for each feature of the key."""

    def decay():
        A, W_a, dt = c.vector("A", c.groups), *weights(c, "a"), c.vector("dt", c.units)
        return lambda x: exp(-exp(A)[None, :, None] * heads(c, log1p(exp(x @ W_a + dt))))

    delta(c, decay)
