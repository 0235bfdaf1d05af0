# SPDX-License-Identifier: BSL-1.0
"""Runs a program on a terminal of its own, and says what it drew there."""

import os
import pty
import re
import struct
import subprocess
import fcntl
import termios


def on_terminal(command, where=None, columns=80, error=True, code=0, **environment):
    """All bytes that it writes to standard output, and to standard error too where `error` says so."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm", **environment}
    child = subprocess.Popen(command, cwd=where, stdout=theirs, stderr=theirs if error else None, env=environment)
    os.close(theirs)
    seen = b""
    try:
        while block := os.read(ours, 65536):
            seen += block
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert child.wait(timeout=300) == code, seen
    return seen


BAR = re.compile(r"\r(?P<label>[^\r\n]*?) ?\[#*\.*\] +(?P<percent>\d+)%(?:  \d+(?::\d\d)+ left)?(?P<words>[^\r\n]*)")


def bars(seen):
    """The bars that were drawn, and the lines that stand there at the end."""
    text = seen.decode().replace("\r\n", "\n")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", text), f"an escape sequence: {text!r}"
    drawn = list(BAR.finditer(text))
    lines = [line.split("\r")[-1] for line in text.split("\n")]  # a line that is drawn again covers what was there
    return drawn, lines


def require_bars(seen, label, columns=80):
    """There are bars with a percentage and a time that is left, each within its line, and nothing of them is left over."""
    drawn, lines = bars(seen)
    mine = [bar for bar in drawn if bar["label"] == label]
    assert mine, f"no bar of {label} in {seen!r}"
    assert all(len(bar[0]) <= columns for bar in mine), mine  # its line, and the return before it
    assert any(" left" in bar[0] for bar in mine), mine
    percents = [int(bar["percent"]) for bar in mine]
    assert percents == sorted(percents) and percents[-1] <= 100, percents
    assert not any(re.search(r"\[#*\.*\] +\d+%", line) for line in lines), lines
    return lines


def require_plain(text):
    """What goes into a pipe or a file has no carriage return and no escape sequence."""
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", text), repr(text)
    assert not re.search(r"\[#*\.+\]|\[#+\.*\]", text), text
