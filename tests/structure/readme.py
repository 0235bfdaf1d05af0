# SPDX-License-Identifier: BSL-1.0
"""Holds README and docs to the code: every C++ block stands, line by line, in a file that is compiled, and every link
and every file that CONTRIBUTING names in a table is there. And the table is complete: each file that mentions something that is
shipped (SHIPPED) is named by the row of its kind, or has a reason not to be (ELSEWHERE).

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


def lost_plans(page, goldens):
    """The blocks of a page that look like a plan, and stand in no golden file."""
    blocks = re.findall(r"```\n(forward\n.*?)```", page.read_text(), re.DOTALL)
    return [block for block in blocks if not any(block in golden for golden in goldens)]


def lost_links(page):
    """The relative links of a page that lead nowhere."""
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", prose)
    return [target for target in targets if "://" not in target and not (page.parent / target).exists()]


def row_names(row, repository):
    """The files and folders that a row of a table names, each with the pattern under which it is there, or None. A name without
    a folder lies in the folder that was named last in its row, or in one of the library's."""
    folder = pathlib.Path("include/sluice")
    for name in re.findall(r"`([\w./*-]+(?:\.\w+|/))`", row):
        path = name.removeprefix("/")
        places = [pathlib.Path(path), folder / path, folder.parent / path, pathlib.Path("include/sluice") / path]
        found = next((place for place in places if list(repository.glob(str(place)))), None)
        yield name, found
        if found:
            folder = found if name.endswith("/") else found.parent


def rows_of(table):
    return [line for line in table.splitlines() if line.startswith("| ")]


def lost_files(table, repository):
    """The names in a table under which nothing is there."""
    return [name for row in rows_of(table) for name, found in row_names(row, repository) if not found]


