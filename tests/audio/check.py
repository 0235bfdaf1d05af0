#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests of examples/audio as it is called.

    check.py learns LEARN PLAY      two seconds of sound are learnt, and the model that is written plays the same
    check.py refusals LEARN PLAY    a wrong argument or file gets a sentence
    check.py plugin PLAY PLUGIN     lv2apply gives what play gives, to the bit, and the plugin's description is valid
"""

import array
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path


def run(*words, code=0, **more):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **more)
    assert result.returncode == code, f"{words} ended with {result.returncode}: {result.stdout}{result.stderr}"
    return result


def samples(path):
    """Of a WAV file of 32-bit floats."""
    data, at = Path(path).read_bytes(), 12
    while data[at : at + 4] != b"data":
        at += 8 + struct.unpack("<I", data[at + 4 : at + 8])[0]
    size = struct.unpack("<I", data[at + 4 : at + 8])[0]
    return array.array("f", data[at + 8 : at + 8 + size])


def write(path, values, rate=44100, channels=1):
    data = array.array("f", values).tobytes()
    about = struct.pack("<HHIIHH", 3, channels, rate, 4 * channels * rate, 4 * channels, 32)
    Path(path).write_bytes(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<I", 16) + about
                           + b"data" + struct.pack("<I", len(data)) + data)


def needs(*programs):
    for program in programs:
        if shutil.which(program) is None:
            print(f"Skipped: {program} is not there.")
            sys.exit(0)


def learns(learn, play):
    needs("sox")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for cell, writer in ("cudnn_gru", "RTNeural"), ("lstm", "RTNeural"), ("mgu", "Sluice"):
            text = run(learn, "--sound", 2, "--steps", 400, "--units", 8, "--cell", cell, "--out", folder).stdout
            error = float(re.search(r"ESR ([0-9.]+) ", text)[1])
            assert error < 0.25, text
            said = run(play, folder / "model.json", folder / "dry.wav", folder / "out.wav").stdout
            assert "1 input, 1 output, to which the first input is added" in said and "times real time" in said, said
            assert said.startswith(f"{writer}, ") and "it learned at 44100 Hz" in said, said
            played, predicted = samples(folder / "out.wav"), samples(folder / "predicted.wav")
            assert len(played) == len(predicted) == 2 * 44100
            assert max(abs(a - b) for a, b in zip(played, predicted)) < 1e-4
            tags = [element.tag.split("}")[1] for element in xml.etree.ElementTree.parse(folder / "learnt.svg").iter()]
            assert tags.count("polyline") == 4, tags
        # The file of a cell that no other program has, resampled; and its equations when they are others.
        said = run(play, "--rate", 22050, folder / "model.json", folder / "dry.wav", folder / "out.wav").stdout
        assert "the cells are resampled" in said, said
        text = (folder / "model.json").read_text()
        (folder / "other.json").write_text(re.sub('"equations": "', '"equations": "k = h\\\\n', text, count=1))
        for rate in [], ["--rate", 22050]:
            said = run(play, *rate, folder / "other.json", folder / "dry.wav", folder / "out.wav", code=1).stderr
            assert "the cell mgu of the model has other equations than that of this program" in said, said
        # Files of the caller's, and a rate that the model did not learn at.
        run(learn, "--input", folder / "dry.wav", "--target", folder / "wet.wav", "--steps", 8, "--out", folder / "own")
        said = run(play, "--rate", 22050, folder / "model.json", folder / "dry.wav", folder / "out.wav").stdout
        assert "the cells are resampled" in said, said


def refusals(learn, play):
    def refused(words, sentence, code=2):
        result = run(*words, code=code)
        assert re.search(sentence, result.stderr) and result.stderr.count("\n") == 1, result.stderr

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "a.wav", [0.25] * 1000)
        write(folder / "b.wav", [0.25] * 1000, rate=48000)
        write(folder / "two.wav", [0.25] * 1000, channels=2)
        refused([learn, "--unit", 3], r"learn: learn takes .*did you mean --units")
        refused([learn, "--units", 0], r"--units takes a whole number from 1 to 512, but it is '0'")
        refused([learn, "--cell", "mgv"], r"--cell takes one of cudnn_gru, .* but it is 'mgv'.* mgu.*SLUICE_AUDIO_CELLS")
        refused([learn, "--input", "a"], r"are a pair, but only one of them is given")
        out = ["--out", folder / "out"]
        pair = lambda a, b: ["--input", folder / a, "--target", folder / b, *out]
        refused([learn, *pair("a.wav", "b.wav")], r"one sample rate, but .*44100 Hz.*48000", 1)
        refused([learn, *pair("a.wav", "two.wav")], r"one channel, but it has 2", 1)
        refused([learn, *pair("a.wav", "none.wav")], r"none[.]wav' should be a sound", 1)
        refused([learn, *pair("a.wav", "a.wav")], r"at least 15000 samples is expected, but it has 1000", 1)
        refused([learn, *out], r"apt-get install sox", 1) if shutil.which("sox") is None else None
        refused([play, "a"], r"play takes three files.*but got 1")
        refused([play, "--knob", "1=2"], r"from 2 on.*but it is '1=2'")
        refused([play, folder / "a.wav", folder / "a.wav", folder / "c.wav"], r"a[.]wav.*", 1)
        for program in learn, play:
            assert "--" in run(program, "--help").stdout


def plugin(play, library):
    needs("lv2apply")
    bundle = Path(library).parent
    places = {"LV2_PATH": f"{bundle.parent}:/usr/lib/lv2", "PATH": "/usr/bin:/bin", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for rate in 44100, 48000:  # at the second one cells are resampled
            write(folder / "in.wav", [((37 * t * t) % 2001 - 1000) / 1500 for t in range(20000)], rate)
            run("lv2apply", "-i", folder / "in.wav", "-o", folder / "a.wav", "urn:sluice:amp", env=places)
            run(play, bundle / "model.json", folder / "in.wav", folder / "b.wav")
            first, second = samples(folder / "a.wav"), samples(folder / "b.wav")
            assert len(first) == 20000 and first == second, rate
        run("lv2apply", "-c", "output_gain", "-6", "-i", folder / "in.wav", "-o", folder / "a.wav", "urn:sluice:amp", env=places)
        assert all(abs(a - 0.501187 * b) < 1e-5 for a, b in zip(samples(folder / "a.wav"), second))
    if shutil.which("sord_validate") is not None:
        known = sorted(Path("/usr/lib/lv2").glob("*.lv2/*.ttl"))
        said = run("sord_validate", *known, *sorted(bundle.glob("*.ttl")))
        assert "Found 0 errors" in said.stdout + said.stderr, said


if __name__ == "__main__":
    {"learns": learns, "refusals": refusals, "plugin": plugin}[sys.argv[1]](*sys.argv[2:])
