#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Records gradients by PyTorch's autograd, in double, of the cells with memories: autograd/*.safetensors.

    pip install torch 'numpy<2'
    python3 make_autograd.py [CELL ...]         all, or those

A cell is its equations once more, of all heads at once. It is given the numbers that numpy/*.safetensors has for it,
and has to compute the outputs and states that stand there. The loss is sum(outputs * gradient/outputs) + sum(S_n *
gradient/S_n) for each state S; gradient/NAME is what that gives for an input, a state at the start and a parameter.
"""

import json
import struct
import sys
from pathlib import Path

import numpy
import torch
from torch import einsum, exp, sigmoid, tanh
from torch.nn.functional import elu, gelu, layer_norm, logsigmoid, silu, softplus

import recording

HERE = Path(__file__).parent
CELLS = {}


def cell(**states):
    """Enters the step of a cell. It is given the parameters, x and the states, and gives an output and the next states;
    a state that is a matrix is [batch, heads, rows, columns], which here are (rows, columns) as names of widths."""

    def enter(function):
        CELLS[function.__name__] = function, states
        return function

    return enter


class Given:
    """The numbers of a recording, by name, and its sizes."""

    def __init__(self, facts, tensors):
        self.facts, self.tensors = facts, tensors

    def __getitem__(self, name):
        return self.tensors[name]

    def size(self, name):
        return int(self.facts.get(name, 1))

    def setting(self, name):
        return float(self.facts["setting." + name])

    def heads(self, z):
        return z.reshape(*z.shape[:-1], self.size("groups"), -1)


def l2(z, epsilon=1e-6):
    return z / (z.square().sum(-1, keepdim=True) + epsilon).sqrt()


def outer(k, v):
    return k[..., :, None] * v[..., None, :]


def read(q, S):
    return einsum("bhk,bhkv->bhv", q, S)


def keys_and_values(c, x):
    return (c.heads(x @ c["W_" + name]) for name in "qkv")


SQUARE = ("units", "units")
WIDE = ("keys", "units")


@cell(S=SQUARE, z=None)
def linear_attention(c, x, S, z):
    q, k, v = keys_and_values(c, x)
    q, k = elu(q) + 1, elu(k) + 1
    S, z = S + outer(k, v), z + k.flatten(1)
    return (read(q, S) / (q * c.heads(z)).sum(-1, keepdim=True)).flatten(1), S, z


@cell(S=SQUARE)
def gated_linear_attention(c, x, S):
    q, k, v = keys_and_values(c, x)
    S = c.heads(sigmoid(x @ c["W_f1"] @ c["W_f2"] + c["b_f"]) ** 0.0625)[..., None] * S + outer(k, v)
    return read(q, S).flatten(1), S


@cell(S=WIDE)
def retnet(c, x, S):
    q, k, v = keys_and_values(c, x)
    S = c["a"][:, None, None] * S + outer(k, v)
    return read(q, S).flatten(1), S


@cell(S=WIDE)
def hgrn2(c, x, S):
    low = c.setting("lower_bound")
    f = c.heads(low + (1 - low) * sigmoid(x @ c["W_f"] + c["b_f"]))
    i, o = c.heads(silu(x @ c["W_i"] + c["b_i"])), c.heads(sigmoid(x @ c["W_o"] + c["b_o"]))
    S = f[..., None] * S + outer(1 - f, i)
    return read(o, S).flatten(1), S


def rwkv(c, r, k, v, w, S):
    r, k, v, w, u = (c.heads(z) for z in (r, k, v, w, c["u"]))
    y = read(r, S) + (r * u * k).sum(-1, keepdim=True) * v
    return y.flatten(1), w[..., None] * S + outer(k, v)


@cell(S=SQUARE, **{"x_t-1": None})
def rwkv5(c, x, S, before):
    r, k, v = ((x + (before - x) * c["mu_" + name]) @ c["W_" + name] for name in "rkv")
    return *rwkv(c, r, k, v, exp(-exp(c["decay"])), S), x


@cell(S=SQUARE, **{"x_t-1": None})
def rwkv6(c, x, S, before):
    m = x + (before - x) * c["mu_x"]
    mixed = {n: x + (before - x) * (c["mu_" + n] + tanh(m @ c["A_" + n]) @ c["B_" + n]) for n in "rkvw"}
    w = exp(-exp(c["decay"] + tanh(mixed["w"] @ c["A_d"]) @ c["B_d"]))
    return *rwkv(c, *(mixed[n] @ c["W_" + n] for n in "rkv"), w, S), x


@cell(S=SQUARE, **{"x_t-1": None})
def rwkv7(c, x, S, before):
    mixed = {n: x + (before - x) * c["mu_" + n] for n in "rwkva"}
    r, k, v = (mixed[n] @ c["W_" + n] for n in "rkv")
    w = exp(-exp(torch.tensor(-0.5).double()) * sigmoid(c["decay"] + tanh(mixed["w"] @ c["A_w"]) @ c["B_w"]))
    a = sigmoid(c["b_a"] + mixed["a"] @ c["A_a"] @ c["B_a"])
    erased = l2(c.heads(k * c["xi"]), 1e-12)
    put = c.heads(k * (1 + (a - 1) * c["alpha"]))
    S = c.heads(w)[..., None] * S - outer(c.heads(a) * erased, read(erased, S)) + outer(put, c.heads(v))
    return read(c.heads(r), S).flatten(1), S, x


@cell(h=None)
def mamba(c, x, h):
    u = x @ c["W_u"]
    dt = softplus(u @ c["W_d1"] @ c["W_d2"] + c["b_dt"])
    A = -exp(c["A"].reshape(c.size("units"), -1))
    h = exp(dt[..., None] * A) * h.reshape(len(x), *A.shape) + outer(dt * u, u @ c["W_B"])
    return einsum("bun,bn->bu", h, u @ c["W_C"]) + c["D"] * u, h.flatten(1)


@cell(S=None)
def mamba2(c, x, S):
    u, dt = c.heads(x @ c["W_u"]), softplus(x @ c["W_dt"] + c["b_dt"])
    a = exp(-exp(c["A"]) * dt)
    S = S.reshape(len(x), -1, *u.shape[1:])
    S = a[:, None, :, None] * S + einsum("bn,bhv->bnhv", x @ c["W_B"], dt[..., None] * u)
    y = einsum("bn,bnhv->bhv", x @ c["W_C"], S) + c["D"][:, None] * u
    return y.flatten(1), S.flatten(1)


def exponentially_gated(q, k, v, i, f, C, n, m):
    most = torch.maximum(f + m, i).clamp(min=0)
    kept, let_in = exp(f + m - most)[..., None], exp(i - most)[..., None]
    C, n = kept[..., None] * C + outer(let_in * k, v), kept * n + let_in * k
    return read(q, C) / torch.maximum((q * n).sum(-1).abs(), exp(-most))[..., None], C, n, most


@cell(C=SQUARE, n=None, m=None)
def mlstm(c, x, C, n, m):
    z = {name: x @ c["W_" + name] for name in "qkvifo"}
    k = c.heads(z["k"] / (c.size("units") // c.size("groups")) ** 0.5 + c["b_k"])
    q, v = c.heads(z["q"] + c["b_q"]), c.heads(z["v"] + c["b_v"])
    i, f = z["i"] + c["b_i"], logsigmoid(z["f"] + c["b_f"])
    r, C, n, m = exponentially_gated(q, k, v, i, f, C, c.heads(n), m)
    return sigmoid(z["o"] + c["b_o"]) * r.flatten(1), C, n.flatten(1), m


def corrected(T, k, b, v):
    return T + outer(k, b[..., None] * (v - read(k, T)))


def unit(c, x, name):
    return l2(c.heads(silu(x @ c["W_" + name])))


@cell(S=SQUARE)
def delta_net(c, x, S):
    S = corrected(S, unit(c, x, "k"), sigmoid(x @ c["W_b"]), c.heads(silu(x @ c["W_v"])))
    return read(unit(c, x, "q"), S).flatten(1), S


@cell(S=SQUARE)
def gated_delta_net(c, x, S):
    a = exp(-exp(c["A"]) * softplus(x @ c["W_a"] + c["dt"]))
    return delta_net(c, x, a[..., None, None] * S)


@cell(S=SQUARE)
def kimi_delta_net(c, x, S):
    a = exp(-exp(c["A"])[:, None] * c.heads(softplus(x @ c["W_a"] + c["dt"])))
    return delta_net(c, x, a[..., None] * S)


@cell(S=WIDE)
def comba(c, x, S):
    q, k, b = unit(c, x, "q"), unit(c, x, "k"), sigmoid(x @ c["W_b"])
    a = exp(-exp(c["A"]) * softplus(x @ c["W_a"] + c["dt"]))
    error = c.heads(silu(x @ c["W_v"])) - sigmoid(c["p"])[:, None] * read(k, S)
    S = a[..., None, None] * S + outer(k, b[..., None] * error)
    return read(q - c["d"][:, None] * k, S).flatten(1), S


@cell(S=WIDE)
def delta_product(c, x, S):
    for i in "01":
        b = c.setting("range") * sigmoid(x @ c["W_b" + i])
        S = corrected(S, unit(c, x, "k" + i), b, c.heads(silu(x @ c["W_v" + i])))
    return read(unit(c, x, "q"), S).flatten(1), S


@cell(S=WIDE)
def gated_oja(c, x, S):
    k, v, b = c.heads(silu(x @ c["W_k"])), unit(c, x, "v"), sigmoid(x @ c["W_b"])
    a = exp(-exp(c["A"])[:, None] * c.heads(softplus(x @ c["W_a"] + c["dt"])))
    T = S * a[..., None, :]
    S = T + outer(b[..., None] * (k - einsum("bhkv,bhv->bhk", T, v)), v)
    return read(c.heads(x @ c["W_q"]), S).flatten(1), S


@cell(S=WIDE)
def m2rnn(c, x, S):
    q, k, v = keys_and_values(c, x)
    f = exp(-exp(c["A"]) * softplus(x @ c["W_f"] + c["dt"]))[..., None, None]
    S = f * S + (1 - f) * tanh(einsum("bhkv,hvw->bhkw", S, c["W"]) + outer(k, v))
    return read(q, S).flatten(1), S


def surprise(M, k, v):
    """The derivative of the squared error by M, which autograd makes, and through which it goes."""
    return torch.autograd.grad((read(k, M) - v).square().sum(), M, create_graph=True)[0]


@cell(M=SQUARE)
def ttt_linear(c, x, M):
    q, k, v = keys_and_values(c, x)
    step = c.setting("rate") * sigmoid(x @ c["W_b"] + c["b_b"])
    M = M - step[..., None, None] * surprise(M, k, v)
    return read(q, M).flatten(1), M


@cell(S=SQUARE, M=SQUARE)
def titans(c, x, S, M):
    forget, step, go_on = (sigmoid(x @ c["W_" + n] + c["b_" + n])[..., None, None] for n in "abc")
    S = go_on * S - step * surprise(M, unit(c, x, "k"), c.heads(silu(x @ c["W_v"])))
    M = (1 - forget) * M + S
    return read(unit(c, x, "q"), M).flatten(1), S, M


@cell(h=None)
def rg_lru(c, x, h):
    u = x @ c["W_u"]
    a = sigmoid(c["decay"]) ** (8 * sigmoid(u @ c["W_r"] + c["b_r"]))
    h = a * h + (1 - a.square()).sqrt() * sigmoid(u @ c["W_i"] + c["b_i"]) * u
    return h, h


@cell(p=None, q=None)
def s5(c, x, p, q):
    L = torch.complex(-exp(c["rate"]), c["angle"])
    D = exp(L * exp(c["log_dt"]))
    x_c = torch.complex(x, torch.zeros_like(x))
    z = D * torch.complex(p, q) + (D - 1) / L * (x_c @ torch.complex(c["W_p"], c["W_q"]))
    return 2 * (z @ torch.complex(c["C_p"], c["C_q"])).real + c["d"] * x, z.real, z.imag


def convolved(c, u, before):
    return sum(c[f"c_{i}"] * z for i, z in enumerate((u, *before))) + c["b_c"], (u, *before[:2])


DELAYS = {f"u_t-{i}": None for i in (1, 2, 3)}


@cell(h=None, **DELAYS)
def griffin_mixing(c, x, h, *before):
    n = x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() * c["p_n"]
    u, before = convolved(c, n @ c["W_u"], before)
    a = sigmoid(c["decay"]) ** (8 * sigmoid(u @ c["W_r"] + c["b_r"]))
    h = a * h + (1 - a.square()).sqrt() * sigmoid(u @ c["W_i"] + c["b_i"]) * u
    return (gelu(n @ c["W_g"]) * h) @ c["W_o"], h, *before


@cell(C=SQUARE, n=None, m=None, **DELAYS)
def mlstm_block(c, x, C, n, m, *before):
    s = layer_norm(x, x.shape[-1:], c["p_s"], c["b_s"], 1e-5)
    u = s @ c["W_u"]
    mixed, before = convolved(c, u, before)
    mixed = silu(mixed)
    q, k, v = (c.heads(z @ c["W_" + name]) for name, z in (("q", mixed), ("k", mixed), ("v", u)))
    k = k / k.shape[-1] ** 0.5
    i, f = mixed @ c["W_i"] + c["b_i"], logsigmoid(mixed @ c["W_f"] + c["b_f"])
    r, C, n, m = exponentially_gated(q, k, v, i, f, C, c.heads(n), m)
    r = layer_norm(r, r.shape[-1:], eps=1e-5).flatten(1)
    return ((r * c["p_r"] + c["p_c"] * mixed) * silu(s @ c["W_z"])) @ c["W_o"], C, n.flatten(1), m, *before


def read_recording(name):
    data = (HERE / "numpy" / f"{name}.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for key, place in header.items():
        if key != "__metadata__":
            begin, end = (8 + length + offset for offset in place["data_offsets"])
            tensors[key] = torch.tensor(numpy.frombuffer(data[begin:end]).reshape(place["shape"]).copy())
    return header["__metadata__"], tensors


def record(name):
    step, states = CELLS[name]
    facts, tensors = read_recording(name)
    results = {"outputs", *(state + "_n" for state in states)}
    given = {key: tensor.requires_grad_() for key, tensor in tensors.items() if key not in results}
    c = Given(facts, given)

    def of_heads(state, widths):
        if widths is None:
            return state
        rows, columns = (c.size(width) // c.size("groups") for width in widths)
        return state.reshape(len(state), c.size("groups"), rows, columns)

    now = [of_heads(given[state + "_0"], widths) for state, widths in states.items()]
    outputs = []
    for x in given["x"]:
        y, *now = step(c, x, *now)
        outputs.append(y)
    found = {"outputs": torch.stack(outputs)} | {s + "_n": v.flatten(1) for s, v in zip(states, now)}
    for key, value in found.items():
        off = (value - tensors[key]).abs().max().item()
        assert off < 1e-12, f"{name}: {key} differs from numpy's by {off}"

    numbers = torch.Generator().manual_seed(7)
    back = {k: torch.empty_like(v).uniform_(-1, 1, generator=numbers) for k, v in found.items()}
    sum((found[key] * back[key]).sum() for key in found).backward()
    gradients = back | {key: tensor.grad for key, tensor in given.items()}
    recording.write(
        "autograd/" + name,
        {"framework": f"PyTorch {torch.__version__}", "cell": name},
        {"gradient/" + key: value.detach().numpy() for key, value in gradients.items()},
    )


if __name__ == "__main__":
    for name in sys.argv[1:] or CELLS:
        record(name)
