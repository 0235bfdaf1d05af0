// SPDX-License-Identifier: BSL-1.0
// The text of kernels, as the compiler of CUDA takes it: for each architecture that NVRTC knows of those
// asked for, without memory that is local to a thread, and with accesses of 16 bytes.
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cudnn/kernels/row_source.hpp>
#include <sluice/cudnn/runtime/compile.hpp>
#include <sluice/net/plan_lowering.hpp>
#include <sluice/source/loop_source.hpp>
#include <support/own_cells.hpp>
#include <support/reducing_cells.hpp>
#include <support/word_cells.hpp>

namespace {

using full_lstm = sluice::lstm_with<sluice::activation::tanh, true, true>;

using namespace sluice::equation;
struct carried {
    static constexpr auto equations =
        sluice::lines(next(h) = sigmoid(x * W<"z"> + b<"z">) * h + tanh(x * W<"n">));
};

template <class Plan, class S>
std::vector<sluice::printed_kernel> kernels_of() {
    std::vector<sluice::printed_kernel> found;
    for (int k = 0; k < Plan::plan.blocks.size(); ++k)
        found.push_back(sluice::kernel_source<typename Plan::operations, S>(Plan::plan, k));
    return found;
}

bool is_known(int architecture) {
    auto const found = sluice::cudnn::architecture_for(architecture / 10, architecture % 10);
    return found.number == architecture && !found.is_virtual;
}

/// How often a text has such words.
std::size_t count_of(std::string_view words, std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1))
        ++count;
    return count;
}

