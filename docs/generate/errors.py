#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the book's page of errors: each sentence with which the library refuses to compile, code that provokes it, and its cure.

    errors.py REPOSITORY FOLDER     writes FOLDER/errors.md
    errors.py REPOSITORY --check    says which refusals would be missing from it, or have no cure
    errors.py --self-test           shows that each fault is found

The sentences stand in the headers, the code in tests/refuse: each case there has a twin that compiles. What differs between the two
is the cure in code; in words it stands in the sentence, after a semicolon or as an example. Where a sentence has none, a case says it:
    // cure: SENTENCE
"""

import difflib
import re
import sys
import tempfile
from pathlib import Path

LITERAL = r'"(?:[^"\\\n]|\\.)*"'
LITERALS = re.compile(rf"(REASON\(\s*\w+,\s*)?({LITERAL}(?:\s*(?:#[A-Z]+\s*)?{LITERAL})*)")
EXPECT = re.compile(r"//\s*expect(?:-(?:gcc|clang))?:\s*(.+?)\s*")
CURE = re.compile(r"//\s*cure:\s*(.+?)\s*")
FLAGS = re.compile(r"//\s*flags:\s*(.+?)\s*")
NAME = re.compile(r"(in_gate|about)<boost::hana::string<(.*?)>")
WIDTH = re.compile(r"\bwidth<sluice::symbol::(\w+), (\d+)>")

# In which part of the page a sentence stands: by the header that has it.
PARTS = (
    ("Equations", r"core/refuse[.]hpp|expr/.*|graph/.*"),
    ("Pages made from other pages", r"cell/adapt/.*"),
    ("Cells, states and sequences", r"(cell|parameter|sequence|net|execute|train|check|core)/.*"),
    ("Weights and files", r"(layout|checkpoint|tensorflow)/.*"),
    ("Headers, compilers and backends", r".*"),
)
TOP = """# Errors

Whatever is wrong with a page, with its sizes, or with what a cell is given, is one sentence. What the compiler can know, it says:
`error: static assertion failed: sluice: ...` with g++, `error: static assertion failed ...: sluice: ...` with clang++. Look for
that sentence here, by the search field or by the list. The lines beside it name the place: `in_gate` the gate, state or output,
`about` the name that it is about, `width` the widths that met. What shows only when the program runs is an exception of the
same words.

Below each sentence stands a page or a call that provokes it. The lines with a minus are refused. With those with a plus in their
place the code compiles; tests compile both.

"""


def sentences(root):
    """Each sentence of the library that begins with `sluice: `, with the header that has it."""
    found = {}
    for folder in (root / "include/sluice", *sorted(root.glob("backends/*/include/sluice"))):
        for path in sorted(folder.rglob("*.hpp")):
            text = path.read_text().replace("\\\n", "\n")
            for match in LITERALS.finditer(text):
                for words in spelled(match[2], text[: match.start()], text):
                    words = ("sluice: " if match[1] else "") + re.sub(r"\\(.)", r"\1", words)
                    if words.startswith("sluice: "):
                        found.setdefault(words, path.relative_to(folder).as_posix())
    return found


def spelled(literals, before, text):
    """What literals side by side say; in a macro that puts its argument between them, for each argument that it is given."""
    pieces = re.findall(rf"#[A-Z]+|{LITERAL}", literals)
    arguments = [""]
    if any(piece.startswith("#") for piece in pieces):
        macro = re.findall(r"#define (\w+)\(\w+\)", before)[-1]
        arguments = re.findall(rf"^{macro}\((\w+)\)", text, re.MULTILINE)
    for argument in arguments:
        yield "".join(argument if piece.startswith("#") else piece[1:-1] for piece in pieces)


class Case:
    """A file of tests/refuse: its prose, its expectations, and the code of both twins."""

    def __init__(self, path):
        self.name = path.stem
        self.prose, self.expected, self.cure, self.flags = [], [], "", ""
        lines = path.read_text().splitlines()
        while lines and lines[0].startswith("//"):
            line = lines.pop(0)
            if match := EXPECT.fullmatch(line):
                self.expected.append(match[1])
            elif match := CURE.fullmatch(line):
                self.cure = match[1]
            elif match := FLAGS.fullmatch(line):
                self.flags = match[1]
            elif not self.expected and "SPDX" not in line:
                self.prose.append(line.lstrip("/ "))
        self.refused, self.accepted = branch(lines, False), branch(lines, True)

    def places(self):
        """What the compiler names beside the sentence, in words."""
        whole = " ".join(self.expected)
        words = {"in_gate": "in `{}`", "about": "about `{}`"}
        said = [words[kind].format("".join(re.findall(r"'(.)'", letters))) for kind, letters in NAME.findall(whole)]
        widths = [number if kind == "number" else kind for kind, number in WIDTH.findall(whole)]
        return said + (["widths " + " and ".join(f"`{width}`" for width in widths)] if widths else [])

    def code(self):
        """The code of both twins as one difference."""
        if self.refused == self.accepted:
            return "```cpp\n" + "\n".join(self.refused) + "\n```"
        lines = list(difflib.unified_diff(self.refused, self.accepted, n=len(self.refused), lineterm=""))[3:]
        return "```diff\n" + "\n".join(line.rstrip() for line in lines) + "\n```"


def branch(lines, accepts):
    """The lines that a compiler sees with ACCEPT or without."""
    seen, kept = [], []
    for line in lines:
        word = line.split()
        if word[:1] in (["#ifdef"], ["#ifndef"], ["#if"]):
            is_choice = word[1:] == ["ACCEPT"]
            seen.append((word[0] == "#ifdef") == accepts if is_choice else None)
            if is_choice:
                continue
        elif word[:1] == ["#else"] and seen[-1] is not None:
            seen[-1] = not seen[-1]
            continue
        elif word[:1] == ["#endif"] and seen.pop() is not None:
            continue
        if False not in seen:
            kept.append(line)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n")
    return text.split("\n")


def read(root):
    """The cases of each sentence, and those that are of no sentence of the library: a mistake in a user's own code."""
    known, cases, others = sentences(root), {}, []
    for path in sorted((root / "tests/refuse").glob("*.cpp")):
        case = Case(path)
        hits = [words for words in known if case.expected and re.search(case.expected[0], words)]
        if hits:
            cases.setdefault(max(hits, key=len), []).append(case)
        else:
            others.append(case)
    return known, cases, others


