#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the book's list of cells, and a page for each.

    cells.py REPOSITORY FOLDER     writes FOLDER/cells.md, and FOLDER/cells/NAME.md for each cell of the catalogue
    cells.py --self-test           shows what becomes of formulas and graphs, and that each fault is found; the above does that first

tests/catalogue/book/main.cpp, which is compiled here, writes the pages out of the cells themselves. In them formulas stand in blocks
```math, as LaTeX, and graphs in blocks ```dot, in Graphviz's language. A formula becomes an element that the book's page draws with
KaTeX. A graph becomes an SVG within the page, in the colour of the text around it, so that it is readable on a dark ground
too. It takes half a minute, a compiler for C++20, Boost.Hana and the program dot. CXX names another compiler than g++.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```(math|dot)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BOX = re.compile(r'label="((?:[^"\\]|\\.)*)", shape=box')
STYLE = ("-Gbgcolor=transparent", "-Nfontname=sans-serif", "-Efontname=sans-serif", "-Nfontsize=12", "-Efontsize=11",
         "-Nheight=0.3", "-Nmargin=0.08,0.03", "-Gnodesep=0.12", "-Granksep=0.25", "-Earrowsize=0.6")


class Fault(Exception):
    pass


def run(command, given=None):
    try:
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Fault(f"the program {command[0]} is not there; on Debian: apt-get install g++ graphviz libboost-dev") from None
    if done.returncode != 0:
        raise Fault(f"{command[0]}: {done.stderr.strip() or f'it ended with {done.returncode}'}")
    return done.stdout


def formula(latex):
    return f'<div class="arithmatex">\\[{html.escape(" ".join(latex.split()), quote=False)}\\]</div>'


def graph(dot):
    """The SVG of a graph, without what a page of its own would need, in the colour of the text."""
    text = run(["dot", "-Tsvg", *STYLE], dot)
    text = text[text.index("<svg"):]
    text = re.sub(r"<!--.*?-->|<title>.*?</title>", "", text, flags=re.DOTALL)
    text = re.sub(r' (?:id|xmlns:xlink|class)="[^"]*"', "", text)
    text = text.replace('"black"', '"currentColor"').replace("<text ", '<text fill="currentColor" ')
    words = html.escape("Graph of " + ", ".join(BOX.findall(dot)), quote=True)
    text = text.replace("<svg ", f'<svg style="max-width: none" role="img" aria-label="{words}" ', 1)
    return '<div class="graph" style="overflow-x: auto">' + " ".join(text.split()) + "</div>"


def draw(path):
    page = path.read_text(encoding="utf-8")
    try:
        page = BLOCK.sub(lambda block: formula(block[2]) if block[1] == "math" else graph(block[2]), page)
    except Fault as fault:
        raise Fault(f"{path.name}: {fault}") from None
    path.write_text(page, encoding="utf-8")


def write(root, folder):
    self_test()
    with tempfile.TemporaryDirectory() as place:
        program = Path(place, "book_cells")
        run([os.environ.get("CXX", "g++"), "-std=c++20", "-O0", f'-DSLUICE_SOURCE="{root}"', f"-I{root}/include", f"-I{root}/tests",
             f"{root}/tests/catalogue/book/main.cpp", "-o", str(program)])
        print(run([str(program), str(folder)]), end="")
    for path in sorted((folder / "cells").glob("*.md")):
        draw(path)


def self_test():
    page = "# A\n\n```math\n\\begin{aligned}\nh' &= x < 1\n\\end{aligned}\n```\n\n```dot\ndigraph cell {\n" \
           '  n0 [label="W_h", shape=box];\n}\n```\nThe end.\n'
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.md")
        path.write_text(page)
        draw(path)
        text = path.read_text()
        formula_line = "<div class=\"arithmatex\">\\[\\begin{aligned} h' &amp;= x &lt; 1 \\end{aligned}\\]</div>\n"
        assert text.startswith("# A\n\n" + formula_line) and text.endswith("</div>\nThe end.\n"), text
        assert 'aria-label="Graph of W_h"' in text and "currentColor" in text and "black" not in text, text
        assert all(line.count("<div") == line.count("</div>") for line in text.splitlines()), "a picture is on one line"
        path.write_text("```dot\ndigraph {\n```\n")
        try:
            draw(path)
        except Fault as fault:
            assert str(fault).startswith("a.md: dot: "), fault
        else:
            raise AssertionError("half a graph is drawn")
    try:
        run(["no_such_program"])
    except Fault as fault:
        assert "no_such_program is not there" in str(fault), fault


def main(arguments):
    try:
        if arguments == ["--self-test"]:
            self_test()
        elif len(arguments) == 2:
            write(Path(arguments[0]).resolve(), Path(arguments[1]).resolve())
        else:
            sys.exit(__doc__)
    except Fault as fault:
        sys.exit(f"cells.py: {fault}")


if __name__ == "__main__":
    main(sys.argv[1:])
