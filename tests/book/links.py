#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The links of a built site: each leads to a file that is there, and to a place in it.

    links.py SITE           checks a folder of pages
    links.py --self-test    shows that each fault is found

Besides, a page takes nothing from another host, has a title of its own, a text for each picture, ids that occur once,
and no signs of Markdown that were not read as such.
"""

import re
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

# What a browser fetches by itself.
FETCHED = {("img", "src"), ("script", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("object", "data"), ("embed", "src")}
FETCHED_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "manifest"}
UNREAD = (
    (re.compile(r"^\s*([-*]|\d+[.]) \S", re.MULTILINE), "a list without an empty line before it"),
    (re.compile(r"^\s*\|.*\|\s*$", re.MULTILINE), "a table that was not read"),
    (re.compile(r"\\[<>_*`]"), "a backslash that was not read"),
    (re.compile(r"```"), "a block of code that was not read"),
    (re.compile(r"\]\([^)\s]+\)"), "a link that was not read"),
    (re.compile(r"^#+ \S", re.MULTILINE), "a heading that was not read"),
)


class Page(HTMLParser):
    """What a page has: ids, links, what it fetches, and its paragraphs."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.fetched, self.faults, self.paragraphs, self.title = [], [], [], [], [], ""
        self.inside = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids += [given["id"]] if given.get("id") else []
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for name in ("src", "data"):
            if (tag, name) in FETCHED and given.get(name):
                self.fetched.append(given[name])
        if tag == "link" and FETCHED_RELATIONS & set((given.get("rel") or "").split()):
            self.fetched.append(given.get("href") or "")
        if tag == "img" and not (given.get("alt") or "").strip():
            self.faults.append(f"the picture {given.get('src')} has no text for who does not see it")
        if tag in ("p", "title", "code", "pre", "td"):
            self.inside.append(tag)
            if tag in ("p", "td"):
                self.paragraphs.append("")

    def handle_endtag(self, tag):
        if tag in self.inside:
            while self.inside.pop() != tag:
                pass

    def handle_data(self, data):
        if "title" in self.inside:
            self.title += data
        elif self.paragraphs and self.inside and not {"code", "pre"} & set(self.inside):
            self.paragraphs[-1] += data


def is_foreign(link):
    return re.match(r"(?:[a-z][a-z0-9+.-]*:)?//", link, re.IGNORECASE) is not None


def page_faults(path, page, pages, site):
    yield from page.faults
    if not page.title.strip():
        yield "it has no title"
    for name in sorted({name for name in page.ids if page.ids.count(name) > 1}):
        yield f"the id {name} occurs more than once"
    for paragraph in page.paragraphs:
        for pattern, words in UNREAD:
            if pattern.search(paragraph):
                yield f"it has {words}: {' '.join(paragraph.split())[:90]}"
    for link in page.fetched:
        if is_foreign(link):
            yield f"it fetches {link} from another host"
    for link in {link: 0 for link in page.links + page.fetched}:
        if is_foreign(link) or re.match(r"(mailto|data|javascript):", link):
            if link.startswith(("http://localhost", "file:", "javascript:")):
                yield f"it has the link {link}"
            continue
        address, place = urldefrag(link)
        to = (site / address.lstrip("/") if address.startswith("/") else path.parent / unquote(address)) if address else path
        to = to.resolve()
        if to.is_dir():
            to = to / "index.html"
        if not to.is_relative_to(site) or not to.is_file():
            yield f"it links to {link}, which is not there"
        elif place and to in pages and unquote(place) not in pages[to].ids:
            yield f"it links to {link}, but there is no such place on that page"


def faults(site):
    site = site.resolve()
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    if not pages:
        yield f"{site} has no pages"
    for path, page in pages.items():
        if path.name != "404.html":
            for fault in page_faults(path, page, pages, site):
                yield f"{path.relative_to(site)}: {fault}"
    for path in sorted(site.rglob("*.css")):
        for link in re.findall(r"""url\(["']?([^)"']+)""", path.read_text()):
            if is_foreign(link):
                yield f"{path.relative_to(site)} fetches {link} from another host"
            elif not link.startswith(("data:", "#")) and not (path.parent / link.split("?")[0].split("#")[0]).is_file():
                yield f"{path.relative_to(site)} names {link}, which is not there"


GOOD = ('<title>T</title><h1 id="a">A</h1><a href="b.html#b">b</a><a href="#a">a</a><a href="https://x.org">x</a><img src="p.png" alt="P">'
        "<p>text - with <code>| signs |</code></p><pre>- no list\n# no heading</pre>")
SELF_TESTS = (
    ("", None),
    ('<a href="c.html">', "links to c.html, which is not there"),
    ('<a href="../site.html">', "which is not there"),
    ('<a href="b.html#c">', "no such place"),
    ('<a href="#c">', "no such place"),
    ('<a href="javascript:f()">', "it has the link"),
    ('<img src="q.png" alt="Q">', "links to q.png"),
    ('<img src="p.png">', "has no text"),
    ('<img src="https://x.org/p.png" alt="P">', "from another host"),
    ('<script src="//x.org/p.js"></script>', "from another host"),
    ('<link rel="stylesheet" href="http://x.org/p.css">', "from another host"),
    ('<link rel="preconnect" href="http://x.org">', "from another host"),
    ('<i id="a"></i>', "more than once"),
    ("<p>words:\n- one\n- two</p>", "a list without"),
    ("<p>words:\n1. one</p>", "a list without"),
    ("<p>| a | b |\n| --- | --- |</p>", "a table"),
    ("<p>a vector p\\&lt;&gt;</p>", "a backslash"),
    ("<td>```cpp\nint</td>", "a block of code"),
    ("<p>see [this](that.md)</p>", "a link that"),
)


def self_test():
    with tempfile.TemporaryDirectory() as place:
        site = Path(place, "site")
        site.mkdir()
        Path(place, "site.html").write_text(GOOD)
        (site / "b.html").write_text('<title>B</title><i id="b"></i>')
        (site / "p.png").write_text("")
        style = site / "s.css"
        for text, words in SELF_TESTS:
            (site / "index.html").write_text(GOOD + text)
            found = list(faults(site))
            assert (not found) if words is None else (len(found) == 1 and words in found[0]), (text, found)
        (site / "index.html").write_text(GOOD)
        for text, words in (("a{b:url(p.png)}", None), ("a{b:url('q.woff2')}", "not there"), ("@import url(https://x.org/f)", "another host")):
            style.write_text(text)
            found = list(faults(site))
            assert (not found) if words is None else (len(found) == 1 and words in found[0]), (text, found)
        (site / "index.html").write_text(GOOD.replace("<title>T</title>", ""))
        assert any("no title" in fault for fault in faults(site))
    assert list(faults(Path("/nonexistent"))) == ["/nonexistent has no pages"]


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    if len(arguments) != 1:
        sys.exit(__doc__)
    found = list(faults(Path(arguments[0])))
    print("\n".join(found) or f"Every link of {len(list(Path(arguments[0]).rglob('*.html')))} pages leads where it should.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
