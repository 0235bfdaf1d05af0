// SPDX-License-Identifier: BSL-1.0
// Whose weights a cell reads, out of the library's list of conventions.
#pragma once

#include <map>
#include <sluice/cells/page_name.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/all.hpp>
#include <string>

namespace catalogue_test {

/// The cell of each convention, and what its page says of it. Those that are templates of a tanh network are
/// of a relu network too: a file does not say which of them it holds.
struct convention_lister {
    std::multimap<std::string, std::string> all{};

    template <class Convention>
    void add(std::string const& parameters) {
        std::string words = "`layout::" + std::string(sluice::page_name<Convention>()) + parameters +
                            "`: " + std::string(Convention::name) + ", ";
        char const* before = "of ";
        for (sluice::layout::tensor const& t : Convention::tensors) {
            words += before + ("`" + std::string(t.called) + "`");
            before = ", ";
        }
        all.emplace(sluice::page_name<typename Convention::page>(), words + ".");
    }
    template <class Convention>
    void list(Convention*) {
        add<Convention>("");
    }
    template <template <class> class Convention>
    void list(Convention<sluice::tanh_rnn>*) {
        add<Convention<sluice::tanh_rnn>>("<>");
        add<Convention<sluice::relu_rnn>>("<relu_rnn>");
    }
    template <class... Convention>
    void list_all(sluice::layout::convention_list<Convention...>) {
        (list(static_cast<Convention*>(nullptr)), ...);
    }
};

inline std::multimap<std::string, std::string> list_conventions() {
    convention_lister lister;
    lister.list_all(sluice::layout::all_conventions{});
    return lister.all;
}

} // namespace catalogue_test
