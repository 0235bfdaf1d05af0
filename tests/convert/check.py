#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The program convert: what it says of files, what it makes of them, and what it refuses.

    check.py PROGRAM RECORDINGS
"""

import re
import tempfile
from pathlib import Path

from program import recordings, run, says

FIRST = {
    "flax/gru": "flax_gru, cell cudnn_gru, 1 layer, one direction, input 5, units 3 ",
    "haiku/lstm": "haiku_lstm, cell lstm, 1 layer, ",
    "mlx/gru": "mlx_gru, cell cudnn_gru, 1 layer",
    "tensorflow/gru_2": "tf_gru_cell, cell gru, 2 layers, one direction, input 5, units 3, under model/ ",
    "tensorflow/lstm_peephole": "tf_peephole_lstm_cell, cell peephole_lstm, ",
    "tensorflow/lstm_projected": "tf_projected_lstm_cell, cell projected_lstm, 1 layer, one direction, input 5, units 3, "
    "projection 2",
    "pytorch/lstm_projected_2_bidirectional": "pytorch_projected_lstm, cell projected_lstm, 2 layers, both directions",
    "keras/gru_reset_before_forward": "keras_gru_reset_before, cell gru, ",
    "onnx/lstm_peephole_forward": "onnx_peephole_lstm, cell peephole_lstm, ",
}
says("onnx_gru, cell cudnn_gru, .* under encoder/", recordings / "models/gru.onnx")
for name, words in FIRST.items():
    says("likeliest first:\n  " + re.escape(words), recordings / f"{name}.safetensors")
says("keras_gru, cell cudnn_gru, 2 layers, one direction, input 5, units 3 ", recordings / "keras_files/keras2_gru_2.h5")
says("keras_lstm, cell lstm, 1 layer, both directions, ", recordings / "keras_files/keras3_lstm_bidirectional.keras")
says(r"next\(h\) = u \. h", recordings / "flax/gru.safetensors")
says("keras_rnn, cell tanh_rnn, 1 layer, both directions, ", recordings / "keras_files/keras2_rnn_bidirectional.h5")
for name in "keras2_mixed.h5", "keras2_mixed.weights.h5", "keras3_mixed.h5", "keras3_mixed.keras":
    for layers in "keras_gru, .* 2 layers, both directions", "keras_gru, .* 2 layers, one direction, input 6", "keras_lstm, .* 1 layer, both":
        says(layers, recordings / "keras_files" / name)
says("No convention that the library has", recordings / "npz/stored.npz")

with tempfile.TemporaryDirectory() as name:
    here = Path(name)
    gru = recordings / "pytorch/gru_2_bidirectional.safetensors"
    run(gru, "--from", "pytorch_gru", "--to", "keras_gru", here / "keras.npz")
    says("keras_gru, cell cudnn_gru, 2 layers, both directions", here / "keras.npz")
    run(here / "keras.npz", "--from", "keras_gru", "--to", "pytorch_gru", here / "back.safetensors", "--put-prefix", "rnn.")
    says("pytorch_gru, .* under rnn", here / "back.safetensors")
    run(gru, "--from", "pytorch_gru", "--to", "pytorch_gru", here / "own.npz", "--spelling", "{tensor}.{layer}.{a|b}")
    says("weight_hh.1.b", here / "own.npz")
    run(gru, "--from", "pytorch_gru", "--to", "keras_gru", here / "model.weights.h5")
    says("layers/bidirectional_1/backward_layer/cell/vars/2", here / "model.weights.h5")
    run(here / "model.weights.h5", "--from", "keras_gru", "--to", "pytorch_gru", here / "again.safetensors", "--put-prefix", "rnn.")
    assert (here / "again.safetensors").read_bytes() == (here / "back.safetensors").read_bytes()
    run(gru, "--from", "pytorch", "--to", "keras", here / "framework.h5")
    assert (here / "framework.h5").read_bytes() == (here / "model.weights.h5").read_bytes()
    mixed = recordings / "keras_files/keras2_mixed.h5"
    run(mixed, "--from", "keras_gru", "--prefix", "bidirectional", "--to", "pytorch_gru", here / "mixed.safetensors")
    says("bias_hh_l1_reverse", here / "mixed.safetensors")
    says("several weights .* under the prefixes 'bidirectional' and 'gru_'", mixed, "--from", "keras_gru", "--to", "pytorch_gru", here / "own.npz", code=1)
    # weights in fewer bits
    for kind, shown in ("bf16", "BF16"), ("f16", "F16"), ("i8", "I8"):
        narrow, again = here / f"{kind}.safetensors", here / f"{kind}_again.safetensors"
        run(gru, "--from", "pytorch", "--to", "pytorch", "--weights", kind, narrow)
        says(f"weight_ih_l1_reverse  {shown} \\[9, 6\\]", narrow)
        says(r"pytorch_gru, .* \(16 of 16 tensors", narrow)  # scales are none of their own
        run(narrow, "--from", "pytorch", "--to", "pytorch", "--weights", kind, again)
        assert narrow.read_bytes() == again.read_bytes(), kind
        run(narrow, "--from", "pytorch", "--to", "keras", here / "wide.h5")
        says("vars/0  F(32|64) ", here / "wide.h5")
        run(narrow, "--from", "pytorch", "--header", here / "narrow.hpp")
    says(r"weight_ih_l0.scale  F32 \[9, 1\]", here / "i8.safetensors")
    says("bias_ih_l0  F64 ", here / "i8.safetensors")
    run(here / "i8.safetensors", "--from", "pytorch", "--to", "keras", here / "i8.h5", "--weights", "i8")
    says(r"cell/vars/0.scale  F32 \[9\]", here / "i8.h5")
    run(here / "i8.h5", "--from", "keras", "--to", "pytorch", here / "i8_back.safetensors", "--weights", "i8")
    data = (here / "i8.safetensors").read_bytes()
    (here / "bare.safetensors").write_bytes(data.replace(b'"weight_ih_l0.scale"', b'"weight_ih_l0.scala"'))
    says("'weight_ih_l0' holds I8 elements, which need a scale", here / "bare.safetensors", "--from", "pytorch_gru", "--to", "keras", here / "own.npz", code=1)
    before = (here / "own.npz").read_bytes()
    says(r"written as bf16, f16 or i8, and 'int8' \(did you mean i8\?\) is none", gru, "--from", "pytorch", "--to", "keras", here / "own.npz", "--weights", "int8", code=2)
    says("BF16 elements, which .npy does not have", gru, "--from", "pytorch", "--to", "keras", here / "own.npz", "--weights", "bf16", code=1)
    says("--weights is about the numbers", gru, "--from", "pytorch", "--header", here / "weights.hpp", "--weights", "i8", code=2)
    says("--weights is followed by an empty text", gru, "--weights", "", code=2)
    says("need --from", gru, "--weights", "i8", code=2)
    says("--weights TYPE +of the numbers written: bf16, f16, or i8", "--help")
    help_lines = run("--help").splitlines()
    assert len(help_lines) <= 24 and all(len(line) <= 80 for line in help_lines), "\n".join(help_lines)

    says("compute different functions", gru, "--from", "pytorch_gru", "--to", "keras_lstm", here / "own.npz", code=2)
    # what was probably meant
    for wrong, meant in {
        "kera": "keras",
        "pytroch": "pytorch",
        "torch": "pytorch",
        "keras_gur": "keras_gru",
        "pytorch-gru": "pytorch_gru",
        "tensorflow": "tf",
    }.items():
        said = rf"there is no convention '{wrong}' \(did you mean {meant}\?\); `convert --conventions` lists"
        says(said, gru, "--from", wrong, "--to", "keras_gru", here / "own.npz", code=2)
        says(said, gru, "--from", "pytorch", "--to", wrong, here / "own.npz", code=2)
    says("there is no convention 'nonsense';", gru, "--from", "nonsense", "--to", "keras", here / "own.npz", code=2)
    for wrong, meant in {"bfloat16": "bf16", "float16": "f16", "fp16": "f16", "BF16": "bf16", "half": "", "q": ""}.items():
        words = [gru, "--from", "pytorch", "--to", "pytorch", "--weights", wrong, here / "own.npz"]
        says(rf"'{wrong}'" + (rf" \(did you mean {meant}\?\)" if meant else "") + " is none of them", *words, code=2)
    says(r"not expected: --form \(did you mean --from\?\);", "--form", code=2)
    says(r"not expected: .*--wieghts=i8 \(did you mean --weights\?\);", gru, "--from", "keras", "--wieghts=i8", code=2)
    says("not expected: --volume;", "--volume", code=2)
    says("does nothing else", gru, "--conventions", code=2)
    says("no weights of 'keras'", gru, "--from", "keras", "--to", "pytorch", here / "own.npz", code=2)
    says("no convention of 'haiku' computes what cudnn_gru does", gru, "--from", "pytorch", "--to", "haiku", here / "own.npz", code=2)
    says("no weights of Keras GRU are there", gru, "--from", "keras_gru", "--to", "mlx_gru", here / "own.npz", code=1)
    says("has no names for 2 layers and 2 directions", gru, "--from", "pytorch_gru", "--to", "mlx_gru", here / "own.npz", code=2)
    says(".npz and .h5 are written", gru, "--from", "pytorch_gru", "--to", "keras_gru", here / "own.pt", code=2)
    says("belong together", gru, "--from", "pytorch_gru", "--to", "keras_gru", code=2)
    says("say with --to and a file, or with --header", gru, "--from", "pytorch_gru", code=2)
    says("need --from", gru, "--to", "keras_gru", here / "own.npz", code=2)
    says("need --from", gru, "--prefix", "rnn.", code=2)
    says("--put-prefix are about", gru, "--from", "pytorch_gru", "--header", here / "weights.hpp", "--put-prefix", "a", code=2)
    says("--from is followed by an empty text", gru, "--from", "", code=2)
    says("'' has no ending that is known", "", code=2)
    says("is no name of C", gru, "--from", "pytorch_gru", "--header", here / "my-weights.hpp", code=2)
    says("there is no such file", here / "none.npz", code=1)
    says("no ending that is known", here / "model.bin", code=2)
    says("save_file", recordings / "npz/model.pt", code=1)
    says("a file is expected", code=2)
    says(r"not expected: --form \(did you mean --from\?\);", gru, "--form", "pytorch_gru", code=2)
    says("--from: .* received 2", gru, "--from", "pytorch", "--from", "keras", code=2)
    says("not expected: more;", gru, here / "own.npz", "more", code=2)
    says("pytorch_gru, cell cudnn_gru", "--", gru)
    says("pytorch_gru +PyTorch GRU: cudnn_gru", "--conventions")
    assert (here / "own.npz").read_bytes() == before, "a refused call has changed a file"
    assert not (here / "my-weights.hpp").exists()