def heading(words):
    """The part of a sentence that says what is wrong."""
    part = re.split(r"; |, as in |: (?=static|template|start)", words.removeprefix("sluice: "))[0].rstrip(".")
    return part[0].upper() + part[1:] if re.match(r"[a-z]+ ", part) else part


def says_cure(words):
    return re.search(r"; |: |,? (?:as in|such as|needs) ", words.removeprefix("sluice: ")) is not None


def faults(root):
    known, cases, others = read(root)
    for case in others:
        if any("sluice: " in words for words in case.expected) or not any(words.startswith("error") for words in case.expected):
            yield f"tests/refuse/{case.name}.cpp: no header has the sentence '{(case.expected or ['?'])[0]}'"
    for words, of_it in cases.items():
        if not says_cure(words) and not any(case.cure for case in of_it):
            yield f"tests/refuse/{of_it[0].name}.cpp: '{words}' says no cure; add one after a semicolon, or give the case a line '// cure: SENTENCE'"
        for case in of_it:
            if not case.prose:
                yield f"tests/refuse/{case.name}.cpp says in no comment above its expectations what is wrong with it"


def escaped(words):
    words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([][*_\\`])", r"\\\1", words)


def page(root):
    known, cases, _ = read(root)
    parts = {name: [] for name, _ in PARTS}
    for words in sorted(cases, key=str.casefold):
        parts[next(name for name, files in PARTS if re.fullmatch(files, known[words]))].append(words)
    text = TOP
    for name, of_part in parts.items():
        text += f"## {name}\n\n" if of_part else ""
        for words in of_part:
            text += f"### {escaped(heading(words))}\n\n> {escaped(words)}\n\n"
            for cure in sorted({case.cure for case in cases[words]} - {""}):
                text += f"{cure}\n\n"
            for case in cases[words]:
                places = case.places()
                text += " ".join(case.prose).rstrip(".") + "."
                text += f" The compiler says: {', '.join(places)}." if places else ""
                text += f" This is compiled with `{case.flags}`, and without it the code compiles." if case.flags else ""
                text += f"\n\n{case.code()}\n\n"
    return text


HEADER = '#define R(REASON) \\\n    REASON(a, "a gate is "  \\\n       "unknown; define \\"it\\"")\nstatic_assert(x, "sluice: no cure");\n#define W(N) f(N, "sluice: " #N " is it; go")\nW(one)\nW(two)\n'
GOOD = "// SPDX\n// A gate.\n// expect: a gate is unknown\n// expect: in_gate<boost::hana::string<'f', '_'> ?>\n"
BODY = "int a;\n#ifdef ACCEPT\nint b;\n#else\nint c;\n#ifdef X\nint d;\n#endif\n#endif\n"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "include/sluice/core").mkdir(parents=True)
        (root / "tests/refuse").mkdir(parents=True)
        (root / "include/sluice/core/refuse.hpp").write_text(HEADER)
        words = ['sluice: a gate is unknown; define "it"', "sluice: no cure", "sluice: one is it; go", "sluice: two is it; go"]
        assert list(sentences(root)) == words, sentences(root)
        case = root / "tests/refuse/one.cpp"
        case.write_text(GOOD + BODY)
        assert list(faults(root)) == [], list(faults(root))
        written = page(root)
        assert "### A gate is unknown\n" in written and "in `f_`" in written, written
        assert "\n int a;\n-int c;\n-#ifdef X\n-int d;\n-#endif\n+int b;\n```" in written, written
        for text, words in (
            (GOOD.replace("unknown", "known") + BODY, "no header has the sentence"),
            (GOOD.replace("a gate is unknown", "no cure") + BODY, "says no cure"),
            (GOOD.replace("// A gate.\n", "") + BODY, "says in no comment"),
            ("// SPDX\n// A gate.\n" + BODY, "no header has the sentence"),
        ):
            case.write_text(text)
            found = list(faults(root))
            assert len(found) == 1 and words in found[0], (text, found)
        case.write_text(GOOD.replace("a gate is unknown", "no cure").replace("// expect: in", "// cure: Do it.\n// expect: in") + BODY)
        assert list(faults(root)) == [] and "\nDo it.\n" in page(root)


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
    elif len(arguments) != 2:
        sys.exit(__doc__)
    elif arguments[1] == "--check":
        found = list(faults(Path(arguments[0])))
        print("\n".join(found) or "Every refusal has its sentence and its cure in the book.")
        return 1 if found else 0
    else:
        Path(arguments[1], "errors.md").write_text(page(Path(arguments[0])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
