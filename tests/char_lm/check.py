#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests of the program char_lm, on a text of a few thousand characters.

    check.py PROGRAM resume CELL     stopped, interrupted and resumed runs make the losses of one that never stopped
    check.py PROGRAM refusals        a wrong call gets a sentence and exit code 2
    check.py PROGRAM ranges          each number has a range, which --help shows; nothing outside it is taken
    check.py PROGRAM checkpoints     a checkpoint that was edited is refused, by its name
    check.py PROGRAM files           no text, checkpoint or log that is there is lost
    check.py PROGRAM signals         one signal ends each phase, and nothing that is opened is waited for without end
    check.py PROGRAM endings         signals, closed and full outputs, and the exit codes of all that
    check.py PROGRAM kills           a run that was killed and resumed has the log of one that was not
    check.py PROGRAM messages        failures of the system become advice, and nothing controls the terminal
    check.py PROGRAM table           --cells measures each cell that is built in, and says what it could not measure
    check.py PROGRAM output          plain text into a pipe, a bar on a terminal, the same numbers in both
    check.py PROGRAM narrow          what the model loses by weights in fewer bits
"""

import fcntl
import json
import os
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

from on_terminal import on_terminal, require_bars, require_plain

program = sys.argv[1]
TINY = ["--units", "8", "--batch", "4", "--steps", "10", "--validate-every", "5", "--sample", "40"]
ENDLESS = ["--characters", "100000000"]  # for a run that is to be stopped, however busy the machine is
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


def run(*words, code=0, where=None, **settings):
    done = subprocess.run(
        [program, *map(as_word, words)], cwd=where, **{"capture_output": True, "timeout": 300, **settings}
    )
    text = ((done.stdout or b"") + (done.stderr or b"")).decode(errors="replace")
    assert done.returncode == code, f"{words}: exit code {done.returncode}, expected {code}\n{text}"
    return text


def as_word(word):
    return word if isinstance(word, bytes) else str(word)


def refused(pattern, *words, code=2, **settings):
    text = run(*words, code=code, **settings)
    assert re.search(pattern, text), f"{words}: no '{pattern}' in\n{text}"


def start(*words, where):
    return subprocess.Popen([program, *words], cwd=where, stdout=subprocess.DEVNULL)


def wait_for_lines(path, count, process):
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert process.poll() is None, "it ended too early for this test"
        time.sleep(0.001)


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
        wait_for_lines(folder / "cut.log", 7, process)
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=300)
        assert code in (130, 0), code
        if code == 130:
            run(*files("cut"), "--resume")
        assert (folder / "cut.log").read_bytes() == wanted, "an interrupted and resumed run has other losses"


def refusals():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        here = {"where": folder}
        write_text(folder / "text")
        (folder / "empty.txt").write_text("")
        (folder / "binary").write_bytes(b"text\0text" * 100)
        (folder / "short.txt").write_text("short")
        (folder / "nothing").mkdir()
        good = ["--text", "text", *TINY, "--characters", "400"]

        refused("--cell.*gru", "--cell", "gruel", **here)
        refused("--units", "--units", "many", **here)
        refused(r"not expected: .*--unit.* \(did you mean --units\?\); `char_lm --help`", "--unit", "3", **here)
        refused("not expected: [^(]*;", "--volume", "3", **here)
        refused("--cell is lsmt; .* Did you mean lstm\\?$", "--cell", "lsmt", **here)
        refused("--units is 0", *good, "--units", "0", **here)
        refused("gru has no groups", *good, "--groups", "2", **here)
        refused("gru has no projection", *good, "--projection", "2", **here)
        refused("8, which --groups 3 does not divide", *good, "--cell", "glstm", "--groups", "3", **here)
        refused("--shards is 5", *good, "--shards", "5", **here)
        refused("--dropout", *good, "--dropout", "1", **here)
        refused("--rate", *good, "--rate", "nan", **here)
        refused("no file or folder missing", "--text", "missing", **here)
        refused("empty.txt is empty", "--text", "empty.txt", **here)
        refused("binary holds zero bytes", "--text", "text", "binary", **here)
        refused("nothing holds no text", "--text", "nothing", **here)
        refused("only 5 characters", "--text", "short.txt", **here)
        refused("no checkpoint none.safetensors", *good, "--resume", "--checkpoint", "none.safetensors", **here)

        run(*good, **here)
        refused("--units 8, .* --units 9", *good, "--units", "9", "--resume", **here)
        refused("--cell gru, .* --cell mgu", *good, "--cell", "mgu", "--resume", **here)
        refused("not the one", "--resume", "--text", "text/part0", **here)

        assert "is now char_lm.safetensors.old" in run(*good, **here)
        whole = (folder / "char_lm.safetensors").read_bytes()
        for length in [0, 1, 7, 8, 9, 100, len(whole) // 2, len(whole) - 1]:
            (folder / "cut.lm").write_bytes(whole[:length])
            refused("cut.lm cannot be used.*start without --resume", "--resume", "--checkpoint", "cut.lm", **here)
            assert (folder / "cut.lm").read_bytes() == whole[:length]
        (folder / "other.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
        refused("no checkpoint of char_lm", "--resume", "--checkpoint", "other.safetensors", **here)
        os.mkfifo(folder / "fifo")
        refused("fifo' cannot be read: it is not a regular file", "--resume", "--checkpoint", "fifo", **here)

        # one file is split by position, and that is said
        single = run("--text", "text/part0/0.txt", *TINY, "--characters", "400", **here)
        assert "cannot be split by file" in single, single


def ranges():
    help_text = re.sub(r"\n {20,}", " ", run("--help"))
    reals = ["rate", "dropout", "clip", "temperature", "minutes"]
    found = [r for r in re.findall(r"--([a-z-]+) (\d+) to (\d+) \[", help_text) if r[0] not in reals]
    assert len(found) == 13, found
    odd = ["0.5", "1e3", "nan", "0x10", "5x", " 5", "+5", "", "-", "9" * 400]
    for index, (name, low, high) in enumerate(found):
        expected = f"--{name} is .*; it must be a whole number from {low} to {high}"
        # limits.cpp has all spellings for one pair of limits
        for word in [int(low) - 1, int(high) + 1, 2**64 + 1, odd[index % len(odd)]]:
            refused(expected, f"--{name}", word)
        refused(f"--{name}.*a whole number from {low} to {high}", f"--{name}=")
    for name in reals:
        assert re.search(rf"--{name} [0-9.e+-]+ to [0-9.e+-]+ \[", help_text), name
        for word in ["-1", "nan", "1e999", "0.1x"]:
            refused(f"--{name} is .*a number from .* to", f"--{name}", word)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(folder / "text")
        good = ["--text", "text", *TINY]
        refused("needs [0-9]+ GB of memory", *good, "--units", "65536", "--layers", "100", where=folder)
        refused("--shards is 5; .*--batch, which is 4", *good, "--shards", "5", where=folder)
        assert os.listdir(folder) == ["text"]
        # what a leading zero means is not CLI11's to say
        assert "10 units" in run(*good, "--units", "010", "--characters", "400", where=folder)


class Safetensors:
    """A checkpoint that can be edited: the facts of char_lm, and the bytes of each tensor."""

    def __init__(self, path):
        raw = path.read_bytes()
        (length,) = struct.unpack("<Q", raw[:8])
        header = json.loads(raw[8 : 8 + length])
        self.facts = json.loads(header.pop("__metadata__")["char_lm"])
        self.tensors = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            self.tensors[name] = (entry["dtype"], entry["shape"], raw[8 + length + begin : 8 + length + end])

    def write(self, path):
        header, data = {"__metadata__": {"char_lm": json.dumps(self.facts)}}, b""
        for name, (dtype, shape, content) in self.tensors.items():
            header[name] = {
                "dtype": dtype,
                "shape": shape,
                "data_offsets": [len(data), len(data) + len(content)],
            }
            data += content
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def checkpoints():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(folder / "text")
        run("--text", "text", *TINY, "--epochs", "1", "--stop-after", "12", where=folder)
        good, bad = folder / "char_lm.safetensors", folder / "edited.safetensors"

        def check(pattern, edit):
            contents = Safetensors(good)
            edit(contents)
            contents.write(bad)
            before = bad.read_bytes()
            done = subprocess.run(
                [program, "--resume", "--checkpoint", bad.name], cwd=folder, capture_output=True, timeout=60
            )
            text = done.stderr.decode()
            assert done.returncode == 2, f"{pattern}: exit code {done.returncode}\n{text}"
            assert re.search(f"{bad.name}.*{pattern}", text), f"no '{pattern}' in\n{text}"
            assert bad.read_bytes() == before, "a refused checkpoint was changed"

        def fact(part, key, value):
            def edit(contents):
                contents.facts[part][key] = value

            return edit

        for key, values in {
            "--units": [-8, 0, 8.5, 10**12, 2**63, 2**64, "8", None, [8], {}, True],
            "--layers": [-1, 0, 10**12],
            "--batch": [2**32, -1],
            "--seed": [-1, 0.5, 2**64],
            "--rate": [-1, None, "high"],
            "--dropout": [1, -0.5],
            "--cell": ["gruel", 7, None],
        }.items():
            for value in values:
                check(f"{key} is .*; it must be", fact("options", key, value))
        for key in ["step", "validated", "best_step", "counted", "fingerprint"]:
            for value in [-1, 2.5, None, "1", 2**64]:
                check(f"{key} is .*; it must be a whole number", fact("history", key, value))
        for key in ["validation", "best", "bits", "seconds"]:
            for value in [-1, -1e-300, None, "1", 1e61, 2.0**1023]:
                check(f"{key} is .*; it must be a number from 0 to ", fact("history", key, value))
            for value in [float("nan"), float("inf")]:  # which are no JSON
                check("cannot be used", fact("history", key, value))
        for value in [1e10 + 1e4, 1e17, 2.0**63, -(2.0**63)]:
            check("seconds is .*; it must be a number from 0 to 1e[+]10", fact("history", "seconds", value))
        check("text is .*a list of paths", fact("history", "text", "text"))
        check("text is .*a list of paths", fact("history", "text", [3]))
        check("text is .*a list of paths", fact("history", "text", ["text\0more"]))
        check("cannot be found; say with --text", fact("history", "text", ["/no such text"]))
        check("--shards is 9; it must be", fact("options", "--shards", 9))
        check("needs [0-9]+ GB", lambda c: c.facts["options"].update({"--units": 65536, "--layers": 100}))

        def counters(step):
            return {f"optimizer/{part}/step": ("I64", [1], struct.pack("<q", step)) for part in ["layers", "output"]}

        def far_ahead(contents):
            contents.facts["history"]["step"] = 10**6
            contents.tensors.update(counters(10**6))

        check("at step 1000000, and .* make", far_ahead)
        check("contradict", fact("history", "validated", 13))
        check("contradict", fact("history", "best_step", 0))
        for key, value in [("best", 0), ("best", 50), ("validation", 0), ("validation", 50)]:
            check("validations contradict", fact("history", key, value))
        for value in [0, 81, 10**15]:  # two steps of 4 x 10 characters were made since the validation
            check("counts contradict", fact("history", "counted", value))
        check("counts contradict", lambda c: c.facts["history"].update(step=10))
        for part in ["options", "history"]:
            check(f"there is no {part}", lambda c: c.facts.pop(part))
            check("there is no", lambda c: c.facts.update({part: {}}))
            check("there is no", lambda c: c.facts.update({part: 5}))
        check("there is no --units", lambda c: c.facts["options"].pop("--units"))
        check("there is no step", lambda c: c.facts["history"].pop("step"))

        def without(prefix):
            def edit(contents):
                contents.tensors = {k: v for k, v in contents.tensors.items() if not k.startswith(prefix)}

            return edit

        for prefix in ["best/", "model/", "optimizer/", "state/"]:
            check(prefix, without(prefix))

        for step in [0, 11, -1, 2**63 - 1]:
            for name, counter in counters(step).items():
                check("the 12 steps that were made", lambda c: c.tensors.update({name: counter}))
        for part in ["layers", "output"]:
            wrong = ("F32", [1], struct.pack("<f", 12))
            check(f"optimizer/{part}/step", lambda c: c.tensors.update({f"optimizer/{part}/step": wrong}))

        def poison(contents):
            tensor = next(k for k in contents.tensors if k.startswith("model/"))
            dtype, shape, content = contents.tensors[tensor]
            contents.tensors[tensor] = (dtype, shape, struct.pack("<f", float("nan")) + content[4:])

        check("the tensor model/.* is no number", poison)
        Safetensors(good).write(bad)
        run("--resume", "--checkpoint", bad.name, where=folder)  # edits are what was refused, not the writing

        # as many seconds as there may be: --minutes counts those of the run, and the next run can go on
        contents = Safetensors(good)
        contents.facts["history"]["seconds"] = 1e10
        contents.facts["options"]["--epochs"] = 100_000
        contents.write(bad)
        words = ["--resume", "--checkpoint", bad.name]
        begin = time.monotonic()
        for _ in range(2):
            text = run(*words, "--minutes", "0.01", where=folder)
            assert "the time is over" in text and "(2777777:46:40)" in text, text
        assert time.monotonic() - begin < 20


def files():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(folder / "text")
        (folder / "single").write_text("the river and the sluice " * 40)
        (folder / "link").symlink_to("single")
        (folder / "folder link").symlink_to("text")
        os.link(folder / "single", folder / "hard link")
        os.link(folder / "text/part0/0.txt", folder / "hard text")
        (folder / "nowhere").symlink_to("text/new.log")
        os.mkfifo(folder / "pipe")
        short = [*TINY, "--characters", "400"]
        good = ["--text", "text", *short]

        def snapshot():
            return {
                str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b""
                for p in sorted(folder.rglob("*"))
            }

        def refused_unchanged(pattern, *words):
            before = snapshot()
            refused(pattern, *words, where=folder)
            assert snapshot() == before, f"{words} changed a file"

        for place in ["single", "./text/../single", folder / "single", "link", "hard link"]:
            refused_unchanged("is a text to learn", *short, "--text", "single", "--log", place)
            refused_unchanged("is a text to learn", *short, "--text", "single", "--checkpoint", place)
        for place in ["text/part0/0.txt", "hard text", "folder link/part0/0.txt"]:
            refused_unchanged("is a text to learn", *good, "--log", place)
            refused_unchanged("is a text to learn", *good, "--checkpoint", place)
        for place in ["text/new.log", "text/part0/new.log", "folder link/new.log"]:
            refused_unchanged("lies in the folder", *good, "--log", place)
        refused_unchanged("leads nowhere", *good, "--log", "nowhere")
        refused_unchanged("is a folder", *good, "--log", "text")
        refused_unchanged("is a folder", *good, "--checkpoint", "text")
        refused_unchanged("no regular file", *good, "--checkpoint", "pipe")
        refused_unchanged("no regular file", *good, "--checkpoint", "/dev/null")
        refused_unchanged("no folder missing", *good, "--log", "missing/log")
        refused_unchanged("no folder missing", *good, "--checkpoint", "missing/lm")
        for log in ["lm", "./lm", "lm.old", "text/../lm.old"]:
            refused_unchanged("each other's way", *good, "--checkpoint", "lm", "--log", log)
        refused_unchanged("each other's way", *good, "--checkpoint", "log.old", "--log", "log")
        with open(folder / "printed", "wb") as printed:
            refused(
                "output goes to",
                *good,
                "--log",
                "printed",
                where=folder,
                capture_output=False,
                stdout=printed,
                stderr=subprocess.PIPE,
            )
        assert (folder / "printed").read_bytes() == b""

        # each new training keeps what the ones before it have written
        kept = {}
        for seed in range(4):
            run(*good, "--seed", seed, "--checkpoint", "lm", "--log", "log", where=folder)
            kept = {**kept, seed: ((folder / "lm").read_bytes(), (folder / "log").read_bytes())}
        for seed, suffix in enumerate([".old", ".old2", ".old3", ""]):
            assert (folder / f"lm{suffix}").read_bytes() == kept[seed][0], f"lm{suffix}"
            assert (folder / f"log{suffix}").read_bytes() == kept[seed][1], f"log{suffix}"
        for log in ["lm.old", "lm.old2", "lm.old4"]:
            refused_unchanged("each other's way", *good, "--checkpoint", "lm", "--log", log)
        run(*good, "--log", "/dev/null", where=folder)
        assert stat.S_ISCHR(os.stat("/dev/null").st_mode)

        # nor do two at once write one file
        running = start(*good, *ENDLESS, "--checkpoint", "lm", "--log", "running.log", where=folder)
        wait_for_lines(folder / "running.log", 3, running)
        for more in [[], ["--resume"]]:
            refused("belongs to another char_lm", "--text", "text", "--checkpoint", "lm", *more, where=folder)
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=60) == 130
        assert not (folder / "lm.lock").exists()
        run("--checkpoint", "lm", "--resume", "--stop-after", "1", where=folder)

        # a sparse file is binary at once, and a folder is learnt without it
        with open(folder / "text/sparse", "wb") as sparse:
            sparse.truncate(1 << 30)
        begin = time.monotonic()
        refused("sparse holds zero bytes", *short, "--text", "text/sparse", where=folder)
        run(*good, where=folder)
        assert time.monotonic() - begin < 10
        assert "at most 1073741824 bytes" in re.sub(r"\s+", " ", run("--help"))


def require_whole_log(folder, checkpoint, log, training):
    """The log is that of a run that made the steps of the checkpoint without a pause."""
    steps = Safetensors(folder / checkpoint).facts["history"]["step"]
    wanted = ["--checkpoint", "wanted.lm", "--log", "wanted.log"]
    run(*training, *wanted, "--stop-after", steps, where=folder)
    assert (folder / log).read_bytes() == (folder / "wanted.log").read_bytes(), f"{log} is not whole"


def endings():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(folder / "text")
        good = ["--text", "text", *TINY, "--epochs", "1"]

        def names(kind):
            return ["--checkpoint", f"{kind}.lm", "--log", f"{kind}.log"]

        help_text = run("--help")
        for code in [0, 1, 2, 130]:
            assert re.search(rf"^  {code} ", help_text, re.MULTILINE), help_text
        run(*good, *names("whole"), where=folder)
        wanted = (folder / "whole.log").read_bytes()

        endless = ["--text", "text", *TINY, *ENDLESS]

        def goes_on(kind):
            run("--resume", *names(kind), "--stop-after", "7", where=folder)
            require_whole_log(folder, f"{kind}.lm", f"{kind}.log", endless)

        for kind in ["SIGINT", "SIGTERM", "SIGHUP"]:
            process = start(*endless, *names(kind), where=folder)
            wait_for_lines(folder / f"{kind}.log", 7, process)
            process.send_signal(getattr(signal, kind))
            assert process.wait(timeout=60) == 130, kind
            goes_on(kind)

        # nohup
        process = subprocess.Popen(
            [program, *endless, *names("nohup")],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
        )
        wait_for_lines(folder / "nohup.log", 7, process)
        process.send_signal(signal.SIGHUP)
        wait_for_lines(folder / "nohup.log", 100, process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 130

        # closed streams
        def shell(kind, redirection, code=0):
            command = ["sh", "-c", f'"$0" "$@" {redirection}', program, *good, *names(kind)]
            done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60)
            assert done.returncode == code, f"{redirection}: {done.returncode} {done.stderr.decode()}"
            return done.stderr.decode()

        for kind, redirection in {"out": ">&-", "all": "<&- >&- 2>&-", "in": "<&-"}.items():
            shell(kind, redirection)
            assert (folder / f"{kind}.log").read_bytes() == wanted, redirection
            run("--resume", *names(kind), where=folder)

        # full and broken ones
        assert "Standard output cannot be written: No space" in shell("full", ">/dev/full", 1)
        assert not (folder / "full.log").exists(), "it began although nobody would see it"
        with open("/dev/full", "wb") as full:
            run("--help", code=1, capture_output=False, stdout=full, stderr=subprocess.PIPE)
        full_log = [*good, "--log", "/dev/full"]
        refused("The log /dev/full cannot be written: No space", *full_log, code=1, where=folder)

        process = subprocess.Popen(
            [program, *endless, *names("pipe")], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        while b": training " not in process.stdout.readline():
            pass
        process.stdout.close()
        assert re.search(r"Broken pipe.*--resume", process.stderr.read().decode())
        assert process.wait(timeout=60) == 1
        goes_on("pipe")

        os.mkfifo(folder / "log pipe")
        process = subprocess.Popen(
            [program, *endless, "--checkpoint", "log.lm", "--log", "log pipe"],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        with open(folder / "log pipe", "rb") as log:
            for _ in range(3):
                log.readline()
        assert re.search(r"The log log pipe cannot be written.*--resume", process.stderr.read().decode())
        assert process.wait(timeout=60) == 1
        run("--resume", "--checkpoint", "log.lm", "--stop-after", "7", where=folder)


def ends_on_one_signal(process, which=signal.SIGTERM):
    """Sends it, and returns what the program wrote to standard error."""
    begin = time.monotonic()
    process.send_signal(which)
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise AssertionError("one signal does not end it") from None
    assert process.returncode == 130, process.returncode
    assert time.monotonic() - begin < 10
    return process.stderr.read().decode() if process.stderr else ""


def wait_until_it_stands(path):
    """Until nothing has been added to the file for a while: the program waits for something."""
    size = -1
    while path.stat().st_size != size:
        size = path.stat().st_size
        time.sleep(0.5)


def small_pipe():
    ours, theirs = os.pipe()
    fcntl.fcntl(theirs, getattr(fcntl, "F_SETPIPE_SZ", 1031), 1 << 14)
    return ours, theirs


def wait_until_full(reader):
    """Until a pipe that nothing reads has no room for another line (pages of it are not filled to their ends)."""
    half = fcntl.fcntl(reader, getattr(fcntl, "F_GETPIPE_SZ", 1032)) // 2
    held, before = 0, -1
    until = time.monotonic() + 60
    while held < half or held != before:
        assert time.monotonic() < until, f"{held} bytes after a minute, and not yet half of the pipe, {half}"
        time.sleep(0.7)
        before, held = held, struct.unpack("i", fcntl.ioctl(reader, termios.FIONREAD, bytes(4)))[0]


def signals():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        here = {"where": folder}
        write_text(folder / "text")
        short = ["--text", "text", *TINY, "--characters", "400"]
        endless = ["--text", "text", *TINY, *ENDLESS]
        quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}

        # a log that nothing reads: a sentence, and nothing is touched; a late reader is in time
        run(*short, **here)
        before = (folder / "char_lm.safetensors").read_bytes()
        os.mkfifo(folder / "fifo")
        names = sorted(os.listdir(folder))
        refused("The log fifo is a FIFO that no program reads", *short, "--log", "fifo", timeout=20, **here)
        refused("The log fifo is a FIFO that no program reads", "--resume", "--log", "fifo", timeout=20, **here)
        assert (folder / "char_lm.safetensors").read_bytes() == before and sorted(os.listdir(folder)) == names
        process = subprocess.Popen([program, *short, "--log", "fifo"], **quiet)
        time.sleep(0.3)
        lines = (folder / "fifo").read_bytes().splitlines()
        assert process.wait(timeout=60) == 0 and b'"test"' in lines[-1], lines

        # it waits for a reader
        process = subprocess.Popen([program, *endless, "--checkpoint", "a.lm", "--log", "fifo"], **quiet)
        while not (folder / "a.lm.lock").exists():
            time.sleep(0.01)
        time.sleep(1)  # of the three seconds for which it waits
        assert "Stopped while the log fifo waited" in ends_on_one_signal(process)
        assert not (folder / "a.lm").exists() and not (folder / "a.lm.lock").exists()

        # the reader of the log reads nothing
        reader = os.open(folder / "fifo", os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(reader, getattr(fcntl, "F_SETPIPE_SZ", 1031), 1 << 14)
        process = subprocess.Popen([program, *endless, "--checkpoint", "b.lm", "--log", "fifo"], **quiet)
        wait_until_full(reader)
        assert re.search("The log fifo cannot be written.*--resume", ends_on_one_signal(process))
        os.close(reader)
        run("--resume", "--checkpoint", "b.lm", "--stop-after", "3", **here)

        # nor does what reads standard output, or standard error as well
        for kind, error in {"out": subprocess.PIPE, "both": subprocess.STDOUT}.items():
            ours, theirs = small_pipe()
            words = [*endless, "--validate-every", "1", "--checkpoint", f"{kind}.lm", "--log", f"{kind}.log"]
            process = subprocess.Popen([program, *words], cwd=folder, stdout=theirs, stderr=error)
            wait_for_lines(folder / f"{kind}.log", 20, process)
            wait_until_it_stands(folder / f"{kind}.log")
            ends_on_one_signal(process, signal.SIGINT)
            os.close(ours)
            os.close(theirs)
            run("--resume", "--checkpoint", f"{kind}.lm", "--log", f"{kind}.log", "--stop-after", "3", **here)
            require_whole_log(folder, f"{kind}.lm", f"{kind}.log", [*endless, "--validate-every", "1"])

        # another program that does not end, and the sample
        (folder / "bin").mkdir()
        (folder / "temporary").mkdir()
        (folder / "bin/xz").write_text("#!/bin/sh\ntouch started\nsleep 30\n")
        (folder / "bin/xz").chmod(0o755)
        slow = {"env": {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "TMPDIR": "temporary"}, **quiet}
        for how in ["stopped", "killed"]:
            process = subprocess.Popen([program, *short, "--checkpoint", f"{how}.lm"], **slow)
            while not (folder / "started").exists():
                assert process.poll() is None
                time.sleep(0.01)
            (folder / "started").unlink()
            if how == "stopped":
                ends_on_one_signal(process)
            else:
                process.kill()
                process.wait()
                process.stderr.close()
            assert os.listdir(folder / "temporary") == [], "a temporary was left"
        words = [*short, "--sample", "100000000", "--checkpoint", "s.lm", "--log", "s.log"]
        process = subprocess.Popen([program, *words], **quiet)
        while not (folder / "s.log").exists() or b'"test"' not in (folder / "s.log").read_bytes():
            time.sleep(0.01)
        time.sleep(0.3)
        ends_on_one_signal(process)


def kills():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(folder / "text")
        endless = ["--text", "text", *TINY, *ENDLESS]
        log, files = folder / "cut.log", ["--checkpoint", "cut.lm", "--log", "cut.log"]

        lines = 0
        for words in [endless, ["--resume"], ["--resume"], ["--resume"]]:
            process = start(*words, *files, where=folder)
            wait_for_lines(log, lines + 9, process)  # that is past a validation, and not at one
            process.send_signal(signal.SIGKILL)
            assert process.wait(timeout=60) == -signal.SIGKILL
            lines = log.read_bytes().count(b"\n")
        log.write_bytes(log.read_bytes() + b'{"step":')  # the power went as well
        cut, before = (folder / "cut.lm").read_bytes(), log.read_bytes()

        # what is no log of this training is not touched
        other = "other.log"
        run(*endless, "--rate", "0.001", "--stop-after", "9", "--log", other, where=folder)
        strangers = {
            "notes": b"Monday: nothing learnt.\n",
            "short": b"M",
            "json": b'{"step":1}\n',
            "other": (folder / other).read_bytes(),
            "long": before + b"x" * 5000,
            "zeros": bytes(5000),
        }
        for kind, content in strangers.items():
            (folder / kind).write_bytes(content)
            words = ["--resume", "--stop-after", "1", *files[:3], kind]
            refused("is not the one of this training", *words, where=folder)
            assert (folder / kind).read_bytes() == content, kind
            assert (folder / "cut.lm").read_bytes() == cut
        assert log.read_bytes() == before

        run("--resume", *files, "--stop-after", "13", where=folder)
        require_whole_log(folder, "cut.lm", "cut.log", endless)

        # a test is made again by each run that comes to it
        files = ["--checkpoint", "done.lm", "--log", "done.log"]
        run("--text", "text", *TINY, "--epochs", "1", *files, where=folder)
        wanted = (folder / "done.log").read_bytes()
        run("--resume", *files, where=folder)
        assert (folder / "done.log").read_bytes() == wanted and wanted.count(b'"test"') == 1


def messages():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        write_text(folder / "text")
        good = ["--text", "text", *TINY, "--characters", "400"]
        here = {"where": folder}

        # looked for in vain, or not to be looked at
        (folder / "loop").symlink_to("loop")
        refused("cannot be looked at: Too many levels", "--text", "loop", **here)
        refused("loop cannot be looked at: Too many levels", "--resume", "--checkpoint", "loop", **here)
        refused("cannot be looked at: File name too long", "--text", "n" * 300, **here)
        refused("is not a regular file", "--resume", "--checkpoint", "text", **here)
        refused("mem cannot be read: Input/output error", "--text", "/proc/self/mem", **here)
        (folder / "locked").mkdir()
        (folder / "locked/file").write_text("secret " * 100)
        (folder / "unreadable").write_text("secret " * 100)
        (folder / "unreadable").chmod(0)
        (folder / "locked").chmod(0)
        user = {"user": 65534} if os.getuid() == 0 else {}
        copy = shutil.copy(program, folder / "char_lm")  # nobody may not reach the one of the build
        for pattern, words in {
            "locked/file cannot be looked at: Permission denied": ["--text", "locked/file"],
            "locked cannot be read: Permission denied": ["--text", "locked"],
            "unreadable cannot be read: Permission denied": ["--text", "unreadable"],
            "locked/lm cannot be looked at: Permission denied": ["--resume", "--checkpoint", "locked/lm"],
        }.items():
            done = subprocess.run([copy, *words], cwd=folder, capture_output=True, timeout=60, **user)
            assert re.search(pattern, done.stderr.decode()) and done.returncode == 2, done.stderr.decode()
        (folder / "locked").chmod(0o755)

        def limited(**limits):
            def set_them():
                for name, most in limits.items():
                    which = getattr(resource, f"RLIMIT_{name}")
                    resource.setrlimit(which, (most, resource.getrlimit(which)[1]))

            return set_them

        # no room for threads: each would have a stack of a terabyte
        huge_stacks = limited(STACK=1 << 40, AS=1 << 33)
        little_memory = limited(AS=400 << 20)
        one = {"env": dict(os.environ, OPENBLAS_NUM_THREADS="1"), **here}
        if not os.environ.get("SLUICE_SANITIZE"):  # its shadow memory is terabytes
            refused("--shards 2 needs as many threads", *good, code=1, preexec_fn=huge_stacks, **one)
            refused(
                "There is not enough memory. Fewer --units",
                *[*good, "--units", "4000"],
                code=1,
                preexec_fn=little_memory,
                **one,
            )

        # nothing that a path or a file holds controls the terminal
        evil = b"evil\x1b]0;owned\x07\xff\xc2\x9b2J\n\xe2\x80\xae"
        shown = r"evil\x1b]0;owned\x07\xff\u009b2J\n\u202e"
        (folder / "text").rename(folder / os.fsdecode(evil))

        def harmless(text):
            assert shown in text, text
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text), repr(text)

        harmless(run("--text", evil, *TINY, "--characters", "400", "--checkpoint", evil + b".lm", **here))
        harmless(run("--text", evil, *TINY, "--characters", "400", "--checkpoint", evil + b".lm", **here))
        harmless(run("--text", evil + b"?", code=2, **here))
        harmless(run("--cell", evil, code=2, **here))
        harmless(run("--" + evil.decode(errors="surrogateescape"), code=2, **here))
        harmless(run("--text", evil, "--log", evil + b"/x", *TINY, code=2, **here))
        contents = Safetensors(folder / os.fsdecode(evil + b".lm"))
        contents.facts["options"]["--cell"] = "\x1b[2J"
        contents.write(folder / "evil.lm")
        refused(r"--cell is .*u001b\[2J", "--resume", "--checkpoint", "evil.lm", **here)
        contents.facts["options"]["--cell"] = "gru"
        contents.facts["history"]["text"] = ["/\x1b[2J\u009b2J"]
        contents.write(folder / "evil.lm")
        refused(r"/\\x1b\[2J\\u009b2J", "--resume", "--checkpoint", "evil.lm", **here)

        # nor what the model writes: into a file all of it goes as it is
        (folder / "bell").write_bytes(b"\x1b\x07\xff\n\t" * 200)
        words = ["--text", "bell", *TINY, "--characters", "4000", "--sample", "300"]
        sample = on_terminal([program, *words], folder, error=False).split(b"A sample:")[1]
        assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\xff]", sample) and rb"\x1b" in sample, sample
        done = subprocess.run([program, *words], cwd=folder, capture_output=True, timeout=60)
        assert b"\x1b" in done.stdout.split(b"A sample:")[1]


def table():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        here = {"where": folder}
        write_text(folder / "text")
        small = ["--cells", "--text", "text", "--units", "8", "--batch", "4", "--steps", "10", "--characters", "400"]
        text = run(*small, **here)
        rows = re.findall(r"^(\w+) +\d+ +\d+ +(\d+\.\d+) +\d+$", text, re.MULTILINE)
        assert len(rows) >= 5 and {"gru", "lstm"} <= {name for name, _ in rows}, text
        assert all(0 < float(bits) < 9 for _, bits in rows), text
        assert not list(folder.glob("*.safetensors")), "--cells keeps no checkpoint"

        for beside in (["--resume"], ["--cell", "gru"], ["--checkpoint", "a"], ["--minutes", "1"], ["--sample", "5"]):
            refused(f"{beside[0]} has no meaning beside --cells", *small, *beside, **here)
        refused("--shards is 5", *small, "--shards", "5", **here)
        odd = run(*small, "--units", "7", code=1, **here)
        assert re.search(r"^glstm +--units is 7, which --groups 2 does not divide", odd, re.MULTILINE), odd
        assert re.search(r"^gru +\d+", odd, re.MULTILINE) and re.search("1 of \\d+ cells could", odd), odd


def output():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(folder / "text")
        words = ["--text", "text", *TINY, "--epochs", "1", "--checkpoint", "lm.safetensors"]
        plain = run(*words, where=folder)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", plain), repr(plain)
        assert re.search(r"test files +\d+\.\d+ bits per character", plain), plain

        # a bar of the training, and no escape sequence, whatever the terminal; the same lines remain
        words[words.index("--epochs") :] = ["--characters", "80000", "--validate-every", "1000", "--minutes", "5"]
        words += ["--checkpoint", "lm.safetensors"]
        plain = run(*words, where=folder)
        require_plain(plain.replace("\n", ""))
        for colour in {}, {"NO_COLOR": "1"}:
            lines = require_bars(on_terminal([program, *words], folder, columns=70, **colour), "gru", columns=70)
            shown = [re.sub(r"\(\d+:\d+\)", "", line) for line in lines]
            for line in re.sub(r"\(\d+:\d+\)", "", plain).splitlines():
                if re.match(r"gru +\d+%", line):  # of a slow machine, where the bar of a terminal stands for it
                    continue
                assert line in shown or line.startswith("the checkpoint"), f"{line!r} is not in {shown}"
        require_plain(on_terminal([program, *words], folder, TERM="dumb").decode().replace("\r\n", ""))

        # of --cells one for all, beside a table that goes elsewhere
        small = ["--cells", "--text", "text", "--units", "8", "--batch", "4", "--steps", "10", "--characters", "20000"]
        require_bars(on_terminal([program, *small], folder), "cells")


def narrow():
    """The bounds hold for char_lm's own model and text too, which take minutes: apps/char_lm/README.md has those figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        here = {"where": folder}
        write_text(folder / "text", files=12)
        words = ["--units", "48", "--layers", "2", "--batch", "8", "--steps", "20", "--characters", "200000", "--minutes", "5"]
        run("--text", "text", *words, "--sample", "0", **here)
        plain = run("--resume", "--sample", "100", **here)
        floats = float(re.search(r"^test files +([\d.]+) bits", plain, re.MULTILINE)[1])
        assert 0.3 < floats < 2, plain  # words of ten, drawn at random: it has learnt
        for kind, most in {"bf16": 0.005, "i8": 0.02}.items():
            text = run("--resume", "--weights", kind, "--sample", "100", "--log", f"{kind}.log", **here)
            found = re.search(rf"^test files, weights in {kind} +([\d.]+) bits per character, ([+-][\d.]+)$", text, re.MULTILINE)
            assert found and float(found[2]) <= most, f"{kind} loses more than {most} bits per character: {text}"
            assert found[2] not in ("+0.00000", "-0.00000"), f"{kind} changes nothing: {text}"
            assert abs(float(found[1]) - float(found[2]) - floats) < 2e-4, text
            assert len(text.split("A sample:")[1].strip()) > 50, text
            assert (folder / f"{kind}.log").read_bytes().count(b'"test"') == 1, "the log is of the model that was trained"
        refused("--weights is int8; it must be float, bf16 or i8. Did you mean i8\\?", "--resume", "--weights", "int8", **here)
        refused("without narrow weights for the cell mgu", "--text", "text", "--cell", "mgu", "--weights", "i8", **here)


{
    "resume": resume,
    "refusals": refusals,
    "ranges": ranges,
    "checkpoints": checkpoints,
    "files": files,
    "endings": endings,
    "signals": signals,
    "kills": kills,
    "messages": messages,
    "table": table,
    "output": output,
    "narrow": narrow,
}[sys.argv[2]](*sys.argv[3:])
