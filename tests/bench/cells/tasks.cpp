// SPDX-License-Identifier: BSL-1.0
#include "tasks.hpp"
#include "learning.hpp"
#include "own_process.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <stdexcept>

namespace bench {

namespace {

std::vector<float> random_numbers(std::size_t count, float size, unsigned seed) {
    std::mt19937 bits(seed);
    std::uniform_real_distribution<float> uniform(-size, size);
    std::vector<float> numbers(count);
    for (float& number : numbers)
        number = uniform(bits);
    return numbers;
}

/// A cell of as many inputs as units, over a sequence.
struct row {
    std::string group;
    cell_kind kind;
    std::size_t units, steps, batch;
    std::size_t projection = 0, groups = 1;
    bool trains = false, fixed = false;

    std::string called() const {
        std::string text = group;
        text += groups > 1 ? ": G-" : ": ";
        text += kind == cell_kind::lstm  ? "LSTM "
                : kind == cell_kind::gru ? "GRU, reset before the product, "
                                         : "GRU ";
        text += std::to_string(units);
        if (projection > 0)
            text.append("/").append(std::to_string(projection));
        if (groups > 1)
            text.append(", ").append(std::to_string(groups)).append(" groups");
        if (steps > 1)
            text.append(", T ").append(std::to_string(steps));
        return text.append(", batch ").append(std::to_string(batch));
    }
};

cell_numbers cell_of(row const& t) {
    cell_numbers n{
        .kind = t.kind, .input = t.units, .units = t.units, .projection = t.projection, .groups = t.groups};
    float const size = std::sqrt(3.f * static_cast<float>(t.groups) / static_cast<float>(t.units));
    n.w = random_numbers(n.input * n.gates() * n.units / n.groups, size, 1);
    n.r = random_numbers(n.outputs() * n.gates() * n.units / n.groups, size, 2);
    n.b = random_numbers(n.gates() * n.units, 0.5f, 3);
    n.b_recurrent = random_numbers(n.units, 0.5f, 4);
    n.p = random_numbers(n.units * n.projection, size, 7);
    return n;
}

void add(work& w, std::optional<contestant> one) {
    if (one)
        w.all.push_back(std::move(*one));
}

/// A peer, which may fail.
template <class Make>
void try_to_add(work& w, std::string const& called, Make const& make) {
    try {
        add(w, make());
    } catch (std::exception const& e) {
        leave_out(called, w.called, e.what());
    }
}

void add_peers(work& w, cell_numbers const& cell, sequence const& over) {
    for (peer const& p : working_peers())
        try_to_add(w, p.called, [&] {
            return cell.groups > 1 && !p.in_groups ? separately(p.make, cell, over) : p.make(cell, over);
        });
}

sequence sequence_of(row const& t, std::size_t outputs, int threads) {
    sequence over{.steps = t.steps, .batch = t.batch, .threads = threads};
    over.xs = random_numbers(t.steps * t.batch * t.units, 1, 5);
    if (t.trains)
        over.dys = random_numbers(t.steps * t.batch * outputs, 1, 6);
    return over;
}

/// A row's name and numbers, without contestants.
work empty_work(row const& t, cell_numbers const& cell) {
    work w{.called = t.called()};
    double const passes = t.trains ? 3 : 1;
    w.flops = cell.flops() * static_cast<double>(t.steps * t.batch) * passes;
    std::size_t const inputs = t.steps > 1 ? 0 : cell.w.size(); // read once for all steps
    w.weight_bytes =
        static_cast<double>((cell.r.size() + cell.p.size() + inputs) * sizeof(float) * t.steps) * passes;
    return w;
}

work work_of(row const& t) {
    cell_numbers const cell = cell_of(t);
    sequence const over = sequence_of(t, cell.outputs(), 1);
    work w = empty_work(t, cell);
    add(w, t.fixed ? this_library_fixed(cell, over) : this_library(cell, over));
    add_peers(w, cell, over);
    return w;
}

/// The same cell with narrow weights and with floats.
work narrow_work(row const& t, bool in_bytes) {
    cell_numbers const cell = cell_of(t);
    sequence const over = sequence_of(t, cell.outputs(), 1);
    work w = empty_work(t, cell);
    w.weight_bytes /= in_bytes ? 4 : 2;
    w.largest_difference = 0.1; // what rounding of weights does
    add(w, this_library_narrow(in_bytes, cell, over));
    if (auto floats = this_library(cell, over)) {
        floats->called = "weights in float";
        add(w, std::move(floats));
    }
    return w;
}

std::optional<contestant> this_library_on_one_thread(cell_numbers const& cell, sequence const& over) {
    auto one = this_library(cell, over);
    if (one)
        one->called = "sluice, one thread";
    return one;
}

/// Those that divide a work between two threads, this library first, and this library on one.
std::vector<peer> libraries_of_two_threads(std::vector<peer> const& peers) {
    std::vector<peer> all{{"sluice, two threads", this_library_threaded},
                          {"sluice, one thread", this_library_on_one_thread}};
    for (peer const& p : peers)
        if (p.most_threads > 1)
            all.push_back(p);
    return all;
}

task two_thread_task(row const& t, bool quick) {
    task made{.called = t.called(), .is_quick = quick, .make = {}};
    made.make = [t] {
        work w = empty_work(t, cell_of(t));
        for (peer const& p : libraries_of_two_threads(working_peers()))
            try_to_add(w, p.called, [&] {
                return in_own_process({this_program(), "--threads", "2", "--library", p.called, t.called()});
            });
        return w;
    };
    made.alone = [t](std::string const& library) {
        cell_numbers const cell = cell_of(t);
        for (peer const& p : libraries_of_two_threads(built_peers()))
            if (p.called == library)
                return p.make(cell, sequence_of(t, cell.outputs(), 2));
        throw std::runtime_error("no library is called " + library);
    };
    return made;
}

/// An LSTM whose state fades: after the first step there is no input, and the forget gates are a little above
/// a half, so that what is left of the state stays among the smallest numbers that there are. Beside each
/// library the same one with inputs.
work fading_work() {
    row const t{"fading state", cell_kind::lstm, 128, 2000, 1};
    cell_numbers cell = cell_of(t);
    for (std::size_t i = 0; i < t.units; ++i) {
        cell.b[i] = -3;              // of the input gate
        cell.b[t.units + i] = 0.1f;  // of the forget gate
        cell.b[2 * t.units + i] = 0; // of the candidate: nothing comes in of itself
        cell.b[3 * t.units + i] = 0; // of the output gate
    }
    sequence normal{.steps = t.steps, .batch = t.batch}, fading = normal;
    normal.xs = random_numbers(t.steps * t.units, 1, 5);
    fading.xs.assign(normal.xs.size(), 0.f);
    std::copy_n(normal.xs.begin(), t.units, fading.xs.begin());
    work w{.called = t.called()}, with_inputs{.called = t.called()};
    w.flops = cell.flops() * static_cast<double>(t.steps);
    w.weight_bytes = static_cast<double>(cell.r.size() * sizeof(float) * t.steps);
    add(w, this_library(cell, fading));
    add_peers(w, cell, fading);
    add(with_inputs, this_library(cell, normal));
    add_peers(with_inputs, cell, normal);
    for (contestant& one : with_inputs.all) {
        one.called += ", normal numbers";
        one.answer = {};
        w.all.push_back(std::move(one));
    }
    return w;
}

/// A lesson for a GRU of so many units, or for predictions [rows, classes].
struct lesson_row {
    lesson what;
    char const* name;
    std::size_t units = 0, rows = 0, classes = 0;

