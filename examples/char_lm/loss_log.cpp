// SPDX-License-Identifier: BSL-1.0
#include "loss_log.hpp"

#include "failure.hpp"

#include <nlohmann/json.hpp>

namespace char_lm {

using line = nlohmann::ordered_json;

loss_log::loss_log(const std::string& path, bool append) {
    if (path.empty())
        return;
    file_.open(path, append ? std::ios::app : std::ios::trunc);
    if (!file_)
        throw bad_call("The log " + path + " cannot be written.");
}

void loss_log::step(std::size_t step, double bits, double rate) {
    if (file_.is_open())
        file_ << line{{"step", step}, {"bits", bits}, {"rate", rate}} << std::endl;
}

void loss_log::validation(std::size_t step, double bits) {
    if (file_.is_open())
        file_ << line{{"step", step}, {"validation", bits}} << std::endl;
}

void loss_log::test(std::size_t step, double bits) {
    if (file_.is_open())
        file_ << line{{"step", step}, {"test", bits}} << std::endl;
}

} // namespace char_lm
