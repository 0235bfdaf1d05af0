#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The shape of the tree: floors only look down, siblings do not see each other, no folder has too many headers, no two
headers have one name, and no header grows too long or comment too wide.

    floors.py ROOT           prints a sentence for each fault under ROOT, and fails if there is one
    floors.py --self-test    shows that each fault is found in a tree that has it
"""

import re
import sys
import tempfile
from pathlib import Path

FLOORS = (
    ("core",),
    ("simd",),
    ("expr",),
    ("cells",),
    ("graph",),
    ("algebra",),
    ("plan",),
    ("parameter",),
    ("backend",),
    ("execute",),
    ("source",),
    ("net",),
    ("cell",),
    ("sequence", "checkpoint", "train"),
    ("check",),
    ("distributed",),
    ("layout",),
    ("model",),
    ("tensorflow",),
)
STANDS_ON = {"nccl": ("cudnn",)}  # backends that another one is made of
FLOOR_OF = {folder: number for number, folders in enumerate(FLOORS) for folder in folders}
UMBRELLA = len(FLOORS)
LONGEST = 400
MOST_HEADERS = 20
LISTS = ("cells",)  # folders of which each header is a row of one list
MOST_OF_A_ROW = 20  # headers that one of them reads, itself among them
WIDEST = 110  # columns of a comment
SPDX = "SPDX-License-Identifier: BSL-1.0"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
# What only a backend may know.
MACHINERY = re.compile(r"^(xsimd|xtensor-blas|xflens|cuda|cudnn|cublas|nvrtc|nccl|cblas|openblas)\b")
# xtensor moved its headers into folders in version 0.26; one header knows where they lie.
XTENSOR = re.compile(r"^xtensor/")
XTENSOR_HEADER = "sluice/core/xtensor_headers.hpp"
# What a compiler takes longer to read than most programs; one header has it, which the compiled runtime reads.
INTRINSICS = re.compile(r"^(xsimd/|\w*intrin[.]h)")
INTRINSICS_HEADER = "sluice/xtensor/simd/long_functions_of_xsimd.hpp"
WRITTEN_BY_HAND = {".hpp", ".cpp", ".py", ".cmake"}
# A comment of C++ that has its lines to itself or follows code; what a refusal is expected to say is one
# line.
COMMENT = re.compile(r"^(?!// expect: )(?!.*https?://).*(?<!:)//")


def part_of(path, backends):
    """Which part of the library `sluice/...` belongs to: a floor, a backend, the umbrella, or None."""
    folders = path.split("/")[1:]
    if len(folders) == 1:
        stem = folders[0].removesuffix(".hpp")
        return stem if stem in backends else "umbrella" if stem == "sluice" else None
    return folders[0] if folders[0] in backends or folders[0] in FLOOR_OF else None


def arrow_fault(here, there, backends):
    """Why a header of part `here` may not include one of part `there`; None when it may."""
    if here == there:
        return None
    if here in backends:
        return f"backend {here} looks into backend {there}" if there in backends and there not in STANDS_ON.get(here, ()) else None
    if there in backends:
        return f"include/ names the backend {there}"
    if here == "umbrella":
        return None
    if there == "umbrella":
        return "a floor includes the umbrella"
    if FLOOR_OF[here] == FLOOR_OF[there]:
        return f"{here} and {there} are siblings on floor {FLOOR_OF[here]} and do not see each other"
    if FLOOR_OF[here] < FLOOR_OF[there]:
        return f"{here} (floor {FLOOR_OF[here]}) looks up at {there} (floor {FLOOR_OF[there]})"
    return None


def header_faults(name, text, here, headers, backends):
    lines = text.splitlines()
    if lines[:1] != ["// " + SPDX]:
        yield f"the first line should be '// {SPDX}'"
    if "#pragma once" not in lines:
        yield "there is no #pragma once"
    if len(lines) > LONGEST:
        yield f"{len(lines)} lines; {LONGEST} is the most: split it"
    if here is None:
        yield "it lies on no floor; the floors are listed in tests/structure/floors.py"
        return
    if here == "umbrella" and any(x.strip() and not x.startswith(("//", "#")) for x in lines):
        yield "the umbrella includes and does nothing else"
    for bracket, included in INCLUDE.findall(text):
        if bracket == '"':
            yield f'#include "{included}": write <sluice/...>'
        elif included.startswith("sluice/"):
            there = part_of(included, backends)
            if included not in headers:
                yield f"<{included}> does not exist"
            elif there is not None and (fault := arrow_fault(here, there, backends)):
                yield f"<{included}>: {fault}"
        elif here not in backends and MACHINERY.match(included):
            yield f"<{included}> belongs to a backend; include/ does not know it"
        elif XTENSOR.match(included) and not name.endswith(XTENSOR_HEADER):
            yield f"<{included}> has moved between versions of xtensor; include <{XTENSOR_HEADER}>"
        elif INTRINSICS.match(included) and not name.endswith(INTRINSICS_HEADER):
            yield f"<{included}> takes the compiler long; only {INTRINSICS_HEADER} includes it"


def width_faults(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > WIDEST and COMMENT.match(line):
            yield f"{name}:{number}: a comment of {len(line)} columns; {WIDEST} is the most: break the line"


def other_faults(root):
    """Every other file says its licence within two lines (a script's first is its #! line), and has no wide comment."""
    for path in sorted(p for top in ("tests", "examples", "apps", "cmake", "packages", ".ci") for p in (root / top).rglob("*")):
        if path.is_file() and (path.suffix in WRITTEN_BY_HAND or path.name in ("CMakeLists.txt", "run")):
            if not any(SPDX in line for line in path.read_text(encoding="utf-8").splitlines()[:2]):
                yield f"{path.relative_to(root)}: its first lines should hold '{SPDX}'"
            if path.suffix in (".hpp", ".cpp"):
                yield from width_faults(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))


