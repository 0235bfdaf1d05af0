// SPDX-License-Identifier: BSL-1.0
// A convention as a value, and what is wrong with one that does not cover its page: each fault with the name
// that it is about.
#include <doctest/doctest.h>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/convention.hpp>
#include <support/both.hpp>

namespace convention_test {

using namespace sluice;
using namespace sluice::layout;
using sluice::layout::detail::layout_fault;

namespace {

/// A page with a setting, a scalar and groups.
struct own_page {
    static constexpr auto equations = [] {
        using namespace equation;
        return lines(next(h) = tanh(x * grouped(W<"h">) + h * R<"h"> + b<"h"> + setting<"shift">(1_n)));
    }();
};
struct named {
    using page = own_page;
    static constexpr std::string_view name = "mine";
    static constexpr std::string_view spellings[] = {"rnn{layer}/{tensor}", "{tensor}"};
};
struct whole : named {
    static constexpr tensor tensors[] = {
        {"{group}.input", "W_h"}, {"state", "transposed R_h"}, {"bias", "b_h + shift / 0"}};
    static constexpr run_time_setting settings[] = {{"shift", 0.5}};
};

/// What is wrong with the tensors of a convention, and with which name.
template <class C>
constexpr bool has(layout_fault why, std::string_view about) {
    constexpr auto found = sluice::layout::detail::problem_in<C>::value;
    return found.why == why && found.about.view() == about;
}

} // namespace

TEST_CASE("convention: as a value it has the parameters of its page, its tables, and what it adds") {
    static constexpr description d = describe<whole>();
    BOTH(d.called == "mine");
    BOTH(d.tensors.size() == 3);
    BOTH(d.tables.size() == 3);
    BOTH(d.spellings.size() == 2);
    BOTH(d.tables[1].is_transposed);
    BOTH(d.tables[2].rows == 2);
    BOTH(d.parameters.size() == 3);
    BOTH(d.page_settings.size() == 1);
    BOTH(d.find("R_h")->rank == 2);
    BOTH(d.find("W_h")->rank == 3);
    BOTH(d.find("shift") == nullptr);
    BOTH(d.find("") == nullptr);
    BOTH(d.find("R") == nullptr);
    BOTH(d.added("shift") == 0.5);
    BOTH(d.added("other") == 0);
    BOTH(!d.ties_groups);
}

TEST_CASE("convention: zeros are as wide as what stands above or below them, a sum as its parameter") {
    static constexpr description d = describe<whole>();
    static constexpr block_table bias = d.tables[2];
    BOTH(d.measure_of(bias, bias.blocks[0])->called == name("b_h"));
    BOTH(d.measure_of(bias, bias.blocks[1])->called == name("b_h"));
    static constexpr block_table alone = read_blocks("b_h 0");
    BOTH(d.measure_of(alone, alone.blocks[1]) == nullptr);
    static constexpr block_table two = read_blocks("0 b_h / R_h 0");
    BOTH(d.measure_of(two, two.blocks[0])->called == name("R_h"));
    BOTH(d.measure_of(two, two.blocks[3])->called == name("b_h"));
}

namespace {

struct unknown : named {
    static constexpr tensor tensors[] = {{"{group}", "W_h"}, {"state", "R_x"}, {"bias", "b_h"}};
};
struct unknown_setting : named {
    static constexpr tensor tensors[] = {{"{group}", "W_h"}, {"state", "R_h"}, {"bias", "b_h + shaft"}};
};
struct forgotten : named {
    static constexpr tensor tensors[] = {{"{group}", "W_h"}, {"state", "R_h"}};
};
struct ragged : named {
    static constexpr tensor tensors[] = {{"{group}", "W_h"}, {"both", "R_h b_h"}};
};
struct ragged_below : named {
    static constexpr tensor tensors[] = {{"{group}", "W_h"}, {"both", "R_h / b_h b_h"}};
};
struct zeros : named {
    static constexpr tensor tensors[] = {{"{group}", "W_h"}, {"state", "R_h"}, {"bias", "b_h 0"}};
};
struct apart : named {
    static constexpr tensor tensors[] = {{"input", "W_h"}, {"state", "R_h"}, {"bias", "b_h"}};
};
struct grouped_bias : named {
    static constexpr tensor tensors[] = {{"{group}", "W_h"}, {"state", "R_h"}, {"{group}/bias", "b_h"}};
};
struct nowhere : whole {
    static constexpr run_time_setting settings[] = {{"shift", 0.5}, {"other", 1}};
};
struct placeholder : whole {
    static constexpr std::string_view spellings[] = {"{tensor}", "{level}/{tensor}"};
};

} // namespace

TEST_CASE("convention: each fault is found, with the name that it is about") {
    BOTH(has<whole>(layout_fault::none, ""));
    BOTH(has<unknown>(layout_fault::unknown_name, "R_x"));
    BOTH(has<unknown_setting>(layout_fault::unknown_name, "shaft"));
    BOTH(has<forgotten>(layout_fault::forgotten_parameter, "b_h"));
    BOTH(has<ragged>(layout_fault::ragged_rows, "b_h"));
    BOTH(has<ragged_below>(layout_fault::ragged_rows, "both"));
    BOTH(has<zeros>(layout_fault::ragged_rows, "bias"));
    BOTH(has<apart>(layout_fault::groups_apart, "W_h"));
    BOTH(has<grouped_bias>(layout_fault::groups_apart, "b_h"));
    BOTH(has<nowhere>(layout_fault::setting_nowhere, "other"));
    BOTH(has<placeholder>(layout_fault::unknown_placeholder, ""));
}

} // namespace convention_test