# What is shipped, and the row or rows of its kind: the begin of each.
SHIPPED = (
    ("mish", "a pointwise function", "a word of"),
    ("reverse_cumsum", "a word of", "a pointwise function"),
    ("rematerialize", "a pass"),
    ("rhn", "a cell"),
    (r"mlx(?:_\w+)?", "a convention"),
    (r"haste(?:_\w+)?", "a convention"),
    (r"npz::\w+|npz[.]hpp|format::npz|fuzz_npz", "a file format"),
    ("bfloat16", "a scalar"),
    ("zoneout", "a page made", "an option of"),
    ("residual", "an option of"),
    ("mean_squared_error", "a loss"),
    ("softmax_cross_entropy", "a loss"),
    ("sgd", "an optimiser"),
    ("adam", "an optimiser"),
    ("slice_beyond", "a refusal"),
    ("xtensor::threaded", "a backend"),
)
# Files of another kind that mention it too: what is shipped, pattern, reason.
ELSEWHERE = (
    (".*", r"(apps|examples|tests/(bench|cost|nvcc))/.*|docs/(backend|devices|glossary|index|layers|limits|performance|ranks|tutorial).md", "uses it as a user does"),
    (".*", r"tests/(structure|mutation|outside)/.*", "about the tests themselves, and what is not shipped"),
    (".*", r"tests/refuse/.*", "each has its own sentence"),
    (".*", r"tests/support/\w*cells.hpp|tests/support/own_block.hpp", "cells and blocks of the tests, of several words each"),
    (".*", r"tests/cudnn/.*", "what is cuDNN's and what is not, of every kind"),
    ("mlx.*|haste.*", r"tests/CMakeLists.txt", "which tests sanitizers leave out"),
    (".*", r"tests/algebra/match\w*.cpp", "what is not the cell of another library"),
    ("rhn", r"tests/plan/sizes.cpp", "counts what the planner saves, of a deep cell"),
    ("rematerialize", r"include/sluice/plan/blocks.hpp", "says what the pass has done"),
    ("reverse_cumsum", r"tests/(graph|source|support|xtensor)/.*", "an example of a scan"),
    ("npz.*", r"include/sluice/checkpoint/budget.hpp", "an example of its use"),
    ("npz.*", r"tests/reference/framework_files.cpp", "a framework writes both formats"),
    ("bfloat16", r"include/sluice/checkpoint/checkpoint.hpp", "a sentence that lists what can be saved"),
    ("bfloat16", r"backends/cudnn/include/sluice/cudnn/(planned_policy|rnn/rnn_cell).hpp", "sentences about what a device computes with"),
    ("bfloat16", r"backends/xtensor/include/sluice/xtensor/narrow/.*|tests/xtensor/narrow_.*|tests/check/quantisation_error.cpp|tests/refuse/narrow_.*|tests/narrow/.*|examples/narrow/.*", "types of weights, not scalars"),
    ("bfloat16", r"tests/(backend|cell|execute|sequence|train)/.*|tests/reference/make_keras_files.py", "cases of every scalar"),
    ("bfloat16", r"tests/(char_lm/nearest.cpp|convert/check.py)", "a word that programs do not know"),
    ("residual", r"tests/execute/allocations.cpp", "a stack with every option"),
    ("zoneout|residual", r"(include/sluice|tests)/model/write_model.[ch]pp", "a refusal that lists options"),
    ("residual", r"include/sluice/cells/(fast_rnn|rwkv4|griffin|mlstm_block).hpp|tests/law/blocks.cpp|tests/cell/input_width.cpp|tests/reference/numpy_dynamics.py", "a word of their equations"),
    ("adam|sgd", r"backends/cudnn/include/sluice/cudnn/device_optimizer.hpp", "an example of its use"),
    ("adam|sgd", r"include/sluice/(backend|execute)/.*|tests/(sequence|cell|backend|device)/.*|tests/support/train.hpp", "a step of training of a cell"),
    ("xtensor::threaded", r"tests/threads/.*", "about threads alone"),
    ("xtensor::threaded", r"tests/execute/(apart|replayed).cpp", "laws of every lowering"),
    ("adam|mean_squared_error", r"include/sluice/distributed/.*|tests/(distributed|nccl)/.*", "a step of training on several ranks"),
    ("mean_squared_error", r"tests/(sequence|device)/.*|tests/support/train.hpp", "a step of training of a cell"),
)
TEXTS = (".hpp", ".cpp", ".py", ".cmake", ".md", ".txt", ".in")
FLOORS_OF_BACKENDS = {"xtensor": ("xtensor", "backend", "threads"), "cudnn": ("cudnn", "device", "cuda")}


def test_folders(place):
    """The folders with the tests of a header."""
    part = re.match(r"(?:include|backends/\w+/include)/sluice/(\w+)/", place.as_posix() + "/")
    floor = part.group(1) if part else ""
    return [pathlib.Path("tests", one) for one in FLOORS_OF_BACKENDS.get(floor, (floor,)) if one]


def unnamed_files(table, repository, shipped=SHIPPED, elsewhere=ELSEWHERE):
    """The files that mention something that is shipped, and that neither the rows of its kind name nor `elsewhere`. A folder
    that a row names has a page of the thing's name; the tests of what a row names need no line of their own."""
    folders = ("include", "backends", "apps", "examples", "tests", "docs")
    texts = {path.relative_to(repository): path.read_text(errors="replace") for folder in folders
             for path in sorted((repository / folder).rglob("*")) if path.suffix in TEXTS and path.is_file()}
    for name, *kinds in shipped:
        rows = [row for row in rows_of(table) if any(row.startswith("| " + kind) for kind in kinds)]
        if len(rows) != len(kinds):
            yield name, "CONTRIBUTING.md, whose table has no row " + " and ".join(kinds)
            continue
        places = [place for row in rows for _, place in row_names(row, repository) if place]
        named = {path.relative_to(repository) for place in places for path in repository.glob(str(place))}
        tests = [folder for place in places for folder in test_folders(place)]
        apart = [pattern for of, pattern, _ in elsewhere if re.fullmatch(of, name)]
        for path, text in texts.items():
            if not re.search(rf"(?<!\w)(?:{name})(?!\w)", text):
                continue
            is_its_page = any(re.match(word, path.stem) for word in re.findall(r"[a-z]\w+", name)) and not named.isdisjoint(path.parents)
            if not (path in named or is_its_page or any(folder in path.parents for folder in tests)
                    or any(re.fullmatch(pattern, path.as_posix()) for pattern in apart)):
                yield name, path.as_posix()


