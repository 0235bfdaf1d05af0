#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests of the scripts that measure, beside peers that crash, say nothing of use, or are not there. Nothing is timed."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

bench = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(bench), str(bench.parent / "support")]

import processor
import progress
import results
from on_terminal import on_terminal, require_bars, require_plain

COMMANDS = bench.parent.parent / "cmake/commands.sh"

FLAGS = "fpu sse2 fma avx2 avx512f avx512bw avx512dq avx512vl"

# Whatever the test itself was built for.
PLAIN = {"SANITIZE": "0", "BUILD_TYPE": "Release", "CMAKE_BUILD_TYPE": "Release"}


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, text, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def run_words(self, *words, code=0, **environment):
        done = subprocess.run(
            [str(word) for word in words],
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **PLAIN, **environment},
        )
        text = done.stdout + done.stderr
        self.assertEqual(done.returncode, code, text)
        self.assertNotIn("Traceback", text)
        return text

    def test_processor(self):
        def has_avx512(text):
            return processor.has_avx512(self.file("cpuinfo", text))

        self.assertTrue(has_avx512(f"processor\t: 0\nflags\t\t: {FLAGS}\n\nprocessor\t: 1\nflags\t\t: {FLAGS}\n"))
        self.assertFalse(has_avx512("flags\t\t: fpu sse2 fma avx2\n"))
        self.assertFalse(has_avx512("flags\t\t: fpu sse2 fma avx2 avx512f\n"))  # of the first generation
        self.assertFalse(has_avx512(f"flags : {FLAGS}\nflags : fpu sse2\n"))
        for text in ["", "Features\t: fp asimd\n", f"model name\t: {FLAGS}\n", "flags\n", "\xff\0"]:
            self.assertFalse(has_avx512(text))
        self.assertFalse(processor.has_avx512(self.folder / "none"))

    def test_table(self):
        table = bench / "table.py"
        rows = [
            "step: GRU 256, batch 1;sluice;2.5;9;1;1e-7",
            "step: GRU 256, batch 1;a peer;5;9;2;1e-7",
            "step: GRU 512, batch 1;sluice;2500;9;1;1e-7",
        ]
        text = self.run_words(sys.executable, table, self.file("a.csv", "\n".join([results.HEAD, *rows, ""])))
        self.assertIn("| GRU 256 | 2.50 us | a peer, 5.00 us | 2.00 |", text)
        self.assertIn("| GRU 512 | 2.50 ms | not measured | |", text)
        self.assertIn("| GRU 64 | not measured | not measured | |", text)
        for content, said in {
            "": "does not begin as",
            "x;y\n": "does not begin as",
            f"{results.HEAD}\n{rows[0]}\na;b;fast;1;1;1\n": "Line 3 of .* could not convert",
            f"{results.HEAD}\na;b;1\n": "Line 2 of .* 3 fields instead of 6",
        }.items():
            self.assertRegex(self.run_words(sys.executable, table, self.file("b.csv", content), code=1), said)
        self.assertIn("tests/bench/run makes it", self.run_words(sys.executable, table, self.folder / "none", code=1))
        self.run_words(sys.executable, table, code=1)

    def test_missing_packages(self):
        for name in ["matplotlib", "torch"]:
            self.file(f"modules/{name}.py", f"raise OSError('{name} needs another processor')")
        path = {"PYTHONPATH": str(self.folder / "modules")}
        text = self.run_words(sys.executable, bench / "draw.py", "none.csv", "none.png", **path)
        self.assertIn("No picture is drawn: matplotlib needs another processor", text)
        for script in ["compiled.py", "matrices.py"]:
            text = self.run_words(sys.executable, bench / "cells" / script, "/bin/true", code=1, **path)
            self.assertRegex(text, "not measured: (torch needs another processor|No module named 'numpy')")
        text = self.run_words(sys.executable, bench / "device/compare.py", "/bin/true", code=1, **path)
        self.assertIn("Nothing is compared: torch needs another processor", text)

    def test_char_lm(self):
        slow = self.file("slow", "#!/bin/sh\n[ $2 -lt 100000 ] || sleep 0.3\n", 0o755)
        csv = self.folder / "out.csv"
        words = [sys.executable, bench / "char_lm.py"]
        self.assertIn("characters a second", self.run_words(*words, slow, slow, "--quick", "--csv", csv))
        self.assertEqual([row["library"] for row in results.read(csv)], ["sluice", "before"])
        fails = self.file("fails", "#!/bin/sh\necho begun >&2\necho no room >&2\nexit 3\n", 0o755)
        text = self.run_words(*words, slow, fails, "--quick", code=1)
        self.assertIn("ended with the exit code 3: no room", text)
        self.assertIn("cannot be started", self.run_words(*words, self.folder / "none", slow, "--quick", code=1))
        odd = self.file("odd", "#!/bin/sh\n[ $2 -gt 100000 ] || sleep 0.3\n", 0o755)
        self.assertIn("takes no longer", self.run_words(*words, odd, odd, "--quick", code=1))

    def test_progress(self):
        for seconds, text in {0: "0:00", -1: "0:00", 59.6: "1:00", 3599: "59:59", 3723: "1:02:03"}.items():
            self.assertEqual(progress.clock_time(seconds), text)
        works = self.file(
            "works.py",
            f"""import sys, time
sys.path.insert(0, {str(bench)!r})
import progress
with progress.Progress("bench", 4) as bar:
    for i in range(4):
        bar.show(i, f"work {{i}}")
        time.sleep(0.15)
        bar.say(f"row {{i}}")
    bar.show(4, "a long word" * 50)
""",
        )
        rows = [f"row {i}" for i in range(4)]
        for colour in {}, {"NO_COLOR": "1"}:
            lines = require_bars(on_terminal([sys.executable, works], columns=60, **colour), "bench", columns=60)
            self.assertEqual([line.strip() for line in lines if line.strip()], rows)
        self.assertEqual(self.run_words(sys.executable, works).splitlines(), rows)
        self.assertEqual(on_terminal([sys.executable, works], TERM="dumb").decode().split(), " ".join(rows).split())

    def test_steps_of_a_build(self):
        build = self.file(
            "build.sh",
            f"""set -euo pipefail
source {COMMANDS}
steps() {{
    local i
    for i in 1 2 3; do
        echo "[$i/3] Building $i"
        sleep 0.1
        [ $i != 2 ] || echo "no such file"
    done
    return 7
}}
steps | show_steps "$@"
""",
        )
        log = self.folder / "log"
        for words, said in ([], ["no such file"]), ([log], []):
            log.write_text("")
            lines = require_bars(on_terminal(["bash", build, *words], columns=50, code=7), "", columns=50)
            self.assertEqual([line.strip() for line in lines if line.strip()], said)
            text = self.run_words("bash", build, *words, code=7)
            require_plain(text.replace("\n", ""))
            self.assertEqual(text.split("\n")[:-1], said)
            if words:
                self.assertEqual(log.read_text().count("no such file"), 2)

    def test_what_is_installed(self):
        for name, text in {
            "dpkg-query": "case $3 in cmake) printf installed ;; *) exit 1 ;; esac",
            "id": "echo 0",
            "apt-get": f"""echo "apt-get $*" >> {self.folder}/calls
case "$*" in *--assume-no*)
    echo "Need to get 5 MB of archives."
    echo "After this operation, 9 MB of additional disk space will be used."
    exit 1 ;; esac""",
        }.items():
            self.file(f"bin/{name}", f"#!/bin/sh\n{text}\n", 0o755)
        path = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        text = self.run_words("bash", "-c", f"set -euo pipefail; source {COMMANDS}; install_packages", CXX="g++", **path)
        first, second, *_ = text.splitlines()
        self.assertRegex(first, "To be installed, with what they need: ninja-build python3 .* g[+][+]$")
        self.assertNotIn(" cmake ", first)
        self.assertEqual(second.split()[:6], "== Need to get 5 MB".split())
        self.assertIn("9 MB of additional disk space", second)
        update, asked, install = (self.folder / "calls").read_text().splitlines()
        self.assertIn("update", update)
        self.assertIn("--assume-no", asked)
        self.assertRegex(install, "install --yes --no-install-recommends ninja-build")

    def fake_tree(self, cells, python):
        """The scripts as they are, and commands that take the place of cmake, nproc and Python's modules."""
        shutil.copytree(bench, self.folder / "tests/bench")
        shutil.copytree(bench.parent.parent / "cmake", self.folder / "cmake")
        made = self.file("cells", "#!/bin/bash\n" + cells, 0o755)
        self.file(
            "bin/cmake",
            f"""#!/bin/bash
echo "cmake $*" >> {self.folder}/calls
case "$*" in
*-S*) for word in "$@"; do case $word in -DSLUICE_*) echo "$word"; esac; done > {self.folder}/configured ;;
*bench_cells*)
    if grep -q ONEDNN=/ {self.folder}/configured; then echo "fatal error: no dnnl.h"; exit 1; fi
    mkdir -p {self.folder}/build/fake-release/tests && cp {made} {self.folder}/build/fake-release/tests/bench_cells ;;
esac
""",
            0o755,
        )
        self.file("bin/nproc", "#!/bin/sh\necho 1\n", 0o755)
        for name, text in python.items():
            self.file(f"modules/{name}/__init__.py", text)
        return {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "PYTHONPATH": str(self.folder / "modules"),
            "PYTHON": sys.executable,
            "CXX": "fake",
            "BUILD_TYPE": "Release",
            "CHAR_LM_BEFORE": "no such commit",
            "ATEN_CPU_CAPABILITY": "",
        }

    def test_run(self):
        csv = f'for w in "$@"; do [ "$last" != --csv ] || echo "{results.HEAD}" > "$w"; last=$w; done\n'
        report = 'echo "cells: $* ATEN=${ATEN_CPU_CAPABILITY-}"\n'
        # The program does not start with PyTorch, does not build with the newer oneDNN, and does with ONNX
        # Runtime.
        missing = "echo 'libtorch_cpu.so: no such file' >&2; exit 127"
        start = f"! grep -q TORCH=/ {self.folder}/configured || {{ {missing}; }}\n"
        modules = {"torch": "", "onnxruntime": "", "matplotlib": "raise ImportError('no picture')"}
        environment = self.fake_tree(start + report + csv, modules)
        run = self.folder / "tests/bench/run"
        text = self.run_words(run, "--rounds", "1", ONEDNN="/elsewhere/onednn", **environment)
        why = "bench_cells does not build or start with it"
        self.assertRegex(text, f"Without torch .*: {why}: libtorch_cpu.so: no such")
        self.assertRegex(text, f"Without oneDNN .*: {why}: fatal error: no dnnl.h")
        self.assertNotIn("Without onnxruntime", text)
        self.assertIn("On two cores: not measured; there is one", text)
        self.assertIn("char_lm is not measured: the commit no such commit is not here", text)
        expected = "avx512" if processor.has_avx512() else ""
        self.assertRegex(text, f"cells: --rounds 1 --csv .*bench.csv ATEN={expected}\n")
        self.assertIn("No picture is drawn: no picture", text)
        configured = (self.folder / "configured").read_text()
        self.assertIn("-DSLUICE_TORCH=\n", configured)
        self.assertIn("-DSLUICE_ONEDNN=\n", configured)
        self.assertIn(f"-DSLUICE_ONNX={self.folder}/modules/onnxruntime\n", configured)

    def test_run_on_two_cores(self):
        environment = self.fake_tree('echo "cells: $* OMP=$OMP_NUM_THREADS"\n', {"matplotlib": "raise ImportError('no')"})
        # As the real one does, which answers with the number of threads that the libraries are told to take.
        self.file("bin/nproc", '#!/bin/sh\necho "${OMP_NUM_THREADS:-2}"\n', 0o755)
        text = self.run_words(self.folder / "tests/bench/run", **environment)
        self.assertRegex(text, "cells: --threads 2 .*OMP=2\n")
        self.assertRegex(text, "cells: --csv .*OMP=1\n")
        self.assertNotIn("there is one", text)

    def test_run_without_peers(self):
        modules = {"torch": "raise OSError('libcudart.so.12: no such file')", "matplotlib": "raise ImportError('no')"}
        environment = self.fake_tree('echo "ATEN=${ATEN_CPU_CAPABILITY-}"\n', {**modules, "onnxruntime": "import none"})
        environment["ATEN_CPU_CAPABILITY"] = "default"
        text = self.run_words(self.folder / "tests/bench/run", "step", **environment)
        self.assertRegex(text, "Without torch: .* cannot import it: libcudart.so.12: no such file")
        self.assertRegex(text, "Without onnxruntime: .* cannot import it: No module named 'none'")
        self.assertIn("ATEN=default", text)
        self.assertEqual((self.folder / "calls").read_text().count("--target bench_cells"), 1)

    def test_run_that_cannot_build(self):
        environment = self.fake_tree("exit 1\n", {"matplotlib": "raise ImportError('no')"})
        self.file("bin/cmake", "#!/bin/sh\necho 'no compiler'\nexit 1\n", 0o755)
        text = self.run_words(self.folder / "tests/bench/run", code=1, **environment)
        self.assertIn("no compiler", text)
        self.assertIn("bench_cells does not build or start, without PyTorch", text)


if __name__ == "__main__":
    unittest.main()
