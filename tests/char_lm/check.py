#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests of the program char_lm, on a text of a few thousand characters.

    check.py PROGRAM resume CELL     stopped, interrupted and resumed runs make the losses of one that never stopped
    check.py PROGRAM refusals        a wrong call gets a sentence and exit code 2
    check.py PROGRAM output          plain text into a pipe, a bar on a terminal, the same numbers in both
"""

import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

program = sys.argv[1]
TINY = ["--units", "8", "--batch", "4", "--steps", "10", "--validate-every", "5", "--sample", "40"]
CELLS = {
    "gru": [],
    "cudnn_gru": ["--layers", "2", "--dropout", "0.25"],
    "lstm": ["--layers", "2", "--projection", "4"],
    "glstm": ["--groups", "2", "--projection", "6"],
    "mgu": ["--shards", "3", "--clip", "0"],
}


def write_text(folder, files=8):
    """Words that a small generator makes up: the same on every machine."""
    number = 7
    for i in range(files):
        words = []
        for _ in range(120):
            number = (number * 1103515245 + 12345) % 2**31
            words.append("the sluice opens and a river of gates runs down".split()[number // 65536 % 10])
        path = folder / f"part{i % 3}" / f"{i}.txt"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(" ".join(words) + "\n")


def run(*words, code=0, where=None):
    done = subprocess.run([program, *map(str, words)], cwd=where, capture_output=True, timeout=300)
    text = (done.stdout + done.stderr).decode(errors="replace")
    assert done.returncode == code, f"{words}: exit code {done.returncode}, expected {code}\n{text}"
    return text


def resume(cell):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(folder / "text")
        training = ["--cell", cell, *TINY, *CELLS[cell], "--epochs", "2", "--text", folder / "text"]

        def files(kind):
            return ["--checkpoint", folder / f"{kind}.safetensors", "--log", folder / f"{kind}.log"]

        whole = run(*training, *files("whole"))
        wanted = (folder / "whole.log").read_bytes()
        assert wanted.count(b"\n") > 30 and b'"test":' in wanted, wanted.decode()

        # stopped in the middle of an epoch, right before and right after a validation; named less each time
        run(*training, *files("parts"), "--stop-after", "4")
        run(*training, *files("parts"), "--resume", "--stop-after", "1")
        run(*files("parts"), "--resume", "--stop-after", "18", "--text", folder / "text")
        last = run(*files("parts"), "--resume", "--sample", "40")
        assert (folder / "parts.log").read_bytes() == wanted, "a stopped and resumed run has other losses"
        assert last.split("A sample:")[1] == whole.split("A sample:")[1], "the samples differ"

        # a finished training has nothing left to do but its test
        (folder / "parts.log").write_bytes(b"")
        run(*files("parts"), "--resume")
        assert (folder / "parts.log").read_bytes() == wanted[wanted.index(b'{"step"', wanted.rindex(b"validation")) :]

        # Ctrl-C, whenever it comes
        process = subprocess.Popen(
            [program, *map(str, training), *map(str, files("cut"))], stdout=subprocess.DEVNULL
        )
        while not (folder / "cut.log").exists() or (folder / "cut.log").read_bytes().count(b"\n") < 7:
            assert process.poll() is None, "it ended before it could be interrupted"
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=300)
        assert code in (130, 0), code
        if code == 130:
            run(*files("cut"), "--resume")
        assert (folder / "cut.log").read_bytes() == wanted, "an interrupted and resumed run has other losses"


def refusals():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(folder / "text")
        (folder / "empty.txt").write_text("")
        (folder / "binary").write_bytes(b"text\0text" * 100)
        (folder / "short.txt").write_text("short")
        (folder / "nothing").mkdir()
        good = ["--text", "text", *TINY, "--characters", "400"]

        def refused(pattern, *words):
            text = run(*words, code=2, where=folder)
            assert re.search(pattern, text), f"{words}: no '{pattern}' in\n{text}"

        refused("--cell.*gru", "--cell", "gruel")
        refused("--units", "--units", "many")
        refused("--help", "--unit", "3")
        refused("--units is 0", *good, "--units", "0")
        refused("gru has no groups", *good, "--groups", "2")
        refused("gru has no projection", *good, "--projection", "2")
        refused("8, which --groups 3 does not divide", *good, "--cell", "glstm", "--groups", "3")
        refused("--shards is 5", *good, "--shards", "5")
        refused("--dropout", *good, "--dropout", "1")
        refused("--rate", *good, "--rate", "nan")
        refused("no file or folder missing", "--text", "missing")
        refused("empty.txt is empty", "--text", "empty.txt")
        refused("binary holds zero bytes", "--text", "text", "binary")
        refused("nothing holds no text", "--text", "nothing")
        refused("only 5 characters", "--text", "short.txt")
        refused("no checkpoint none.safetensors", *good, "--resume", "--checkpoint", "none.safetensors")

        run(*good, where=folder)
        refused("--units 8, .* --units 9", *good, "--units", "9", "--resume")
        refused("--cell gru, .* --cell mgu", *good, "--cell", "mgu", "--resume")
        refused("not the one", "--resume", "--text", "text/part0")

        assert "is now char_lm.safetensors.old" in run(*good, where=folder)
        checkpoint = folder / "char_lm.safetensors"
        checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
        run("--resume", code=1, where=folder)
        (folder / "other.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
        refused("no checkpoint of char_lm", "--resume", "--checkpoint", "other.safetensors")

        # one file is split by position, and that is said
        single = run("--text", "text/part0/0.txt", *TINY, "--characters", "400", where=folder)
        assert "cannot be split by file" in single, single


def output():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(folder / "text")
        words = ["--text", "text", *TINY, "--epochs", "1", "--checkpoint", "lm.safetensors"]
        plain = run(*words, where=folder)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", plain), repr(plain)
        assert re.search(r"test files +\d+\.\d+ bits per character", plain), plain

        ours, theirs = pty.openpty()
        environment = dict(os.environ, TERM="xterm")
        process = subprocess.Popen([program, *words], cwd=folder, stdout=theirs, env=environment)
        os.close(theirs)
        seen = b""
        try:
            while block := os.read(ours, 4096):
                seen += block
        except OSError:  # the other end is closed
            pass
        assert process.wait(timeout=300) == 0
        shown = re.sub(r"\r[^\r\n]*\x1b\[K|\(\d+:\d+\)", "", seen.decode())
        for line in re.sub(r"\(\d+:\d+\)", "", plain).splitlines():
            assert line in shown or line.startswith("the checkpoint"), f"{line!r} is not in\n{shown!r}"


{"resume": resume, "refusals": refusals, "output": output}[sys.argv[2]](*sys.argv[3:])
