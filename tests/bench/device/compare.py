#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Cells on a GPU side by side with PyTorch: python3 compare.py PROGRAM [--minutes 4] [--small]

PROGRAM is bench_device (cells.cpp). Both are timed in turns, five rounds each, by CUDA's events, and everything stays
on the device; what is printed are medians in milliseconds, and PyTorch's time over ours. Float, TF32 off on both sides.
A training step is forward and backward with the gradients of parameters and inputs. PyTorch runs its own nn.GRU and
nn.LSTM where they are the same cell; others are written as a careful user would: input products of all steps hoisted into
one, the steps in a loop, `eager`, and `compiled` with the step under torch.compile. --small takes sizes for a try on
any machine, and its times mean nothing.
"""

import argparse
import statistics
import subprocess
import sys
import time

try:
    import torch
except Exception as error:  # one that does not fit the other packages raises what it likes
    sys.exit(f"Nothing is compared: {error} (pip install torch)")

ROUNDS = 5


class Recurrent(torch.nn.Module):
    """A cell whose input products do not wait for its steps: pre = x W + b for all gates at once."""

    def __init__(self, inputs, units, gates, output=None):
        super().__init__()
        output = output or units
        self.units, self.output = units, output
        self.W = torch.nn.Parameter(torch.randn(inputs, gates * units) / inputs**0.5)
        self.R = torch.nn.Parameter(torch.randn(output, gates * units) / output**0.5)
        self.b = torch.nn.Parameter(torch.zeros(gates * units))
        self.run = self.step

    def start(self, xs):
        return (xs.new_zeros(xs.shape[1], self.units),)

    def forward(self, xs):
        state, ys = self.start(xs), []
        for pre in (xs @ self.W + self.b).unbind(0):
            state = self.run(pre, *state)
            ys.append(state[0])
        return torch.stack(ys)


class GRU(Recurrent):
    """The reset gate before the product."""

    def __init__(self, inputs, units):
        super().__init__(inputs, units, 3)

    def step(self, pre, h):
        n = self.units
        r, z = torch.sigmoid(pre[:, : 2 * n] + h @ self.R[:, : 2 * n]).chunk(2, 1)
        c = torch.tanh(pre[:, 2 * n :] + (r * h) @ self.R[:, 2 * n :])
        return (z * h + (1 - z) * c,)


class MGU(Recurrent):
    def __init__(self, inputs, units):
        super().__init__(inputs, units, 2)

    def step(self, pre, h):
        n = self.units
        f = torch.sigmoid(pre[:, :n] + h @ self.R[:, :n])
        c = torch.tanh(pre[:, n:] + (f * h) @ self.R[:, n:])
        return ((1 - f) * h + f * c,)


class MinGRU(Recurrent):
    def __init__(self, inputs, units):
        super().__init__(inputs, units, 2)
        self.R = None

    def step(self, pre, h):
        z, c = pre.chunk(2, 1)
        z = torch.sigmoid(z)
        return ((1 - z) * h + z * c,)


class PeepholeLSTM(Recurrent):
    def __init__(self, inputs, units):
        super().__init__(inputs, units, 4)
        self.p = torch.nn.Parameter(torch.randn(3, units))

    def start(self, xs):
        return (xs.new_zeros(xs.shape[1], self.units),) * 2

    def step(self, pre, h, c):
        i, j, f, o = (pre + h @ self.R).chunk(4, 1)
        c = torch.sigmoid(f + 1 + self.p[0] * c) * c + torch.sigmoid(i + self.p[1] * c) * torch.tanh(j)
        return torch.sigmoid(o + self.p[2] * c) * torch.tanh(c), c


class GLSTM(torch.nn.Module):
    """A projected LSTM in groups, all groups in one batched product."""

    def __init__(self, inputs, units, projection, groups):
        super().__init__()
        self.units, self.projection, self.groups = units, projection, groups
        self.W = torch.nn.Parameter(torch.randn(groups, inputs // groups, 4 * units // groups) / inputs**0.5)
        self.R = torch.nn.Parameter(torch.randn(groups, projection // groups, 4 * units // groups) / projection**0.5)
        self.b = torch.nn.Parameter(torch.zeros(groups, 1, 4 * units // groups))
        self.P = torch.nn.Parameter(torch.randn(units, projection) / units**0.5)
        self.run = self.step

    def step(self, pre, m, c):
        # [groups, batch, 4 units / groups].
        z = pre + m.view(len(m), self.groups, -1).transpose(0, 1) @ self.R
        i, j, f, o = z.view(self.groups, len(m), 4, -1).permute(2, 1, 0, 3).reshape(4, len(m), self.units)
        c = torch.sigmoid(f + 1) * c + torch.sigmoid(i) * torch.tanh(j)
        return (torch.sigmoid(o) * torch.tanh(c)) @ self.P, c

    def forward(self, xs):
        steps, batch, inputs = xs.shape
        grouped = xs.view(steps * batch, self.groups, -1).transpose(0, 1)
        pre = (grouped @ self.W + self.b).view(self.groups, steps, batch, -1).transpose(0, 1)
        m, c, ys = xs.new_zeros(batch, self.projection), xs.new_zeros(batch, self.units), []
        for of_step in pre.unbind(0):
            m, c = self.run(of_step, m, c)
            ys.append(m)
        return torch.stack(ys)


CELLS = {
    "cudnn_gru": lambda w: torch.nn.GRU(w["units"], w["units"], w["layers"]),
    "lstm": lambda w: torch.nn.LSTM(w["units"], w["units"], w["layers"]),
    "gru": lambda w: GRU(w["units"], w["units"]),
    "mgu": lambda w: MGU(w["units"], w["units"]),
    "min_gru": lambda w: MinGRU(w["units"], w["units"]),
    "peephole_lstm": lambda w: PeepholeLSTM(w["units"], w["units"]),
    "projected_glstm": lambda w: GLSTM(w["projection"], w["units"], w["projection"], w["groups"]),
}


def works(small):
    def work(cell, units, layers=1, projection=0, groups=1, steps=50, batch=64):
        if small:
            units, projection, steps, batch = units // 64, projection // 64, 5, 3
        return cell, dict(units=units, projection=projection, groups=groups, layers=layers, steps=steps, batch=batch)

    # TensorFlow's benchmark of CudnnGRU, and one layer of it at the sizes of the cells behind.
    for units in (128, 512, 1024):
        yield work("cudnn_gru", units, layers=4)
    yield work("cudnn_gru", 512)
    yield work("lstm", 512)
    for cell in ("gru", "peephole_lstm", "mgu", "min_gru"):
        yield work(cell, 512)
    for groups in (1, 2, 4, 8):  # arXiv 1703.10722
        yield work("projected_glstm", 8192, projection=1024, groups=groups, steps=20, batch=128)


class Peer:
    """PyTorch, one cell in one way."""

    def __init__(self, cell, sizes, training, compiled, device):
        torch.manual_seed(3)
        self.device, self.training = device, training
        self.net = CELLS[cell](sizes).to(device)
        if compiled:
            self.net.run = torch.compile(self.net.step)
        width = sizes["projection"] or sizes["units"]
        self.xs = torch.randn(sizes["steps"], sizes["batch"], width, device=device, requires_grad=training)
        self.calls = 0

    def call(self):
        with torch.set_grad_enabled(self.training):
            ys = self.net(self.xs)
            ys = ys[0] if isinstance(ys, tuple) else ys
        if self.training:
            if not hasattr(self, "dys"):
                self.dys = torch.randn_like(ys)
            self.xs.grad = None
            self.net.zero_grad(set_to_none=True)
            ys.backward(self.dys)

    def clock(self, calls):
        if self.device == "cpu":
            start = time.perf_counter()
            for _ in range(calls):
                self.call()
            return 1000 * (time.perf_counter() - start) / calls
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        for _ in range(calls):
            self.call()
        last.record()
        last.synchronize()
        return first.elapsed_time(last) / calls

    def round(self):
        if not self.calls:
            self.clock(3)
            self.calls = int(min(400, max(3, 200 / self.clock(2))))
        return self.clock(self.calls)


class Ours:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, cell, sizes, what):
        words = " ".join(f"{name}={value}" for name, value in sizes.items())
        try:
            self.process.stdin.write(f"{cell} {words} {what}\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
            return float(answer)
        except BrokenPipeError:
            answer = ""
        except ValueError:
            pass
        sys.exit(f"{cell} {words} {what}: {answer or 'bench_device has ended; it said why above'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float, default=4, help="rows that do not begin in this time are left out, and said")
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    where = torch.cuda.get_device_name() if device == "cuda" else "a CPU: these times mean nothing"
    print(f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, {where}; medians of {ROUNDS} rounds, in turns; ms")
    print(f"{'cell':16} {'layers':>6} {'units':>6} {'groups':>6} {'':9} {'ours':>9} {'TFLOP/s':>8} "
          f"{'PyTorch':>9} {'ratio':>6} {'compiled':>9} {'ratio':>6}")
    ours, start = Ours(given.program), time.monotonic()
    for cell, sizes in works(given.small):
        for what in ("inference", "training"):
            row = f"{cell:16} {sizes['layers']:6} {sizes['units']:6} {sizes['groups']:6} {what:9}"
            if time.monotonic() - start > 60 * given.minutes:
                print(f"{row} left out: the time is over")
                continue
            flops = ours.ask(cell, sizes, "flops") * sizes["layers"] * (3 if what == "training" else 1)
            peers = [Peer(cell, sizes, what == "training", False, device)]
            if cell not in ("cudnn_gru", "lstm"):
                peers.append(Peer(cell, sizes, what == "training", True, device))
            mine, others = [], [[] for _ in peers]
            for _ in range(ROUNDS):
                mine.append(ours.ask(cell, sizes, what))
                for peer, times in zip(peers, others):
                    times.append(peer.round())
            mine = statistics.median(mine)
            text = f"{row} {mine:9.3f} {flops / mine / 1e9:8.2f}"
            for times in others:
                theirs = statistics.median(times)
                text += f" {theirs:9.3f} {theirs / mine:6.2f}"
            print(text, flush=True)


if __name__ == "__main__":
    main()
