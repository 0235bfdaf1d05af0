#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the book's reference of public names out of the headers' comments.

    api.py REPOSITORY FOLDER     writes FOLDER/api/index.md, the list of names, and a page for each folder of headers

A name is public if a header that is installed has it at the level of a namespace, and none of the namespaces around it is
called `detail`, and a member if its class is public and so is it. It is said what a name is

- by the comment of three slashes in front of it or, after a member, of `///<`;
- by that of a group of declarations, which has an empty line after it;
- by that of the declaration directly above, without an empty line between;
- by the comment at the head of its header, where that mentions the name or the header has it;
- by its own members `name` and `source`, or by what it is derived from.

Doxygen finds the names and where they stand; comments and declarations are cut from the header as they are.
tests/structure/said.py tests this.
"""

import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

# Folders in their order in the index, with what they have.
PARTS = (
    ("For programs", (
        ("cell", "cells, and pages made from other pages"), ("sequence", "sequences, stacks of layers, streams, gradients"),
        ("train", "losses, optimisers, penalties"), ("parameter", "parameters and their initial values"),
        ("checkpoint", "files"), ("layout", "weights from and for frameworks"), ("tensorflow", "cuDNN's layers of TensorFlow"),
        ("model", "nets that are chosen when the program runs, and their files"),
        ("check", "gradients against differences, errors of narrow weights"),
        ("distributed", "ranks that train together"), ("expr", "the language of equations"),
        ("cells", "the catalogue, and what programs that walk through it ask of a cell"), ("core", "sizes, scalars, texts, refusals"),
        ("xtensor", "the CPU"), ("cudnn", "CUDA devices"), ("mpi", "ranks that are processes"),
        ("nccl", "ranks that each have a CUDA device"))),
    ("For passes and backends", (
        ("graph", "graphs of equations, passes, print"), ("algebra", "comparison of graphs"), ("plan", "plans and their cost"),
        ("net", "nets of layers and engines"), ("backend", "kernels and what they are given"), ("execute", "running plans"),
        ("simd", "batches: as many numbers as a register holds"), ("source", "generated kernels"))),
)

DOXYGEN = """
QUIET = YES
WARNINGS = NO
WARN_IF_UNDOCUMENTED = NO
RECURSIVE = YES
FILE_PATTERNS = *.hpp
EXTRACT_ALL = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
SORT_MEMBER_DOCS = NO
"""
NOT_BEFORE = re.compile(r"[;{}]$|^(public|private|protected):$|^#")


@dataclass
class Name:
    """A declaration of a name, and of a class its members."""

    kind: str
    name: str  # with its namespaces
    header: str
    first: int  # its lines in the header, from 0
    last: int
    code: str
    comment: list
    members: list = field(default_factory=list)
    is_said: bool = False

    @property
    def short(self):
        return self.name.rsplit("::", 1)[-1]


class Header:
    """The text of a header, and what is cut from it."""

    def __init__(self, text):
        self.lines = text.splitlines()

    def head(self):
        """The comment at its head, without the licence."""
        found = []
        for line in self.lines:
            if not line.startswith("//"):
                break
            if "SPDX-" not in line:
                found.append(line[3:])
        return found

    def start(self, line):
        """The first line of the declaration whose name stands in a line."""
        while line > 0:
            before = re.sub(r"//.*", "", self.lines[line - 1]).strip()
            if not before or NOT_BEFORE.search(before):
                break
            line -= 1
        return line

    def comment_before(self, line):
        """In front of a declaration; of a group of declarations, an empty line is between."""
        if line > 1 and not self.lines[line - 1].strip() and re.match(r" *///(?!<)", self.lines[line - 2]):
            line -= 1
        first = line
        while first > 0 and re.match(r" *///(?!<)", self.lines[first - 1]):
            first -= 1
        return first, [re.sub(r"^ */// ?", "", text) for text in self.lines[first:line]]

    def comment_after(self, line):
        found = re.search(r"///< ?(.*)", self.lines[line])
        if not found:
            return []
        words = [found[1]]
        while line + 1 < len(self.lines) and (more := re.match(r" *///< ?(.*)", self.lines[line + 1])):
            words.append(more[1])
            line += 1
        return words

    def declaration(self, first, kind):
        """The text of a declaration without its body, and its last line."""
        text = "\n".join(self.lines[first:])
        out, i, depth, has_call = "", 0, 0, False
        while i < len(text):
            c = text[i]
            if text.startswith("//", i):
                i = text.find("\n", i) if "\n" in text[i:] else len(text)
                out = out.rstrip(" ")
                continue
            if c in "\"'" and not (c == "'" and re.search(r"\d$", out)):
                end = re.compile(r"(?:[^%s\\]|\\.)*%s" % (c, c)).match(text, i + 1).end()
                out, i = out + text[i:end], end
                continue
            is_ours = depth == 0
            if is_ours and c == ";":
                break
            if is_ours and c == "{" and kind in ("function", "class", "struct", "union"):
                if not re.search(r"\brequires(\s*\([^()]*\))?\s*$", out):
                    break
            if is_ours and kind == "function" and has_call and c == ":" and text[i + 1] != ":" and text[i - 1] != ":":
                break
            depth += (c in "([{") - (c in ")]}")
            has_call = has_call or c == ")"
            out, i = out + c, i + 1
        last = first + text.count("\n", 0, i)
        indent = len(self.lines[first]) - len(self.lines[first].lstrip())
        if kind == "enum":  # with what is said of each
            out = "\n".join(self.lines[first:last + 1]).rstrip().removesuffix(";")
        lines = [line[indent:] if not line[:indent].strip() else line for line in out.rstrip().splitlines()]
        if kind == "variable" and len(lines) > 3:  # what it is, and not how it is made
            lines = [re.split(r" = ", lines[0])[0] + " = ..."]
        return "\n".join(line for line in lines if line.strip()), last


def location(element):
    """Where a name stands: its file and line, from 0."""
    at = element.find("location")
    if at is None:
        return None, 0
    return at.get("declfile") or at.get("file"), int(at.get("declline") or at.get("line")) - 1


class Reference:
    def __init__(self, root):
        self.root = root
        self.folders = [root / "include", *sorted((root / "backends").glob("*/include"))]
        self.headers = {}
        for folder in self.folders:
            for path in sorted(folder.rglob("*.hpp")):
                self.headers[path.relative_to(folder).as_posix()] = Header(path.read_text(encoding="utf-8"))
        self.names = {header: [] for header in self.headers}
        with tempfile.TemporaryDirectory() as place:
            given = DOXYGEN + f"OUTPUT_DIRECTORY = {place}\nINPUT = {' '.join(map(str, self.folders))}\nSTRIP_FROM_PATH = {root}\n"
            try:
                done = subprocess.run(["doxygen", "-"], input=given, capture_output=True, text=True, check=False)
            except FileNotFoundError:
                sys.exit("api.py: doxygen is not there, which finds the names; on Debian: apt-get install doxygen")
            if done.returncode != 0:
                sys.exit(f"api.py: doxygen failed: {done.stderr}")
            self.compounds = {}
            for path in sorted(Path(place, "xml").glob("*.xml")):
                for compound in ElementTree.parse(path).getroot().iter("compounddef"):
                    self.compounds[compound.get("id")] = compound
        inner = {ref.get("refid") for compound in self.compounds.values() if compound.get("kind") in ("class", "struct", "union")
                 for ref in compound.findall("innerclass")}
        for key, compound in self.compounds.items():
            if compound.get("kind") == "namespace" and is_public(compound.findtext("compoundname")):
                for found in self.names_of(compound):
                    self.names[found.header].append(found)
            elif compound.get("kind") in ("class", "struct", "union", "concept") and key not in inner:
                name = compound.findtext("compoundname")
                if is_public(name) and "<" not in name and (found := self.cut(compound, name)):
                    self.names[found.header].append(found)
        for header, names in self.names.items():
            self.finish(self.headers[header], names, Path(header).stem)

    def names_of(self, compound):
        """The public members of a namespace or a class."""
        prefix = compound.findtext("compoundname")
        for member in compound.iter("memberdef"):
            if member.get("prot") == "public" and member.get("kind") in ("function", "variable", "typedef", "enum"):
                name = member.findtext("name")
                if name and name[0] != "@" and ("<" not in name or name.startswith("operator")) and (found := self.cut(member, f"{prefix}::{name}")):
                    yield found

    def cut(self, element, name):
        file, line = location(element)
        header = self.header_of(file)
        if header is None:
            return None
        text, kind = self.headers[header], element.get("kind")
        if line >= len(text.lines):
            return None
        first = text.start(line)
        code, last = text.declaration(first, kind)
        before, comment = text.comment_before(first)
        at = element.find("location")
        body = int(at.get("bodyend") or -1) - 1 if at.get("bodyfile") == at.get("file") and not at.get("declfile") else -1
        comment = comment or (text.comment_after(last) if kind != "enum" else [])
        found = Name(kind, name, header, before, max(last, body), code, comment)
        if kind in ("class", "struct", "union"):
            found.members = list(self.names_of(element))
            for ref in element.findall("innerclass"):
                inner = self.compounds.get(ref.get("refid"))
                if ref.get("prot") == "public" and inner is not None and "<" not in ref.text.rsplit("::", 1)[-1]:
                    if made := self.cut(inner, ref.text):
                        found.members.append(made)
        return found

    def header_of(self, file):
        for folder in self.folders:
            for path in (Path(file or ""), self.root / (file or "")):
                if path.is_relative_to(folder):
                    return path.relative_to(folder).as_posix()
        return None

    def finish(self, header, names, stem=""):
        """In their order, each once; and whether it is said what each is."""
        names.sort(key=lambda one: (one.first, one.name))
        seen = set()
        names[:] = [one for one in names if not ((one.first, one.code) in seen or seen.add((one.first, one.code)))]
        head = " ".join(header.head()).lower()
        above = None
        for one in names:
            self.finish(header, one.members)
            shares = above is not None and above.is_said and one.first == above.last + 1
            one.is_said = bool(one.comment) or shares or stem == one.short or names_itself(one) or mentions(head, one.short) or any(
                other.is_said and re.search(rf" : (public )?(\w+::)*{re.escape(other.short)}\b", one.code) for other in names)
            above = one


def is_public(name):
    parts = name.split("<")[0].split("::")
    return parts[0] == "sluice" and "detail" not in parts and not any(part.startswith("@") for part in parts)


def names_itself(one):
    """A page of equations or a table of weights, which has its name and its source as members."""
    return any(member.short == "name" and member.kind == "variable" for member in one.members)


def mentions(head, name):
    """Whether a comment has a name, as it is or in words; of an operator, its sign."""
    if name.startswith("operator"):
        return name.removeprefix("operator") in head
    return bool(re.search(rf"\b({re.escape(name.lower())}|{re.escape(name.lower().replace('_', ' '))})\b", head))


def folder_of(header):
    parts = header.split("/")
    return parts[1] if len(parts) > 2 else ""


# Pages.

def escaped(text):
    return re.sub(r"([*_`\[\]])", r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;").replace("|", "&#124;")


def prose(lines):
    """A comment as Markdown: what is indented is code, words between ` stay as they are."""
    out, in_code = [], False
    for place, line in enumerate(lines):
        is_code = line.startswith("  ")
        goes_on = not line and in_code and place + 1 < len(lines) and lines[place + 1].startswith("  ")
        if is_code != in_code and not goes_on:
            if out and not out[-1] and not in_code:
                out.pop()
            out += ["```", ""] if in_code else ["", "```cpp"]
            in_code = is_code
        parts = re.split(r"(`[^`]*`)", line)
        text = line if in_code else "".join(part if part.startswith("`") else escaped(part) for part in parts)
        if out and out[-1] and text and not in_code and not out[-1].startswith("```"):
            out[-1] += " " + text  # a line that begins with a sign is no list
        else:
            out.append(text)
    return re.sub("\n{3,}", "\n\n", "\n".join(out + (["```"] if in_code else [])))


