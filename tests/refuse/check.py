#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""A refusal: a file that must not compile, whose error says why, and whose twin under -DACCEPT does compile.

    check.py FILE.cpp COMPILER [FLAG...]                    checks one case
    check.py --without-twin FILE.cpp COMPILER [FLAG...]     the same, and leaves its twin to --twins where that can have it
    check.py --twins COMPILER [FLAG...] -- FILE.cpp...      compiles the twins of many cases as one file, which takes less time
    check.py --self-test COMPILER                           shows that a case that is none is found out

A case states what a reader must find within the first lines that the compiler prints, the sentence first:
    // expect: REGEX            from every compiler
    // expect-gcc: REGEX        from g++ only
    // expect-clang: REGEX      from clang++ only
and may name what the compiler is told besides; the twin goes without:
    // flags: FLAG...
and how many errors the compiler may print at the most, where that is fewer than elsewhere:
    // errors: NUMBER
and, where the sentence does not, what to do about it, for the book's page of errors (docs/generate/errors.py demands it):
    // cure: SENTENCE
"""

import os
import re
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

FIRST_LINES = 18
QUOTED = re.compile(r" *\d* \|")  # lines of the source, of which g++ 13 and later print more
# What a compiler may print for a case: characters up to the sentence and in all, and errors. The sentence
# stands within the first 2 KB; the others are the largest of today's cases, rounded up, and only go down, to
# one error.
Limits = namedtuple("Limits", "before in_all errors")
MOST = {"gcc": Limits(2048, 3500, 2), "clang": Limits(2048, 3500, 2)}

EXPECT = re.compile(r"//\s*expect(?:-(gcc|clang))?:\s*(.+?)\s*")
FLAGS = re.compile(r"//\s*flags:\s*(.+?)\s*")
MOST_ERRORS = re.compile(r"//\s*errors:\s*(\d+)\s*")
ERROR = re.compile(r"^(?:[^\n]*: )?(?:fatal )?error: ", re.MULTILINE)
ROOT = str(Path(__file__).resolve().parents[2]) + os.sep


def compile_file(command, path, *flags):
    """Whether it compiles, and what the compiler says, wherever the repository may lie."""
    environment = os.environ | {"LC_ALL": "C"}
    whole = [*command, "-std=c++20", "-fsyntax-only", *flags, str(path)]
    result = subprocess.run(
        whole, env=environment, capture_output=True, text=True, errors="replace", timeout=300
    )
    return result.returncode == 0, (result.stdout + result.stderr).replace(ROOT, "")


def family(compiler):
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    return "clang" if "clang" in version else "gcc"


def read_case(text, who):
    """The expectations for a compiler, the flags, the limits, and sentences about comments that may be lost ones."""
    expected, flags, limits, lost = [], [], MOST[who], []
    after_one = False
    for line in text.splitlines():
        expectation, more_flags = EXPECT.fullmatch(line), FLAGS.fullmatch(line)
        most_errors = MOST_ERRORS.fullmatch(line)
        if expectation and "expect" not in expectation[2]:
            expected += [expectation[2]] * (expectation[1] in (None, who))
        elif more_flags:
            flags += more_flags[1].split()
        elif most_errors:
            limits = limits._replace(errors=int(most_errors[1]))
        elif "expect" in line:
            lost.append(f"'{line}' is not one whole expectation; give each a line '// expect: REGEX'")
        elif after_one and line.lstrip().startswith("//"):
            lost.append(f"'{line}' follows an expectation and is none; let prose stand before the first")
        after_one = bool(expectation or more_flags or most_errors)
    return expected, flags, limits, lost


def size_faults(who, limits, words, sentence, report):
    """Whether a compiler says too much; `sentence` is the match of what matters."""
    found = Limits(sentence.start(), len(words), len(ERROR.findall(words)))
    report(f"{found.before} characters before the sentence, {found.in_all} in all, errors: {found.errors}")
    counted = ("characters before the sentence", "characters", "errors")
    for what, count, most in zip(counted, found, limits):
        if count > most:
            yield f"{who} prints {count} {what}; the limit is {most}"


def first_lines(words):
    """What a reader sees first; quoted lines of the source are shown and not counted."""
    shown, left = [], FIRST_LINES
    for line in words.splitlines():
        left -= not QUOTED.match(line)
        if left < 0:
            break
        shown.append(line)
    return "\n".join(shown)


ALONE = re.compile(r"^(?:#\s*define|namespace sluice|template <>|int main)|^// flags:", re.MULTILINE)


def twin_of(text):
    """A twin as the lines of a namespace and the includes before it; None where it has to be a file of its own."""
    if ALONE.search(text):
        return None
    includes, lines, holds = [], [], []
    for line in text.splitlines():
        word, kept = line.strip(), ""
        if word in ("#ifdef ACCEPT", "#ifndef ACCEPT"):
            holds.append(word == "#ifdef ACCEPT")
        elif word == "#else":
            holds[-1] = not holds[-1]
        elif word == "#endif":
            holds.pop()
        elif word.startswith("#include"):
            includes += [word] * all(holds)
        elif word.startswith("#"):
            return None
        elif all(holds):
            kept = line
        lines.append(kept)
    return includes, lines


def twins_faults(paths, command):
    includes, text = [], ""
    for path in paths:
        if twin := twin_of(path.read_text(encoding="utf-8")):
            includes += [one for one in twin[0] if one not in includes]
            text += f'namespace twin_{path.stem} {{\n#line 1 "{path}"\n' + "\n".join(twin[1]) + "\n}\n"
    # Of what is compiled beforehand the widest, and first: g++ takes no more than one, and no other header before it.
    if any("<sluice/" in one for one in includes):
        compiled = [f"#include <sluice/{name}.hpp>" for name in ("xtensor", "sluice", "graph/passes")]
        includes = compiled[:1] + [one for one in includes if one not in compiled]
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "twins.cpp")
        whole.write_text("\n".join(includes) + "\n" + text, encoding="utf-8")
        accepted, words = compile_file(command, whole, "-DACCEPT")
    if not accepted:
        yield "these twins under -DACCEPT should compile; the compiler said:\n" + words


def faults(path, command, report=print, twin=True):
    who = family(command[0])
    text = path.read_text(encoding="utf-8")
    expected, flags, limits, lost = read_case(text, who)
    yield from lost
    if not expected:
        yield "it has no line '// expect: REGEX' for this compiler; say which words must appear"
    accepted, words = compile_file(command, path, "-DACCEPT") if twin or twin_of(text) is None else (True, "")
    if not accepted:
        yield "its twin under -DACCEPT should compile; the compiler said:\n" + words
    accepted, words = compile_file(command, path, *flags)
    if accepted:
        yield "it should not compile without -DACCEPT, but does"
        return
    first = first_lines(words)
    for regex in expected:
        if not re.search(regex, first):
            yield f"'{regex}' is not within the first {FIRST_LINES} lines of the error:\n{first}"
    if sentence := expected and re.search(expected[0], words):
        yield from size_faults(who, limits, words, sentence, report)


REFUSED = "#ifndef ACCEPT\nstatic_assert(false, \"gate f is unknown\");\n#endif\n"
CROWD = "#ifndef ACCEPT\nstatic_assert(false);\n#endif\n"
MANY = " " * max(limits.in_all for limits in MOST.values())
OF_17 = "static_assert(__cplusplus > 201703, \"gate f is unknown\");\n"
SELF_TESTS = (
    ("// Prose.\n// expect: gate f is \\w+\n\n// More.\n" + REFUSED, None),
    ("// expect-gcc: gate f\n// expect-clang: gate f\n" + REFUSED, None),
    ("// expect: gate f\n// flags: -std=c++17\n" + OF_17, None),
    (REFUSED, "it has no line"),
    ("// expect: gate g\n" + REFUSED, "'gate g' is not within"),
    ("// expect: gate f\nint fine;\n", "it should not compile"),
    ("// expect: gate f\n" + OF_17, "it should not compile"),
    ("// expect: gate f\nstatic_assert(false, \"gate f\");\n", "its twin"),
    ("// expect: gate f\n" + CROWD * 20 + REFUSED, "'gate f' is not"),
    ("// expect: gate f\n// is expect: unknown\n" + REFUSED, "'// is expect: unknown' is not one"),
    ("// expect: gate f expect: unknown\n// expect: gate\n" + REFUSED, "'// expect: gate f expect"),
    ("// expect: gate f\n// is unknown\n" + REFUSED, "'// is unknown' follows"),
    ("// expects: gate f\n// expect: gate f\n" + REFUSED, "'// expects: gate f' is not one"),
    ("// expect: gate f\n" + REFUSED + CROWD * MOST["gcc"].errors, r"\w+ prints \d+ errors"),
    ("// expect: gate f\n// errors: 1\n" + REFUSED, None),
    ("// expect: gate f\n// errors: 1\n" + REFUSED + CROWD, r"\w+ prints 2 errors; the limit is 1"),
    ("// expect: gate f\n" + REFUSED.replace("f is", "f" + MANY), r"\w+ prints \d+ characters;"),
    ("// expect: unknown\n" + REFUSED.replace("f is", "f" + MANY), r"\w+ prints \d+ characters before"),
)


TWO_NAMES = "#include <vector>\n#ifdef ACCEPT\nstruct page {};\n#else\n#include <nothing>\n#endif\nstd::vector<page> all;\n"
SELF_TESTS_OF_TWINS = (
    ((TWO_NAMES, REFUSED, TWO_NAMES), None),
    (("#define page 7\nint page;\n", TWO_NAMES), None),  # the first is left to its own test
    ((TWO_NAMES, "\n\nint wrong = page;\n"), "twin_2_1.cpp:3:"),
    ((TWO_NAMES, TWO_NAMES.replace("ACCEPT", "OTHER").replace("page", "else_page")), None),
)


def self_test(compiler):
    with tempfile.TemporaryDirectory() as folder:
        for number, (text, words) in enumerate(SELF_TESTS):
            path = Path(folder, f"{number}.cpp")
            path.write_text(text, encoding="utf-8")
            found = list(faults(path, [compiler], report=lambda words: None))
            if (not found) != (words is None) or (words and not re.match(words, found[0])):
                yield f"case {number} should give {words}; found: {found}"
        for number, (texts, words) in enumerate(SELF_TESTS_OF_TWINS):
            paths = [Path(folder, f"twin_{number}_{i}.cpp") for i in range(len(texts))]
            for path, text in zip(paths, texts):
                path.write_text(text, encoding="utf-8")
            found = list(twins_faults(paths, [compiler]))
            if (not found) != (words is None) or (words and words not in found[0]):
                yield f"twins {number} should give {words}; found: {found}"


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    if arguments[0] == "--self-test":
        found = list(self_test(arguments[1]))
    elif arguments[0] == "--twins":
        end = arguments.index("--")
        found = list(twins_faults([Path(name) for name in arguments[end + 1 :]], arguments[1:end]))
    else:
        twin = arguments[0] != "--without-twin"
        case, *command = arguments if twin else arguments[1:]
        found = [f"{case}: {fault}" for fault in faults(Path(case), command, twin=twin)]
    print("\n".join(found) or "Refused with the words that were expected.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
