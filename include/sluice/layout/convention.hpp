// SPDX-License-Identifier: BSL-1.0
// A convention: how the weights of a cell lie in the files of a framework. It is one table, from which
// reading, writing, the sizes of a cell and the check that no parameter is forgotten are made:
//
//   struct pytorch_gru {
//       using page = cudnn_gru;                                      // whose function it is
//       static constexpr std::string_view name = "PyTorch GRU";
//       static constexpr std::string_view spellings[] = {"{tensor}_l{layer}{|_reverse}", "{tensor}"};
//       static constexpr layout::tensor tensors[] = {
//           {"weight_ih", "transposed W_r W_u W_n"},                 // [3 units, input]
//           {"weight_hh", "transposed R_r R_u R_n"},
//           {"bias_ih", "b_r b_u b_n"},
//           {"bias_hh", "b_r b_u b_Rn"},
//       };
//   };
//
// blocks.hpp says what can stand in a tensor, spelling.hpp what in a spelling. A parameter that stands in
// several places is their sum: read as such, and written into the first of them, with zeros in the others. A
// sum of two that stands in one place, b_Wr + b_Rr, is read as two halves. b_f + forget_bias is read as b_f,
// and as a forget_bias of 0, or of what the framework adds by itself:
//
//       static constexpr layout::run_time_setting settings[] = {{"forget_bias", 1}};
//
// A name with {group} is that of a tensor for each group; with `static constexpr bool ties_groups = true` all
// groups read that of group 0.
#pragma once

#include <array>
#include <concepts>
#include <sluice/graph/passes.hpp>
#include <sluice/layout/spelling.hpp>
#include <sluice/layout/weight_blocks.hpp>
#include <span>
#include <string_view>

namespace sluice::layout {

/// A setting that a framework adds by itself: it stands in no file.
struct run_time_setting {
    std::string_view called;
    double value;
};

template <class C>
concept convention = requires {
    typename C::page;
    { C::name } -> std::convertible_to<std::string_view>;
    { C::tensors[0] } -> std::convertible_to<tensor>;
    { C::spellings[0] } -> std::convertible_to<std::string_view>;
};

/// A convention as a value: what reading and writing work on.
struct description {
    std::string_view called;
    view<parameter_entry> parameters; ///< of the page: conventions of one page share them
    view<setting_entry> page_settings;
    std::span<tensor const> tensors;
    std::span<block_table const> tables; ///< of each tensor
    std::span<std::string_view const> spellings;
    std::span<run_time_setting const> settings;
    bool ties_groups;