def main(repository):
    pages = [repository / "README.md", repository / "CONTRIBUTING.md", *sorted((repository / "docs").glob("*.md")),
             *sorted((repository / "apps").rglob("README.md"))]
    folders = [repository / "examples", repository / "include/sluice/cells", repository / "tests/language", repository / "tests/outside"]
    sources = [lines_of(path.read_text()) for folder in folders for path in sorted(folder.rglob("*.[ch]pp"))]
    goldens = [path.read_text() for path in sorted((repository / "tests/plan/golden").glob("*.txt"))]
    faults = []
    for page in pages:
        name = page.relative_to(repository)
        for block in lost_blocks(page, sources):
            faults.append(f"{name} shows code that stands in no file of examples/, include/sluice/cells/, tests/language/ or tests/outside/; make them the same:\n{block}")
        for block in lost_plans(page, goldens) if page.name != "tutorial.md" else (): # tests/tutorial looks at those
            faults.append(f"{name} shows a plan that stands in no file of tests/plan/golden/; make them the same:\n{block}")
        for target in lost_links(page):
            faults.append(f"{name} has a link to {target}, which is not there.")
    table = (repository / "CONTRIBUTING.md").read_text()
    for lost in lost_files(table, repository):
        faults.append(f"CONTRIBUTING.md names {lost} in a table, which is not there.")
    for name, path in unnamed_files(table, repository):
        faults.append(f"{name} is mentioned in {path}, which its row in CONTRIBUTING.md does not name; name it there, or in ELSEWHERE of readme.py.")
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
        page.write_text("```cpp\nint a;\n  int b;\n```\n[here](page.md#top) [lost](lost.md) [far](https://example.org/x.md)\n```cpp\n[](int) {}\n```\n")
        assert lost_blocks(page, [["int z;", "int a;", "int b;"], ["[](int) {}"]]) == []
        assert len(lost_blocks(page, [["int a;", "int z;", "int b;"], ["[](int) {}"]])) == 1
        assert lost_links(page) == ["lost.md"]
        page.write_text("```\nforward\n  loop\n```\n```\nno plan\n```\n")
        assert lost_plans(page, ["gradient\n\nforward\n  loop\n    block\n"]) == []
        assert lost_plans(page, ["forward\n  after\n"]) == ["forward\n  loop\n"]
        table = "| a | `include/sluice/core/` and `name.hpp`, `core/name.hpp`, `core/*.hpp` |\n| b | `lost.hpp`, `core/lost/` |\n"
        assert lost_files(table, root) == ["lost.hpp", "core/lost/"], lost_files(table, root)

        for file, text in {"include/sluice/train/nag.hpp": "struct nag", "include/sluice/train/all.hpp": "nag", "docs/all.md": "`nag`",
                           "include/sluice/train/other.hpp": "magnag nagging", "tests/train/any.cpp": "nag", "tests/law/any.cpp": "nag",
                           "include/sluice/core/text.hpp": "nag", "docs/nag.png": "nag"}.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)
        def unnamed(row, elsewhere=()):
            return [path for _, path in unnamed_files(row, root, (("nag", "a rule"),), elsewhere)]
        whole = "| a rule | `include/sluice/train/`, `all.hpp`, `docs/*.md`"
        assert unnamed(whole + " |") == ["include/sluice/core/text.hpp", "tests/law/any.cpp"], unnamed(whole)
        assert unnamed(whole + ", `core/text.hpp` |", (("n.g", "tests/law/.*", "a law"),)) == []
        assert "docs/all.md" in unnamed("| a rule | `include/sluice/train/`, `all.hpp` |")
        assert "include/sluice/train/all.hpp" in unnamed("| a rule | `include/sluice/train/` |")
        assert len(unnamed("| a law | `include/sluice/train/` |")) == 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(main(pathlib.Path(sys.argv[1])))
