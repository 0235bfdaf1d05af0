// SPDX-License-Identifier: BSL-1.0
#include "log_resume.hpp"

#include "failure.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

namespace char_lm {

namespace {

using nlohmann::json;

enum class kind { known, later, foreign };

bool nearly(double left, double right) {
    return std::abs(left - right) <= 1e-9 * std::abs(right); // the cosine is not the same on all machines
}

kind kind_of(const json& line, const history& past, const std::function<double(std::size_t)>& rate) {
    const auto number = [&](const char* key) { return line.contains(key) && line[key].is_number(); };
    if (!line.is_object() || !number("step") || !line["step"].is_number_unsigned())
        return kind::foreign;
    const auto step = line["step"].get<std::size_t>();
    const auto cost = [&](const char* key) { return number(key) && line[key].get<double>() >= 0; };
    if (line.size() == 3 && cost("bits") && number("rate") && step > 0) {
        if (!nearly(line["rate"].get<double>(), rate(step - 1)))
            return kind::foreign;
        return step <= past.step ? kind::known : kind::later;
    }
    if (line.size() == 2 && cost("validation")) {
        if (step == past.validated && line["validation"].get<double>() != past.validation)
            return kind::foreign;
        return step <= past.validated ? kind::known : kind::later;
    }
    return line.size() == 2 && cost("test") ? kind::later : kind::foreign; // the test is made again
}

// The last line may have been cut short, together with the power.
kind kind_of_rest(std::string_view text) {
    constexpr std::string_view start = "{\"step\":";
    return start.starts_with(text.substr(0, start.size())) ? kind::later : kind::foreign;
}

} // namespace

std::uintmax_t known_part(const std::string& path, const history& past,
                          const std::function<double(std::size_t)>& rate) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
        return 0;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw bad_call("The log " + path +
                       " cannot be read, and so not be cut back to the checkpoint; make it "
                       "readable, or name another --log.");
    std::array<char, 512> line{}; // ours have some seventy characters
    std::uintmax_t read = 0, known = 0;
    for (std::size_t number = 1; file.getline(line.data(), line.size()) || file.gcount() > 0; ++number) {
        const auto count = static_cast<std::size_t>(file.gcount());
        read += count;
        kind found = kind::foreign; // too long
        if (file.good())
            found =
                kind_of(json::parse(std::string_view(line.data(), count - 1), nullptr, false), past, rate);
        else if (file.eof())
            found = kind_of_rest({line.data(), count});
        if (found == kind::foreign)
            throw bad_call("The log " + path + " is not the one of this training (line " +
                           std::to_string(number) +
                           " cannot come from it), and a resumed run would cut it back; name another --log.");
        if (found == kind::known)
            known = read;
    }
    return known;
}

} // namespace char_lm
