#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What convert prints moves no cursor, whatever the names in a file and the words of a call; and what cannot be printed is
an error.

    terminal.py PROGRAM RECORDINGS
"""

import json
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from program import output, program, recordings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

from on_terminal import bars, on_terminal

# escape, bell, C1 controls, changes of direction, line ends, delete
HARM = "\x1b]0;title\x07\x1b[2J\u009b2J\u202e\u2066\u200e\u061c\u2028\n\r\t\b\x7f"
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printed(*words, lines=None, **settings):
    text = output(*words, **settings).decode()  # all of it is UTF-8
    assert not FORBIDDEN.search(text), f"{words}: {text!r}"
    assert lines is None or text.count("\n") == lines, f"{words}: {text.count(chr(10))} lines\n{text}"
    return text


def field(number, value):
    """A field of a protobuf message."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2]) + bytes([len(value) & 127 | 128, len(value) >> 7]) + value


def safetensors(path, name):
    head = json.dumps({name: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + bytes(4))


def big_file(path, size):
    """A GRU of PyTorch's form with matrices of about so many bytes."""
    units = int((size / 4 / 6) ** 0.5)
    shapes = {"weight_ih_l0": [3 * units, units], "weight_hh_l0": [3 * units, units]}
    shapes |= {"bias_ih_l0": [3 * units], "bias_hh_l0": [3 * units]}
    head, end = {}, 0
    for name, shape in shapes.items():
        begin, end = end, end + 4 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        head[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(head).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(end))


def npz(path, name):
    whole = zipfile.ZipFile(recordings / "npz/stored.npz")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(name + ".npy", whole.read(whole.namelist()[0]))


def onnx(path, name):
    tensor = field(1, 1) + field(2, 1) + field(8, name.encode()) + field(9, bytes(4))
    path.write_bytes(field(1, 8) + field(7, field(5, tensor)))


def h5(path, name):
    output(recordings / "flax/gru.safetensors", "--from", "flax_gru", "--to", "keras_gru", "--put-prefix", name, path)


def keras(path, name):
    h5(path.with_suffix(".h5"), name)
    with zipfile.ZipFile(path, "w") as file:
        file.write(path.with_suffix(".h5"), "model.weights.h5")


with tempfile.TemporaryDirectory() as folder:
    here = Path(folder)
    for make, harm in (safetensors, "\0" + HARM), (npz, HARM), (onnx, "\0" + HARM), (h5, HARM), (keras, HARM):
        path = here / f"file.{make.__name__}"
        make(path, "one" + harm + "two")
        text = printed(path)
        assert r"\x1b]0;title\x07\x1b[2J\u009b2J\u202e\u2066\u200e\u061c\u2028\n\r\t\x08\x7ftwo" in text, text
        if make in (h5, keras):
            assert r"under one\x1b" in text, text
            printed(path, "--from", "keras_gru", "--to", "keras_gru", here / "none.npz", "--prefix", "x", code=1, lines=1)

    # long names are cut in their middle, between two characters
    for name in "a" * 100_000 + "/end", "\u00fc" * 100_000 + "/end", "\x1b" * 100_000 + "/end":
        safetensors(here / "long.safetensors", name)
        first = printed(here / "long.safetensors").splitlines()[0]
        assert re.fullmatch(r"(a+|\u00fc+|[\\x1b]+)\.\.\.(a+|\u00fc+|[\\x1b]+)/end  F32 \[1\]", first), first
        assert len(first.encode()) < 150, first
    long = "n" * 100_000
    for words in [long], [f"--{long}"], [here / "long.safetensors", "--from", long], [here / "long.safetensors", f"--{long}=1"]:
        code = subprocess.run([program, *words], capture_output=True, timeout=60).returncode
        assert code in (1, 2) and len(printed(*words, code=code)) < 5000, words

    # a bar while a large file is worked on, and nothing of it elsewhere
    big = here / "big.safetensors"
    big_file(big, 40 << 20)
    for words in [big], [big, "--from", "pytorch", "--to", "pytorch", here / "made.npz"]:
        plain = output(*words)
        assert b"convert [" not in plain, plain
        drawn, lines = bars(on_terminal([program, *words]))
        assert drawn and drawn[0]["label"] == "convert" and "reading" in drawn[0]["words"], drawn
        assert not any("convert [" in line for line in lines), lines
        assert b"\r" not in on_terminal([program, *words], TERM="dumb").replace(b"\r\n", b"\n")

    gru = recordings / "flax/gru.safetensors"
    for harm in HARM.encode(), b"a\xff\x9b\n\x1b[2J\xc3":
        for words in (
            [harm],
            [harm + b".npz"],
            [gru, "--from", harm, "--header", "none.hpp"],
            [gru, "--from", "flax", "--to", harm, "none.npz"],
            [gru, "--from", "flax", "--to", "keras", harm],
            [gru, "--from", "flax", "--to", "keras", b"none/" + harm + b".npz"],
            [gru, "--from", "flax", "--header", harm],
            [gru, "--from", "flax", "--header", b"none/" + harm + b"/weights.hpp"],
            [gru, "--from", "flax_gru", "--header", "none.hpp", "--prefix", harm],
            [gru, "--from", "flax", "--to", "keras", "none.npz", "--spelling", harm],
            [gru, "--from", "flax", "--to", "keras", "none.npz", "--spelling", b"{" + harm],
            [b"--" + harm],
            [gru, "--from=flax", b"--" + harm + b"=" + harm],
            [gru, "none.npz", harm],
        ):
            code = subprocess.run([program, *words], capture_output=True, cwd=here, timeout=60).returncode
            assert code in (1, 2), f"{words}: {code}"
            printed(*words, code=code, cwd=here, lines=1)
    assert not list(here.glob("none*"))

    def ends(shell, *words):
        command = ["sh", "-c", f'"$@" {shell}', "sh", program, *map(str, words)]
        return subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=here, timeout=60)

    for words in [gru], ["--help"]:
        for shell in "> /dev/full", ">&-":
            done = ends(shell, *words)
            assert done.returncode == 1, f"{words} {shell}: {done.returncode}"
            assert b"standard output cannot be written (" in done.stderr, done.stderr
            assert b"not all; make room" in done.stderr, done.stderr
    # what is written needs no standard stream, and gets nothing of what is said on one
    assert ends("<&- >&- 2>&-", gru, "--from", "flax", "--to", "keras", "made.npz", "--header", "weights.hpp").returncode == 0
    made = (here / "made.npz").read_bytes()
    output(gru, "--from", "flax", "--to", "keras", here / "again.npz")
    assert made == (here / "again.npz").read_bytes()
    assert ends("2>&-", gru, "--from", "flax", "--to", "haiku", "made.npz").returncode == 2
    assert made == (here / "made.npz").read_bytes()
