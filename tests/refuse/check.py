#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""A refusal: a file that must not compile, whose error says why, and whose twin under -DACCEPT does compile.

    check.py FILE.cpp COMPILER [FLAG...]    checks one case
    check.py --self-test COMPILER           shows that a case that is none is found out

A case states what a reader must find within the first lines that the compiler prints:
    // expect: REGEX            from every compiler
    // expect-gcc: REGEX        from g++ only
    // expect-clang: REGEX      from clang++ only
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FIRST_LINES = 10
EXPECT = re.compile(r"^//\s*expect(-gcc|-clang)?:\s*(.+?)\s*$", re.MULTILINE)


def compile_file(command, path, *flags):
    environment = os.environ | {"LC_ALL": "C"}
    whole = [*command, "-std=c++20", "-fsyntax-only", *flags, str(path)]
    result = subprocess.run(whole, env=environment, capture_output=True, text=True, timeout=300)
    return result.returncode == 0, result.stdout + result.stderr


def family(compiler):
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    return "-clang" if "clang" in version else "-gcc"


def faults(path, command):
    mine = ("", family(command[0]))
    expected = [regex for who, regex in EXPECT.findall(path.read_text(encoding="utf-8")) if who in mine]
    if not expected:
        yield "it has no line '// expect: REGEX' for this compiler; say which words must appear"
    accepted, words = compile_file(command, path, "-DACCEPT")
    if not accepted:
        yield "its twin under -DACCEPT should compile; the compiler said:\n" + words
    accepted, words = compile_file(command, path)
    if accepted:
        yield "it should not compile without -DACCEPT, but does"
        return
    first = "\n".join(words.splitlines()[:FIRST_LINES])
    for regex in expected:
        if not re.search(regex, first):
            yield f"'{regex}' is not within the first {FIRST_LINES} lines of the error:\n{first}"


REFUSED = "#ifndef ACCEPT\nstatic_assert(false, \"gate f is unknown\");\n#endif\n"
SELF_TESTS = (
    ("// expect: gate f is \\w+\n" + REFUSED, None),
    ("// expect-gcc: gate f\n// expect-clang: gate f\n" + REFUSED, None),
    (REFUSED, "it has no line"),
    ("// expect: gate g\n" + REFUSED, "'gate g' is not within"),
    ("// expect: gate f\nint fine;\n", "it should not compile"),
    ("// expect: gate f\nstatic_assert(false, \"gate f\");\n", "its twin"),
    ("// expect: gate f\n" + "#ifndef ACCEPT\nstatic_assert(false);\n#endif\n" * 20 + REFUSED, "'gate f' is not"),
)


def self_test(compiler):
    with tempfile.TemporaryDirectory() as folder:
        for number, (text, words) in enumerate(SELF_TESTS):
            path = Path(folder, f"{number}.cpp")
            path.write_text(text, encoding="utf-8")
            found = list(faults(path, [compiler]))
            if (not found) != (words is None) or (words and not found[0].startswith(words)):
                yield f"case {number} should give {words}; found: {found}"


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    if arguments[0] == "--self-test":
        found = list(self_test(arguments[1]))
    else:
        found = [f"{arguments[0]}: {fault}" for fault in faults(Path(arguments[0]), arguments[1:])]
    print("\n".join(found) or "Refused with the words that were expected.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