    std::string called() const {
        std::string text = std::string("learning: ") + name + ", ";
        if (units > 0)
            return text.append("GRU ").append(std::to_string(units));
        return text.append(std::to_string(rows)).append(" x ").append(std::to_string(classes));
    }
};

work lesson_work(lesson_row const& t) {
    std::size_t const matrix = 3 * t.units * t.units;
    lesson_numbers numbers{.parts = {matrix, matrix, 3 * t.units, t.units},
                           .units = t.units,
                           .classes = std::max<std::size_t>(t.classes, 1)};
    std::size_t const count = 2 * matrix + 4 * t.units;
    numbers.weights = random_numbers(count, 0.1f, 1);
    numbers.gradients = random_numbers(count, 0.1f, 2);
    numbers.predictions = random_numbers(t.rows * t.classes, 3, 3);
    numbers.targets = random_numbers(t.rows * t.classes, 3, 4);
    std::mt19937 bits(5);
    for (std::size_t row = 0; row < t.rows; ++row)
        numbers.labels.push_back(static_cast<std::int64_t>(bits() % t.classes));
    work w{.called = t.called()};
    w.all.push_back(this_lesson(t.what, numbers));
#ifdef BENCH_TORCH
    for (peer const& p : working_peers())
        if (p.make == torch_library)
            try_to_add(w, p.called, [&] { return torch_lesson(t.what, numbers); });
#endif
    return w;
}

std::vector<lesson_row> lesson_rows() {
    std::vector<lesson_row> all;
    for (std::size_t const units : {64u, 256u, 512u}) {
        all.push_back({lesson::adam, "Adam", units});
        all.push_back({lesson::momentum, "gradient descent with momentum", units});
        all.push_back({lesson::clip, "clipping by the norm", units});
    }
    for (auto const& [rows, classes] : {std::array<std::size_t, 2>{3200, 65}, {320, 10000}})
        all.push_back({lesson::cross_entropy, "softmax cross-entropy", 0, rows, classes});
    all.push_back({lesson::squares, "mean squared error", 0, 3200, 64});
    return all;
}

work found(std::optional<work> w) {
    if (!w)
        throw std::runtime_error(
            "a row of the table names a page that tests/bench/cells/users*.cpp does not have");
    return std::move(*w);
}

constexpr cell_kind cudnn_gru = cell_kind::cudnn_gru, lstm = cell_kind::lstm;

std::vector<row> rows_of_one_thread() {
    std::vector<row> all;
    for (std::size_t const units : {8u, 16u, 32u, 64u, 128u})
        all.push_back({.group = "fixed step",
                       .kind = cudnn_gru,
                       .units = units,
                       .steps = 1,
                       .batch = 1,
                       .fixed = true});
    for (std::size_t const units : {8u, 16u, 32u, 40u})
        all.push_back(
            {.group = "fixed step", .kind = lstm, .units = units, .steps = 1, .batch = 1, .fixed = true});
    for (std::size_t const units : {16u, 32u, 64u, 128u, 256u, 512u, 1024u})
        all.push_back({"step", cudnn_gru, units, 1, 1});
    for (std::size_t const units : {128u, 256u, 512u, 1024u})
        all.push_back({"step", lstm, units, 1, 1});
    for (cell_kind const kind : {cudnn_gru, lstm})
        for (std::size_t const units : {128u, 512u})
            for (std::size_t const batch : {1u, 2u, 4u})
                all.push_back({"sequence", kind, units, 100, batch});
    for (cell_kind const kind : {cudnn_gru, cell_kind::gru, lstm})
        for (std::size_t const units : {128u, 256u, 512u, 1024u})
            for (std::size_t const batch : {16u, 64u, 256u})
                if (units < 1024 || batch < 256) // seconds a call
                    all.push_back({"sequence", kind, units, 100, batch});
    for (std::size_t const batch : {16u, 64u})
        for (std::size_t const units : {256u, 512u})
            all.push_back({"sequence", lstm, units, 100, batch, units / 2});
    for (cell_kind const kind : {cudnn_gru, lstm})
        for (std::size_t const units : {128u, 256u, 512u, 1024u})
            all.push_back({.group = "training",
                           .kind = kind,
                           .units = units,
                           .steps = 50,
                           .batch = 32,
                           .trains = true});
    for (cell_kind const kind : {cudnn_gru, lstm})
        all.push_back(
            {.group = "training", .kind = kind, .units = 256, .steps = 50, .batch = 1, .trains = true});
    all.push_back({.group = "training",
                   .kind = lstm,
                   .units = 512,
                   .steps = 50,
                   .batch = 32,
                   .projection = 256,
                   .trains = true});
    all.push_back({.group = "sequence", .kind = lstm, .units = 512, .steps = 100, .batch = 16, .groups = 4});
    all.push_back({.group = "sequence", .kind = lstm, .units = 256, .steps = 100, .batch = 16, .groups = 8});
    return all;
}

bool is_quick(std::string const& called) {
    for (char const* const one :
         {"fixed step: GRU 32, batch 1", "step: GRU 32, batch 1", "step: GRU 256, batch 1",
          "sequence: GRU 128, T 100, batch 1", "sequence: GRU 128, T 100, batch 4",
          "sequence: GRU 256, T 100, batch 64", "sequence: LSTM 256, T 100, batch 16",
          "sequence: LSTM 256/128, T 100, batch 16", "training: GRU 256, T 50, batch 32",
          "training: GRU 256, T 50, batch 1", "training: LSTM 512/256, T 50, batch 32",
          "sequence: G-LSTM 256, 8 groups, T 100, batch 16"})
        if (called == one)
            return true;
    return false;
}

} // namespace

std::vector<peer> const& built_peers() {
    static std::vector<peer> const all{
#ifdef BENCH_ONEDNN
        {"oneDNN", onednn},
        {"dnnl_sgemm by hand", by_hand, true, 2, onednn_version},
#endif
#ifdef BENCH_NEWEST_ONEDNN
        {"the newest oneDNN", newest_onednn},
#endif
#ifdef BENCH_ONNX
        {"ONNX Runtime", onnx_runtime, true, 2, onnx_version},
#endif
#ifdef BENCH_TORCH
        {"PyTorch", torch_library, false, 2, torch_version},
        {"PyTorch, groups in one product", torch_groups, true, 1},
#endif
#ifdef BENCH_EIGEN
        {"Eigen", eigen, true, 1, eigen_version},
        {"Eigen, sizes of run time", eigen_of_run_time, true, 1},
#endif
        {"RTNeural's method by hand", rtneural_method, false, 1},
    };
    return all;
}

void try_peer(peer const& p) {
    row const small{.group = "trial", .kind = cudnn_gru, .units = 8, .steps = 2, .batch = 1};
    cell_numbers const cell = cell_of(small);
    if (auto const one = p.make(cell, sequence_of(small, cell.outputs(), 1)))
        one->answer();
}

std::vector<peer> const& working_peers() {
    static std::vector<peer> const all = [] {
        std::vector<peer> working;
        for (peer const& p : built_peers())
            try {
                in_own_process({this_program(), "--try", p.called});
                working.push_back(p);
            } catch (std::exception const& e) {
                leave_out(p.called, "all works", e.what());
            }
        return working;
    }();
    return all;
}

std::vector<task> all_tasks(int threads) {
    std::vector<task> all;
    if (threads > 1) {
        for (std::size_t const units : {128u, 256u, 512u})
            all.push_back(two_thread_task({"step on two cores", cudnn_gru, units, 1, 1}, true));
        all.push_back(two_thread_task({"sequence on two cores", cudnn_gru, 512, 100, 64}, true));
        return all;
    }
    for (row const& t : rows_of_one_thread())
        all.push_back({t.called(), is_quick(t.called()), [t] { return work_of(t); }});
    for (lesson_row const& t : lesson_rows())
        all.push_back({t.called(), t.units == 256 || t.classes == 65, [t] { return lesson_work(t); }});
    for (bool const in_bytes : {false, true})
        for (std::size_t const units : {256u, 512u, 1024u})
            for (row t : {row{"step", cudnn_gru, units, 1, 1}, row{"sequence", cudnn_gru, units, 100, 16}}) {
                t.group += in_bytes ? " in int8" : " in bfloat16";
                all.push_back(
                    {t.called(), units == 512 && t.steps == 1, [=] { return narrow_work(t, in_bytes); }});
            }
    all.push_back({audio_sample().called, true, audio_sample});
    row const fading{"fading state", lstm, 128, 2000, 1};
    all.push_back({fading.called(), true, fading_work});
    for (char const* const page :
         {"GRU, reset before the product", "LSTM", "LSTM with peepholes", "LSTM with projection", "tanh RNN",
          "G-LSTM of 2 groups", "MGU", "UGRNN", "minimalRNN", "JANET", "RHN", "NAS", "normalised GRU", "LEM",
          "multiplicative LSTM", "minGRU", "SRU", "IndRNN"})
        for (std::size_t const batch : {1u, 16u})
            all.push_back({std::string("cell: ")
                               .append(page)
                               .append(" 256, T 100, batch ")
                               .append(std::to_string(batch)),
                           batch == 16, [=] { return found(user_work(page, 100, batch, 256)); }});
    return all;
}

} // namespace bench
