// SPDX-License-Identifier: BSL-1.0
//
// Says what weights a file holds, and makes files of other frameworks of them, or a C++ header.
//
//   convert model.safetensors
//   convert model.safetensors --from pytorch --to keras model.weights.h5
//   convert model.safetensors --from pytorch --to pytorch --weights bf16 small.safetensors
//   convert model.safetensors --from pytorch --header weights.hpp

#include "../nearest.hpp"
#include "../progress_bar.hpp"
#include "../terminal_text.hpp"
#include "files.hpp"
#include "header.hpp"
#include "streams.hpp"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <sluice/checkpoint/stored_numbers.hpp>
#include <sluice/layout/convert.hpp>
#include <sluice/layout/recognise.hpp>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

namespace layout = sluice::layout;
using namespace convert;
using sluice::checkpoint_errors::shown;
using terminal::short_terminal_text;

constexpr int failed = 1, refused = 2;

struct options {
    std::optional<std::string> file{}, from{}, to{}, out{}, header{}, prefix{}, spelling{}, put_prefix{},
        weights{};
    bool conventions = false;
};

std::string keys() {
    std::string text =
        "Conventions, of one cell each; weights go from one to another of the same cell. The name of a\n"
        "framework, keras, is enough where it is clear which of its conventions is meant:\n";
    for (layout::known_convention const& one : layout::known_conventions())
        text += "  " + std::string(one.key) + std::string(34 - one.key.size(), ' ') +
                std::string(one.what.called) + ": " + std::string(one.page) + '\n';
    return text;
}

/// Whether a convention is the one asked for: keras_gru by its name, or as any of keras.
bool is_asked(layout::known_convention const& one, std::string const& asked) {
    return one.key == asked || one.key.starts_with(asked + "_");
}
std::invalid_argument no_such(std::string const& asked) {
    std::vector<std::string> known;
    for (layout::known_convention const& one : layout::known_conventions()) {
        known.emplace_back(one.key);
        known.emplace_back(one.key.substr(0, one.key.find('_'))); // its framework
    }
    return std::invalid_argument("there is no convention " + shown(asked) + terminal::proposal(asked, known) +
                                 "; `convert --conventions` lists them");
}

/// What a file's weights are of: a convention by its name, or, of a framework, the likeliest that is there.
layout::known_convention const& find_from(std::string const& asked, sluice::archive const& file) {
    if (auto const* const one = layout::find_convention(asked))
        return *one;
    auto const all = layout::known_conventions();
    if (std::ranges::none_of(all, [&](auto const& one) { return is_asked(one, asked); }))
        throw no_such(asked);
    for (layout::recognised const& one : layout::recognise(file))
        if (is_asked(*one.convention, asked))
            return *one.convention;
    throw std::invalid_argument("the file has no weights of " + shown(asked) +
                                ": their names, or their shapes, are others; `convert FILE` lists them");
}
/// What to make of weights: a convention by its name, or, of a framework, that of the same cell.
layout::known_convention const& find_to(std::string const& asked, layout::known_convention const& from) {
    if (auto const* const one = layout::find_convention(asked))
        return *one;
    layout::known_convention const* first = nullptr;
    for (layout::known_convention const& one : layout::known_conventions())
        if (is_asked(one, asked)) {
            if (layout::is_convertible(from.what, one.what))
                return one;
            first = &one;
        }
    throw first == nullptr
        ? no_such(asked)
        : std::invalid_argument("no convention of " + shown(asked) + " computes what " +
                                std::string(from.page) +
                                " does; `convert --conventions` says of which cell each is");
}

/// The type of weights to write, by its name.
std::optional<sluice::dtype> weights_of(options const& o) {
    if (!o.weights)
        return std::nullopt;
    for (auto const& [called, type] :
         {std::pair{"bf16", sluice::dtype::bf16}, {"f16", sluice::dtype::f16}, {"i8", sluice::dtype::i8}})
        if (*o.weights == called)
            return type;
    throw std::invalid_argument("weights are written as bf16, f16 or i8, and " + shown(*o.weights) +
                                terminal::proposal(*o.weights, {"bf16", "f16", "i8"}) +
                                " is none of them; leave --weights out to write them as they are read");
}

