#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Saves models of Keras in all its formats, with what they compute: keras_files/*.

    pip install keras==3.15.1 jax==0.12.0.1      (Python 3.12), for keras3_*
    pip install tensorflow-cpu==2.15.1           (Python 3.11), whose Keras is 2.15, for keras2_*
    python3 make_keras_files.py [MODEL ...]      (only these; all by default)

Each NAME.safetensors has x and the outputs, in float; the weights are in the model's own file. `packed` has those of
keras3_gru_2 deflated, shuffled and with check sums, `types` numbers of each type, and `bad_*` have to be refused.
"""

import os

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import sys
from pathlib import Path

import h5py
import numpy

import recording

sys.path.pop(0)  # Keras would take the folder beside this script that is called tensorflow for the library
import keras

generation = f"keras{keras.__version__[0]}"
STEPS, BATCH, INPUT, UNITS = 6, 4, 5, 3
here = Path(__file__).parent / "keras_files"
here.mkdir(exist_ok=True)
layers = keras.layers

MODELS = {
    "gru_2": lambda: [layers.GRU(UNITS, return_sequences=True), layers.GRU(UNITS, return_sequences=True)],
    "lstm_bidirectional": lambda: [layers.Bidirectional(layers.LSTM(UNITS, return_sequences=True))],
    "rnn_bidirectional": lambda: [layers.Bidirectional(layers.SimpleRNN(UNITS, return_sequences=True))],
    "mixed": lambda: [
        layers.Bidirectional(layers.GRU(UNITS, return_sequences=True)),
        layers.Bidirectional(layers.GRU(UNITS, return_sequences=True)),
        layers.GRU(UNITS, return_sequences=True),
        layers.GRU(UNITS, return_sequences=True),
        layers.Bidirectional(layers.LSTM(UNITS, return_sequences=True)),
    ],
    "gru_reset_before": lambda: [
        layers.GRU(UNITS, return_sequences=True, reset_after=False, use_bias=False),
    ],
}
ENDINGS = {
    "keras2": {
        "gru_2": ["h5", "weights.h5"],
        "lstm_bidirectional": ["h5", "keras"],
        "rnn_bidirectional": ["h5"],
        "mixed": ["h5", "weights.h5"],
        "gru_reset_before": ["h5"],
    },
    "keras3": {
        "gru_2": ["h5", "weights.h5"],
        "lstm_bidirectional": ["h5", "keras"],
        "rnn_bidirectional": ["h5"],
        "mixed": ["h5", "keras"],
        "gru_reset_before": ["weights.h5"],
    },
}


def facts(model, count, directions):
    return {
        "framework": f"Keras {keras.__version__}",
        "cell": f"{generation}_{model}",
        "layers": count,
        "direction": "bidirectional" if directions == 2 else "forward",
        "input": INPUT,
        "units": UNITS,
    }


def fill(model, numbers):
    model.set_weights([0.7 * numbers.uniform(-1, 1, one.shape).astype("float32") for one in model.get_weights()])


for name, make in MODELS.items():
    if sys.argv[1:] and name not in sys.argv[1:]:
        continue
    numbers = numpy.random.RandomState(7)
    keras.backend.clear_session()
    made = make()
    model = keras.Sequential([layers.Input((None, INPUT)), *made])
    fill(model, numbers)
    x = numbers.uniform(-1, 1, (BATCH, STEPS, INPUT)).astype("float32")
    outputs = numpy.asarray(model(x))
    for ending in ENDINGS[generation][name]:
        path = here / f"{generation}_{name}.{ending}"
        model.save_weights(path) if ending == "weights.h5" else model.save(path)
    described = facts(name, len(made), 2 if "bidirectional" in name else 1)
    recording.write(
        f"keras_files/{generation}_{name}", described, {"x": x.swapaxes(0, 1), "outputs": outputs.swapaxes(0, 1)}
    )

if generation == "keras3" and not sys.argv[1:]:
    with h5py.File(here / "keras3_gru_2.weights.h5") as old, h5py.File(here / "packed.weights.h5", "w") as new:

        def pack(path, one):
            if isinstance(one, h5py.Dataset):
                new.create_dataset(path, data=one, compression="gzip", shuffle=True, fletcher32=True)

        old.visititems(pack)

    with h5py.File(here / "types.h5", "w") as new:
        count = numpy.arange(15).reshape(3, 5)
        for type in "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split():
            for order in "<>":
                dtype = numpy.dtype(type if type == "?" else order + type)
                values = count % 2 == 1 if type == "?" else 3 * count - (0 if dtype.kind == "u" else 7)
                new[f"{'little' if order == '<' else 'big'}/{type}"] = values.astype(dtype)
        narrow = ((3 * count - 7).astype("f4").view("u4") >> 16).astype("u2")
        new["bfloat16"] = narrow.view("V2")  # as Keras stores it
        new["bfloat16"].attrs["dtype"] = "bfloat16"
        new["plain"] = (3 * count - 7).astype("f4")
        new.create_dataset("grown", data=(3 * count - 7).astype("f4"), chunks=(2, 2), maxshape=(None, None))
        new["rank/0"] = numpy.float32(2.5)
        new["rank/5"] = (3 * numpy.arange(48) - 7).astype("f4").reshape(2, 3, 4, 1, 2)
        new["empty/3x0"] = numpy.zeros((3, 0), "f4")
        new["text"] = ["left", "out"]
        new["record"] = numpy.zeros(2, numpy.dtype([("a", "f4"), ("b", "i4")]))
        new["nothing"] = h5py.Empty("f4")

    with h5py.File(here / "latest.h5", "w", libver="latest", track_order=True) as new:
        for group in "one", "another":
            new[f"{group}/weights"] = (3 * count - 7).astype("f4")
            new[f"{group}/M\u00fcller"] = (3 * count - 7).astype("f8")
            new[f"{group}/flags"] = count % 2 == 1
        new.attrs["layers"] = 2

    with h5py.File(here / "bad_heap.h5", "w", libver="latest") as file:
        for i in range(20):
            file[f"a{i}"] = numpy.arange(3.0)
    with h5py.File(here / "bad_index.h5", "w", libver="latest") as file:
        file.create_dataset("a", data=numpy.arange(15.0), chunks=(4,))

    BAD = {
        "soft": lambda file: file.__setitem__("a", h5py.SoftLink("/b")),
        "external": lambda file: file.__setitem__("a", h5py.ExternalLink("types.h5", "/plain")),
        "elsewhere": lambda file: file.create_dataset("a", (15,), "f4", external=[("types.h5", 0, 60)]),
        "lzf": lambda file: file.create_dataset("a", data=numpy.arange(15.0), chunks=(5,), compression="lzf"),
        "unwritten": lambda file: file.create_dataset("a", (1 << 40, 1 << 10), "f4"),
        "bomb": lambda file: file.create_dataset(
            "a", (1 << 34,), "f4", chunks=(1 << 14,), compression="gzip", fillvalue=1
        ).__setitem__(slice(0, 1), 0.0),
        "huge_chunk": lambda file: file.create_dataset("a", (15,), "f4", chunks=(1 << 29,), maxshape=(1 << 30,)),
    }
    for name, make in BAD.items():
        with h5py.File(here / f"bad_{name}.h5", "w") as file:
            make(file)
    with h5py.File(here / "bad_virtual.h5", "w") as file:
        layout = h5py.VirtualLayout((3, 5), "f4")
        layout[:] = h5py.VirtualSource("types.h5", "plain", (3, 5))
        file.create_virtual_dataset("a", layout)
    with h5py.File(here / "cycle.h5", "w") as file:
        file.create_group("a")["b"] = file["/"]
        file["a/w"] = numpy.arange(3.0)
    with h5py.File(here / "many_names.h5", "w") as file:
        file["a"] = numpy.arange(40.0)
        for i in range(20):
            file[f"again{i}"] = file["a"]
    path = here / "bad_overlap.h5"
    with h5py.File(path, "w") as file:
        file["a"], file["b"] = numpy.arange(400.0), numpy.arange(400.0)
        first, second = (file[name].id.get_offset() for name in "ab")
    whole = path.read_bytes().replace(second.to_bytes(8, "little"), first.to_bytes(8, "little"))
    path.write_bytes(whole[:second])
