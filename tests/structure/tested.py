# SPDX-License-Identifier: BSL-1.0
"""Which headers have a test file of their own name, and that no header loses it; names of tests read `topic: sentence`.

    tested.py ROOT           fails where a header that is not in untested.txt has no test, or one that is there has one
    tested.py ROOT --list    prints the headers without a test, as untested.txt has them
    tested.py --self-test    shows that each fault is found

The test of include/sluice/plan/blocks.hpp is tests/plan/blocks.cpp. What is exempt has a reason in EXEMPT.
"""

import re
import sys
import tempfile
from pathlib import Path

FOLDERS = {"xtensor": ("xtensor", "backend", "lower", "threads", "instruction_sets"), "cudnn": ("device", "cuda", "graph")}
CASE = re.compile(r'\bTEST_CASE(?:_TEMPLATE|_FIXTURE|_TEMPLATE_DEFINE)?\(\s*(?:\w+, )?"((?:[^"\\]|\\.)*)"')
EXEMPT = (
    (r"include/sluice/[^/]+[.]hpp|backends/\w+/include/sluice/[^/]+[.]hpp", "includes only"),
    (r"include/sluice/layout/all[.]hpp", "includes only"),
    (r"include/sluice/core/config[.]hpp", "the version, which the build reads"),
    (r"backends/xtensor/include/sluice/xtensor/runtime[.]hpp", "declarations only, of what every program of tests links"),
)


def is_exempt(header, root):
    if any(re.fullmatch(pattern, header) for pattern, _ in EXEMPT):
        return True
    # A page of the catalogue: tests/catalogue runs each, beside the same cell in numpy.
    return header.startswith("include/sluice/cell/") and "equations = [] {" in (root / header).read_text()


def headers_of(root):
    folders = [root / "include", *sorted((root / "backends").glob("*/include"))]
    return [path.relative_to(root).as_posix() for folder in folders for path in sorted(folder.rglob("*.hpp"))]


def has_test(header, root):
    folder = header.split("/sluice/", 1)[1].split("/")[0]
    name = Path(header).stem + ".cpp"
    return any((root / "tests" / one / name).exists() for one in FOLDERS.get(folder, (folder,)))


def without_topic(root):
    """The names of tests that begin with no topic."""
    for path in sorted((root / "tests").rglob("*.[chi]*")):
        for name in CASE.findall(path.read_text(errors="replace")) if path.suffix in (".cpp", ".hpp", ".in") else []:
            if not re.match(r"[a-z][\w .-]*: ", name):
                yield path.relative_to(root).as_posix(), name


def untested(root):
    return [header for header in headers_of(root) if not is_exempt(header, root) and not has_test(header, root)]


def faults(root, written):
    now = untested(root)
    for header in now:
        if header not in written:
            yield f"{header} has no test of its name; write tests/{header.split('/')[-2]}/{Path(header).stem}.cpp"
    for header in written:
        if header not in now:
            yield f"{header} has a test, or is gone; take it out of tests/structure/untested.txt"
    for file, name in without_topic(root):
        yield f"{file} has a test without a topic; write `topic: sentence` and not: {name}"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for file, text in {
            "include/sluice/plan/a.hpp": "", "include/sluice/plan/b.hpp": "", "include/sluice/all.hpp": "",
            "include/sluice/cell/page.hpp": "static constexpr auto equations = [] {", "tests/plan/a.cpp": "",
            "backends/xtensor/include/sluice/xtensor/team.hpp": "", "tests/threads/team.cpp": "",
        }.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)
        assert untested(root) == ["include/sluice/plan/b.hpp"], untested(root)
        assert not list(faults(root, ["include/sluice/plan/b.hpp"]))
        assert len(list(faults(root, []))) == 1
        assert len(list(faults(root, ["include/sluice/plan/a.hpp", "include/sluice/plan/b.hpp"]))) == 1
        (root / "tests/plan/a.cpp").write_text('TEST_CASE("a: is"); TEST_CASE_TEMPLATE("is: not", T); TEST_CASE("Is not");')
        assert list(without_topic(root)) == [("tests/plan/a.cpp", "Is not")]


def main(root, *options):
    if "--list" in options:
        print("\n".join(untested(root)))
        return 0
    lines = (root / "tests/structure/untested.txt").read_text().splitlines()
    found = list(faults(root, [line for line in lines if line and not line.startswith("#")]))
    print("\n".join(found) if found else f"{len(headers_of(root))} headers, {len(untested(root))} without a test of their name.")
    return 1 if found else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(main(Path(sys.argv[1]).resolve(), *sys.argv[2:]))
