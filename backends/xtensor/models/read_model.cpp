// SPDX-License-Identifier: BSL-1.0
#include <sluice/model/read_description.hpp>
#include <sluice/model/read_model.hpp>

namespace sluice {

described_model read_model_description(std::filesystem::path const& path) { return read_description(path); }
described_model describe_model_text(std::string_view text, std::string const& file) {
    return describe_model(text, file);
}

} // namespace sluice
