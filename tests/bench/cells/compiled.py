#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Cells that no library has, beside PyTorch: python3 compiled.py PROGRAM [--quick] [--rounds 7] [--csv FILE]

PROGRAM is bench_cells, which serves the same cells. Each cell is written as a careful user of PyTorch would: the input
products of all steps are one product before the loop. `torch eager` runs the loop as it is, `torch.compile` compiles all
of it, of long sequences in blocks of steps; in inference the product is the faster of the two that PyTorch has. Both sides
have the same numbers, their answers are compared before anything is timed, and they take turns, one thread on one core;
what is printed are medians in milliseconds, and PyTorch's time over ours. What torch.compile takes to compile is printed
and not counted.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import processor
import progress
import results

os.environ.setdefault("OMP_NUM_THREADS", "1")
if processor.has_avx512():
    os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx512")

try:
    import numpy
    import torch
except Exception as error:  # one that does not fit the other packages raises what it likes
    sys.exit(f"Cells beside torch.compile are not measured: {error} (pip install torch numpy)")


def spread(count, series):
    """The numbers of user_work.hpp."""
    i = numpy.arange(count, dtype=numpy.uint64)
    bits = ((i + 1) * 2654435761 + series * 40503) & 0xFFFFFFFF
    mixed = (bits ^ (bits >> 15)) >> 8
    return mixed.astype(numpy.float32) * numpy.float32(2**-23) - numpy.float32(1)


# Each cell is two functions: what all steps have of the input and of its products, and the loop over it from
# a state.


def mgu_before(xs, products):
    """f, n of the input at once; the second recurrent product waits for f."""
    return (products,)


def mgu(h, before, w):
    units = h.shape[1]
    ys = []
    for now in before[0].unbind(0):
        f = torch.sigmoid(now[:, :units] + h @ w["R_f"])
        n = torch.tanh(now[:, units:] + (f * h) @ w["R_n"])
        h = (1 - f) * h + f * n
        ys.append(h)
    return torch.stack(ys), h


def min_gru_before(xs, products):
    zs, ns = products.chunk(2, 2)
    zs = torch.sigmoid(zs)
    return 1 - zs, zs * ns


def min_gru(h, before, w):
    ys = []
    for keep, add in zip(*(part.unbind(0) for part in before)):
        h = keep * h + add
        ys.append(h)
    return torch.stack(ys), h


def sru_before(xs, products):
    return xs, *products.chunk(3, 2)


def sru(c, before, w):
    ys = []
    for x, f_in, r_in, c_in in zip(*(part.unbind(0) for part in before)):
        f = torch.sigmoid(f_in + w["p_f"] * c)
        r = torch.sigmoid(r_in + w["p_r"] * c)
        c = f * c + (1 - f) * c_in
        ys.append(r * c + (1 - r) * x)
    return torch.stack(ys), c


def ind_rnn_before(xs, products):
    return (products,)


def ind_rnn(h, before, w):
    ys = []
    for now in before[0].unbind(0):
        h = torch.relu(now + w["p_h"] * h)
        ys.append(h)
    return torch.stack(ys), h


# The two, the gates whose products with the input are one, and what this library's array of parameters holds,
# in its order: matrices are [units, units], the others [units].
CELLS = {
    "MGU": (mgu_before, mgu, "fn", ["W_f", "R_f", "b_f", "W_n", "R_n", "b_n"]),
    "minGRU": (min_gru_before, min_gru, "zn", ["W_z", "b_z", "W_n", "b_n"]),
    "SRU": (sru_before, sru, "frc", ["W_f", "p_f", "b_f", "W_r", "p_r", "b_r", "W_c"]),
    "IndRNN": (ind_rnn_before, ind_rnn, "h", ["W_h", "p_h", "b_h"]),
}


def plain_linear(xs, w, b):
    return torch.nn.functional.linear(xs, w, b)


def onednn_linear(xs, w, b):
    """What torch.compile makes of a linear layer with frozen weights."""
    return torch.ops.mkldnn._linear_pointwise(xs, w, b, "none", [], "")


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def faster_linear(xs, w, b):
    """Where PyTorch's own product is not at its best on a processor, its oneDNN's."""
    if not torch.backends.mkldnn.is_available():
        return plain_linear
    with torch.inference_mode():
        both = plain_linear, onednn_linear
        return min(both, key=lambda linear: min(seconds_of(lambda: linear(xs, w, b)) for _ in range(5)))


