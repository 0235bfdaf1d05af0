// SPDX-License-Identifier: BSL-1.0
// Standard output and standard error.
#pragma once

#include <string_view>

namespace convert {

/// First of all: a closed standard stream becomes one that cannot be written. Otherwise the next file to be
/// opened would get its number, and with it all that is printed.
void open_standard_streams();

/// On standard output. Throws `std::runtime_error` where it does not take all.
void put(std::string_view text);
/// A sentence on standard error, fit for a terminal, whatever the names in it.
void complain(std::string_view sentence);

} // namespace convert
