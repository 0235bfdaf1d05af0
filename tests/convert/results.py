#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What convert writes overwrites no other result and nothing that it reads, and its headers are C++, whatever they are
called.

    results.py PROGRAM RECORDINGS
"""

import os
import tempfile
from pathlib import Path

from program import recordings, run, says

# all keywords of C++20, its alternative tokens, and its identifiers with a special meaning
WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl concept
const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double
dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept
not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof
static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union
unsigned using virtual void volatile wchar_t while xor xor_eq
final import module override
""".split()
# namespaces, functions, types and macros that a program has in sight
NAMES = "std std2 posix sluice xt boost main time read exit index size_t linux unix errno NULL EOF assert".split()

with tempfile.TemporaryDirectory() as folder:
    here = Path(folder)
    gru = recordings / "flax/gru.safetensors"
    for word in WORDS + NAMES:
        header = here / f"{word}.hpp"
        run(gru, "--from", "flax_gru", "--header", header)
        text = header.read_text()
        assert f"\nnamespace {word}_weights {{\n" in text and text.endswith(f"}} // namespace {word}_weights\n"), word
        header.unlink()
    for name, space in {"weights": "weights", "my_weights": "my_weights", "trailing_": "trailing_weights"}.items():
        run(gru, "--from", "flax_gru", "--header", here / f"{name}.hpp")
        assert f"\nnamespace {space} {{\n" in (here / f"{name}.hpp").read_text()
        (here / f"{name}.hpp").unlink()
    for name in "_Weights", "_weights", "__x", "a__b", "1st", "a-b", "a.b", "w\u00e4", " ", "_", "a;b":
        says("is no name of C", gru, "--from", "flax_gru", "--header", here / f"{name}.hpp", code=2)
    assert not list(here.iterdir())

    # two results in one file, whichever way it is called
    (here / "there").mkdir()
    (here / "folder").symlink_to("there")
    (here / "dangling.hpp").symlink_to("p_weights.npz")
    both = ["--from", "flax", "--to", "keras", "p_weights.npz", "--header"]
    once = sorted(here.rglob("*"))
    ways = ["p_weights.npz", "./p_weights.npz", "there/../p_weights.npz", here / "p_weights.npz", "dangling.hpp"]
    for other in ways:
        says("are one file", gru, *both, other, code=2, cwd=here)
    both[4] = "there/p_weights.npz"
    says("are one file", gru, *both, "folder/p_weights.npz", code=2, cwd=here)
    both[4] = "p_weights.npz"
    assert sorted(here.rglob("*")) == once, "a refused call has made a file"
    (here / "p_weights.npz").write_text("old")
    os.link(here / "p_weights.npz", here / "hard_weights.hpp")
    (here / "soft_weights.hpp").symlink_to("p_weights.npz")
    for other in [*ways, "hard_weights.hpp", "soft_weights.hpp"]:
        says("are one file", gru, *both, other, code=2, cwd=here)
        assert (here / "p_weights.npz").read_text() == "old"
    # where one result cannot be written, the other one is not
    (here / "blocked.npz").mkdir()
    os.mkfifo(here / "fifo.npz")
    for blocked in "none/weights.npz", "blocked.npz", "fifo.npz":
        run(gru, *both, blocked, code=1, cwd=here)
        run(gru, "--from", "flax", "--to", "keras", blocked, "--header", "fine_weights.hpp", code=1, cwd=here)
        assert (here / "p_weights.npz").read_text() == "old" and not (here / "fine_weights.hpp").exists()

    # a result in place of the file that is read
    source = here / "source_weights.safetensors"
    source.write_bytes(gru.read_bytes())
    os.link(source, here / "hard_source_weights.safetensors")
    (here / "soft_source_weights.safetensors").symlink_to(source.name)
    for other in source.name, f"./{source.name}", "hard_source_weights.safetensors", "soft_source_weights.safetensors":
        for what in ["--to", "keras", other], ["--header", other]:
            says("is the file that is read", source, "--from", "flax_gru", *what, code=2, cwd=here)
            says("is the file that is read", here / other, "--from", "flax_gru", *what[:-1], source, code=2, cwd=here)
            assert source.read_bytes() == gru.read_bytes()

    # what is no file to read or to write is answered at once
    says("not a regular file", here / "fifo.npz", code=1)
    says("it is a FIFO", gru, "--from", "flax", "--to", "keras", here / "fifo.npz", code=1)
    says("not a regular file", here / "blocked.npz", code=1)
    says("it is a folder", gru, "--from", "flax", "--to", "keras", here / "blocked.npz", code=1)
