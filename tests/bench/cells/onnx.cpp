// SPDX-License-Identifier: BSL-1.0
// ONNX Runtime through its C interface, as its Python wheel brings it: a library without headers. What that
// exports is a table of functions whose places are part of its binary interface and never change; those that
// are called here stand in `call_of`. Inputs and outputs are bound to memory once; a step's state goes from
// one of two bindings to the other.
#include "onnx_model.hpp"
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <stdexcept>
#include <string>

namespace bench {

namespace {

struct api_base {
    void const* const* (*table)(std::uint32_t version) noexcept;
    char const* (*version)() noexcept;
};

api_base const& base_of_library() {
    void* const library = dlopen(BENCH_ONNX, RTLD_NOW | RTLD_LOCAL);
    void* const base = library ? dlsym(library, "OrtGetApiBase") : nullptr;
    if (!base)
        throw std::runtime_error("it cannot be loaded: " + std::string(dlerror()));
    return *reinterpret_cast<api_base const* (*)() noexcept>(base)();
}

/// The functions of interface version 11.
void const* const* functions() {
    auto const table = base_of_library().table(11);
    if (!table)
        throw std::runtime_error(
            "it does not have version 11 of its interface; take an older one: " BENCH_ONNX);
    return table;
}

enum class call_of : std::size_t {
    error_message = 2,
    create_env = 3,
    create_session_from_array = 8,
    create_session_options = 10,
    set_execution_mode = 13,
    set_graph_optimization_level = 23,
    set_intra_op_threads = 24,
    set_inter_op_threads = 25,
    create_tensor_with_data = 49,
    create_cpu_memory_info = 69,
    run_with_binding = 133,
    create_io_binding = 134,
    bind_input = 136,
    bind_output = 137,
};

/// Objects of the library are pointers here, and live as long as the program.
template <class... Arguments>
void call(call_of which, Arguments... arguments) {
    static void const* const* const table = functions();
    void const* const place = table[static_cast<std::size_t>(which)];
    auto const status =
        reinterpret_cast<void* (*)(Arguments...) noexcept>(const_cast<void*>(place))(arguments...);
    if (status) {
        void const* const message = table[static_cast<std::size_t>(call_of::error_message)];
        throw std::runtime_error(
            reinterpret_cast<char const* (*)(void*) noexcept>(const_cast<void*>(message))(status));
    }
}
template <class... Arguments>
void* made(call_of which, Arguments... arguments) {
    void* object = nullptr;
    call(which, arguments..., &object);
    return object;
}

class onnx_caller {
public:
    onnx_caller(cell_numbers const& n, sequence const& over)
        : is_step_(over.is_step()), is_lstm_(n.kind == cell_kind::lstm), xs_(over.xs),
          ys_(over.steps * over.batch * n.units) {
        for (auto& state : states_)
            state.resize(over.batch * n.units);
        static void* const env = made(call_of::create_env, int(3), static_cast<char const*>("bench"));
        void* const options = made(call_of::create_session_options);
        call(call_of::set_intra_op_threads, options, int(over.threads));
        call(call_of::set_inter_op_threads, options, int(1));
        call(call_of::set_execution_mode, options, int(0));
        call(call_of::set_graph_optimization_level, options, int(99));
        std::string const model = onnx_model(n, over);
        session_ = made(call_of::create_session_from_array, env, static_cast<void const*>(model.data()),
                        model.size(), options);
        memory_ = made(call_of::create_cpu_memory_info, int(1), int(0));
        auto const size = [](std::size_t value) { return static_cast<std::int64_t>(value); };
        std::array<std::int64_t, 3> const x{size(over.steps), size(over.batch), size(n.input)};
        std::array<std::int64_t, 4> const y{size(over.steps), 1, size(over.batch), size(n.units)};
        std::array<std::int64_t, 3> const s{1, size(over.batch), size(n.units)};
        for (std::size_t way = 0; way < 2; ++way) { // states 0 and 1 are h, 2 and 3 are c
            void* const binding = bindings_[way] = made(call_of::create_io_binding, session_);
            bind(call_of::bind_input, binding, "X", xs_, x);
            bind(call_of::bind_input, binding, "H", states_[way], s);
            bind(call_of::bind_output, binding, "Y", ys_, y);
            bind(call_of::bind_output, binding, "HE", states_[1 - way], s);
            if (is_lstm_) {
                bind(call_of::bind_input, binding, "C", states_[2 + way], s);
                bind(call_of::bind_output, binding, "CE", states_[3 - way], s);
            }
        }
    }
    void step_or_sequence() {
        call(call_of::run_with_binding, session_, static_cast<void const*>(nullptr), bindings_[way_]);
        if (is_step_)
            way_ = 1 - way_;
    }
    std::vector<float> answer() {
        for (auto& state : states_)
            std::fill(state.begin(), state.end(), 0.f);
        way_ = 0;
        step_or_sequence();
        if (is_step_)
            step_or_sequence();
        return ys_;
    }

private:
    bool is_step_, is_lstm_;
    std::vector<float> xs_, ys_;
    std::array<std::vector<float>, 4> states_{};
    void *session_ = nullptr, *memory_ = nullptr;
    std::array<void*, 2> bindings_{};
    std::size_t way_ = 0;

    template <std::size_t Rank>
    void bind(call_of which, void* binding, char const* called, std::vector<float>& values,
              std::array<std::int64_t, Rank> const& shape) {
        void* const value = made(call_of::create_tensor_with_data, memory_, static_cast<void*>(values.data()),
                                 values.size() * sizeof(float), shape.data(), Rank, int(1));
        call(which, binding, called, value);
    }
};

} // namespace

std::string onnx_version() {
    return base_of_library().version();
}

std::optional<contestant> onnx_runtime(cell_numbers const& cell, sequence const& over) {
    if (cell.projection > 0 || cell.groups > 1 || over.trains())
        return {};
    auto const all = std::make_shared<onnx_caller>(cell, over);
    return contestant{"ONNX Runtime", [all] { all->step_or_sequence(); }, [all] { return all->answer(); }};
}

} // namespace bench
