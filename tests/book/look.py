#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Looks at every page of a built site in a headless Chromium: on a phone and on a desk, in the light and in the dark scheme.

    look.py SITE [PAGE ...]          all pages, or these, such as errors.html
    look.py SITE --picture FILE      draws the front page
    look.py --self-test              shows that each fault is found

A page is refused for an error on the console, a request that fails or leaves the site, a page wider than its window, text
below 14 pixels or of too little contrast, formulas and pictures that are not to be seen (examine.js), and a scheme that does
not follow the reader's. Besides, the search finds a sentence of the page of errors.
"""

import base64
import contextlib
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

EXAMINE = Path(__file__).with_name("examine.js").read_text()
PHONE, DESK = (390, 844), (1280, 900)
SCHEMES = ("light", "dark")
PATIENCE = 120  # seconds


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """The address at which a folder is served."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


class Browser:
    """One page of a Chromium, driven by its remote debugging."""

    def __init__(self):
        import websocket  # python3-websocket

        self.profile = tempfile.mkdtemp()
        options = ["--headless=new", "--remote-debugging-port=0", "--remote-allow-origins=*", f"--user-data-dir={self.profile}",
                   "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--disable-extensions", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")
        program = shutil.which("chromium") or sys.exit("there is no program chromium; docs/run --check installs it")
        self.process = subprocess.Popen([program, *options, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self.wait_for(lambda: Path(self.profile, "DevToolsActivePort").read_text().split()[0])
        pages = self.wait_for(lambda: json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list")))
        address = next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
        self.socket = websocket.create_connection(address, timeout=PATIENCE)
        self.count, self.events = 0, []
        for area in ("Page", "Runtime", "Network", "Log"):
            self.ask(area + ".enable")
        self.ask("Network.setCacheDisabled", cacheDisabled=False)
        self.ask("Page.addScriptToEvaluateOnNewDocument", source="try { localStorage.clear(); } catch (e) {}")

    def wait_for(self, what):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if found := what():
                    return found
            except (OSError, IndexError, ValueError):
                pass
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("Chromium did not start, or does not answer")
            time.sleep(0.05)

    def receive(self):
        message = json.loads(self.socket.recv())
        if "method" in message:
            self.events.append(message)
        return message

    def ask(self, method, **values):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": values}))
        while True:
            message = self.receive()
            if message.get("id") == self.count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def run(self, script):
        """The value of a script, which may be a promise."""
        result = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", str(result)))
        return result["result"].get("value")

    def window(self, size, scheme):
        self.ask("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                         {"name": "prefers-reduced-motion", "value": "reduce"}])

    def settle(self):
        self.run("document.fonts.ready.then(() => new Promise(f => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(f, 30)))))")

    def go(self, address):
        self.events = []
        self.ask("Page.navigate", url=address)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.receive()
        self.settle()

    def close(self):
        with contextlib.suppress(Exception):
            self.ask("Browser.close")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def told(events, home):
    """What the browser complained of while it loaded a page."""
    for event in events:
        method, about = event["method"], event["params"]
        if method == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            yield "an exception on the console: " + details.get("exception", {}).get("description", details["text"]).splitlines()[0]
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "assert"):
            yield "an error on the console: " + " ".join(str(part.get("value", part.get("description"))) for part in about["args"])
        elif method == "Log.entryAdded" and about["entry"]["level"] == "error" and about["entry"]["source"] != "network":
            yield "an error on the console: " + about["entry"]["text"]
        elif method == "Network.requestWillBeSent" and not about["request"]["url"].startswith((home, "data:", "blob:", "about:")):
            yield f"a request that leaves the site: {about['request']['url']}"
        elif method == "Network.responseReceived" and about["response"]["status"] >= 400:
            yield f"a request that fails with {about['response']['status']}: {about['response']['url']}"
        elif method == "Network.loadingFailed" and not about.get("canceled"):
            yield f"a request that fails: {about['errorText']}"


def look(browser, home, page):
    """The faults of a page, and how many formulas and pictures were seen on it."""
    found, seen, grounds = {}, {}, {}
    for scheme in SCHEMES:
        browser.window(PHONE, scheme)
        browser.go(home + page)
        for size, called in ((PHONE, "phone"), (DESK, "desk")):
            browser.window(size, scheme)
            browser.settle()
            seen = json.loads(browser.run(EXAMINE))
            grounds[scheme] = seen["ground"]
            for fault in seen["faults"]:
                found.setdefault(fault, []).append(f"{called}, {scheme}")
        for fault in told(browser.events, home):
            found.setdefault(fault, []).append(scheme)
    if not grounds["light"] > 0.5 > 0.2 > grounds["dark"]:
        found["its ground is " + ", ".join(f"{ground:.2f} in the {scheme} scheme" for scheme, ground in grounds.items())] = ["it does not follow the reader's"]
    return [f"{page}: {fault} ({'; '.join(dict.fromkeys(where))})" for fault, where in found.items()], seen


def search_faults(browser, home, words, page):
    """Whether a reader who types these words finds this page."""
    browser.window(DESK, "light")
    browser.go(home)
    browser.run("document.querySelector('.md-search__input').focus()")
    browser.ask("Input.insertText", text=words)
    found = None
    for _ in range(PATIENCE):
        found = browser.run("[...document.querySelectorAll('.md-search-result__link')].map(e => e.getAttribute('href'))")
        if any(page in link for link in found):
            break
        time.sleep(0.2)
    else:
        yield f"the search for '{words}' does not find {page}, but {found}"
    yield from (f"the search: {fault}" for fault in told(browser.events, home))


def draw(browser, home, file):
    browser.window((1280, 800), "light")
    browser.go(home)
    data = base64.b64decode(browser.ask("Page.captureScreenshot", format="png")["data"])
    Path(file).write_bytes(data)
    print(f"{file}: {len(data)} bytes")


def check(site, chosen):
    pages = chosen or [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html")) if path.name != "404.html"]
    faults, formulas, pictures, start = [], 0, 0, time.monotonic()
    with served(site) as home, contextlib.closing(Browser()) as browser:
        for number, page in enumerate(pages, 1):
            if sys.stderr.isatty():
                print(f"\r\033[K{number} of {len(pages)}: {page}", end="", file=sys.stderr)
            found, seen = look(browser, home, page)
            faults += found
            formulas += seen["formulas"]
            pictures += seen["pictures"]
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        if not chosen:
            faults += search_faults(browser, home, "a gate is used but never defined", "errors.html")
    print("\n".join(faults) or f"{len(pages)} pages look as they should, with {formulas} formulas and {pictures} pictures; "
          f"{time.monotonic() - start:.0f} s.")
    return 1 if faults else 0


PAGE = ('<!doctype html><meta name="viewport" content="width=device-width"><style>:root{color-scheme:light dark}'
        "body{background:#fff;color:#000;font:16px sans-serif}@media(prefers-color-scheme:dark){body{background:#111;color:#eee}}</style>"
        "<body><h1>A heading</h1><p>Words that are long enough for a page of text, and more of them.</p>")
PICTURE = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{0}'/>"
SELF_TESTS = (
    ("", None),
    (f'<img src="{PICTURE.format(40)}">', None),
    ('<span class="arithmatex"><span class="katex-html">f = g</span></span>', None),
    ("<script>console.error('oh')</script>", "an error on the console: oh"),
    ("<script>f()</script>", "an exception on the console: ReferenceError"),
    ("<script>setTimeout(() => { throw Error('late'); })</script>", "an exception on the console: Error: late"),
    ('<script src="lost.js"></script>', "a request that fails with 404"),
    ('<img src="http://elsewhere.invalid/a.png">', "a request that leaves the site"),
    ('<div style="width:500px">wide</div>', "pixels wide, and the window 390"),
    ('<div style="overflow:auto"><div style="width:500px">wide</div></div>', None),
    ('<p style="font-size:10px">small words</p>', "text smaller than 14 pixels"),
    ("<p>words<sup style='font-size:10px'>1</sup></p>", None),
    ('<p style="color:#999;background:#fff">pale words</p>', "text of a contrast below"),
    ('<p style="color:#00f">blue words</p>', "(phone, dark; desk, dark)"),
    ('<p style="color:#fff;visibility:hidden">hidden words</p>', None),
    (f'<img src="{PICTURE.format(1)}">', "a picture that is not to be seen"),
    ('<div class="graph"><svg width="0" height="9"></svg></div>', "a picture that is not to be seen"),
    ('<span class="arithmatex">\\(f = g\\)</span>', "a formula that is not drawn"),
    ("<style>body{background:#fff;color:#000}@media(prefers-color-scheme:dark){body{background:#fff;color:#000}}</style>", "does not follow the reader's"),
    ("<style>h1{display:none}</style>", "no heading to be seen"),
)


def self_test():
    with tempfile.TemporaryDirectory() as folder, served(folder) as home, contextlib.closing(Browser()) as browser:
        Path(folder, "favicon.ico").write_text("")
        for number, (text, words) in enumerate(SELF_TESTS):
            page = f"{number}.html"  # names of their own, for the browser keeps pages
            Path(folder, page).write_text(PAGE + text)
            found, _ = look(browser, home, page)
            assert (not found) if words is None else any(words in fault for fault in found), (text, found)
    print(f"Each of {len(SELF_TESTS)} crafted pages is judged as it should be.")


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
    elif len(arguments) == 3 and arguments[1] == "--picture":
        with served(arguments[0]) as home, contextlib.closing(Browser()) as browser:
            draw(browser, home, arguments[2])
    elif arguments:
        return check(Path(arguments[0]).resolve(), arguments[1:])
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