def faults(root):
    folders = {root / "include": None}
    folders |= {b / "include": b.name for b in sorted((root / "backends").glob("*")) if b.is_dir()}
    backends = {name for name in folders.values() if name}
    headers = {p.relative_to(top).as_posix(): (top, p) for top in folders for p in sorted(top.rglob("*.hpp"))}
    if not headers:
        yield f"no headers under {root}; give the root of the repository"
    for included, (top, path) in headers.items():
        here, owner = part_of(included, backends), folders[top]
        name = path.relative_to(root).as_posix()
        if here is not None and (here in backends or owner) and here != owner:
            yield f"{name}: headers of a backend lie in backends/<name>/include/sluice/<name>"
            continue
        for fault in header_faults(name, path.read_text(encoding="utf-8"), here, headers, backends):
            yield f"{name}: {fault}"
        yield from width_faults(name, path.read_text(encoding="utf-8"))
    yield from crowds(headers, root)
    yield from long_rows(headers, root)
    yield from other_faults(root)


def long_rows(headers, root):
    """Rows of lists that read many headers, but for those that read other rows."""
    includes = {included: [name for _, name in INCLUDE.findall(path.read_text(encoding="utf-8")) if name in headers]
                for included, (_, path) in headers.items()}
    for included, (_, path) in headers.items():
        if path.parent.name not in LISTS or any(Path(name).parent.name in LISTS for name in includes[included]):
            continue
        read, left = set(), [included]
        while left:
            if (name := left.pop()) not in read:
                read.add(name)
                left += includes[name]
        if len(read) > MOST_OF_A_ROW:
            yield f"{path.relative_to(root).as_posix()}: it reads {len(read)} headers; {MOST_OF_A_ROW} are the most"


def crowds(headers, root):
    """Folders with too many headers, and headers of one name."""
    folders, names = {}, {}
    for included, (top, path) in headers.items():
        name = path.relative_to(root).as_posix()
        folders.setdefault(Path(name).parent, []).append(name)
        names.setdefault(path.name, []).append(name)
    for folder, found in folders.items():
        if len(found) > MOST_HEADERS and folder.name not in LISTS:
            yield f"{folder}: {len(found)} headers; {MOST_HEADERS} are the most: make rooms of it"
    for found in names.values():
        if len(found) > 1:
            yield f"{found[1]}: {found[0]} has the same name; say what each is"


