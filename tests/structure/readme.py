# SPDX-License-Identifier: BSL-1.0
"""Holds the README to the examples: every C++ block stands, line by line, in a file that is compiled.

usage: readme.py REPOSITORY
"""
import pathlib
import re
import sys


def lines_of(text):
    """The lines that say something, without their indentation."""
    stripped = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in stripped if line and not line.startswith("// clang-format")]


def stands_in(block, whole):
    return any(whole[i : i + len(block)] == block for i in range(len(whole) - len(block) + 1))


def main(repository):
    readme = (repository / "README.md").read_text()
    blocks = re.findall(r"```cpp\n(.*?)```", readme, re.DOTALL)
    folders = [repository / "examples", repository / "include/sluice/cell"]
    sources = [lines_of(path.read_text()) for folder in folders for path in sorted(folder.rglob("*.[ch]pp"))]
    lost = [block for block in blocks if not any(stands_in(lines_of(block), whole) for whole in sources)]
    for block in lost:
        print("README.md shows code that stands in no file of examples/ or include/sluice/cell/; make them the same:\n" + block)
    if not blocks:
        print("README.md shows no C++ code; it should show an example.")
    return 1 if lost or not blocks else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
