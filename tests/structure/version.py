# SPDX-License-Identifier: BSL-1.0
"""One version: include/sluice/core/config.hpp has it, and what cannot read it there says the same.

    version.py ROOT          a sentence for each place that says another version, and fails if there is one
    version.py --self-test   shows that each is found
"""

import re
import sys
import tempfile
from pathlib import Path

HOME = "include/sluice/core/config.hpp"
# Each place must be there, once at the least, and say the whole version.
PLACES = (
    ("CHANGELOG.md", r"\A# Changes\n\n## (\S+?)(?:,.*)?\n"),
    ("packages/vcpkg/sluice/vcpkg.json", r'"version-semver": "([^"]*)"'),
    ("packages/debian/changelog", r"\Asluice \(([^)]*)\) "),
)
# Where a page or a recipe names a version of Sluice: major and minor, or all of it.
MENTIONS = (r"find_package\(sluice (\d[\d.]*)", r"\bsluice/(\d+\.[\d.]*\d)", r"\blibsluice-dev_(\d+\.[\d.]*\d)")
PAGES = ("README.md", "docs/**/*.md", "docs/**/*.yml", "examples/**/*.md", "apps/**/*.md", "packages/**/*.md")
# What reads the version must name none.
READERS = (("CMakeLists.txt", r"project\(sluice VERSION \d"), ("packages/conan/conanfile.py", r"^ +version = [\"']"))


def version_of(root):
    text = (root / HOME).read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define SLUICE_VERSION_{part} (\d+)\n", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def faults(root):
    version = version_of(root)
    for name, pattern in PLACES:
        found = re.search(pattern, (root / name).read_text(encoding="utf-8"))
        if not found or found[1] != version:
            yield f"{name} says the version {found[1] if found else 'nowhere'}, but {HOME} has {version}; change the first"
    for page in sorted({path for pattern in PAGES for path in root.glob(pattern)}):
        for pattern in MENTIONS:
            for said in re.findall(pattern, page.read_text(encoding="utf-8")):
                if said not in (version, version.rpartition(".")[0]):
                    yield f"{page.relative_to(root)} names the version {said}, but {HOME} has {version}; change the first"
    for name, pattern in READERS:
        if re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE):
            yield f"{name} has a version of its own; it should read {HOME}"


def self_test():
    good = {
        HOME: "#define SLUICE_VERSION_MAJOR 1\n#define SLUICE_VERSION_MINOR 2\n#define SLUICE_VERSION_PATCH 3\n",
        "CHANGELOG.md": "# Changes\n\n## 1.2.3, not released yet\n\n## 1.2.2\n",
        "packages/vcpkg/sluice/vcpkg.json": '{"version-semver": "1.2.3"}',
        "packages/debian/changelog": "sluice (1.2.3) unstable\n",
        "packages/conan/conanfile.py": "    def set_version(self):\n",
        "CMakeLists.txt": "project(sluice VERSION ${version})\n",
        "README.md": "find_package(sluice REQUIRED) find_package(sluice 1.2 REQUIRED) sluice/1.2.3 sluice/xtensor.hpp\n",
    }
    bad = (
        ("CHANGELOG.md", "# Changes\n\n## 1.2.4\n", "1.2.4"),
        ("CHANGELOG.md", "# Changes\n", "nowhere"),
        ("packages/vcpkg/sluice/vcpkg.json", '{"version-semver": "1.2"}', "1.2,"),
        ("packages/debian/changelog", "sluice (1.2.3-1) unstable\n", "1.2.3-1"),
        ("packages/conan/conanfile.py", '    version = "1.2.3"\n', "of its own"),
        ("CMakeLists.txt", "project(sluice VERSION 1.2.3)\n", "of its own"),
        ("README.md", "find_package(sluice 1.1 REQUIRED)\n", "1.1,"),
        ("docs/a/b.md", 'requires("sluice/1.2.2")\n', "1.2.2,"),
    )
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in good.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        assert not list(faults(root)), list(faults(root))
        for name, text, words in bad:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
            found = list(faults(root))
            assert len(found) == 1 and name in found[0] and words in found[0], (name, found)
            (root / name).write_text(good.get(name, ""))
    return 0


def main(root):
    found = list(faults(root))
    print("\n".join(found) or f"Every place says {version_of(root)}.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else main(Path(sys.argv[1]).resolve()))
