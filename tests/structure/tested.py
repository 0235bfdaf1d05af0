# SPDX-License-Identifier: BSL-1.0
"""Each header has a test file of its own name, or a reason why not; names of tests read `topic: sentence`.

    tested.py ROOT           fails where a header has neither, where a reason has no header, and where a name has no topic
    tested.py --self-test    shows that each fault is found

The test of include/sluice/plan/blocks.hpp is tests/plan/blocks.cpp. What is exempt has a reason in EXEMPT.
"""

import re
import sys
import tempfile
from pathlib import Path

FOLDERS = {"cell": ("cell", "sequence"), "cells": ("cells", "cell"), "cudnn": ("cudnn", "device", "algebra"), "tensorflow": ("sequence",),
           "xtensor": ("xtensor", "backend", "execute", "threads", "instruction_sets")}
CASE = re.compile(r'\bTEST_CASE(?:_TEMPLATE|_FIXTURE|_TEMPLATE_DEFINE)?\(\s*(?:\w+, )?"((?:[^"\\]|\\.)*)"')
EXEMPT = (
    (r"include/sluice/[^/]+[.]hpp|backends/\w+/include/sluice/[^/]+[.]hpp", "includes only"),
    (r"include/sluice/layout/all[.]hpp", "includes only"),
    (r"backends/cudnn/.*/(planned_policy|device_policy)[.]hpp", "policies, names only: tests/device/planned_*.cpp, rnn_stack_simple.cpp"),
    (r"backends/cudnn/.*/accepted[.]hpp", "what cuDNN takes: tests/algebra/match_*.cpp, tests/cudnn/reason.cpp"),
    (r"backends/cudnn/.*/network_engine[.]hpp", "puts plans and networks together: tests/device/resident_cells.cpp"),
    (r"backends/cudnn/.*/resident_build[.]hpp", "puts a net's engines together: tests/device/resident_stacks.cpp"),
    (r"backends/cudnn/.*/resident_(front|net)[.]hpp", "nets, what runs take and give: tests/device/resident.cpp, resident_stacks.cpp"),
    (r"include/sluice/cells/(rhn|mogrifier_lstm|delta_product)[.]hpp", "pages that are templates: tests/catalogue, tests/reference"),
    (r"include/sluice/cells/catalogue[.]hpp", "a list of pages: tests/catalogue runs each"),
    (r"include/sluice/execute/prepared_task[.]hpp", "what tests/execute/tasks.cpp prepares and runs"),
    (r"include/sluice/graph/shaped_graph[.]hpp", "a record: tests/graph/shape.cpp, sizes.cpp"),
    (r"include/sluice/graph/rule_writer[.]hpp", "what differentiate writes: tests/graph/derivatives.cpp"),
    (r"include/sluice/net/lowering[.]hpp", "a contract: tests/backend/conformance.hpp"),
    (r"include/sluice/net/whole_stack[.]hpp", "a contract, types only: tests/sequence/stack_whole.cpp"),
    (r"include/sluice/net/plan_(lowering|programs)[.]hpp", "engines with tensors: tests/backend/conformance.hpp"),
    (r"include/sluice/backend/sweep_program[.]hpp", "a record: tests/backend/block.cpp and fixed_step.cpp run what it holds"),
    (r"include/sluice/net/(engine|layer|records)[.]hpp", "records alone: tests/net/net.cpp runs a net of them"),
    (r"include/sluice/source/(row_function_source|source_scalar)[.]hpp", "texts, which tests/device and tests/cuda compile and run"),
    (r"include/sluice/sequence/unroll[.]hpp", "tests/law compares each cell's with its equations, tests/cell/bad_input.cpp the refusals"),
    (r"include/sluice/sequence/(stack|stack_base|stack_front)[.]hpp", "a stack as a whole: tests/sequence/stack_*.cpp, a file for each thing it promises"),
    (r"include/sluice/model/(json_reader|pytorch_layers)[.]hpp", "what readers share: tests/model/rtneural.cpp, guitarml.cpp, nam.cpp"),
    (r"include/sluice/model/described_model[.]hpp", "records alone: tests/model/model_of_net.cpp makes models of them"),
    (r"include/sluice/plan/plan[.]hpp", "records alone: tests/plan/make_plan.cpp looks at those that are made"),
    (r"backends/xtensor/include/sluice/xtensor/runtime/runtime_of_training[.]hpp", "declarations: tests/xtensor/runtime.cpp"),
    (r"include/sluice/sequence/compiled_net[.]hpp", "declarations: tests/cost counts what they save"),
    (r"backends/cudnn/include/sluice/cudnn/compiled_device[.]hpp", "declarations: tests/cost counts what they save"),
    (r"backends/xtensor/include/sluice/xtensor/narrow/byte_tiles[.]hpp", "tiles too: tests/xtensor/narrow_tiles.cpp"),
    (r"include/sluice/simd/rounded_first[.]hpp", "it does something under -ffast-math only: tests/fast_math"),
    (r"backends/xtensor/include/sluice/xtensor/simd/batches[.]hpp", "names alone"),
    (r"backends/xtensor/include/sluice/xtensor/simd/long_functions_of_xsimd[.]hpp", "bodies: tests/xtensor/long_functions.cpp"),
)


def is_exempt(header, root):
    if any(re.fullmatch(pattern, header) for pattern, _ in EXEMPT):
        return True
    # A page of the catalogue: tests/catalogue runs each, beside the same cell in numpy.
    return header.startswith("include/sluice/cells/") and "equations = [] {" in (root / header).read_text()


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


def faults(root, exempt=EXEMPT):
    for header in untested(root):
        yield f"{header} has no test of its name; write tests/{header.split('/')[-2]}/{Path(header).stem}.cpp"
    for pattern, reason in exempt:
        if not any(re.fullmatch(pattern, header) for header in headers_of(root)):
            yield f"no header is {pattern}, which is exempt as: {reason}; take it out of EXEMPT"
    for file, name in without_topic(root):
        yield f"{file} has a test without a topic; write `topic: sentence` and not: {name}"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for file, text in {
            "include/sluice/plan/a.hpp": "", "include/sluice/plan/b.hpp": "", "include/sluice/all.hpp": "",
            "include/sluice/cells/page_name.hpp": "static constexpr auto equations = [] {", "tests/plan/a.cpp": "",
            "backends/xtensor/include/sluice/xtensor/team.hpp": "", "tests/threads/team.cpp": "",
        }.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)
        assert untested(root) == ["include/sluice/plan/b.hpp"], untested(root)
        assert len(list(faults(root, ()))) == 1
        assert len(list(faults(root, (("include/sluice/plan/c.hpp", "gone"),)))) == 2
        (root / "tests/plan/a.cpp").write_text('TEST_CASE("a: is"); TEST_CASE_TEMPLATE("is: not", T); TEST_CASE("Is not");')
        assert list(without_topic(root)) == [("tests/plan/a.cpp", "Is not")]


def main(root):
    found = list(faults(root))
    print("\n".join(found) if found else f"{len(headers_of(root))} headers, each with a test of its name or a reason.")
    return 1 if found else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(main(Path(sys.argv[1]).resolve()))
