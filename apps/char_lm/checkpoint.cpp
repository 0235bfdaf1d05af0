// SPDX-License-Identifier: BSL-1.0
#include "checkpoint.hpp"

#include "failure.hpp"
#include "option_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sluice/checkpoint/formats/safetensors.hpp>
#include <sstream>
#include <system_error>

namespace char_lm {

namespace {

using nlohmann::json;

constexpr auto key = "char_lm";

constexpr real cost{0, 1e60}; // bits: of a character, or of all since a validation
constexpr real duration{0, most_seconds};
constexpr whole steps{0, most_characters};

// Every number of the history, and what it may be.
template <class History, class Visitor>
void visit_numbers(History& h, Visitor&& visit) {
    visit("step", h.step, steps);
    visit("validated", h.validated, steps);
    visit("validation", h.validation, cost);
    visit("best_step", h.best_step, steps);
    visit("best", h.best, cost);
    visit("bits", h.bits, cost);
    visit("counted", h.counted, whole{0, most_characters});
    visit("seconds", h.seconds, duration);
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
        good = good && path.is_string();
        if (good)
            paths.push_back(path.get<std::string>());
        good = good && !paths.back().empty() && paths.back().find('\0') == std::string::npos;
    }
    if (!good)
        throw bad_call("text is " + shown(list) + "; it must be a list of paths.");
    return paths;
}

template <class Value>
std::string in_words(const Value& value) {
    std::ostringstream words;
    words << value;
    return words.str();
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
    const bool first = past.validated == 0, none_since = past.step == past.validated;
    if (past.best > past.validation || (past.best_step == past.validated && past.best != past.validation) ||
        (first && past.validation != 0))
        throw bad_call("its validations contradict each other: the last has " + in_words(past.validation) +
                       " bits per character, the best " + in_words(past.best) + ".");
    const double most = static_cast<double>(past.step - past.validated) *
                        static_cast<double>(saved.chosen.batch) * static_cast<double>(saved.chosen.steps);
    if ((past.counted == 0) != none_since || static_cast<double>(past.counted) > most ||
        (none_since && past.bits != 0))
        throw bad_call("its counts contradict each other: " + in_words(past.bits) + " bits and " +
                       std::to_string(past.counted) + " characters in " +
                       std::to_string(past.step - past.validated) + " steps since the last validation.");
}

void require_numbers(const sluice::archive& tensors, std::size_t step) {
    for (const char* part : {"layers", "output"}) {
        const std::string name = std::string("optimizer/") + part + "/step";
        if (tensors.contains(name) &&
            tensors.at<std::int64_t>(name) != std::vector{static_cast<std::int64_t>(step)})
            throw bad_call("the tensor " + name + " is another number than the " + std::to_string(step) +
                           " steps that were made.");
    }
    for (const sluice::stored_tensor& tensor : tensors.tensors()) {
        if (tensor.type != sluice::dtype::f32)
            continue;
        const std::vector<float> values = tensors.at<float>(tensor.name);
        if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }))
            throw bad_call("the tensor " + tensor.name + " holds a value that is no number, or is infinite.");
    }
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw bad_call("The checkpoint " + path + " cannot be used (it is damaged, or of another char_lm): " +
                   why + " Name another one with --checkpoint, or start without --resume.");
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
    try {
        saved.tensors = sluice::safetensors::read(path);
        const auto found = saved.tensors.metadata().find(key);
        if (found == saved.tensors.metadata().end())
            throw bad_call("it is no checkpoint of char_lm.");
        read_facts(json::parse(found->second), saved);
        require_numbers(saved.tensors, saved.past.step);
    } catch (const bad_call& error) {
        refuse(path, error.what());
    } catch (const json::exception& error) {
        refuse(path, std::string(error.what()) + ".");
    } catch (const sluice::checkpoint_error& error) {
        refuse(path, error.what());
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
