#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Cells whose states are matrices, beside PyTorch: python3 matrices.py PROGRAM [--quick] [--rounds 7] [--csv FILE]

PROGRAM is bench_cells, which serves the same cells: 4 heads, 16 inputs, one row. Each cell is written in every form that a
careful user of PyTorch has: what depends on the inputs only is computed of all steps at once; then `torch eager` loops over
the steps, `torch.compile` compiles blocks of them, and `torch chunked` computes a chunk of steps at a time, with products
of matrices and, for the delta rule, one triangular solve, as good code for GPUs does. Both sides have the same numbers,
their answers are compared before anything is timed, and they take turns, one thread on one core; what is printed are
medians in milliseconds, and PyTorch's time over ours.
"""

import compiled
import numpy
import torch

HEADS, INPUT = 4, 16
CHUNKS = (16, 32, 64)


def heads(z):
    """[time, features] as [time, heads, features of a head]."""
    return z.view(z.shape[0], HEADS, -1)


def l2(z, epsilon):
    return z * torch.rsqrt((z * z).sum(-1, keepdim=True) + epsilon)


# Each cell: what all steps have of the input; the loop over it from a state; the same by chunks, or none; and
# its parameters in the order of this library's array.


def gated_delta_before(x, w):
    silu = torch.nn.functional.silu
    a = -torch.exp(w["A"]) * torch.nn.functional.softplus(x @ w["W_a"] + w["dt"])
    return (
        l2(heads(silu(x @ w["W_q"])), 1e-6),
        l2(heads(silu(x @ w["W_k"])), 1e-6),
        heads(silu(x @ w["W_v"])),
        torch.sigmoid(x @ w["W_b"]),
        a,
    )


def gated_delta(state, q, k, v, b, a):
    ys = []
    for q_t, k_t, v_t, b_t, a_t in zip(*(z.unbind(0) for z in (q, k, v, b[..., None], torch.exp(a)[..., None, None]))):
        kept = a_t * state
        update = b_t * (v_t - (k_t[:, None] @ kept)[:, 0])
        state = kept + k_t[..., None] * update[:, None]
        ys.append((q_t[:, None] @ state)[:, 0])
    return torch.stack(ys), state


def chunks_of(z, size):
    """[time, heads, ...] as [chunks, heads, size, ...]."""
    return z.reshape(z.shape[0] // size, size, *z.shape[1:]).transpose(1, 2)


def gated_delta_chunked(state, size, q, k, v, b, a):
    q, k, v, b, a = (chunks_of(z, size) for z in (q, k, v, b, a))
    sums = a.cumsum(-1)
    decay = torch.exp(sums)[..., None]
    between = torch.exp(sums[..., :, None] - sums[..., None, :]).tril()
    lower = (b[..., None] * between * (k @ k.transpose(-1, -2))).tril(-1)
    eye = torch.eye(size)
    both = torch.cat([b[..., None] * v, b[..., None] * decay * k], -1)
    solved = torch.linalg.solve_triangular(lower + eye, both, upper=False, unitriangular=True)
    of_values, of_keys = solved.split(v.shape[-1], -1)
    scores = between * (q @ k.transpose(-1, -2))
    to_end = torch.exp(sums[..., -1:] - sums)[..., None] * k
    from_start, last = decay * q, decay[..., -1:, :]
    ys = []
    for c in range(q.shape[0]):
        update = of_values[c] - of_keys[c] @ state
        ys.append(from_start[c] @ state + scores[c] @ update)
        state = last[c] * state + to_end[c].transpose(-1, -2) @ update
    return torch.stack(ys).transpose(1, 2).reshape(-1, HEADS, v.shape[-1]), state


def gated_attention_before(x, w):
    f = torch.nn.functional.logsigmoid(x @ w["W_f1"] @ w["W_f2"] + w["b_f"]) / 16
    return heads(x @ w["W_q"]), heads(x @ w["W_k"]), heads(x @ w["W_v"]), heads(f)


def gated_attention(state, q, k, v, f):
    ys = []
    for q_t, k_t, v_t, f_t in zip(*(z.unbind(0) for z in (q, k, v, torch.exp(f)))):
        state = f_t[..., None] * state + k_t[..., None] * v_t[:, None]
        ys.append((q_t[:, None] @ state)[:, 0])
    return torch.stack(ys), state


def gated_attention_chunked(state, size, q, k, v, f):
    q, k, v, f = (chunks_of(z, size) for z in (q, k, v, f))
    sums = f.cumsum(-2)
    from_start, from_here = q * torch.exp(sums), k * torch.exp(-sums)
    scores = (from_start @ from_here.transpose(-1, -2)).tril()
    within = scores @ v
    end = torch.exp(sums[..., -1, :])
    to_end = (k * torch.exp(sums[..., -1:, :] - sums)).transpose(-1, -2) @ v
    ys = []
    for c in range(q.shape[0]):
        ys.append(within[c] + from_start[c] @ state)
        state = end[c][..., None] * state + to_end[c]
    return torch.stack(ys).transpose(1, 2).reshape(-1, HEADS, v.shape[-1]), state


def mlstm_before(x, w):
    k = heads(x @ w["W_k"] / (w["W_k"].shape[1] // HEADS) ** 0.5 + w["b_k"])
    return (
        heads(x @ w["W_q"] + w["b_q"]),
        k,
        heads(x @ w["W_v"] + w["b_v"]),
        x @ w["W_i"] + w["b_i"],
        torch.nn.functional.logsigmoid(x @ w["W_f"] + w["b_f"]),
        heads(torch.sigmoid(x @ w["W_o"] + w["b_o"])),
    )


def mlstm(state, q, k, v, i, f, o):
    memory, n, m = state
    ys = []
    for q_t, k_t, v_t, i_t, f_t, o_t in zip(*(z.unbind(0) for z in (q, k, v, i, f, o))):
        next_m = torch.clamp(torch.maximum(f_t + m, i_t), min=0)
        kept, let_in = torch.exp(f_t + m - next_m)[:, None], torch.exp(i_t - next_m)[:, None] * k_t
        memory = kept[..., None] * memory + let_in[..., None] * v_t[:, None]
        n, m = kept * n + let_in, next_m
        size = torch.maximum((q_t * n).sum(-1, keepdim=True).abs(), torch.exp(-m)[:, None])
        ys.append(o_t * (q_t[:, None] @ memory)[:, 0] / size)
    return torch.stack(ys), (memory, n, m)


def rwkv7_before(x, w):
    before = torch.cat([torch.zeros_like(x[:1]), x[:-1]]) - x
    mixed = {name: x + before * w["mu_" + name] for name in "rwkva"}
    decay = w["decay"] + torch.tanh(mixed["w"] @ w["A_w"]) @ w["B_w"]
    k, a = mixed["k"] @ w["W_k"], torch.sigmoid(w["b_a"] + mixed["a"] @ w["A_a"] @ w["B_a"])
    erased = l2(heads(k * w["xi"]), 1e-12)
    return (
        heads(mixed["r"] @ w["W_r"]),
        heads(torch.exp(-0.6065306597126334 * torch.sigmoid(decay))),
        heads(k * (1 + (a - 1) * w["alpha"])),
        heads(mixed["v"] @ w["W_v"]),
        heads(a) * erased,
        erased,
    )


def rwkv7(state, r, w, k, v, a, c):
    ys = []
    for r_t, w_t, k_t, v_t, a_t, c_t in zip(*(z.unbind(0) for z in (r, w, k, v, a, c))):
        state = w_t[..., None] * state - a_t[..., None] * (c_t[:, None] @ state) + k_t[..., None] * v_t[:, None]
        ys.append((r_t[:, None] @ state)[:, 0])
    return torch.stack(ys), state


def names(text):
    """W_q:i.u is a matrix [input, units]; h is heads, r the rank."""
    return [word.split(":") for word in text.split()]


CELLS = {
    "Gated DeltaNet": (
        gated_delta_before, gated_delta, gated_delta_chunked,
        names("W_q:i.u W_k:i.u W_v:i.u W_b:i.h A:h W_a:i.h dt:h"),
    ),
    "GLA": (
        gated_attention_before, gated_attention, gated_attention_chunked,
        names("W_q:i.u W_k:i.u W_v:i.u W_f1:i.s W_f2:s.u b_f:u"),
    ),
    "mLSTM": (
        mlstm_before, mlstm, None,
        names("W_q:i.u b_q:u W_k:i.u b_k:u W_v:i.u b_v:u W_i:i.h b_i:h W_f:i.h b_f:h W_o:i.u b_o:u"),
    ),
    "RWKV-7": (
        rwkv7_before, rwkv7, None,
        names("mu_r:i W_r:i.u decay:u mu_w:i A_w:i.r B_w:r.u mu_k:i W_k:i.u mu_v:i W_v:i.u b_a:u mu_a:i A_a:i.r B_a:r.u "
              "xi:u alpha:u"),
    ),
}  # fmt: skip

# Page, steps, features of a head, with its gradient, in the quick table.
WORKS = [
    ("Gated DeltaNet", 1024, 64, False, True),
    ("Gated DeltaNet", 1024, 128, False, False),
    ("Gated DeltaNet", 1024, 64, True, True),
    ("Gated DeltaNet", 1024, 128, True, False),
    ("GLA", 1024, 64, False, True),
    ("mLSTM", 1024, 64, False, False),
    ("RWKV-7", 1024, 64, False, False),
    ("Gated DeltaNet", 1, 64, False, True),
    ("GLA", 1, 64, False, False),
    ("mLSTM", 1, 64, False, False),
]


class Theirs(compiled.Side):
    """A cell of PyTorch's on the same numbers; of a chunk 0 a loop."""

    def __init__(self, cell, steps, of_head, trains, chunk=0):
        self.before, self.loop, self.by_chunks, shapes = CELLS[cell]
        self.chunk, self.block, self.trains = chunk, steps, trains
        units = HEADS * of_head
        extents = {"i": INPUT, "u": units, "h": HEADS, "s": 16, "r": 32}
        shapes = {name: [extents[axis] for axis in axes.split(".")] for name, axes in shapes}
        sizes = [int(numpy.prod(shape)) for shape in shapes.values()]
        with numpy.errstate(divide="ignore"):
            flat = compiled.spread(sum(sizes), 3) * numpy.float32(numpy.sqrt(3 / units))
        parts = numpy.split(flat, numpy.cumsum(sizes)[:-1])
        self.weights = {
            name: torch.from_numpy(part.reshape(shape).copy()).requires_grad_(trains)
            for (name, shape), part in zip(shapes.items(), parts)
        }
        self.xs = torch.from_numpy(compiled.spread(steps * INPUT, 1).reshape(steps, INPUT).copy())
        self.xs.requires_grad_(trains)
        self.dys = torch.from_numpy(compiled.spread(steps * units, 2).reshape(steps, units).copy())
        self.state = torch.zeros(HEADS, of_head, of_head)
        if self.loop is mlstm:
            self.state = (self.state, torch.zeros(HEADS, of_head), torch.zeros(HEADS))

    def compile(self):
        self.block = min(compiled.BLOCK, self.xs.shape[0])
        self.before = torch.compile(self.before, dynamic=False)
        self.loop = torch.compile(self.loop, dynamic=False)

    def run(self, xs, weights):
        before = self.before(xs, weights)
        if self.chunk > 0:
            return self.by_chunks(self.state, self.chunk, *before)[0].flatten(1)
        ys, state = [], self.state
        for parts in zip(*(part.split(self.block) for part in before)):
            y, state = self.loop(state, *parts)
            ys.append(y)
        return torch.cat(ys).flatten(1)


def sides_of(options, cell, steps, of_head, trains):
    sides = [("torch eager", lambda: Theirs(cell, steps, of_head, trains))]
    if CELLS[cell][2] and steps % max(CHUNKS) == 0:
        sides += [(f"torch chunked {size}", lambda size=size: Theirs(cell, steps, of_head, trains, size)) for size in CHUNKS]
    if not options.eager:
        sides.append(("torch.compile", lambda: Theirs(cell, steps, of_head, trains)))
    return sides


def measure(options, cell, steps, of_head, trains):
    ours = compiled.Ours(options.program, cell, steps, 1, HEADS * of_head, trains)
    return compiled.measure(options, ours, sides_of(options, cell, steps, of_head, trains))


if __name__ == "__main__":
    compiled.main("Cells whose states are matrices, beside PyTorch.", WORKS, measure)
