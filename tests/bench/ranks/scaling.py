#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""How long a step takes on many ranks: docs/scaling.md has the model.

    scaling.py LINK=FILE ...    FILE is what bench_ranks printed with two ranks over that link: what the model says
                                of these steps, beside what they took, and what it says of more ranks
    scaling.py --self-test      whether the model finds the numbers that made a measurement
"""

import json
import sys
from dataclasses import dataclass
from math import ceil

FLOAT = 4
BUCKET = 1 << 18  # numbers
MESSAGE = 60 << 10  # bytes
BACKWARD = 2 / 3  # of the flops of a micro-batch


@dataclass(frozen=True)
class Core:
    flops: float  # a second, of the products of a micro-batch
    update: float  # seconds for each parameter: what is done once a step


@dataclass(frozen=True)
class Link:
    latency: float  # seconds, of a call with one other rank
    rate: float  # bytes a second that a rank sends while it receives as many
    message: float  # seconds that a rank is busy with a message


@dataclass(frozen=True)
class Net:
    name: str
    parameters: int
    layers: int
    flops: float  # of a micro-batch


def nodes_of(rank, ranks, leaves):
    """How many arrays a rank sends: the whole nodes of the tree over all micro-batches that are its own."""
    first, last, found = rank * leaves // ranks, (rank + 1) * leaves // ranks, 0
    while first < last:
        low, high = 0, leaves
        while low != first or high > last:
            cut = low + (1 << ((high - low - 1).bit_length() - 1))
            low, high = (low, cut) if first < cut else (cut, high)
        first, found = high, found + 1
    return found


def most_nodes(ranks, leaves):
    return max(nodes_of(rank, ranks, leaves) for rank in range(ranks))


def alone(core, net, parts):
    """A step of one rank with so many micro-batches."""
    return parts * net.flops / core.flops + net.parameters * core.update


def exchanged(link, net, ranks, parts, bucket=BUCKET):
    """The sums of a step."""
    if ranks == 1:
        return 0.0
    nodes = most_nodes(ranks, ranks * parts)
    buckets = ceil(net.parameters / bucket)
    numbers = net.parameters * (nodes + 1) * (ranks - 1) / ranks
    # A record and the pieces, for each other rank, in both calls of a bucket.
    pieces = ceil(min(bucket, net.parameters) * FLOAT / ranks / MESSAGE)
    messages = buckets * (ranks - 1) * (2 + (nodes + 1) * pieces)
    # Those with one other rank are part of what was measured.
    return 2 * link.latency + numbers * FLOAT / link.rate + messages * (ranks - 2) / (ranks - 1) * link.message


def step(core, link, net, ranks, parts, early=False, bucket=BUCKET):
    sums = exchanged(link, net, ranks, parts, bucket)
    if early:  # all but the last layer to come, while the layers before it are computed
        window = BACKWARD * net.flops / core.flops * (net.layers - 1) / net.layers
        sums = max(sums / net.layers, sums - window)
    return alone(core, net, parts) + sums


def fitted_core(rows):
    """From steps of ranks alone: least squares of the errors in parts of each."""
    products = [row["micro_batches"] * row["flops"] / row["alone"] for row in rows]
    numbers = [row["parameters"] / row["alone"] for row in rows]
    dot = lambda a, b: sum(x * y for x, y in zip(a, b))
    ones = [1] * len(rows)
    determinant = dot(products, products) * dot(numbers, numbers) - dot(products, numbers) ** 2
    of_flop = (dot(products, ones) * dot(numbers, numbers) - dot(numbers, ones) * dot(products, numbers)) / determinant
    of_number = (dot(products, products) * dot(numbers, ones) - dot(products, numbers) * dot(products, ones)) / determinant
    return Core(1e3 / of_flop, of_number / 1e3)


def fitted_link(rows, message):
    """From sums of two ranks, by themselves."""
    least, most = min(rows, key=lambda row: row["numbers"]), max(rows, key=lambda row: row["numbers"])
    seconds = (most["all_reduce"] - least["all_reduce"]) / 1e3
    return Link(least["all_reduce"] / 2e3, most["numbers"] * FLOAT / seconds, message)


def read(text):
    data = json.loads(text)
    rows = data["measured"]
    return data["ranks"], [row for row in rows if "numbers" in row], [row for row in rows if "net" in row]


def net_of(row):
    return Net(row["net"], row["parameters"], int(row["net"].split()[-1]), row["flops"])


def compare(name, ranks, sums, steps, message, out):
    """Prints what the model says beside what was measured; gives the largest error of steps with sums after them."""
    core, link = fitted_core(steps), fitted_link(sums, message)
    print(f"\n{name}: {core.flops / 1e9:.0f} GFLOP/s, {core.update * 1e9:.1f} ns for each parameter, latency "
          f"{link.latency * 1e6:.0f} us, {link.rate / 1e9:.2f} GB/s", file=out)
    print(f"{'':16} {'parts':>5} {'alone':>8} {'after':>16} {'early':>16} {'hidden':>7}", file=out)
    worst = 0
    for row in steps:
        net, parts = net_of(row), row["micro_batches"]
        after = step(core, link, net, ranks, parts) * 1e3
        early = step(core, link, net, ranks, parts, early=True) * 1e3
        best = min(row["early"], row["courier"])
        hidden = (row["after"] - best) / (row["after"] - row["alone"])
        worst = max(worst, abs(after / row["after"] - 1))
        print(f"{net.name:16} {parts:5} {row['alone']:8.1f} {after:7.1f} {row['after']:8.1f} {early:7.1f} {best:8.1f} "
              f"{100 * hidden:6.0f}%", file=out)
    print(f"largest error of a step with its sum after it: {100 * worst:.0f} %", file=out)
    return core, link, worst


# Sixteen cores work as one rank, each as fast as those that were measured, with a link for each rank.
NETS = [Net(f"LSTM {units} x {layers}", numbers, layers, 6 * numbers * 32 * 8)
        for units, layers in ((512, 4), (2048, 6)) for numbers in [layers * 8 * units * (units + 1)]]
LINKS = {"1 Gbit/s": Link(30e-6, 0.12e9, 1e-6), "10 Gbit/s": Link(20e-6, 1.2e9, 1e-6),
         "100 Gbit/s": Link(5e-6, 12e9, 1e-6)}


def outlook(core, out):
    machine = Core(16 * core.flops, core.update / 8)
    print(f"\nRanks of 16 cores each ({machine.flops / 1e12:.1f} TFLOP/s), 4 micro-batches of 8 rows for each: part of the "
          "time that is not waiting for sums", file=out)
    print(f"{'':16} {'link':>10} " + " ".join(f"{ranks:>6} early" for ranks in (8, 64, 512)), file=out)
    for net in NETS:
        for name, link in LINKS.items():
            cells = []
            for ranks in (8, 64, 512):
                bucket = best_bucket(machine, link, net, ranks)
                one = alone(machine, net, 4)
                after, early = (one / step(machine, link, net, ranks, 4, how, bucket) for how in (False, True))
                cells.append(f"{100 * after:5.0f}% {100 * early:4.0f}%")
            print(f"{net.name:16} {name:>10} " + " ".join(cells), file=out)


def best_bucket(core, link, net, ranks):
    return min((BUCKET << k for k in range(11)), key=lambda bucket: step(core, link, net, ranks, 4, True, bucket))


def self_test():
    core, link = Core(80e9, 6e-9), Link(40e-6, 0.12e9, 1e-6)
    nets = [Net("GRU 128 x 2", 197_376, 2, 3e8), Net("LSTM 256 x 3", 1_575_936, 3, 2.4e9)]
    sums = [{"numbers": n, "all_reduce": 1e3 * (2 * link.latency + n * FLOAT / link.rate)} for n in (1, 1024, 10**7)]
    steps = [{"net": net.name, "parameters": net.parameters, "flops": net.flops, "micro_batches": parts,
              "alone": 1e3 * alone(core, net, parts), "after": 1e3 * step(core, link, net, 2, parts),
              "early": 1e3 * step(core, link, net, 2, parts, True), "courier": 1e9}
             for net in nets for parts in (1, 3)]
    found, found_link, worst = compare("self-test", 2, sums, steps, link.message, open("/dev/null", "w"))
    near = lambda a, b: abs(a / b - 1) < 1e-2
    assert near(found.flops, core.flops) and near(found.update, core.update), found
    assert near(found_link.latency, link.latency) and near(found_link.rate, link.rate), found_link
    assert worst < 0.01, worst
    steps[1]["after"] *= 1.5
    assert compare("self-test", 2, sums, steps, link.message, open("/dev/null", "w"))[2] > 0.3
    assert [nodes_of(rank, 3, 6) for rank in range(3)] == [1, 1, 1]
    assert [nodes_of(rank, 2, 6) for rank in range(2)] == [2, 2]
    assert [nodes_of(rank, 4, 3) for rank in range(4)] == [0, 1, 1, 1]
    assert exchanged(link, nets[0], 1, 4) == 0 and exchanged(link, nets[0], 512, 4) > exchanged(link, nets[0], 8, 4)
    print("The model finds the numbers that made a measurement.")


def main(words):
    if words == ["--self-test"]:
        return self_test()
    if not words or any("=" not in word for word in words):
        sys.exit(__doc__)
    links = {}
    for word in words:
        name, file = word.split("=", 1)
        with open(file, encoding="utf-8") as text:
            links[name] = read(text.read())
    # What a message costs: a sum of one number is four of them, where they travel fastest.
    message = min(row["all_reduce"] for _, sums, _ in links.values() for row in sums) / 4e3
    found = [compare(name, *parts, message, sys.stdout) for name, parts in links.items()]
    outlook(found[0][0], sys.stdout)


main(sys.argv[1:])