template <class Page, class S, bool InRegisters = true>
void check_page(std::initializer_list<int> architectures) {
    for (int const architecture : architectures) {
        if (!is_known(architecture))
            continue;
        std::vector<sluice::printed_kernel> all = kernels_of<sluice::detail::forward_plan<Page>, S>();
        auto const backward = kernels_of<sluice::detail::backward_plan<Page>, S>();
        all.insert(all.end(), backward.begin(), backward.end());
        CHECK(!all.empty());
        for (auto const& kernel : all) {
            CAPTURE(kernel.text);
            auto const made =
                sluice::cudnn::compile(kernel.text, {architecture, false}, {"--ptxas-options=-v"});
            CAPTURE(made.log);
            CHECK(made.code.starts_with("\x7f"
                                        "ELF"));
            std::size_t const entries = kernel.layout.packs > 1 ? 2 : 1;
            CHECK(count_of("Compiling entry function", made.log) == entries);
            if (InRegisters)
                CHECK(count_of(" 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", made.log) ==
                      entries);
            CHECK(count_of("warning", made.log) == 0);
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("source: blocks of the stock cells become machine code without local memory", Page,
                   sluice::gru, full_lstm) {
    check_page<Page, float>({80, 90, 100});
    check_page<Page, sluice::half>({90});
}

TEST_CASE("source: blocks of users' cells with reductions do as well") {
    check_page<own_cells::traced, sluice::bfloat16>({90});
    check_page<reducing_cells::attentive, float>({80, 90, 100});
    check_page<reducing_cells::attentive, double>({90});
}

TEST_CASE("source: every word of the language has a text that the compiler of CUDA takes") {
    check_page<word_cells::activations, float>({90});
    check_page<word_cells::with_kinks, float>({90});
    check_page<word_cells::elementary, double, false>({90}); // sines of large numbers take memory
    check_page<word_cells::elementary, float, false>({90});
    check_page<word_cells::comparing, sluice::half>({90});
    check_page<word_cells::reducing, float>({90});
    check_page<word_cells::cumulating, float>({90});
    check_page<word_cells::narrow, float>({90});
    check_page<word_cells::scanning, float>({90});
    check_page<word_cells::reducing_groups, float>({90});
    check_page<word_cells::cumulating, sluice::half>({90});
}

TEST_CASE("source: a loop that is one kernel does as well") {
    auto const loop =
        sluice::loop_source<sluice::passes<carried>::operations, float>(sluice::plans<carried>::forward);
    REQUIRE(loop);
    auto const made = sluice::cudnn::compile(loop->text, {80, false}, {"--ptxas-options=-v"});
    CAPTURE(made.log);
    CHECK(count_of(" 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", made.log) == 1);
    CHECK(count_of("warning", made.log) == 0);
}

TEST_CASE_TEMPLATE("source: kernels that are no blocks do as well", S, float, double, sluice::half,
                   sluice::bfloat16) {
    namespace source = sluice::cudnn::detail;
    for (std::string const& text :
         {source::total_source<S>(), source::spread_source<S>(),
          source::arrange_source<S, true, true, true>(), source::arrange_source<S, false, true, true>(),
          source::arrange_source<S, true, false, false>()}) {
        auto const made = sluice::cudnn::compile(text, {90, false}, {"--ptxas-options=-v"});
        CAPTURE(made.log);
        CHECK(count_of(" 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", made.log) == 1);
        CHECK(count_of("warning", made.log) == 0);
    }
}

TEST_CASE("source: kernels read and write 16 bytes at a time") {
    auto const check_accesses = [](auto scalar, char const* load, char const* store) {
        for (auto const& kernel :
             kernels_of<sluice::detail::inference_plan<sluice::gru>, decltype(scalar)>()) {
            std::string const ptx = sluice::cudnn::compile(kernel.text, {80, true}).code;
            std::size_t const packed = ptx.find(".entry block_packed");
            REQUIRE(packed != ptx.npos);
            std::size_t const behind = ptx.find(".entry block_scalar");
            std::string const entry = ptx.substr(packed, behind < packed ? ptx.npos : behind - packed);
            CHECK(count_of(load, entry) == static_cast<std::size_t>(kernel.layout.loads));
            CHECK(count_of("ld.global", entry) == static_cast<std::size_t>(kernel.layout.loads));
            CHECK(count_of(store, entry) == static_cast<std::size_t>(kernel.layout.stores));
            CHECK(count_of("st.global", entry) == static_cast<std::size_t>(kernel.layout.stores));
        }
    };
    check_accesses(float(), "ld.global.v4.f32", "st.global.v4.f32");
    check_accesses(double(), "ld.global.v2.f64", "st.global.v2.f64");
    check_accesses(sluice::half(), "ld.global.v4.u32", "st.global.v4.u32");
}

TEST_CASE("source: the text of the GRU's block that makes the next state") {
    std::string const text = sluice::kernel_source<sluice::passes<sluice::gru>::operations, float>(
                                 sluice::plans<sluice::gru>::inference, 1)
                                 .text;
    std::string const file = GOLDEN "/gru.cu";
    if (char const* const rewrite = std::getenv("SLUICE_REWRITE_GOLDEN");
        rewrite != nullptr && *rewrite == '1')
        std::ofstream(file) << text;
    std::ifstream golden(file);
    CHECK(text == std::string(std::istreambuf_iterator<char>(golden), std::istreambuf_iterator<char>()));
}

TEST_CASE("source: a text that does not compile is refused with what the compiler says, and with the text") {
    try {
        (void)sluice::cudnn::compile("__global__ void f() { undeclared(); }", {80, false});
        FAIL("compiled");
    } catch (sluice::cudnn::device_error const& error) {
        std::string const said = error.what();
        CHECK(said.starts_with("sluice: NVRTC could not compile a kernel for sm_80, of which it says\n"));
        CHECK(said.find("identifier \"undeclared\" is undefined") != said.npos);
        CHECK(said.find("__global__ void f() { undeclared(); }") != said.npos);
        CHECK(said.ends_with("NVRTC_ERROR_COMPILATION"));
    }
}

TEST_CASE("source: a device that is newer than the compiler gets a text for the newest that it knows") {
    CHECK(sluice::cudnn::architecture_for(8, 0).name() == "sm_80");
    auto const newest = sluice::cudnn::architecture_for(99, 9);
    CHECK(newest.is_virtual);
    CHECK(newest.number >= 90);
    CHECK_THROWS_WITH_AS(sluice::cudnn::architecture_for(1, 0), doctest::Contains("and newer ones only"),
                         sluice::cudnn::device_error);
}
