# SPDX-License-Identifier: BSL-1.0
"""How far a script is, as apps/progress_bar.hpp shows it: on a terminal a bar that is redrawn in its line, elsewhere a plain
line every ten seconds, both on standard error. There is no colour and no escape sequence in it.

tqdm, which draws such bars, prints a bar for each step where there is no terminal, and the Python that has PyTorch need not
have it.
"""

import os
import shutil
import sys
import time


def clock_time(seconds):
    minutes, seconds = divmod(round(max(seconds, 0)), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes >= 60 else f"{minutes}:{seconds:02}"


class Progress:
    """What is done of `total`; `say` prints a line on standard output, above the bar."""

    def __init__(self, label, total, stream=sys.stderr):
        self.label, self.total, self.stream = label, total, stream
        self.redraws = stream.isatty() and os.environ.get("TERM", "dumb") not in ("", "dumb")
        self.start = self.last = time.monotonic()
        self.drawn = 0
        self.is_new = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.erase()

    def line(self, done, words, columns):
        share = min(done / self.total, 1) if self.total else 1
        facts = f"{int(100 * share):3}%"
        if share > 0:
            facts += f"  {clock_time((time.monotonic() - self.start) / share * (1 - share))} left"
        facts += f"  {words}" if words else ""
        if not columns:
            return f"{self.label}  {facts}"
        bar = min(max(columns - len(self.label) - len(facts) - 4, 10), 30)
        filled = int(share * bar)
        return f"{self.label} [{'#' * filled}{'.' * (bar - filled)}] {facts}"[:columns]

    def show(self, done, words=""):
        now = time.monotonic()
        if now - self.last < (0.1 if self.redraws else 10) and not (self.redraws and self.is_new):
            return
        self.last, self.is_new = now, False
        if self.redraws:
            line = self.line(done, words, shutil.get_terminal_size().columns - 1)
            self.stream.write("\r" + line.ljust(self.drawn))
            self.drawn = len(line)
        else:
            self.stream.write(self.line(done, words, 0) + "\n")
        self.stream.flush()

    def erase(self):
        if self.drawn:
            self.stream.write("\r" + " " * self.drawn + "\r")
            self.stream.flush()
            self.drawn = 0

    def say(self, text, file=None):
        self.erase()
        print(text, file=file or sys.stdout, flush=True)