def synopsis(one):
    """A declaration with the public members of a class, each with its comment."""
    if one.kind not in ("class", "struct", "union"):
        return one.code + ";"
    if not one.members:
        return one.code + " { ... };" if "..." not in one.code else one.code + ";"
    lines = []
    for member in one.members:
        lines += [f"    /// {line}".rstrip() for line in member.comment]
        lines += [f"    {line}" for line in synopsis(member).splitlines()]
    return "\n".join([one.code + " {", *lines, "};"])


def anchor(one):
    name = re.sub(r"[^\w:]", lambda sign: f"-{ord(sign[0]):x}", one.name.removeprefix("sluice::")).replace("::", "-")
    return f"{Path(one.header).stem}-{name}"


def groups(names):
    """The declarations of each name, in the order of the first."""
    found = {}
    for one in names:
        found.setdefault(one.name, []).append(one)
    return found


def page_of(reference, folder, what):
    out = [f"# sluice/{folder}", "", what[0].upper() + what[1:] + ".", ""]
    for header, names in sorted(reference.names.items()):
        if folder_of(header) != folder or not names:
            continue
        out += [f"## {header}", "", f"`#include <{header}>`", "", prose(reference.headers[header].head()), ""]
        for name, all_of_it in groups(names).items():
            out += [f'### {escaped(name.removeprefix("sluice::"))} {{: #{anchor(all_of_it[0])} }}', ""]
            for one in all_of_it:
                if one.comment:
                    out += [prose(one.comment), ""]
                out += ["```cpp", synopsis(one), "```", ""]
    return "\n".join(out)


