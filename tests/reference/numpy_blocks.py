# SPDX-License-Identifier: BSL-1.0
"""Residual blocks around a cell (numpy_cell.py), without the sum: normalisation, projections, convolution, gates."""

from math import erf

import numpy
from numpy import exp, log1p, outer, sqrt

from numpy_cell import cell, sigmoid
from numpy_decays import each, flat, memory
from numpy_matrices import heads, silu

gelu = numpy.vectorize(lambda z: z * (1 + erf(z / sqrt(2))) / 2)


class convolution:
    """Of each feature by itself, over four steps; the states are what was before."""

    def __init__(self, c, name, width):
        self.taps = [c.vector(f"c_{i}", width) for i in range(4)]
        self.before = [c.state(f"{name}_t-{i}", width) for i in range(1, 4)]
        self.name = name

    def __call__(self, u):
        window = [u, *self.before]
        self.before = window[:3]
        return sum(tap * z for tap, z in zip(self.taps, window))

    def states(self):
        return {f"{self.name}_t-{i}": self.before[i - 1] for i in range(1, 4)}


@cell(input=4, units=6)
def griffin_mixing(c):
    """De et al., arXiv 2402.19427: RMSNorm, two branches, a convolution and RG-LRU in one of them."""
    p_n, W_g, W_u, W_o = c.vector("p_n", 4), c.matrix("W_g", 4, 6), c.matrix("W_u", 4, 6), c.matrix("W_o", 6, 4)
    conv, b_c = convolution(c, "u", 6), c.vector("b_c", 6)
    (W_r, b_r), (W_i, b_i) = ((c.matrix("W_" + n, 6, 6), c.vector("b_" + n, 6)) for n in "ri")
    a = sigmoid(c.vector("decay", 6))
    h = c.state("h", 6)
    for x in c.steps():
        n = x / sqrt((x**2).mean(1, keepdims=True) + 1e-5) * p_n
        u = conv(n @ W_u) + b_c
        a_t = a ** (8 * sigmoid(u @ W_r + b_r))
        h = a_t * h + sqrt(1 - a_t**2) * (sigmoid(u @ W_i + b_i) * u)
        c.output((gelu(n @ W_g) * h) @ W_o)
    c.end(h=h, **conv.states())


@cell(input=4, units=6, groups=2)
def mlstm_block(c):
    """Beck et al., arXiv 2405.04517: LayerNorm, widening, a convolution, mLSTM, a norm of each head, and a gate."""
    p_s, b_s, W_u, W_z = c.vector("p_s", 4), c.vector("b_s", 4), c.matrix("W_u", 4, 6), c.matrix("W_z", 4, 6)
    conv, b_c = convolution(c, "u", 6), c.vector("b_c", 6)
    W_q, W_k, W_v, W_o = *(c.matrix("W_" + n, 6, 6) for n in "qkv"), c.matrix("W_o", 6, 4)
    (W_i, b_i), (W_f, b_f) = ((c.matrix("W_" + n, 6, 2), c.vector("b_" + n, 2)) for n in "if")
    p_r, p_c = c.vector("p_r", 6), c.vector("p_c", 6)
    C, n, m = memory(c, "C", 6, 6, 2), heads(c, c.state("n", 6)).copy(), c.state("m", 2)
    for x in c.steps():
        centred = x - x.mean(1, keepdims=True)
        s = centred / sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * p_s + b_s
        u, z = s @ W_u, s @ W_z
        mixed = silu(conv(u) + b_c)
        q, k, v = heads(c, mixed @ W_q), heads(c, mixed @ W_k / sqrt(3)), heads(c, u @ W_v)
        i, f = mixed @ W_i + b_i, -log1p(exp(-(mixed @ W_f + b_f)))
        most = numpy.maximum(numpy.maximum(f + m, i), 0)  # the paper has no 0; what is read is the same
        r = numpy.empty_like(v)
        for b, h in each(C):
            kept, let_in = exp(f[b, h] + m[b, h] - most[b, h]), exp(i[b, h] - most[b, h])
            C[b, h] = kept * C[b, h] + let_in * outer(k[b, h], v[b, h])
            n[b, h] = kept * n[b, h] + let_in * k[b, h]
            r[b, h] = (C[b, h].T @ q[b, h]) / max(abs(n[b, h] @ q[b, h]), exp(-most[b, h]))
        m = most
        r -= r.mean(-1, keepdims=True)
        r /= sqrt((r**2).mean(-1, keepdims=True) + 1e-5)
        c.output(((flat(r) * p_r + p_c * mixed) * silu(z)) @ W_o)
    c.end(C=flat(C), n=flat(n), m=m, **conv.states())
