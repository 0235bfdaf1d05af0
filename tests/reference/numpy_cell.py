# SPDX-License-Identifier: BSL-1.0
"""One run of a recurrent cell that is written in numpy: what it draws, and what is recorded of it.

    @cell(input=3, units=5)
    def minimal_rnn(c):
        W_z, b_z = c.matrix("W_z", c.input, c.units), c.vector("b_z", c.units)
        ...
        h = c.state("h", c.units)
        for x in c.steps():
            z = numpy.tanh(x @ W_z + b_z)
            ...
            c.output(h)
        c.end(h=h)

The name of the function is that of the page, the names of parameters, inputs, states and settings are the page's.
Every number is drawn from [-0.9, 0.9] unless the cell asks for another range.
"""

import zlib

import numpy

STEPS, BATCH = 4, 2
CELLS = {}


def cell(**sizes):
    """Enters a function into CELLS, with the sizes that it is run in: input, units, projection, groups, and own ones."""

    def enter(function):
        CELLS[function.__name__] = function, sizes
        return function

    return enter


class Run:
    def __init__(self, name, sizes):
        self.sizes = sizes
        self.tensors = {}
        self.facts = {"framework": "numpy", "cell": name, **sizes}
        self.random = numpy.random.RandomState(zlib.crc32(name.encode()))
        self.outputs = []

    def __getattr__(self, size):
        return self.sizes[size]

    def draw(self, name, shape, low=-0.9, high=0.9):
        assert name not in self.tensors, name
        self.tensors[name] = self.random.uniform(low, high, shape)
        return self.tensors[name]

    # Parameters. `low` and `high` for those that have to be positive, or small.

    def matrix(self, name, rows, columns, **bounds):
        return self.draw(name, (rows, columns), **bounds)

    def grouped(self, name, groups, rows, columns, **bounds):
        """[groups, rows / groups, columns / groups]"""
        return self.draw(name, (groups, rows // groups, columns // groups), **bounds)

    def vector(self, name, width, **bounds):
        return self.draw(name, (width,), **bounds)

    def scalar(self, name, **bounds):
        return self.draw(name, (), **bounds)

    def setting(self, name, value):
        self.facts["setting." + name] = value
        return value

    def state(self, name, width, **bounds):
        return self.draw(name + "_0", (BATCH, width), **bounds)

    def steps(self, **others):
        """Each x [batch, input] in turn; steps(dt=(1, 0.1, 2)): with a further input of one feature, from 0.1 to 2."""
        given = [self.draw("x", (STEPS, BATCH, self.input))] if self.input else []
        for name, (width, low, high) in others.items():
            given.append(self.draw(name, (STEPS, BATCH, width), low, high))
        for t in range(STEPS):
            yield given[0][t] if len(given) == 1 else tuple(each[t] for each in given)

    def output(self, y):
        self.outputs.append(y)

    def end(self, **states):
        for name, value in states.items():
            self.tensors[name + "_n"] = value
        self.tensors["outputs"] = numpy.array(self.outputs)


def run(name):
    """The facts and tensors of a cell."""
    function, sizes = CELLS[name]
    one = Run(name, sizes)
    function(one)
    return one.facts, one.tensors


def sigmoid(z):
    return 1 / (1 + numpy.exp(-z))


def in_groups(x, kernels):
    """The product of each group of features with a matrix of its own: kernels [groups, inputs, outputs]."""
    groups = numpy.split(x, len(kernels), axis=1)
    return numpy.concatenate([part @ kernel for part, kernel in zip(groups, kernels)], axis=1)