def index_of(reference):
    out = ["# Public names", "", "Every name of the headers that are installed, but those in a namespace `detail`. In `sluice::`, where nothing else is "
           "said.", ""]
    for part, folders in PARTS:
        out += [f"## {part}", ""] + [f"- [`sluice/{folder}`]({folder}.md): {what}" for folder, what in folders] + [""]
    out += ["## By name", "", "| name | header |", "| --- | --- |"]
    rows = {}
    for header, names in reference.names.items():
        for name, all_of_it in groups(names).items():
            rows[name, header] = f"{folder_of(header)}.md#{anchor(all_of_it[0])}"
    for (name, header), link in sorted(rows.items(), key=lambda row: (row[0][0].rsplit("::", 1)[-1].lower(), row[0])):
        out.append(f"| [{escaped(name.removeprefix('sluice::'))}]({link}) | `{header}` |")
    return "\n".join(out) + "\n"


def write(reference, folder):
    place = folder / "api"
    place.mkdir(parents=True, exist_ok=True)
    known = {name for _, folders in PARTS for name, _ in folders}
    lost = {folder_of(header) for header, names in reference.names.items() if names} - known
    if lost:
        sys.exit(f"api.py: the folders {', '.join(sorted(lost))} stand in no part of PARTS; add them")
    (place / "index.md").write_text(index_of(reference), encoding="utf-8")
    for _, folders in PARTS:
        for name, what in folders:
            (place / f"{name}.md").write_text(page_of(reference, name, what), encoding="utf-8")
    print(f"{sum(len(groups(names)) for names in reference.names.values())} public names in {place}")


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    write(Reference(Path(arguments[0]).resolve()), Path(arguments[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
