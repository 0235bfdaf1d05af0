# SPDX-License-Identifier: BSL-1.0
"""Whether the innermost loops of products keep their sums in registers: none of them touches the stack.

    registers.py OBJDUMP LIBRARY [LOOPS]     at least so many loops are there, 50 without the word

For 64-bit ARM and for x86-64 with FMA. An address that is kept on the stack does not count."""

import re
import subprocess
import sys

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(.*)$", re.M)
JUMP = re.compile(r"(?:b|b\.\w+|cbn?z\s+\w+,|tbn?z\s+\w+,\s*#\w+,|j\w+)\s+([0-9a-f]+)\b")
MULTIPLIES = re.compile(r"fmla|vfn?madd")
# ARM: any word of the stack, for addresses have registers enough. x86-64: vectors and numbers.
KEEPS = re.compile(r"\[sp|\(%rsp.*%[xyz]mm|%[xyz]mm.*\(%rsp")


def innermost(instructions):
    """The loops that hold no other, as lists of instructions."""
    place = {address: i for i, (address, _) in enumerate(instructions)}
    loops = []
    for i, (_, text) in enumerate(instructions):
        jump = JUMP.match(text)
        begin = place.get(int(jump.group(1), 16), i + 1) if jump else i + 1
        if begin <= i:
            loops.append((begin, i))
    return [
        [text for _, text in instructions[begin : end + 1]]
        for begin, end in loops
        if not any((b, e) != (begin, end) and b >= begin and e <= end for b, e in loops)
    ]


def main(objdump, library, least=50):
    listing = subprocess.run([objdump, "-dC", "--no-show-raw-insn", library], capture_output=True, text=True, check=True)
    seen = wrong = 0
    for function in re.split(r"\n(?=[0-9a-f]+ <)", listing.stdout):
        name = re.match(r"[0-9a-f]+ <(.*)>:", function)
        if not name or "xtensor::tiles<" not in name.group(1):
            continue
        for loop in innermost([(int(a, 16), t) for a, t in INSTRUCTION.findall(function)]):
            if not any(MULTIPLIES.match(t) for t in loop):
                continue
            seen += 1
            if any(KEEPS.search(t) for t in loop):
                wrong += 1
                print(f"{name.group(1)} keeps sums on the stack:", *loop, sep="\n    ")
    print(f"{seen} loops of tiles; {wrong} of them touch the stack.")
    return 1 if wrong or seen < int(least) else 0


sys.exit(main(*sys.argv[1:]))