std::string in_words(sluice::sizes const& n) {
    std::string text = "input " + std::to_string(n.input) + ", units " + std::to_string(n.units);
    if (n.projection > 0)
        text += ", projection " + std::to_string(n.projection);
    if (n.groups > 1)
        text += ", groups " + std::to_string(n.groups);
    return text;
}

/// How sure it is: names and shapes of some frameworks are alike.
std::string how_sure(std::vector<layout::recognised> const& all, layout::recognised const& one,
                     std::size_t tensors) {
    std::size_t equals = 0;
    for (layout::recognised const& other : all)
        equals += other.tensors == one.tensors;
    return std::to_string(one.tensors.size()) + " of " + std::to_string(tensors) + " tensors" +
           (equals > 1 ? ", as " + std::to_string(equals - 1) + (equals == 2 ? " other" : " others") : "");
}

/// What a file holds, fit for a terminal: the names are the file's.
std::string list(sluice::archive const& file) {
    std::ostringstream text;
    for (sluice::stored_tensor const& one : file.tensors())
        text << short_terminal_text(one.name) << "  " << name_of(one.type) << ' '
             << sluice::checkpoint_errors::shape_text(one.shape) << '\n';
    auto const scales = std::ranges::count_if(file.tensors(), [&](sluice::stored_tensor const& one) {
        return one.type == sluice::dtype::i8 && file.contains(sluice::detail::scale_name(one.name));
    });
    auto const all = layout::recognise(file);
    if (all.empty()) {
        text << "\nNo convention that the library has: its names, or their shapes, are others.\n";
        return text.str();
    }
    text << "\nIt may be, the likeliest first:\n";
    for (layout::recognised const& one : all)
        text << "  " << one.convention->key << ", cell " << one.convention->page << ", "
             << one.weights.extents.layers << (one.weights.extents.layers == 1 ? " layer, " : " layers, ")
             << (one.weights.extents.directions == 1 ? "one direction, " : "both directions, ")
             << in_words(one.weights.of_layers.front())
             << (one.weights.called.empty() ? "" : ", under " + short_terminal_text(one.weights.called))
             << " (" << how_sure(all, one, file.tensors().size() - static_cast<std::size_t>(scales)) << ")\n";
    text << "\nThe cell " << all.front().convention->page << " of the first:\n"
         << all.front().convention->equations() << '\n';
    return text.str();
}

/// Refuses options that say nothing, and those that need others. Throws `std::invalid_argument`.
void require_sense(options const& o) {
    if (o.conventions &&
        (o.file || o.from || o.to || o.header || o.prefix || o.spelling || o.put_prefix || o.weights))
        throw std::invalid_argument("--conventions lists them and does nothing else; leave the rest out");
    if (o.conventions)
        return;
    if (!o.file)
        throw std::invalid_argument("a file is expected; `convert --help` says what can be done with it");
    for (auto const& [called, value] : {std::pair{"--from", &o.from},
                                        {"--to", &o.to},
                                        {"--header", &o.header},
                                        {"--spelling", &o.spelling},
                                        {"--weights", &o.weights}})
        if (*value && (*value)->empty())
            throw std::invalid_argument(std::string(called) + " is followed by an empty text; give it one, "
                                                              "or leave it out");
    if (!o.from && (o.to || o.out || o.header || o.prefix || o.spelling || o.put_prefix || o.weights))
        throw std::invalid_argument(
            "the other options, and a file to write, need --from, the convention that "
            "the weights are of; `convert FILE` says which it may be");
    if (o.to.has_value() != o.out.has_value())
        throw std::invalid_argument("--to and the file to write belong together");
    if (o.from && !o.to && !o.header)
        throw std::invalid_argument(
            "--from says what the weights are; say with --to and a file, or with --header, what to "
            "make of them");
    if (!o.to && (o.spelling || o.put_prefix))
        throw std::invalid_argument("--spelling and --put-prefix are about the names in a file to write; "
                                    "give --to and that file too");
    if (!o.to && o.weights)
        throw std::invalid_argument(
            "--weights is about the numbers in a file to write, and a header has floats; "
            "give --to and that file too");
}