# Page, steps, batch, units, with its gradient, in the quick table.
WORKS = [
    ("MGU", 50, 16, 256, False, True),
    ("MGU", 50, 16, 256, True, True),
    ("minGRU", 1000, 1, 512, False, True),
    ("minGRU", 1000, 16, 512, False, False),
    ("SRU", 1000, 1, 512, False, True),
    ("SRU", 1000, 16, 512, False, False),
    ("IndRNN", 1000, 1, 512, False, True),
    ("IndRNN", 1000, 16, 512, False, False),
]

BLOCK = 50  # steps that are compiled at once: what a thousand take to compile is out of all proportion


class Machine:
    """What one core does at most: operations, and bytes of reads from so much memory, a second."""

    def __init__(self, program):
        said = subprocess.run([program, "--machine"], stdout=subprocess.PIPE, text=True, check=True).stdout
        flops, *reads = said.removeprefix("bench: ").strip().split(";")
        self.flops = float(flops)
        self.reads = [tuple(map(float, read.split(":"))) for read in reads]

    def shares(self, ours, seconds):
        """Of its operations, and, where states are matrices, of the reads of as much memory as one of them has."""
        text = f"{ours.flops / seconds / self.flops:.0%} of the core's"
        if ours.state_bytes > 0:
            rate = next((rate for size, rate in self.reads if ours.state_size <= size), self.reads[-1][1])
            text += f", {ours.state_bytes / seconds / 1e9:.0f} GB/s of states: {ours.state_bytes / seconds / rate:.0%}"
        return text


