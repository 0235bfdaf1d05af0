# SPDX-License-Identifier: BSL-1.0
"""Holds README and docs to the code: every C++ block stands, line by line, in a file that is compiled, and every link
and every file that CONTRIBUTING names in a table is there.

usage: readme.py REPOSITORY
       readme.py --self-test    shows that each fault is found
"""
import pathlib
import re
import sys
import tempfile

LONGEST = 150


def lines_of(text):
    """The lines that say something, without their indentation."""
    stripped = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in stripped if line and not line.startswith("// clang-format")]


def stands_in(block, whole):
    return any(whole[i : i + len(block)] == block for i in range(len(whole) - len(block) + 1))


def lost_blocks(page, sources):
    """The C++ blocks of a page that stand in none of the sources."""
    blocks = re.findall(r"```cpp\n(.*?)```", page.read_text(), re.DOTALL)
    return [block for block in blocks if not any(stands_in(lines_of(block), whole) for whole in sources)]


def lost_links(page):
    """The relative links of a page that lead nowhere."""
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    return [target for target in targets if "://" not in target and not (page.parent / target).exists()]


def lost_files(table, repository):
    """The files and folders that the rows of CONTRIBUTING's table name and that are not there. A name without a folder lies in
    the folder that was named last in its row, or in one of the library's."""
    lost = []
    for row in (line for line in table.splitlines() if line.startswith("| ")):
        folder = pathlib.Path("include/sluice")
        for name in re.findall(r"`([\w./*-]+(?:\.\w+|/))`", row):
            path = name.removeprefix("/")
            places = [pathlib.Path(path), folder / path, folder.parent / path, pathlib.Path("include/sluice") / path]
            found = next((place for place in places if list(repository.glob(str(place)))), None)
            if not found:
                lost.append(name)
            else:
                folder = found if name.endswith("/") else found.parent
    return lost


def main(repository):
    pages = [repository / "README.md", repository / "CONTRIBUTING.md", *sorted((repository / "docs").glob("*.md")),
             *sorted((repository / "examples").rglob("README.md"))]
    folders = [repository / "examples", repository / "include/sluice/cell", repository / "tests/language"]
    sources = [lines_of(path.read_text()) for folder in folders for path in sorted(folder.rglob("*.[ch]pp"))]
    faults = []
    for page in pages:
        name = page.relative_to(repository)
        for block in lost_blocks(page, sources):
            faults.append(f"{name} shows code that stands in no file of examples/, include/sluice/cell/ or tests/language/; make them the same:\n{block}")
        for target in lost_links(page):
            faults.append(f"{name} has a link to {target}, which is not there.")
    for lost in lost_files((repository / "CONTRIBUTING.md").read_text(), repository):
        faults.append(f"CONTRIBUTING.md names {lost} in a table, which is not there.")
    if "```cpp" not in pages[0].read_text():
        faults.append("README.md shows no C++ code; it should show an example.")
    if len(pages[0].read_text().splitlines()) > LONGEST:
        faults.append(f"README.md has more than {LONGEST} lines; what it says in more detail goes to docs/.")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "include/sluice/core").mkdir(parents=True)
        (root / "include/sluice/core/name.hpp").write_text("")
        page = root / "page.md"
        page.write_text("```cpp\nint a;\n  int b;\n```\n[here](page.md#top) [lost](lost.md) [far](https://example.org/x.md)\n")
        assert lost_blocks(page, [["int z;", "int a;", "int b;"]]) == []
        assert len(lost_blocks(page, [["int a;", "int z;", "int b;"]])) == 1
        assert lost_links(page) == ["lost.md"]
        table = "| a | `include/sluice/core/` and `name.hpp`, `core/name.hpp`, `core/*.hpp` |\n| b | `lost.hpp`, `core/lost/` |\n"
        assert lost_files(table, root) == ["lost.hpp", "core/lost/"], lost_files(table, root)


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(main(pathlib.Path(sys.argv[1])))
