// SPDX-License-Identifier: BSL-1.0
// Every word of the language, in generated kernels.
#include <device/planned.hpp>
#include <support/derivative_cells.hpp>
#include <support/word_cells.hpp>

namespace planned_words_test {

TEST_CASE_TEMPLATE("planned words: words of the language on a CUDA device", Page, word_cells::activations,
                   word_cells::with_kinks, word_cells::elementary, word_cells::comparing,
                   word_cells::reducing, word_cells::cumulating, word_cells::scanning, word_cells::narrow) {
    planned_policy::device_agrees<support::sized<Page>, double>(1e-11);
}

TEST_CASE_TEMPLATE("planned words: scans of more columns than a block has threads", Page,
                   word_cells::cumulating, word_cells::scanning) {
    using sized = support::sized<Page>;
    for (std::size_t const units : std::initializer_list<std::size_t>{31, 33, 67, 260, 263, 600}) {
        CAPTURE(units);
        support::example<support::subject<sized, double, sluice::cudnn::planned>> const a(3, 2, units, 3);
        support::they_agree(a, support::example<support::reference<sized, double>>(3, 2, units, 3), {},
                            1e-10);
    }
}

TEST_CASE("planned words: derivatives on a CUDA device") {
    using namespace derivative_cells;
    constexpr static sluice::sizes in_heads{.input = 3, .units = 10, .groups = 2};
    planned_policy::device_agrees<support::sized<energy>, double>(1e-11);
    planned_policy::device_agrees<support::sized<nonlinear_memory, in_heads>, double>(1e-11);
    planned_policy::device_agrees<support::sized<of_second_order, in_heads>, double>(1e-10);
}

TEST_CASE("planned words: reductions within groups on a CUDA device, of groups that are smaller and larger "
          "than a warp") {
    using in_groups =
        support::sized<word_cells::reducing_groups, sluice::sizes{.input = 3, .units = 6, .groups = 2}>;
    for (std::size_t const units : std::initializer_list<std::size_t>{6, 66, 264, 522}) {
        CAPTURE(units);
        support::example<support::subject<in_groups, double, sluice::cudnn::planned>> const a(3, 2, units, 3);
        support::they_agree(a, support::example<support::reference<in_groups, double>>(3, 2, units, 3), {},
                            1e-9);
    }
}

} // namespace planned_words_test
