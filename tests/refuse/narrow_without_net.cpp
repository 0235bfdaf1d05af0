// SPDX-License-Identifier: BSL-1.0
// A save in fewer bits of what has no weights.
// expect: sluice: a save in fewer bits .* a cell or a stack, and none of these objects has equations; give one, or leave .weights out
#include <sluice/checkpoint/checkpoint.hpp>

struct numbers {
    float one = 0;

    template <class F>
    void visit_tensors(F&& f) const {
        f(std::string_view("one"), std::span<std::size_t const>(), std::span<float const>(&one, 1));
    }
    template <class F>
    void visit_tensors(F&& f) {
        f(std::string_view("one"), std::span<std::size_t const>(), std::span<float>(&one, 1));
    }
};
struct weights : numbers {
    char const* equations_text() const { return "next(h) = h"; }
};

void save_all(numbers const& n, [[maybe_unused]] weights const& w) {
#ifdef ACCEPT
    sluice::save("m", {.weights = sluice::dtype::i8}, n, w);
#else
    sluice::save("m", {.weights = sluice::dtype::i8}, n);
#endif
}
