#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Uses the page of cells in a browser as a reader does, in a headless Chromium: on a phone and on a desk.

    playground.py SITE      a built book

Each cell that can be chosen says other equations and another response, a dragged setting and a drawn signal change the
response, the tutorial shows the page, and nothing is complained of on the console.
"""

import contextlib
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from look import DESK, PATIENCE, PHONE, Browser, served, told  # noqa: E402

RESPONSE = "document.getElementById('response').toDataURL() + document.getElementById('equations').textContent"
BOX = "(({{x, y, width, height}}) => [x, y, width, height])(document.querySelector('{}').getBoundingClientRect())"


def wait(browser, script, what):
    end = time.monotonic() + PATIENCE
    while not browser.run(script):
        if time.monotonic() > end:
            raise AssertionError(f"the page waits in vain for {what}")
        time.sleep(0.05)


def drag(browser, selector, places):
    """The mouse goes over an element, pressed, from the first of these places to the last: shares of its width and height."""
    browser.run(f"document.querySelector('{selector}').scrollIntoView({{block: 'center'}})")
    x, y, width, height = browser.run(BOX.format(selector))
    points = [{"x": x + width * right, "y": y + height * down} for right, down in places]
    browser.ask("Input.dispatchMouseEvent", type="mousePressed", button="left", clickCount=1, **points[0])
    for point in points[1:]:
        browser.ask("Input.dispatchMouseEvent", type="mouseMoved", button="left", **point)
    browser.ask("Input.dispatchMouseEvent", type="mouseReleased", button="left", clickCount=1, **points[-1])
    browser.settle()


def play(browser, home, size):
    browser.window(size, "light")
    browser.go(home + "playground/index.html")
    wait(browser, "document.body.dataset.response !== undefined", "its cells")
    cells = browser.run("[...document.forms[0].elements.cell.options].map((option) => option.value)")
    assert len(cells) >= 5, cells
    seen = []
    for cell in cells:
        browser.run(f"document.forms[0].elements.cell.value = {cell}; document.forms[0].dispatchEvent(new Event('input'))")
        seen.append(browser.run(RESPONSE))
    assert len(set(seen)) == len(cells), "two cells say the same"
    for setting in ("units", "seed", "input", "recurrent", "bias"):
        before, value = browser.run(RESPONSE), browser.run(f"document.forms[0].elements.{setting}.value")
        drag(browser, f"[name={setting}]", [(0.5, 0.5), (0.6, 0.5), (0.85, 0.5)])
        assert browser.run(f"document.forms[0].elements.{setting}.value") != value, f"{setting} cannot be dragged"
        assert browser.run(RESPONSE) != before, f"{setting} changes nothing"
    before, signal = browser.run(RESPONSE), browser.run("document.getElementById('signal').toDataURL()")
    drag(browser, "#signal", [(0.6, 0.2), (0.7, 0.9), (0.9, 0.3)])
    assert browser.run("document.getElementById('signal').toDataURL()") != signal, "the signal cannot be drawn"
    assert browser.run(RESPONSE) != before, "the drawn signal changes nothing"
    assert not (faults := list(told(browser.events, home))), faults
    return len(cells)


def main(site):
    with served(site) as home, contextlib.closing(Browser()) as browser:
        count = [play(browser, home, size) for size in (PHONE, DESK)][0]
        browser.go(home + "tutorial.html")
        browser.run("document.querySelector('.playground').scrollIntoView()")
        inner = "document.querySelector('.playground').contentDocument"
        wait(browser, f"{inner}.body && {inner}.body.dataset.response !== undefined", "the cells of the tutorial")
        room = browser.run(f"document.querySelector('.playground').clientHeight - {inner}.documentElement.scrollHeight")
        assert room >= 0, f"the tutorial cuts {-room} pixels of the page off"
        assert not (faults := list(told(browser.events, home))), faults
    print(f"{count} cells answer in a browser, on a phone and on a desk.")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve()) if len(sys.argv) == 2 else sys.exit(__doc__)
