// SPDX-License-Identifier: BSL-1.0
// The cells that models may have, as a value: a file that reads models compiles none of them.
//
//   sluice::cell_list<float> const mine = my_cells();      // of make_cell_list, in a file of its own
//   mine.names();                                          // {"my_cell", "dense"}
//   auto const amp = sluice::read_model("amp.json", mine);
#pragma once

#include <cstddef>
#include <memory>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/model.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

/// What a list of cells is (model/model_of_net.hpp).
template <class S>
class cell_list_body {
public:
    std::vector<std::pair<std::string, std::string>> cells{}; ///< names, and equations as they are printed

    virtual ~cell_list_body() = default;
    virtual std::shared_ptr<model_body<S> const> make(described_model const& from) const = 0;
};

} // namespace detail

template <class S>
class cell_list {
public:
    using scalar_type = S;

    /// make_cell_list and compiled_cells make lists.
    explicit cell_list(std::shared_ptr<detail::cell_list_body<S> const> of) : body_(std::move(of)) { own(); }

    /// In order.
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (auto const& [name, text] : own().cells)
            all.push_back(name);
        return all;
    }
    /// As they are printed. Throws `std::invalid_argument` for a name that is not there.
    std::string const& equations(std::string_view name) const {
        for (auto const& [called, text] : own().cells)
            if (called == name)
                return text;
        fail<std::invalid_argument>(
            {"a name of the list of cells is expected, but got '", name.substr(0, 60), "'"});
    }
    /// Throws `std::invalid_argument` for a cell that is not in the list, and for sizes and numbers that no
    /// net has.
    model<S> make(described_model const& from) const { return model<S>(own().make(from)); }

private:
    detail::cell_list_body<S> const& own() const {
        if (!body_)
            fail<std::logic_error>({"a list of cells", detail::was_moved_from});
        return *body_;
    }

    std::shared_ptr<detail::cell_list_body<S> const> body_;
};

} // namespace sluice