/// What it is at, on standard error: of a file that is large enough to take long.
class stages {
public:
    explicit stages(std::filesystem::path const& file) {
        std::error_code problem;
        if (auto const size = std::filesystem::file_size(file, problem); !problem && size >= large)
            bar_.emplace("convert");
    }
    /// What begins now, and the share of the time that is over by then.
    void begin(std::string_view what, double share) {
        if (bar_)
            bar_->show_now(share, what);
    }
    void end() { bar_.reset(); }

private:
    static constexpr std::uintmax_t large = 32 << 20; // bytes; half a second
    std::optional<terminal::progress_bar> bar_{};
};

void run(options const& o) {
    require_sense(o);
    if (o.conventions) {
        put(keys());
        return;
    }
    auto const weights = weights_of(o);
    stages at(*o.file);
    at.begin("reading", 0);
    sluice::archive const file = read_file(*o.file);
    if (!o.from) {
        std::string const text = list(file);
        at.end();
        put(text);
        return;
    }
    layout::known_convention const& from = find_from(*o.from, file);
    std::vector<result> results;
    at.begin("converting", 0.3);
    if (o.to)
        results.push_back({*o.out, file_of(*o.out, layout::convert(file, from.what, find_to(*o.to, from).what,
                                                                   {.prefix = o.put_prefix.value_or(""),
                                                                    .spelling = o.spelling.value_or(""),
                                                                    .weights = weights},
                                                                   o.prefix))});
    if (o.header) {
        std::string const text = header_of(*o.header, file, from, o.prefix);
        auto const bytes = std::as_bytes(std::span(text));
        results.push_back({*o.header, {bytes.begin(), bytes.end()}});
    }
    at.begin("writing", 0.7);
    write_results(*o.file, results);
}

} // namespace

int main(int count, char** words) {
    open_standard_streams();
    options o;
    CLI::App app{"Lists the weights in a file, says whose they may be, and makes files of other\n"
                 "frameworks of them.",
                 "convert"};
    app.get_formatter()->column_width(22); // the help fits a screen of 24 lines and 80 columns
    app.footer("convert model.safetensors --from pytorch --to keras model.weights.h5");
    app.add_option("file", o.file, "weights: .safetensors, .npz, .npy, .h5, .keras, .onnx")
        ->option_text("FILE");
    app.add_option("--from", o.from, "the convention that they are of, or its framework")
        ->option_text("CONVENTION");
    app.add_option("--to", o.to, "the convention to write, or its framework")->option_text("CONVENTION");
    app.add_flag("--conventions", o.conventions, "list the conventions");
    app.add_option("out", o.out, "the file to write: .safetensors, .npz, .h5")->option_text("OUT");
    app.add_option("--header", o.header,
                   "a C++ header with the weights as constants, in the\n"
                   "namespace OUT if that ends in weights, or OUT_weights")
        ->option_text("OUT.hpp");
    app.add_option("--prefix", o.prefix, "what the names begin with, where a file has several")
        ->option_text("TEXT");
    app.add_option("--put-prefix", o.put_prefix, "what the names written begin with")->option_text("TEXT");
    app.add_option("--weights", o.weights,
                   "of the numbers written: bf16, f16, or i8 with one scale\n"
                   "a column; left out, as they are read")
        ->option_text("TYPE");
    app.add_option("--spelling", o.spelling, "the names written, as {tensor}_l{layer}{|_reverse}")
        ->option_text("TEXT");
    try {
        try {
            app.parse(count, words);
            run(o);
        } catch (CLI::CallForHelp const&) {
            put(app.help());
        }
        return 0;
    } catch (CLI::ParseError const& error) {
        complain(short_terminal_text(error.what(), 300) + terminal::proposal_for_options(app) +
                 "; `convert --help` lists the options");
        return refused;
    } catch (std::bad_alloc const&) {
        complain("there is not enough memory for this file and what is made of it");
        return failed;
    } catch (std::exception const& error) {
        complain(error.what());
        return dynamic_cast<std::invalid_argument const*>(&error) != nullptr ? refused : failed;
    }
}
