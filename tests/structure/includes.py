# SPDX-License-Identifier: BSL-1.0
"""Each header includes what it uses of the standard library, itself or through a header of the library that it includes.

    includes.py ROOT         fails where a header uses a name of std:: and no header that has it is included
    includes.py --self-test  shows that each fault is found

That it includes what it uses of the library, of xtensor and of Hana, the compiler says: structure.headers. There the standard
library is compiled beforehand, which would hide what is forgotten of it.
"""

import re
import sys
import tempfile
from pathlib import Path

# The names that the headers use, by the header that has them. A name of std::ranges stands without
# `ranges::`.
NAMES = {
    "algorithm": "max min copy_n fill_n copy find sort all_of any_of count reverse max_element equal fill clamp transform for_each "
                 "stable_sort includes mismatch adjacent_find minmax count_if move_backward lower_bound upper_bound unique",
    "array": "array",
    "atomic": "atomic memory_order_relaxed memory_order_release memory_order_acquire memory_order_seq_cst atomic_signal_fence",
    "bit": "bit_cast rotl countl_zero bit_floor endian",
    "charconv": "to_chars from_chars chars_format",
    "chrono": "chrono",
    "cmath": "isfinite sqrt fma isnan exp pow expm1 isinf log log1p erf signbit ceil log2 ldexp tanh cos sin",
    "concepts": "same_as convertible_to floating_point integral derived_from default_initializable constructible_from semiregular "
                "movable copyable signed_integral",
    "cstddef": "size_t ptrdiff_t byte to_integer max_align_t",
    "cstdint": "uint64_t uint32_t int64_t uint16_t uint8_t int32_t uintmax_t uintptr_t",
    "cstdlib": "getenv",
    "cstring": "memcpy memcmp",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream",
    "functional": "function less greater less_equal plus",
    "initializer_list": "initializer_list",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map",
    "memory": "shared_ptr make_shared unique_ptr make_unique allocator weak_ptr addressof",
    "mutex": "mutex lock_guard recursive_mutex scoped_lock",
    "new": "bad_alloc align_val_t launder",
    "numeric": "gcd iota",
    "optional": "optional nullopt",
    "set": "set",
    "span": "span as_bytes as_writable_bytes",
    "sstream": "istringstream ostringstream",
    "stdexcept": "invalid_argument logic_error runtime_error out_of_range length_error",
    "string": "string to_string getline",
    "string_view": "string_view",
    "system_error": "error_code errc generic_category",
    "thread": "thread this_thread",
    "tuple": "tuple tie apply tuple_cat",
    "type_traits": "is_same_v conditional_t integral_constant decay_t is_void_v remove_const_t remove_cvref_t remove_cv_t "
                   "type_identity_t is_const_v is_signed_v remove_reference_t is_arithmetic_v is_integral_v is_trivially_copyable_v "
                   "add_const_t is_class_v is_final_v is_invocable_r_v is_base_of_v has_unique_object_representations_v",
    "utility": "move index_sequence make_index_sequence exchange swap integer_sequence pair make_integer_sequence as_const declval "
               "index_sequence_for forward cmp_less",
    "variant": "variant visit",
    "vector": "vector erase_if",
}
OTHERS = {"utility": {"memory", "tuple", "vector", "string", "algorithm", "map", "array", "optional", "span", "functional", "variant",
                      "string_view", "set", "type_traits"},  # these say that they have move, forward, swap, declval or pair
          "string_view": {"string"}, "initializer_list": {"vector", "string", "utility", "algorithm", "map", "set", "array"},
          "cstddef": {"array", "vector", "string", "string_view", "span", "memory", "tuple", "cstring", "utility", "map"}}
HOME = {name: header for header, names in NAMES.items() for name in names.split()}


def texts_of(root):
    """The headers' code without comments and strings, by the name by which they are included."""
    found = {}
    for folder in [root / "include", *sorted((root / "backends").glob("*/include"))]:
        for path in sorted(folder.rglob("*.hpp")):
            text = re.sub(r"//.*", "", path.read_text())
            found[path.relative_to(folder).as_posix()] = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    return found


def faults(root):
    texts = texts_of(root)
    included = {name: set(re.findall(r"^ *# *include *<([^>]+)>", text, re.MULTILINE)) for name, text in texts.items()}
    for name, text in texts.items():
        seen, todo = set(), [name]
        while todo:
            for header in included.get(todo.pop(), ()):
                if header not in seen:
                    seen.add(header)
                    todo.append(header)
        for used in sorted(set(re.findall(r"\bstd::(?:ranges::)?(\w+)", text))):
            home = HOME.get(used)
            if home and home not in seen and not OTHERS.get(home, set()) & seen:
                yield f"{name} uses std::{used}; include <{home}>"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        headers = root / "include/sluice"
        headers.mkdir(parents=True)
        (headers / "a.hpp").write_text("#include <vector>\nstd::vector<int> a;\n")
        (headers / "b.hpp").write_text("#include <sluice/a.hpp>\nstd::vector<int> b; // std::map\n")
        assert not list(faults(root)), list(faults(root))
        (headers / "b.hpp").write_text("std::vector<int> b;\n")
        assert list(faults(root)) == ["sluice/b.hpp uses std::vector; include <vector>"], list(faults(root))
        (headers / "b.hpp").write_text("#include <sluice/a.hpp>\nint b = std::ranges::max({1, 2});\n")
        assert list(faults(root)) == ["sluice/b.hpp uses std::max; include <algorithm>"], list(faults(root))


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        found = list(faults(Path(sys.argv[1])))
        print("\n".join(found))
        sys.exit(1 if found else 0)