class Ours:
    """bench_cells, which times a call whenever it is asked."""

    def __init__(self, program, page, steps, batch, units, trains):
        words = [program, "--serve", page, "--steps", steps, "--batch", batch, "--units", units]
        self.process = subprocess.Popen(
            [str(word) for word in words] + (["--trains"] if trains else []),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        name, *figures = self.read().split(";")
        self.name = name
        self.flops, self.state_bytes, self.state_size = map(float, figures)

    def read(self):
        """The next line that is said to this program; libraries print what they like beside it."""
        for line in self.process.stdout:
            if line.startswith("bench: "):
                return line[len("bench: ") :].strip()
        sys.exit("bench_cells has ended before its time; it said why above")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.read()

    def seconds(self):
        return float(self.ask("time"))

    def answer(self):
        with tempfile.NamedTemporaryFile() as file:
            self.ask("answer " + file.name)
            return numpy.fromfile(file.name, dtype=numpy.float32)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Side:
    """A function of PyTorch's, `run`, of `xs` and `weights`; where it `trains`, its gradient for `dys` too."""

    def call(self):
        if not self.trains:
            with torch.inference_mode():
                return self.run(self.xs, self.weights)
        leaves = [self.xs, *self.weights.values()]
        return torch.autograd.grad(self.run(self.xs, self.weights), leaves, self.dys)

    def answer(self):
        found = self.call()
        parts = found if self.trains else [found]
        return numpy.concatenate([part.detach().numpy().ravel() for part in parts])

    def seconds(self):
        """Of a call, as often as takes about a hundredth of a second, behind one that warms the caches."""
        self.call()
        start = time.perf_counter()
        calls = 0
        while calls == 0 or time.perf_counter() - start < 0.01:
            self.call()
            calls += 1
        return (time.perf_counter() - start) / calls


class Theirs(Side):
    """A cell on the same numbers."""

    def __init__(self, cell, steps, batch, units, trains):
        self.before, self.loop, self.gates, names = CELLS[cell]
        self.block = steps
        self.trains = trains
        shapes = [(units, units) if name[0] in "WR" else (units,) for name in names]
        sizes = [int(numpy.prod(shape)) for shape in shapes]
        flat = spread(sum(sizes), 3) * numpy.float32(numpy.sqrt(3 / units))
        parts = numpy.split(flat, numpy.cumsum(sizes)[:-1])
        self.weights = {
            name: torch.from_numpy(part.reshape(shape).copy()).requires_grad_(trains)
            for name, part, shape in zip(names, parts, shapes)
        }
        self.xs = torch.from_numpy(spread(steps * batch * units, 1).reshape(steps, batch, units).copy())
        self.xs.requires_grad_(trains)
        self.dys = torch.from_numpy(spread(steps * batch * units, 2).reshape(steps, batch, units).copy())
        if not trains:  # the weights are put side by side once
            w, b = self.joined(self.weights)
            self.w, self.b = w.t().contiguous(), b
            self.linear = faster_linear(self.xs, self.w, self.b)

    def joined(self, weights):
        """Matrices of the input and biases, of all gates."""
        zero = torch.zeros(self.xs.shape[2])
        return (
            torch.cat([weights["W_" + gate] for gate in self.gates], 1),
            torch.cat([weights.get("b_" + gate, zero) for gate in self.gates]),
        )

    def products(self, xs, weights):
        if not self.trains:
            return self.linear(xs, self.w, self.b)
        w, b = self.joined(weights)
        return xs @ w + b

    def compile(self):
        """The whole; in inference all but the product before the loop, of a long one blocks of steps."""
        self.block = min(BLOCK, self.xs.shape[0])
        if self.trains:
            self.run = torch.compile(self.run, dynamic=False)
        else:
            self.before = torch.compile(self.before, dynamic=False)
            self.loop = torch.compile(self.loop, dynamic=False)

    def run(self, xs, weights):
        before = self.before(xs, self.products(xs, weights))
        state = torch.zeros_like(xs[0])
        if self.block == xs.shape[0]:
            return self.loop(state, before, weights)[0]
        ys = []
        for parts in zip(*(part.split(self.block) for part in before)):
            y, state = self.loop(state, parts, weights)
            ys.append(y)
        return torch.cat(ys)


def compare(ours, theirs):
    if ours.shape != theirs.shape:
        raise ValueError(f"it gives {theirs.size} numbers instead of {ours.size}")
    difference = float(numpy.abs(ours - theirs).max() / numpy.abs(ours).max())
    if not difference < 1e-3:
        raise ValueError(f"its answer differs from that of sluice by {difference}")
    return difference


def measure(options, ours, peers):
    """This library's cell in turns with peers: a name, and what makes a side."""
    expected = ours.answer()
    sides, differences = [("sluice", ours)], [compare(expected, expected)]
    for called, make in peers:
        options.progress.show(options.done, f"{ours.name}: {called}")
        start = time.perf_counter()
        try:
            side = make()
            if called == "torch.compile":
                side.compile()
            differences.append(compare(expected, side.answer()))
        except Exception as error:  # of a compiler that is not there, for example
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            options.progress.say(f"{ours.name}: without {called}: {reason}", sys.stderr)
            continue
        sides.append((called, side))
        if called == "torch.compile":
            options.progress.say(f"{ours.name}: torch.compile has compiled for {time.perf_counter() - start:.0f} s")
    times = {called: [] for called, _ in sides}
    for round in range(options.rounds):
        options.progress.show(options.done + round / options.rounds, ours.name)
        for called, side in sides:
            times[called].append(side.seconds())
    ours.close()
    medians = {called: statistics.median(found) for called, found in times.items()}
    mine = medians["sluice"]
    text = "   ".join(f"{called} {value * 1e3:.2f}: {value / mine:.2f}" for called, value in list(medians.items())[1:])
    speed = f"{ours.flops / mine / 1e9:.1f} GFLOP/s, {options.machine.shares(ours, mine)}"
    options.progress.say(f"{ours.name:<44} {mine * 1e3:10.3f}   {speed}   {text}")
    return [
        f"{ours.name};{called};{value * 1e6};{ours.flops / value / 1e9};{value / mine};{difference}"
        for (called, value), difference in zip(medians.items(), differences)
    ]


def measure_cell(options, page, steps, batch, units, trains):
    ours = Ours(options.program, page, steps, batch, units, trains)
    names = ["torch eager"] + ([] if options.eager else ["torch.compile"])
    return measure(options, ours, [(name, lambda: Theirs(page, steps, batch, units, trains)) for name in names])


def main(description, works, of_work):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("program")
    parser.add_argument("--quick", action="store_true", help="one row of each bar")
    parser.add_argument("--eager", action="store_true", help="without torch.compile")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--csv")
    options = parser.parse_args()
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
    torch.set_num_threads(1)
    if hasattr(torch, "_dynamo") and hasattr(torch._dynamo.config, "cache_size_limit"):
        torch._dynamo.config.cache_size_limit = 64
    lines = []
    options.machine = Machine(options.program)
    print("Milliseconds of a call; GFLOP/s as a share of what one core does in registers, and bytes of matrix states that")
    print("are read and written as a share of what it reads from as much memory as one has; after PyTorch its time over ours.")
    works = [work for *work, is_quick in works if is_quick or not options.quick]
    with progress.Progress("bench", len(works)) as options.progress:
        for options.done, work in enumerate(works):
            lines += of_work(options, *work)
    if options.csv:
        with open(options.csv, "w", encoding="utf-8") as file:
            file.write(results.HEAD + "\n")
            file.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main("Cells beside PyTorch, eager and compiled.", WORKS, measure_cell)