GOOD = f"// {SPDX}\n#pragma once\n"
GOOD_TREE = {
    "include/sluice/core/config.hpp": GOOD,
    "include/sluice/core/xtensor_headers.hpp": GOOD + "#include <xtensor/xtensor.hpp>\n",
    "include/sluice/cell/cell.hpp": GOOD + "#include <sluice/core/config.hpp>\n#include <vector>\n",
    "include/sluice/sequence/plan.hpp": GOOD,
    "include/sluice/sluice.hpp": GOOD + "#include <sluice/cell/cell.hpp>\n",
    "backends/xtensor/include/sluice/xtensor.hpp": GOOD + "#include <sluice/sluice.hpp>\n",
    "backends/xtensor/include/sluice/xtensor/step.hpp": GOOD,
    "backends/xtensor/include/sluice/xtensor/simd/long_functions_of_xsimd.hpp": GOOD + "#include <xsimd/xsimd.hpp>\n",
    "backends/other/include/sluice/other/stride.hpp": GOOD,
    "backends/cudnn/include/sluice/cudnn/queue.hpp": GOOD,
    "backends/nccl/include/sluice/nccl/ring.hpp": GOOD + "#include <sluice/cudnn/queue.hpp>\n",
    "tests/main.cpp": f"// {SPDX}\n",
    "tests/run": f"#!/bin/sh\n# {SPDX}\n",
}
BAD_FILES = (
    ("include/sluice/core/up.hpp", GOOD + "#include <sluice/cell/cell.hpp>\n", "looks up at cell"),
    ("include/sluice/train/side.hpp", GOOD + "  # include <sluice/sequence/plan.hpp>\n", "siblings"),
    ("include/sluice/cell/all.hpp", GOOD + "#include <sluice/sluice.hpp>\n", "includes the umbrella"),
    ("include/sluice/cell/gpu.hpp", GOOD + "#include <sluice/xtensor/step.hpp>\n", "names the backend xtensor"),
    ("include/sluice/cell/simd.hpp", GOOD + "#include <xsimd/xsimd.hpp>\n", "belongs to a backend"),
    ("backends/xtensor/include/sluice/xtensor/slow.hpp", GOOD + "#include <immintrin.h>\n", "takes the compiler long"),
    ("include/sluice/cell/moved.hpp", GOOD + "#include <xtensor/xview.hpp>\n", "versions of xtensor"),
    ("include/sluice/cell/near.hpp", GOOD + '#include "cell.hpp"\n', "write <sluice/...>"),
    ("include/sluice/cell/gone.hpp", GOOD + "#include <sluice/core/gone.hpp>\n", "does not exist"),
    ("include/sluice/cell/mute.hpp", "#pragma once\n", "first line"),
    ("include/sluice/cell/twice.hpp", f"// {SPDX}\n", "no #pragma once"),
    ("include/sluice/cell/long.hpp", GOOD + "\n" * LONGEST, "split it"),
    ("include/sluice/attic/old.hpp", GOOD, "on no floor"),
    ("include/sluice/xtensor/lost.hpp", GOOD, "lie in backends"),
    ("include/sluice/sluice.hpp", GOOD + "struct cell;\n", "nothing else"),
    ("backends/other/include/sluice/other/peek.hpp", GOOD + "#include <sluice/xtensor.hpp>\n", "backend xtensor"),
    ("include/sluice/cell/wide.hpp", GOOD + "int a; // " + "a" * WIDEST + "\n", "break the line"),
    ("tests/cell/wide.cpp", f"// {SPDX}\n/// " + "a" * WIDEST + "\n", "break the line"),
    ("tests/cell/free.cpp", "int main() {}\n", "its first lines should hold"),
    ("include/sluice/train/cell.hpp", GOOD, "has the same name"),
)


def faults_of_tree(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(faults(Path(folder)))


def self_test():
    if found := faults_of_tree(GOOD_TREE):
        yield "a good tree is refused: " + "; ".join(found)
    crowded = {f"include/sluice/train/{'abc'[k % 3]}{k}.hpp": GOOD for k in range(MOST_HEADERS + 1)}
    if (found := faults_of_tree(GOOD_TREE | crowded)) != [f"include/sluice/train: {MOST_HEADERS + 1} headers; {MOST_HEADERS} are the most: make rooms of it"]:
        yield f"a crowded folder gives: {found}"
    links = [f"sluice/{'core' if k > 9 else 'expr'}/a{k}.hpp" for k in range(MOST_OF_A_ROW)]
    chain = {f"include/{here}": GOOD + f"#include <{there}>\n" for here, there in zip(links, links[1:])}
    chain |= {f"include/{links[-1]}": GOOD, "include/sluice/cells/page.hpp": GOOD + f"#include <{links[0]}>\n"}
    if (found := faults_of_tree(GOOD_TREE | chain)) != [f"include/sluice/cells/page.hpp: it reads {MOST_OF_A_ROW + 1} headers; {MOST_OF_A_ROW} are the most"]:
        yield f"a page with a long chain gives: {found}"
    if not faults_of_tree({}):
        yield "an empty tree is accepted"
    for name, text, words in BAD_FILES:
        found = faults_of_tree(GOOD_TREE | {name: text})
        if len(found) != 1 or not found[0].startswith(name) or words not in found[0]:
            yield f"{name} should give one fault with '{words}'; found: {found}"


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    found = list(self_test() if arguments[0] == "--self-test" else faults(Path(arguments[0])))
    print("\n".join(found) or "The floors stand.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
