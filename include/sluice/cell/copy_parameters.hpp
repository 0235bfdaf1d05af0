// SPDX-License-Identifier: BSL-1.0
// The numbers of one net for another of the same equations and sizes, with another scalar or another backend:
// trained in float, run in another way.
//
//   sluice::copy_parameters(trained, small);
#pragma once

#include <algorithm>
#include <cstddef>
#include <sluice/cell/cell.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

namespace detail {

struct copied_tensor {
    std::string called;
    std::vector<std::size_t> shape;
    std::vector<double> values{};
};

/// Gives the tensors of `to` the numbers of those of `from` that have the same names and shapes, in the same
/// order; `is_own(name)` says which only `to` has. Throws as copy_parameters does.
template <any_net From, any_net To, class IsOwn>
void copy_tensors(From const& from, To& to, IsOwn const& is_own) {
    std::vector<copied_tensor> all;
    from.visit_tensors([&](std::string_view called, auto const& shape, auto values) {
        auto& made = all.emplace_back(copied_tensor{std::string(called), {shape.begin(), shape.end()}});
        for (auto const& one : values)
            made.values.push_back(in_double(one));
    });
    To filled = to;
    std::size_t at = 0;
    filled.visit_tensors([&](std::string_view called, auto const& shape, auto values) {
        bool const is_there =
            at < all.size() && all[at].called == called &&
            std::equal(shape.begin(), shape.end(), all[at].shape.begin(), all[at].shape.end());
        if (!is_there && is_own(called))
            return;
        if (!is_there)
            fail<std::invalid_argument>(
                {"copy_parameters expects two nets of the same sizes, but ", called,
                 " of the second has no like in the first; give both the same sizes"});
        std::transform(all[at].values.begin(), all[at].values.end(), values.begin(),
                       [](double one) { return rounded<std::remove_cvref_t<decltype(values[0])>>(one); });
        ++at;
    });
    if (at != all.size())
        fail<std::invalid_argument>({"copy_parameters expects two nets of the same sizes, but ",
                                     all[at].called,
                                     " of the first has no like in the second; give both the same sizes"});
    to = std::move(filled);
}

} // namespace detail

/// Gives `to` the parameters and settings of `from`, rounded to its scalar. Throws `std::logic_error` while a
/// fixed parameter of `from` has no value, and `std::invalid_argument` unless the two have the same equations
/// and, in the same order, parameters of the same names and shapes, and for a setting for which the other
/// scalar has no finite number. `to` is then what it was.
template <any_net From, any_net To>
void copy_parameters(From const& from, To& to) {
    from.check_parameters("copy_parameters");
    if (from.equations_text() != to.equations_text())
        fail<std::invalid_argument>(
            {"copy_parameters expects two nets of the same equations, but those of the "
             "second are others; make both of the same page"});
    detail::copy_tensors(from, to, [](std::string_view) { return false; });
}

namespace detail {

/// A cell with these numbers and settings, of another scalar or backend.
template <class Scalar, class Backend, any_cell Cell>
auto copy_of_cell(Cell const& cell) {
    using page = typename Cell::page_type;
    settings numbers;
    for (auto const& value : cell.as_net().layers[0].ways[0].settings) {
        setting_entry const& entry = passes<page>::settings[static_cast<int>(numbers.given.size())];
        numbers.given.emplace_back(entry.called.view(), value);
    }
    cell_of<page, Scalar, Backend, open_extents> made(cell.extents(), seed{}, numbers);
    copy_parameters(cell, made);
    return made;
}

} // namespace detail

} // namespace sluice
