# SPDX-License-Identifier: BSL-1.0
"""What the tutorial shows of its program is what the program prints: each block of text, its numbers to a few parts in a hundred.

    check.py PROGRAM PAGE
    check.py --self-test
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

NUMBER = re.compile(r"-?\d+[.]\d+")
NEAR = 0.15  # of a number: what is learnt differs a little from machine to machine
LEARNT = 0.02  # the loss after the last step


def is_like(shown, printed):
    """Whether two lines are the same but for numbers that are nearly so."""
    if NUMBER.sub("#", shown) != NUMBER.sub("#", printed):
        return False
    pairs = zip(map(float, NUMBER.findall(shown)), map(float, NUMBER.findall(printed)))
    return all(abs(a - b) <= NEAR * abs(a) + 0.011 for a, b in pairs)


def faults(page, printed):
    blocks = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    lines = printed.splitlines()
    if len(blocks) < 5:
        yield f"the page shows {len(blocks)} blocks of text; it should show at least 5"
    for block in blocks:
        shown = block.splitlines()
        places = range(len(lines) - len(shown) + 1)
        if not any(all(map(is_like, shown, lines[i : i + len(shown)])) for i in places):
            yield f"the page shows, and the program does not print:\n{block}"
    losses = [float(loss) for loss in re.findall(r"^step \d+: loss (\S+)$", printed, re.MULTILINE)]
    if not losses or not losses[-1] < LEARNT:
        yield f"the net does not learn: its losses are {losses}"


def self_test():
    printed = "a = b\nsays 0.60\nx\ny\nz\nstep 0: loss 0.35\nstep 9: loss 0.0050\n"
    page = "".join(f"```text\n{block}\n```\n" for block in ("a = b\nsays 0.61", "x", "y", "z", "step 0: loss 0.36\nstep 9: loss 0.0040"))
    assert list(faults(page, printed)) == [], list(faults(page, printed))
    for shown, said in (("says 0.61", "says 0.80"), ("a = b", "a = c"), ("x", "x\ny\nz\nw")):
        assert len(list(faults(page.replace(shown, said, 1), printed))) == 1, (shown, said)
    assert len(list(faults(page.replace("0.0040", "0.30"), printed.replace("0.0050", "0.30")))) == 1
    assert "at least 5" in next(faults("", printed))


def main(program, path):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, Path(folder, "net.safetensors")], capture_output=True, text=True, timeout=300, check=False)
        saved = Path(folder, "net.safetensors").exists()
    found = list(faults(Path(path).read_text(), done.stdout))
    if done.returncode or not saved:
        found.append(f"it ends with {done.returncode}, and the file is {'' if saved else 'not '}there: {done.stderr}")
    print("\n".join(found) or "The tutorial shows what its program prints.")
    if found:
        print("The program printed:\n" + done.stdout)
    return 1 if found else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(main(*sys.argv[1:]))
