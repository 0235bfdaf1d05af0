#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Gathers the pages of the book: those of docs/, those that scripts in docs/generate write, and the navigation.

    gather.py REPOSITORY FOLDER     makes FOLDER/pages and FOLDER/mkdocs.yml, ready for mkdocs
    gather.py --self-test           shows that links, tables and the navigation are made as they should be

The pages of docs/ are read on a forge too, so that they link to files of the repository. What is a page of the book
links to that page here; what is none, such as a program, to a page with its text.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Files of the repository that are pages under another name.
ELSEWHERE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md", "README.md": "index.md",
             "apps/char_lm/README.md": "char_lm.md", "examples/audio/README.md": "audio.md"}
KATEX = Path("/usr/share/javascript/katex")
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)]*)?\))")
FENCE = re.compile(r"^( *```.*?^ *```[^\n]*$)", re.DOTALL | re.MULTILINE)
ORDER = re.compile(r"<!-- order: (\d+) -->")


def outside_code(text, change):
    """The text with a change where it is no block of code."""
    return "".join(part if part.lstrip().startswith("```") else change(part) for part in FENCE.split(text))


class Book:
    def __init__(self, root, pages):
        self.root, self.pages, self.shown = root, pages, {}

    def target(self, page, link):
        """Where a link of a file of the repository leads in the book: a path below its pages."""
        if re.match(r"[a-z]+:", link):
            return link
        path = (page.parent / link).resolve().relative_to(self.root)
        if str(path) in ELSEWHERE:
            return ELSEWHERE[str(path)]
        if path.parts[:1] == ("docs",):
            return Path(*path.parts[1:]).as_posix()
        if not (self.root / path).is_file():
            raise SystemExit(f"{page.relative_to(self.root)} links to {link}, which is neither a page nor a file of text.")
        self.shown[path] = "files/" + str(path).replace("/", "_") + ".md"
        return self.shown[path]

    def text_of(self, page, place):
        """A page as the book has it; `place` is where it lies below the pages."""
        up = "../" * str(place).count("/")

        def change(part):
            part = LINK.sub(lambda m: m[1] + (m[2] if ":" in m[2] else up + self.target(page, m[2])) + m[3], part)
            part = part.replace("<table>", '<table markdown="1">').replace("<tr><td>", '<tr markdown="1"><td markdown="block">')
            return part.replace("</td><td>", '</td><td markdown="block">')

        # The book has the single header, the repository makes it.
        text = page.read_text().replace("<!-- link to sluice.hpp -->", " [It lies here](sluice.hpp)")
        # The front page has no list of its headings, and so room for its picture.
        return ("---\nhide: [toc]\n---\n\n" if str(place) == "index.md" else "") + outside_code(text, change)

    def put(self, page, place):
        (self.pages / place).parent.mkdir(parents=True, exist_ok=True)
        (self.pages / place).write_text(self.text_of(page, place))

    def gather(self):
        docs = self.root / "docs"
        folders = [docs / "cells", docs / "api"]
        for path in [*docs.glob("*"), *(file for folder in folders for file in folder.rglob("*"))]:
            place = path.relative_to(docs)
            if path.suffix == ".md":
                self.put(path, place)
            elif path.suffix in (".png", ".svg"):
                (self.pages / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, self.pages / place)
        for name, place in ELSEWHERE.items():
            if place != "index.md" and (self.root / name).exists():
                self.put(self.root / name, Path(place))
        for script in sorted((docs / "generate").glob("*.py")):
            subprocess.run([sys.executable, script, self.root, self.pages], check=True)
        for path, place in self.shown.items():
            (self.pages / place).parent.mkdir(exist_ok=True)
            language = {".cpp": "cpp", ".hpp": "cpp", ".py": "python"}.get(path.suffix, "text")
            (self.pages / place).write_text(f"# `{path}`\n\n````{language}\n{(self.root / path).read_text()}````\n")


def title_and_order(path):
    text = path.read_text()
    order, title = ORDER.search(text[:200]), re.search(r"^# (.+)$", text, re.MULTILINE)
    if not title:
        raise SystemExit(f"{path} has no title; begin it with a line '# TITLE'.")
    return (path.name != "index.md", int(order[1]) if order else 1000, title[1].lower())


