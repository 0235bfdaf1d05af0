# SPDX-License-Identifier: BSL-1.0
"""Prints what has to be built before the tests that ctest selects can run, one target of Ninja on a line.

usage: needed_by_tests.py BUILD [argument of ctest ...]     for instance: needed_by_tests.py build/g++-release -R '^plan'
       needed_by_tests.py --built BUILD                     the tests for which all is built, by their numbers: for ctest -I
       needed_by_tests.py --self-test

A test needs each file that its command or its property REQUIRED_FILES names, if the build makes that file. So the test
`plan`, whose command is BUILD/tests/test_plan, needs `tests/test_plan`.
"""
import pathlib
import re
import subprocess
import sys

NAME = re.compile(r"^ *Test +#(\d+): (.+)$", re.MULTILINE)
ENTRY = re.compile(r"^(add_test|set_tests_properties)\(\[=*\[(.+?)\]=*\] (.*)\)$", re.MULTILINE)
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
REQUIRED = re.compile(r' REQUIRED_FILES "((?:[^"\\]|\\.)*)"')


def files_of_tests(text):
    """The files that a CTestTestfile.cmake names for each of its tests."""
    files = {}
    for kind, test, rest in ENTRY.findall(text):
        if kind == "add_test":
            named = QUOTED.findall(rest)
        else:
            named = [path for paths in REQUIRED.findall(rest) for path in paths.split(";")]
        files.setdefault(test, []).extend(named)
    return files


def targets_of(words, build, targets):
    """The files in these words of a command, or list of files, that the build makes, by the names Ninja has for them."""
    found = []
    for word in words:
        start = word.find(f"{build}/")  # also of -DFIRST=BUILD/program
        if start >= 0:
            file = word[start:]
            found += [name for name in (file.removeprefix(f"{build}/"), file) if name in targets][:1]
    return found


def run(*command):
    # Ctest tells of each program that is not built yet.
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}.\n{done.stdout}{done.stderr}")
    return done.stdout


def outputs_of(log):
    """What Ninja has made: each line of its log, after the first, ends with a file and a hash."""
    return {line.split("\t")[3] for line in log.splitlines()[1:]}


def needs(build, arguments):
    """The number and the name of each test that ctest selects, with what Ninja has to make before it runs."""
    selected = NAME.findall(run("ctest", "--test-dir", str(build), "--show-only", *arguments))
    if not selected:
        sys.exit(f"No test is selected by: {' '.join(arguments)}. `ctest --test-dir {build} --show-only` lists all.")
    files = {}
    for path in build.rglob("CTestTestfile.cmake"):
        files.update(files_of_tests(path.read_text()))
    targets = {line.rsplit(": ", 1)[0] for line in run("ninja", "-C", str(build), "-t", "targets", "all").splitlines()}
    return [(number, name, targets_of(files.get(name, []), build, targets)) for number, name in selected]


def print_needed(build, arguments):
    print("\n".join(sorted({target for _, _, targets in needs(build, arguments) for target in targets})))


def print_built(build):
    log = build / ".ninja_log"
    outputs = outputs_of(log.read_text()) if log.exists() else set()
    tests = needs(build, [])
    built = [number for number, _, targets in tests if outputs.issuperset(targets)]
    print(f"== Not compiled in time, and left out: {len(tests) - len(built)} of {len(tests)} tests", file=sys.stderr)
    print(",".join(["0", "0", "0", *built]))


def self_test():
    text = (
        'add_test([=[plan]=] "/b/tests/test_plan")\n'
        'set_tests_properties([=[plan]=] PROPERTIES  ENVIRONMENT "A=1;B=2")\n'
        'add_test([=[refuse.x]=] "/usr/bin/python3" "/s/check.py" "/s/x.cpp" "-I/b/tests/refuse")\n'
        'set_tests_properties([=[refuse.x]=] PROPERTIES  REQUIRED_FILES "/b/r/a.gch;/b/r/b.gch" _BACKTRACE "/b/no")\n'
    )
    files = files_of_tests(text)
    assert files["plan"] == ["/b/tests/test_plan"], files
    assert files["refuse.x"][-2:] == ["/b/r/a.gch", "/b/r/b.gch"], files
    build = pathlib.Path("/b")
    assert targets_of(files["plan"], build, {"tests/test_plan", "all"}) == ["tests/test_plan"]
    assert targets_of(files["refuse.x"], build, {"r/a.gch", "/b/r/b.gch"}) == ["r/a.gch", "/b/r/b.gch"]
    assert targets_of(["-DFIRST=/b/tests/first", "all", "/usr/bin/all"], build, {"tests/first", "all"}) == ["tests/first"]
    assert NAME.findall("Test project /b\n  Test   #7: plan\n  Test #12: cell.a b\n\nTotal Tests: 2\n") == [("7", "plan"), ("12", "cell.a b")]
    assert outputs_of("# ninja log v5\n1\t2\t3\ttests/a.o\t9f\n2\t4\t5\ttests/test_a\tc1\n") == {"tests/a.o", "tests/test_a"}


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    elif len(sys.argv) == 3 and sys.argv[1] == "--built":
        print_built(pathlib.Path(sys.argv[2]).resolve())
    elif len(sys.argv) > 1:
        print_needed(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:])
    else:
        sys.exit(__doc__)
