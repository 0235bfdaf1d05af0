// SPDX-License-Identifier: BSL-1.0
#pragma once

// Text from paths, files and the model, made fit for a terminal: what would move the cursor, change colours
// or reverse the direction of writing is shown as an escape instead.

#include <string>
#include <string_view>

namespace char_lm {

// "a\x1b[2Jb" becomes "a\\x1b[2Jb". Escaped are control characters, bytes that are not UTF-8, and the
// characters of Unicode that control the direction of text. Of all these, the ones in `kept` (ASCII) stay.
std::string terminal_text(std::string_view text, std::string_view kept = "");

} // namespace char_lm
