// SPDX-License-Identifier: BSL-1.0
#include "checkpoint.hpp"

#include "failure.hpp"
#include "option_table.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sluice/checkpoint/safetensors.hpp>
#include <sstream>
#include <system_error>

namespace char_lm {

namespace {

using nlohmann::json;

constexpr auto key = "char_lm";

constexpr real finite{0, std::numeric_limits<double>::max()};

// Every number of the history, and what it may be.
template <class History, class Visitor>
void visit_numbers(History& h, Visitor&& visit) {
    visit("step", h.step, whole{0, most_characters});
    visit("validated", h.validated, whole{0, most_characters});
    visit("validation", h.validation, finite);
    visit("best_step", h.best_step, whole{0, most_characters});
    visit("best", h.best, finite);
    visit("bits", h.bits, finite);
    visit("counted", h.counted, whole{0, most_characters});
    visit("seconds", h.seconds, finite);
    visit("fingerprint", h.fingerprint, whole{0, any});
}

const json& member(const json& object, const char* name) {
    if (!object.is_object() || !object.contains(name))
        throw bad_call(std::string("there is no ") + name + " in it.");
    return object[name];
}

std::vector<std::string> paths_in(const json& list) {
    std::vector<std::string> paths;
    bool good = list.is_array();
    for (const json& path : list) {
        good = good && path.is_string() && !path.get<std::string>().empty();
        if (good)
            paths.push_back(path.get<std::string>());
    }
    if (!good)
        throw bad_call("text is " + shown(list) + "; it must be a list of paths.");
    return paths;
}

void read_facts(const json& facts, saved_training& saved) {
    const auto reader_of = [](const json& object) {
        return [&](const char* name, auto& value, const auto& limits, const auto&...) {
            value = accepted(name, limits, member(object, name));
        };
    };
    visit_fixed(saved.chosen, reader_of(member(facts, "options")));
    settle(saved.chosen);
    history& past = saved.past;
    visit_numbers(past, reader_of(member(facts, "history")));
    past.text = paths_in(member(member(facts, "history"), "text"));
    if (past.validated > past.step || past.best_step > past.validated ||
        (past.best_step == 0) != (past.validated == 0))
        throw bad_call("its steps contradict each other: " + std::to_string(past.step) +
                       " made, validated after " + std::to_string(past.validated) + ", best after " +
                       std::to_string(past.best_step) + ".");
}

void require_numbers(const sluice::archive& tensors) {
    for (const sluice::stored_tensor& tensor : tensors.tensors()) {
        if (tensor.type != sluice::dtype::f32)
            continue;
        const std::vector<float> values = tensors.at<float>(tensor.name);
        if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }))
            throw bad_call("the tensor " + tensor.name + " holds a value that is no number, or is infinite.");
    }
}

template <class Value>
std::string in_words(const Value& value) {
    std::ostringstream words;
    words << value;
    return words.str();
}

} // namespace

saved_training read_checkpoint(const std::string& path) {
    std::error_code problem;
    const std::filesystem::file_status status = std::filesystem::status(path, problem);
    if (status.type() == std::filesystem::file_type::not_found)
        throw bad_call("There is no checkpoint " + path +
                       " to resume; name one with --checkpoint, or start without --resume.");
    if (!std::filesystem::exists(status))
        throw bad_call("The checkpoint " + path + " cannot be looked at: " + problem.message() +
                       "; check the path and the permissions of its folders.");
    saved_training saved;
    saved.tensors = sluice::safetensors::read(path);
    const auto found = saved.tensors.metadata().find(key);
    if (found == saved.tensors.metadata().end())
        throw bad_call("The file " + path + " is no checkpoint of char_lm; name one with --checkpoint.");
    try {
        read_facts(json::parse(found->second), saved);
        require_numbers(saved.tensors);
    } catch (const bad_call& error) {
        throw bad_call("The checkpoint " + path + " is damaged or of another char_lm: " + error.what());
    } catch (const json::exception& error) {
        throw bad_call("The checkpoint " + path + " is damaged or of another char_lm: " + error.what() + ".");
    }
    return saved;
}

void write_checkpoint(const std::string& path, const options& o, const history& past,
                      sluice::archive tensors) {
    json facts;
    const auto writer_of = [](json& object) {
        return [&](const char* name, const auto& value, const auto&...) { object[name] = value; };
    };
    visit_fixed(o, writer_of(facts["options"]));
    visit_numbers(past, writer_of(facts["history"]));
    facts["history"]["text"] = past.text;
    tensors.set_metadata(key, facts.dump(-1, ' ', false, json::error_handler_t::replace));
    sluice::safetensors::write(path, tensors);
}

void adopt(options& o, const saved_training& saved) {
    options old = saved.chosen;
    visit_fixed(o, [&](const char* name, auto& value, const auto&...) {
        visit_fixed(old, [&](const char* old_name, auto& old_value, const auto&...) {
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
    if (!o.text.empty())
        return;
    o.text = saved.past.text;
    std::error_code problem;
    for (const std::string& path : o.text)
        if (!std::filesystem::exists(path, problem))
            throw bad_call("The text " + path + ", which the checkpoint " + o.checkpoint +
                           " was trained on, cannot be found; say with --text where it is now.");
}

} // namespace char_lm
