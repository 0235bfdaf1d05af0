// SPDX-License-Identifier: BSL-1.0
// Every word of the language, in generated kernels.
#include <device/planned.hpp>
#include <support/word_cells.hpp>

namespace planned_words_test {

TEST_CASE_TEMPLATE("words of the language on a CUDA device", Page, word_cells::activations,
                   word_cells::with_kinks, word_cells::elementary, word_cells::comparing,
                   word_cells::reducing, word_cells::cumulating) {
    planned_policy::device_agrees<support::sized<Page>, double>(1e-11);
}

} // namespace planned_words_test
