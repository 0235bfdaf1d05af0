# SPDX-License-Identifier: BSL-1.0
"""examples/narrow: what a model of characters loses by weights in fewer bits, and what the program refuses.

    check.py PROGRAM TEXT
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

from on_terminal import on_terminal, require_bars, require_plain

MOST = {"bfloat16": 0.005, "int8": 0.02}  # bits per character more than in float


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)


def faults(program, text):
    done = run(program, text, "300")
    before = re.search(r"^step 0: ([\d.]+) bits", done.stdout, re.M)
    floats = re.search(r"^float: ([\d.]+) bits", done.stdout, re.M)
    if done.returncode or not before or not floats:
        yield f"it ends with {done.returncode}: {done.stdout}{done.stderr}"
        return
    if not float(floats[1]) < 0.7 * float(before[1]):
        yield f"it learns nothing: from {before[1]} to {floats[1]} bits per character"
    for called, most in MOST.items():
        found = re.search(rf"^{called}: .* per character, (\S+) more; outputs differ by (\S+) at most", done.stdout, re.M)
        if not found or not float(found[1]) <= most:
            yield f"{called} loses more than {most} bits per character, or does not say what: {done.stdout}"
        elif not 1e-6 < float(found[2]) < 1:
            yield f"{called} differs by {found[2]}"
    require_plain((done.stdout + done.stderr).replace("\n", ""))
    require_bars(on_terminal([program, text, "100"]), "learning")
    for words in ((), (text, "-1"), (text, "1x"), (text, "99999999999"), (text, "1", "2")):
        done = run(program, *words)
        if done.returncode != 2 or "expects a text" not in done.stderr:
            yield f"{words}: {done.returncode}, {done.stderr}"
    for name in (text + "/none", "/dev/null"):
        done = run(program, name)
        if done.returncode != 1 or "at least 10000 characters" not in done.stderr:
            yield f"{name}: {done.returncode}, {done.stderr}"


if __name__ == "__main__":
    found = list(faults(*sys.argv[1:]))
    print("\n".join(found) or "All is as it should be.")
    sys.exit(bool(found))
