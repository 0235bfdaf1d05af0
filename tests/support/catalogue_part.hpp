// SPDX-License-Identifier: BSL-1.0
// The catalogue in parts, for programs that compile a part of it in each file.
#pragma once

#include <boost/hana/at.hpp>
#include <boost/hana/size.hpp>
#include <cstddef>
#include <sluice/cells/catalogue.hpp>
#include <type_traits>
#include <utility>

namespace support {

inline constexpr std::size_t cells_of_catalogue = decltype(boost::hana::size(sluice::catalogue))::value;

/// f(std::type_identity<Page>) for the pages whose number in the catalogue is part, part + parts ...
template <std::size_t Part, std::size_t Parts, class F>
void for_each_page_of_part(F f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (f(std::type_identity<
             typename decltype(+sluice::catalogue[boost::hana::size_c<Part + Parts * I>])::type>()),
         ...);
    }
    (std::make_index_sequence<cells_of_catalogue / Parts + (Part < cells_of_catalogue % Parts ? 1 : 0)>());
}

} // namespace support