    /// The entry of a parameter, or null.
    constexpr parameter_entry const* find(std::string_view called_so) const {
        for (parameter_entry const& e : parameters)
            if (e.called.view() == called_so)
                return &e;
        return nullptr;
    }
    /// What the framework adds by itself in place of a setting.
    constexpr double added(std::string_view setting) const {
        for (run_time_setting const& s : settings)
            if (s.called == setting)
                return s.value;
        return 0;
    }
    /// What gives a block its extents: itself, or for zeros one above or below it.
    constexpr parameter_entry const* measure_of(block_table const& table, block const& of) const {
        for (block const& b : table.all())
            if (b.column == of.column && (of.parameter == name{} || (b.row == of.row)))
                if (parameter_entry const* const found = find(b.parameter.view()))
                    return found;
        return nullptr;
    }
};

namespace detail {

enum class layout_fault {
    none,
    unknown_name,
    forgotten_parameter,
    ragged_rows,
    setting_nowhere,
    groups_apart,
    unknown_placeholder
};
struct layout_problem {
    layout_fault why = layout_fault::none;
    name about{};
};

/// Sizes whose sums are equal only where the widths are.
inline constexpr sizes telling{.input = 1'000'003, .units = 1009, .projection = 17};

template <class Page>
constexpr layout_problem problem_of(description const& d) {
    auto const is_setting = [](name const& called) {
        for (setting_entry const& s : passes<Page>::settings)
            if (s.called == called)
                return true;
        return false;
    };
    for (std::size_t t = 0; t < d.tensors.size(); ++t) {
        block_table const& table = d.tables[t];
        bool const is_of_group = has_placeholder(d.tensors[t].called, "group");
        std::size_t width = 0;
        for (int row = 0; row < table.rows; ++row) {
            std::size_t columns = 0, rows = 0;
            for (block const& b : table.all()) {
                if (b.row != row)
                    continue;
                if (b.parameter != name{} && d.find(b.parameter.view()) == nullptr)
                    return {layout_fault::unknown_name, b.parameter};
                if (b.plus != name{} && d.find(b.plus.view()) == nullptr && !is_setting(b.plus))
                    return {layout_fault::unknown_name, b.plus};
                parameter_entry const* const of = d.measure_of(table, b);
                if (of == nullptr)
                    return {layout_fault::ragged_rows, name(d.tensors[t].called)};
                if ((of->rank == 3) != is_of_group)
                    return {layout_fault::groups_apart, of->called};
                auto const e = of->extents(telling);
                if (rows != 0 && rows != e[1])
                    return {layout_fault::ragged_rows, b.parameter};
                rows = e[1];
                columns += e[2];
            }
            if (row > 0 && columns != width)
                return {layout_fault::ragged_rows, name(d.tensors[t].called)};
            width = columns;
        }
    }
    for (parameter_entry const& e : d.parameters) {
        bool stands = false;
        for (block_table const& table : d.tables)
            for (block const& b : table.all())
                stands |= b.parameter == e.called || b.plus == e.called;
        if (!stands)
            return {layout_fault::forgotten_parameter, e.called};
    }
    for (std::string_view const spelling : d.spellings)
        if (!is_spelling(spelling))
            return {layout_fault::unknown_placeholder, {}};
    for (run_time_setting const& s : d.settings)
        if (!is_setting(name(s.called)))
            return {layout_fault::setting_nowhere, name(s.called)};
    return {};
}

template <convention C>
struct tables_of {
    static constexpr auto value = [] {
        std::array<block_table, std::size(C::tensors)> made{};
        for (std::size_t t = 0; t < made.size(); ++t)
            made[t] = read_blocks(C::tensors[t].holds);
        return made;
    }();
};

template <convention C>
constexpr description describe_unchecked() {
    description d{C::name,
                  passes<typename C::page>::parameters,
                  passes<typename C::page>::settings,
                  C::tensors,
                  tables_of<C>::value,
                  C::spellings,
                  {},
                  false};
    if constexpr (requires { C::settings; })
        d.settings = C::settings;
    if constexpr (requires { C::ties_groups; })
        d.ties_groups = C::ties_groups;
    return d;
}

template <convention C>
struct problem_in {
    static constexpr layout_problem value = problem_of<typename C::page>(describe_unchecked<C>());
};

/// A template of its own because g++ 12 does not take a name apart that depends on a convention.
template <layout_problem P>
struct name_of_problem {
    using type = sluice::spelled<P.about>;
};

/// The name is printed with the sentence of what is wrong with it.
template <class Convention, layout_fault Why, class About>
struct checked_layout {
    static_assert(Why != layout_fault::unknown_name,
                  "sluice: a layout names what its page does not have; correct the name");
    static_assert(Why != layout_fault::forgotten_parameter,
                  "sluice: a layout has no place for a parameter of its page; name it in a tensor");
    static_assert(Why != layout_fault::ragged_rows, "sluice: blocks of different heights stand side by side "
                                                    "in a layout, or rows of different widths above "
                                                    "each other; give each its own tensor");
    static_assert(Why != layout_fault::setting_nowhere,
                  "sluice: a layout has a setting that its page does not have; correct the name");
    static_assert(Why != layout_fault::groups_apart,
                  "sluice: a parameter in groups stands in a tensor of all groups, or one without groups in "
                  "a tensor of one; write {group} into the names of the tensors of groups, and of no others");
    static_assert(
        Why != layout_fault::unknown_placeholder,
        "sluice: a spelling has a placeholder that there is not; take {tensor}, {number}, {layer}, {_layer}, "
        "{group}, {any} or {forward|backward}");
};

/// Refuses a convention that does not cover its page. A class, so that no second error follows the sentence.
template <convention C>
struct covered_page {
    using problem = problem_in<C>;
    static_assert(
        sizeof(checked_layout<C, problem::value.why, typename name_of_problem<problem::value>::type>) > 0);
};

} // namespace detail

/// The convention as a value, once it is known that it covers its page.
template <convention C>
constexpr description describe() {
    static_assert(sizeof(detail::covered_page<C>) > 0);
    return detail::describe_unchecked<C>();
}

} // namespace sluice::layout
