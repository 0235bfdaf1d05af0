#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Gives weights that the program convert has written back to the frameworks: each computes from them what the framework
that they came from had recorded.

    pip install keras==3.15.1 jax==0.10.2 flax==0.12.8 dm-haiku==0.0.17 mlx[cpu]==0.32.4 torch==2.15.0 safetensors \\
        onnx==1.23.2 onnxruntime==1.32.0           (Python 3.11)
    pip install tensorflow-cpu==2.15.1 safetensors (Python 3.11, in an environment of its own)
    python3 read_back.py CONVERT                   (the program that the build makes, build/*/apps/convert)

Frameworks that are not installed are left out, and said to be.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy
from safetensors.numpy import load_file

here = Path(__file__).resolve().parent
sys.path.remove(str(here))  # its folders have the names of frameworks
program = sys.argv[1]

INPUT, UNITS = 5, 3
SOURCES = {  # the function: a recording, and the convention that its weights are of
    "cudnn_gru": ("flax/gru.safetensors", "flax_gru"),
    "gru": ("tensorflow/gru.safetensors", "tf_gru_cell"),
    "lstm": ("flax/lstm.safetensors", "flax_lstm"),
    "tanh_rnn": ("flax/rnn.safetensors", "flax_rnn"),
}


def torch_outputs(path, x, function):
    import safetensors.torch
    import torch

    make = {"cudnn_gru": torch.nn.GRU, "lstm": torch.nn.LSTM, "tanh_rnn": torch.nn.RNN}[function]
    layer = make(INPUT, UNITS).double()
    layer.load_state_dict(safetensors.torch.load_file(path), strict=True)
    return layer(torch.from_numpy(x))[0].detach().numpy()


def keras_outputs(path, x, function):
    import keras

    keras.backend.clear_session()
    layer = {
        "cudnn_gru": lambda: keras.layers.GRU(UNITS, return_sequences=True),
        "gru": lambda: keras.layers.GRU(UNITS, return_sequences=True, reset_after=False),
        "lstm": lambda: keras.layers.LSTM(UNITS, return_sequences=True),
        "tanh_rnn": lambda: keras.layers.SimpleRNN(UNITS, return_sequences=True),
    }[function]()
    model = keras.Sequential([keras.layers.Input((None, INPUT)), layer])
    model.load_weights(path)
    return numpy.asarray(model(x.swapaxes(0, 1).astype("float32"))).swapaxes(0, 1)


def onnx_outputs(path, x, function):
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    operator = {"cudnn_gru": "GRU", "gru": "GRU", "lstm": "LSTM", "tanh_rnn": "RNN"}[function]
    attributes = {"linear_before_reset": 1} if function == "cudnn_gru" else {}
    constants = [numpy_helper.from_array(value.astype("float32"), name) for name, value in load_file(path).items()]
    node = helper.make_node(operator, ["x", "W", "R", "B"], ["y"], hidden_size=UNITS, **attributes)
    tensor = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph([node], "g", [tensor("x", x.shape)], [tensor("y", [None] * 4)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, {"x": x.astype("float32")})[0][:, 0]


def flax_outputs(path, x, function):
    import flax.linen
    import jax
    from flax.traverse_util import unflatten_dict

    make = {"cudnn_gru": flax.linen.GRUCell, "lstm": flax.linen.LSTMCell, "tanh_rnn": flax.linen.SimpleCell}[function]
    layer = make(features=UNITS, dtype="float64", param_dtype="float64")
    carry = jax.tree_util.tree_map(numpy.zeros_like, layer.initialize_carry(jax.random.PRNGKey(0), x[0].shape))
    weights = {"params": unflatten_dict(load_file(path), sep="/")}
    outputs = []
    for step in x:
        carry, output = layer.apply(weights, carry, step)
        outputs.append(output)
    return numpy.stack(outputs)


def haiku_outputs(path, x, function):
    import haiku

    make = {"gru": haiku.GRU, "lstm": haiku.LSTM}[function]

    def run(xs):
        core = make(UNITS)
        return haiku.dynamic_unroll(core, xs, core.initial_state(x.shape[1]))[0]

    nested = {}
    for name, value in load_file(path).items():
        module, _, tensor = name.rpartition("/")
        nested.setdefault(module, {})[tensor] = value
    return numpy.asarray(haiku.transform(run).apply(nested, None, x))


def mlx_outputs(path, x, function):
    import mlx.core
    import mlx.nn

    make = {"cudnn_gru": mlx.nn.GRU, "lstm": mlx.nn.LSTM, "tanh_rnn": mlx.nn.RNN}[function]
    layer = make(INPUT, UNITS)
    layer.load_weights([(k, mlx.core.array(v.astype("float32"))) for k, v in load_file(path).items()], strict=True)
    y = layer(mlx.core.array(x.astype("float32").swapaxes(0, 1).copy()))
    return numpy.array(y[0] if isinstance(y, tuple) else y).swapaxes(0, 1)


def tensorflow_outputs(path, x, function):
    import tensorflow

    v1 = tensorflow.compat.v1
    cells = v1.nn.rnn_cell
    v1.disable_eager_execution()
    v1.logging.set_verbosity(v1.logging.ERROR)
    v1.reset_default_graph()
    make = {"gru": cells.GRUCell, "lstm": cells.LSTMCell, "tanh_rnn": cells.BasicRNNCell}[function]
    outputs, _ = v1.nn.dynamic_rnn(make(UNITS), v1.constant(x), dtype=v1.float64, time_major=True)
    weights = load_file(path)
    with v1.Session() as session:
        for one in v1.global_variables():
            one.load(weights[one.op.name], session)
        return session.run(outputs)


# framework: what it computes with, the file, how exact it is, and for each function its convention and its
# spelling
FRAMEWORKS = {
    "torch": (torch_outputs, "w.safetensors", 1e-12, {
        "cudnn_gru": ["pytorch_gru"], "lstm": ["pytorch_lstm"], "tanh_rnn": ["pytorch_rnn"]}),
    "keras": (keras_outputs, "w.weights.h5", 1e-6, {
        "cudnn_gru": ["keras_gru"], "gru": ["keras_gru_reset_before"], "lstm": ["keras_lstm"],
        "tanh_rnn": ["keras_rnn"]}),
    "onnxruntime": (onnx_outputs, "w.safetensors", 1e-6, {
        "cudnn_gru": ["onnx_gru"], "gru": ["onnx_gru_reset_before"], "lstm": ["onnx_lstm"],
        "tanh_rnn": ["onnx_rnn"]}),
    "flax": (flax_outputs, "w.safetensors", 1e-12, {
        "cudnn_gru": ["flax_gru"], "lstm": ["flax_lstm"], "tanh_rnn": ["flax_rnn"]}),
    "haiku": (haiku_outputs, "w.safetensors", 1e-12, {"gru": ["haiku_gru"], "lstm": ["haiku_lstm"]}),
    "mlx": (mlx_outputs, "w.safetensors", 1e-6, {
        "cudnn_gru": ["mlx_gru"], "lstm": ["mlx_lstm"], "tanh_rnn": ["mlx_rnn"]}),
    "tensorflow": (tensorflow_outputs, "w.safetensors", 1e-12, {
        "gru": ["tf_gru_cell", "--spelling", "rnn/gru_cell/{tensor}"],
        "lstm": ["tf_lstm_cell", "--spelling", "rnn/lstm_cell/{tensor}"],
        "tanh_rnn": ["tf_rnn_cell", "--spelling", "rnn/basic_rnn_cell/{tensor}"]}),
}  # fmt: skip

wrong = 0
with tempfile.TemporaryDirectory() as folder:
    for framework, (run, name, allowed, conventions) in FRAMEWORKS.items():
        if importlib.util.find_spec(framework) is None:
            print(f"{framework}: left out, it is not installed")
            continue
        for function, (convention, *spelling) in conventions.items():
            source, of = SOURCES[function]
            path = Path(folder) / name
            subprocess.run(
                [program, here / source, "--from", of, "--to", convention, path, *spelling], check=True
            )
            recorded = load_file(here / source)
            off = numpy.abs(run(path, recorded["x"], function) - recorded["outputs"]).max()
            wrong += not off <= allowed
            print(f"{convention}: {off:.1e} from {source}, {'as it should be' if off <= allowed else 'WRONG'}")
sys.exit(wrong > 0)
