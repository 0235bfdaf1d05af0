# SPDX-License-Identifier: BSL-1.0
"""Something is said of each public name, so that the book's reference has a word for it: docs/generate/api.py says what that means.

    said.py ROOT           fails where nothing is said of a public name that does not stand in UNSAID, and where that has one too many
    said.py --self-test    shows what becomes of a header, and that each fault is found
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs/generate"))
from api import Reference, groups, write  # noqa: E402

# Names without a comment: only ever fewer.
UNSAID = frozenset("""
sluice::atom_kind sluice::basic_matching sluice::basic_normal_form sluice::basic_text sluice::basic_widths sluice::bits_of
sluice::block_map sluice::buffer_map sluice::built_in_operations sluice::carried_values sluice::checkpoint_errors::shape_text
sluice::checkpoint_errors::shown_path sluice::cudnn::basic_kernels sluice::cudnn::code_of sluice::cudnn::is_not_supported
sluice::cudnn::name_of sluice::cudnn::recorded_graphs sluice::cudnn::rnn_lowering sluice::cudnn::rnn_scalar
sluice::cudnn::rnn_shape sluice::cudnn::rnn_stack_engine sluice::cudnn::unique_dropout sluice::cudnn::unique_rnn
sluice::cudnn::unique_rnn_data sluice::cudnn::unique_tensor sluice::cudnn::weight_layout sluice::cudnn::weight_map
sluice::dtype_named sluice::dtype_of sluice::equation::can_be_delayed sluice::equation::has_name
sluice::equation::is_equation_set sluice::equation::is_line sluice::equation::is_reversed sluice::extents_of
sluice::find_buffers sluice::find_phases sluice::find_rematerialized sluice::find_schedule sluice::first_character
sluice::give_shapes sluice::groups_apart sluice::intern_width sluice::is_own_arithmetic sluice::keras::read sluice::kind_of
sluice::kind_of_operation sluice::layout::keras_gru_names sluice::layout::tf_cudnn_gru_names sluice::layout::tf_lstm_names
sluice::matching_facts sluice::meanings_of sluice::moment_of sluice::name_of sluice::net_layer sluice::net_steps
sluice::normal_form_view sluice::npz::ending sluice::operation_list sluice::phase_map sluice::prepared_tasks
sluice::reads_back_to sluice::refused::about sluice::refused::in_gate sluice::refused::width sluice::replay_map
sluice::rewriting::count_of_lines sluice::rewriting::rewriter sluice::rewriting::zero_for sluice::rows_of sluice::same_sum
sluice::step_map sluice::sweep_memory sluice::sweep_run sluice::symmetric sluice::transfers sluice::write_programs
sluice::xtensor::aligned_numbers sluice::xtensor::flushed_denormals
sluice::xtensor::instruction_set sluice::xtensor::machine_digits sluice::xtensor::matrix_kernel
sluice::xtensor::pointwise_kernel sluice::xtensor::reference_engine sluice::xtensor::reference_lowering
""".split())


def unsaid(reference):
    """Public names of which nothing is said, with their headers."""
    for header, names in sorted(reference.names.items()):
        for name, all_of_it in groups(names).items():
            if not any(one.is_said for one in all_of_it):
                yield name, header, all_of_it[0].first + 1


def faults(reference, known):
    found = list(unsaid(reference))
    for name, header, line in found:
        if name not in known:
            yield f"{header}:{line}: nothing is said of the public name {name}; write a comment of three slashes in front of it"
    for name in sorted(known - {name for name, _, _ in found}):
        yield f"{name} stands in UNSAID, and something is said of it; take it out"


SELF_TEST = """// SPDX-License-Identifier: BSL-1.0
// A box: what keeps a number.
//
//   box b(3);
#pragma once
#include <string>

namespace sluice {

namespace detail {
int hidden();
}

/// Whether it can be kept.
template <class T>
concept kept = requires(T t) { t + 1; };

/// What goes wrong.
enum class fault {
    none,
    late, ///< too late
};

class box {
public:
    int width = 3; ///< in `units`,
                   ///< at most 7
    /// Keeps it.
    explicit box(int n) : kept_(n) {}
    template <class T>
    bool has(T const& t) const noexcept(true) requires(sizeof(T) > 1) {
        return t == kept_;
    }
    /// A part.
    struct part {
        int of = 0;
    };

private:
    int kept_ = 0;
    void forget();
};

/// Adds
/// both * parts.
constexpr int sum(int a, std::string const& text = "a;b{") {
    return a;
}
constexpr int sum(int a, char c) { return a; }

int silent(int a);

/// The most.
inline constexpr int most = 24;
inline constexpr auto maker = [](auto a) {
    int b = 0;
    return a +
           b;
};

} // namespace sluice
"""


def self_test():
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve()
        header = root / "include/sluice/core/box.hpp"
        header.parent.mkdir(parents=True)
        (root / "backends").mkdir()
        header.write_text(SELF_TEST)
        reference = Reference(root)
        write(reference, root)
        page, index = (root / "api/core.md").read_text(), (root / "api/index.md").read_text()
        for text in ("## sluice/core/box.hpp", "A box: what keeps a number.\n\n```cpp\n  box b(3);\n```", "Whether it can be kept.\n\n```cpp\ntemplate <class T>\n"
                     "concept kept = requires(T t) { t + 1; };\n```", "enum class fault {\n    none,\n    late, ///< too late\n};\n```",
                     "class box {\n    /// in `units`,\n    /// at most 7\n    int width = 3;\n    /// Keeps it.\n    explicit box(int n);\n    template <class T>\n"
                     "    bool has(T const& t) const noexcept(true) requires(sizeof(T) > 1);\n    /// A part.\n    struct part {\n        int of = 0;\n    };\n};\n```",
                     "Adds both \\* parts.\n\n```cpp\nconstexpr int sum(int a, std::string const& text = \"a;b{\");\n```\n\n```cpp\nconstexpr int sum(int a, char c);\n```",
                     "inline constexpr int most = 24;", "inline constexpr auto maker = ...;"):
            if text not in page:
                yield f"the page should have:\n{text}\n"
        for text in ("hidden", "forget", "kept_"):
            if text in page + index:
                yield f"{text} is not public"
        if "| [sum](core.md#box-sum) | `sluice/core/box.hpp` |" not in index:
            yield "the index should have sum"
        found = list(faults(reference, frozenset({"sluice::box"})))
        expected = ["sluice/core/box.hpp:51: nothing is said of the public name sluice::silent; write a comment of three slashes in front of it",
                    "sluice::box stands in UNSAID, and something is said of it; take it out"]
        if found != expected:
            yield f"the faults should be {expected}, and are {found}"


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    if arguments[0] == "--self-test":
        found = list(self_test())
    else:
        found = list(faults(Reference(Path(arguments[0]).resolve()), UNSAID))
    print("\n".join(found) or "Something is said of each public name.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
