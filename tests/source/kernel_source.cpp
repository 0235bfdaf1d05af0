// SPDX-License-Identifier: BSL-1.0
// The source of the kernel of a block: what its frame has, and which passes it makes. tests/cuda compiles
// such texts, and tests/device runs them.
#include <sluice/source/kernel_source.hpp>

#include <doctest/doctest.h>
#include <sluice/plan/make_plan.hpp>
#include <support/graph_text.hpp>

namespace kernel_source_test {

namespace {

template <class S>
sluice::printed_kernel kernel_of(std::string const& text) {
    auto const of = graph_text::sweep_of(text);
    sluice::plan const p = sluice::make_plan(of.s);
    REQUIRE(p.blocks.size() == 1);
    return sluice::kernel_source<graph_text::operations, S>(sluice::view_of(p), 0);
}
bool says(sluice::printed_kernel const& kernel, std::string_view words) {
    return kernel.text.find(words) != std::string::npos;
}

char const* const plain = R"(
    x = input [T B 5]
    h = state [T B 5]
    v1 = add x h [T B 5]
    v2 = tanh v1 [T B 5]
    gives output v2
    gives next(h) v2
)";

} // namespace

TEST_CASE("kernel source: a block without reductions has a kernel for packs of 16 bytes as well") {
    auto const single = kernel_of<float>(plain), twice = kernel_of<double>(plain),
               narrow = kernel_of<sluice::half>(plain);
    CHECK((single.layout.packs == 4 && twice.layout.packs == 2 && narrow.layout.packs == 8));
    for (auto const* one : {&single, &twice, &narrow}) {
        CHECK((one->layout.loads == 2 && one->layout.stores == 1 && one->layout.counts.empty()));
        CHECK(!one->layout.has_reduction);
        CHECK((says(*one, "place in[2];") && says(*one, "place out[1];") && !says(*one, "counts[")));
        CHECK((says(*one, "block_scalar") && says(*one, "block_packed")));
        CHECK(says(*one, "number const r2 = r0 + r1;"));
    }
    CHECK((says(single, "tanhf(r2)") && says(twice, "tanh(r2)") && says(narrow, "tanhf(r2)")));
    CHECK((says(narrow, "numbers[2];") && narrow.layout.has_numbers)); // a setting is no number in memory
    CHECK((!says(single, "numbers[") && !single.layout.has_numbers));
}

TEST_CASE("kernel source: a reduction makes a row the work of threads together, with its own function") {
    auto const kernel = kernel_of<float>(R"(
        x = input [T B 5]
        h = state [T B 5]
        v1 = add x h [T B 5]
        v2 = sum v1 [T B]
        v3 = features v1 []
        v4 = divide v2 v3 [T B]
        v5 = subtract v1 v4 [T B 5]
        gives output v5
        gives next(h) v5
    )");
    CHECK(kernel.layout.has_reduction);
    CHECK(kernel.layout.counts.size() == 1);
    CHECK((says(kernel, "size counts[1];") && says(kernel, "(number)f.counts[0]")));
    CHECK(says(kernel, "(number a, number b) {\n    number const y = a + b;\n    return y;\n}"));
    CHECK(says(kernel, "over_row_"));
    CHECK(!says(kernel, "before_"));
}

TEST_CASE("kernel source: threads make an associative scan together, in its direction") {
    auto const kernel = kernel_of<float>(R"(
        h = state [T B 5]
        v1 = cumsum h [T B 5]
        v2 = reverse_cumsum v1 [T B 5]
        gives output v2
        gives next(h) v2
    )");
    CHECK(says(kernel, "number step_1(number before, number z0) {\n    number const next = before + z0;"));
    CHECK(says(kernel, "step_1(s1, before_1(mine, part, all, s1_start))"));
    CHECK(says(kernel, "lane >= step ? step_1(other, z) : z"));
    CHECK(says(kernel, "lane + step < 32 ? step_2(other, z) : z"));
    CHECK(!says(kernel, "pass_on_"));
}

TEST_CASE("kernel source: infinity is defined where a text names it, and nowhere else") {
    auto const with = kernel_of<float>(R"(
        h = state [T B 5]
        v1 = max h [T B]
        v2 = subtract h v1 [T B 5]
        gives output v2
        gives next(h) v2
    )");
    CHECK((says(with, "#define infinity") && says(with, "-infinity")));
    CHECK(!says(kernel_of<float>(plain), "infinity"));
}

} // namespace kernel_source_test