def navigation(lines, pages):
    """The lines of mkdocs.yml, with the pages of a folder in the place of `- FOLDER/*`; a section without pages is left out."""
    kept = []
    for line in lines:
        folder = re.fullmatch(r"( *)- ([\w/]+)/\*", line)
        if folder:
            found = sorted((pages / folder[2]).rglob("*.md"), key=title_and_order)
            kept += [f"{folder[1]}- {path.relative_to(pages).as_posix()}" for path in found]
        else:
            kept.append(line)
    begin = kept.index("nav:")
    following = [*kept[1:], ""]
    return [line for i, (line, after) in enumerate(zip(kept, following))
            if i < begin or not re.match(r"  - .*:$", line) or after.startswith("      - ")]


def unlisted(lines, pages):
    """The pages that stand nowhere in the navigation; files that others link to need not."""
    listed = {match[1] for line in lines if (match := re.search(r"- (?:.*: )?([\w/.-]+[.]md)$", line))}
    found = {path.relative_to(pages).as_posix() for path in pages.rglob("*.md")}
    return sorted(name for name in found - listed if not name.startswith("files/"))


def main(root, folder):
    root = root.resolve()
    pages = folder / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    Book(root, pages).gather()
    for path in sorted((root / "docs/book").glob("*.*")):
        if path.suffix in (".css", ".js", ".svg"):
            shutil.copy(path, pages)
    (pages / "playground").mkdir()
    for name in ("index.html", "page.js", "playground.js"):
        shutil.copy(root / "apps/playground" / name, pages / "playground")
    subprocess.run([sys.executable, root / "packages/single_header/make", "-o", pages / "sluice.hpp"], check=True)
    shutil.copytree(KATEX / "fonts", pages / "katex/fonts")
    for name in ("katex.min.css", "katex.min.js"):
        shutil.copy(KATEX / name, pages / "katex")
    lines = navigation((root / "docs/mkdocs.yml").read_text().splitlines(), pages)
    if lost := unlisted(lines, pages):
        raise SystemExit(f"docs/mkdocs.yml does not say where these pages stand; list them in its nav: {', '.join(lost)}")
    (folder / "mkdocs.yml").write_text("\n".join(lines) + "\n")


def self_test():
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve()
        for name, text in {"README.md": "# Home\n", "examples/a.cpp": "int a;\n", "docs/cells/b.md": "<!-- order: 1 -->\n# B\n[up](../one.md#x)\n",
                           "docs/cells/a.md": "# A\n", "docs/cells/index.md": "# Z\n", "CONTRIBUTING.md": "# How\n[one](docs/one.md)\n",
                           "docs/one.md": "# One\n[r](../README.md) [c](../examples/a.cpp) [w](https://x.org) [h](#here)\n```\n[k](../README.md)\n```\n<table>\n<tr><td>a</td><td>b</td></tr></table>\n",
                           }.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        pages = root / "build/pages"
        pages.mkdir(parents=True)
        Book(root, pages).gather()
        one = (pages / "one.md").read_text()
        assert "[r](index.md) [c](files/examples_a.cpp.md) [w](https://x.org) [h](#here)\n```\n[k](../README.md)" in one, one
        assert '<table markdown="1">\n<tr markdown="1"><td markdown="block">a</td><td markdown="block">b' in one, one
        assert "[up](../one.md#x)" in (pages / "cells/b.md").read_text()
        assert "[one](one.md)" in (pages / "contributing.md").read_text()
        assert "int a;" in (pages / "files/examples_a.cpp.md").read_text()
        made = navigation(["plugins:", "  - search:", "      separator: x", "nav:", "  - index.md", "  - Cells:", "      - cells/*", "  - API:", "      - api/*"], pages)
        assert made[:3] == ["plugins:", "  - search:", "      separator: x"]
        assert made[3:] == ["nav:", "  - index.md", "  - Cells:", "      - cells/index.md", "      - cells/b.md", "      - cells/a.md"], made
        assert unlisted(made + ["  - one.md"], pages) == ["contributing.md"], unlisted(made, pages)
        (root / "docs/one.md").write_text("[c](../examples)\n")
        try:
            Book(root, pages).gather()
            raise AssertionError("a link to a folder should be refused")
        except SystemExit as refusal:
            assert "links to ../examples" in str(refusal)


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    elif len(sys.argv) == 3:
        main(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        sys.exit(__doc__)
