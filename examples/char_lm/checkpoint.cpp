// SPDX-License-Identifier: BSL-1.0
#include "checkpoint.hpp"

#include "failure.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sluice/checkpoint/safetensors.hpp>
#include <sstream>

namespace char_lm {

namespace {

using nlohmann::json;

constexpr auto key = "char_lm";

template <class History, class Visitor>
void visit_history(History& h, Visitor&& visit) {
    visit("step", h.step);
    visit("validated", h.validated);
    visit("validation", h.validation);
    visit("best_step", h.best_step);
    visit("best", h.best);
    visit("bits", h.bits);
    visit("counted", h.counted);
    visit("seconds", h.seconds);
    visit("text", h.text);
    visit("fingerprint", h.fingerprint);
}

template <class Value>
std::string in_words(const Value& value) {
    std::ostringstream words;
    words << value;
    return words.str();
}

} // namespace

saved_training read_checkpoint(const std::string& path) {
    if (!std::filesystem::exists(path))
        throw bad_call("There is no checkpoint " + path +
                       " to resume; name one with --checkpoint, or start " + "without --resume.");
    saved_training saved;
    saved.tensors = sluice::safetensors::read(path);
    const auto found = saved.tensors.metadata().find(key);
    if (found == saved.tensors.metadata().end())
        throw bad_call("The file " + path + " is no checkpoint of char_lm.");
    try {
        const json facts = json::parse(found->second);
        visit_fixed(saved.chosen,
                    [&](const char* name, auto& value) { facts.at("options").at(name).get_to(value); });
        visit_history(saved.past,
                      [&](const char* name, auto& value) { facts.at("history").at(name).get_to(value); });
    } catch (const json::exception& error) {
        throw bad_call("The file " + path + " is no checkpoint of this char_lm: " + error.what() + ".");
    }
    return saved;
}

void write_checkpoint(const std::string& path, const options& o, const history& past,
                      sluice::archive tensors) {
    json facts;
    visit_fixed(o, [&](const char* name, const auto& value) { facts["options"][name] = value; });
    visit_history(past, [&](const char* name, const auto& value) { facts["history"][name] = value; });
    tensors.set_metadata(key, facts.dump(-1, ' ', false, json::error_handler_t::replace));
    sluice::safetensors::write(path, tensors);
}

void make_room(const std::string& path) {
    if (!std::filesystem::exists(path))
        return;
    std::filesystem::rename(path, path + ".old");
    std::cout << "the checkpoint " << path << " of an earlier run is now " << path << ".old\n";
}

void adopt(options& o, const saved_training& saved) {
    options old = saved.chosen;
    visit_fixed(o, [&](const char* name, auto& value) {
        visit_fixed(old, [&](const char* old_name, auto& old_value) {
            using left = std::remove_reference_t<decltype(value)>;
            using right = std::remove_reference_t<decltype(old_value)>;
            if constexpr (std::is_same_v<left, right>) {
                if (std::string(name) != old_name)
                    return;
                const bool given = std::find(o.given.begin(), o.given.end(), name) != o.given.end();
                if (given && value != old_value)
                    throw bad_call("The checkpoint " + o.checkpoint + " was trained with " + name + " " +
                                   in_words(old_value) + ", and the command line says " + name + " " +
                                   in_words(value) + "; leave that option away, or start without --resume.");
                value = old_value;
            }
        });
    });
    if (o.text.empty())
        o.text = saved.past.text;
}

} // namespace char_lm
