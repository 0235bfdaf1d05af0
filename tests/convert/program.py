# SPDX-License-Identifier: BSL-1.0
"""Runs the program convert, for the checks beside this one, which are called as CHECK.py PROGRAM RECORDINGS."""

import re
import subprocess
import sys
from pathlib import Path

program, recordings = (Path(word).resolve() for word in sys.argv[1:3])


def output(*words, code=0, **settings):
    """What it prints, as bytes."""
    words = [word if isinstance(word, bytes) else str(word) for word in words]
    done = subprocess.run([program, *words], capture_output=True, timeout=60, **settings)
    printed = done.stdout + done.stderr
    assert done.returncode == code, f"{words}: exit code {done.returncode}, expected {code}\n{printed}"
    return printed


def run(*words, **settings):
    return output(*words, **settings).decode()


def says(pattern, *words, **settings):
    text = run(*words, **settings)
    assert re.search(pattern, text), f"{words}: no '{pattern}' in\n{text}"
