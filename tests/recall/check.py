#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests of the program recall.

    check.py PROGRAM learns      a quick run: each loss falls, DeltaNet recalls and the LSTM does not
    check.py PROGRAM refusals    a wrong argument gets a sentence and exit code 2
    check.py PROGRAM output      plain text in a pipe, a bar on a terminal, the same numbers in both; a picture
"""

import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

from on_terminal import on_terminal, require_bars, require_plain

CELLS = ("DeltaNet", "GLA", "LSTM")
TASKS = ("recall", "copying")
ROW = re.compile(r"^(recall|copying) +(\w+) +([0-9.]+) +([0-9.]+) +([0-9.]+) % +[0-9.]+$", re.MULTILINE)
SIZES = re.compile(r"^(recall|copying) +(\w+) +([0-9]+) +([0-9]+)$", re.MULTILINE)
program = sys.argv[1]


def run(*words, code=0):
    result = subprocess.run([program, *words], capture_output=True, text=True, timeout=300)
    assert result.returncode == code, f"{words} ended with {result.returncode}: {result.stderr}"
    return result


def rows_of(text):
    """task, cell -> first loss, last loss, accuracy"""
    rows = {(task, cell): tuple(map(float, numbers)) for task, cell, *numbers in ROW.findall(text)}
    assert set(rows) == {(task, cell) for task in TASKS for cell in CELLS}, text
    return rows


def learns():
    text = run("--quick").stdout
    rows = rows_of(text)
    for where, (first, last, _) in rows.items():
        assert last < 0.95 * first, f"{where}: the loss is {first}, then {last}"
    recalled = {cell: rows["recall", cell][2] for cell in CELLS}
    assert recalled["DeltaNet"] > 95 and recalled["LSTM"] < 70, recalled
    sizes = {(task, cell): (int(count), int(state)) for task, cell, count, state in SIZES.findall(text)}
    for task in TASKS:
        counts = [sizes[task, cell][0] for cell in CELLS]
        assert max(counts) < 1.05 * min(counts), counts
        assert sizes[task, "LSTM"][1] < 100 < sizes[task, "GLA"][1], sizes


def refusals():
    for words in (["--steps", "0"], ["--seed"], ["--slow"], ["more"], ["--picture", "no/such/folder/a.svg"]):
        result = run(*words, code=2)
        assert result.stdout == "" and re.fullmatch(r"recall: [^\n]*but[^\n]*; [^\n]*[.]\n", result.stderr), result
    assert "(did you mean --quick?)" in run("--quik", code=2).stderr
    assert "--picture FILE" in run("--help").stdout


def output():
    few = ("--quick", "--steps", "20", "--seed", "5")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "curves.svg"
        plain = run(*few, "--picture", str(path)).stdout
        tags = [element.tag.split("}")[1] for element in xml.etree.ElementTree.parse(path).iter()]
        assert tags.count("polyline") == len(CELLS) * len(TASKS), tags
    require_plain(plain.replace("\n", ""))
    for task in TASKS:
        assert f"{task}, accuracy in % over steps:" in plain
    for colour in {}, {"NO_COLOR": "1"}:
        lines = require_bars(on_terminal([program, *few], **colour), "learning")
        assert rows_of("\n".join(lines)) == rows_of(plain)
    require_plain(on_terminal([program, *few], TERM="dumb").decode().replace("\r\n", ""))


if __name__ == "__main__":
    {"learns": learns, "refusals": refusals, "output": output}[sys.argv[2]]()
