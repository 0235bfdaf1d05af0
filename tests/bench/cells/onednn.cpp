// SPDX-License-Identifier: BSL-1.0
// oneDNN, 2 or 3: weights in the layout that it likes best, put there once for inference and at every call in
// training. As a library of its own (BENCH_MODULE) it is the newest one, beside the system's.
#include "peers.hpp"
#include <algorithm>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <unordered_map>

namespace bench {

namespace {

using dnnl::memory;
using tag = memory::format_tag;
using arguments = std::unordered_map<int, memory>;

memory::desc plain(memory::dims const& dims, tag how) {
    return {dims, memory::data_type::f32, how};
}

template <class Primitive, class... Arguments>
auto described(dnnl::engine const& engine, Arguments const&... given) {
#if DNNL_VERSION_MAJOR >= 3
    return typename Primitive::primitive_desc(engine, given...);
#else
    return typename Primitive::primitive_desc(typename Primitive::desc(given...), engine);
#endif
}
/// Backward: what was described for the way forward comes last.
template <class Primitive, class Hint, class... Arguments>
auto described_backward(dnnl::engine const& engine, Hint const& hint, Arguments const&... given) {
#if DNNL_VERSION_MAJOR >= 3
    return typename Primitive::primitive_desc(engine, given..., hint);
#else
    return typename Primitive::primitive_desc(typename Primitive::desc(given...), engine, hint);
#endif
}
template <class Forward, class Backward>
class caller {
    static constexpr bool is_lstm = std::is_same_v<Forward, dnnl::lstm_forward>;
    static constexpr bool has_recurrent_bias = std::is_same_v<Forward, dnnl::lbr_gru_forward>;

public:
    caller(cell_numbers const& n, sequence const& over)
        : steps_(static_cast<long>(over.steps)), batch_(static_cast<long>(over.batch)),
          input_(static_cast<long>(n.input)), units_(static_cast<long>(n.units)),
          outputs_(static_cast<long>(n.outputs())), gates_(is_lstm ? 4 : 3), trains_(over.trains()) {
        auto const any = [](memory::dims const& dims) { return plain(dims, tag::any); };
        memory::dims const w_dims{1, 1, input_, gates_, units_}, r_dims{1, 1, outputs_, gates_, units_};
        auto const kind = trains_ ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
        forward_desc_ = describe(kind, any(w_dims), any(r_dims));
        forward_ = Forward(forward_desc_);
        w_ = memory(plain(w_dims, tag::ldigo), engine_);
        r_ = memory(plain(r_dims, tag::ldigo), engine_);
        put_weights(n);
        x_ = filled(x_desc(), over.xs);
        h_ = filled(state_desc(outputs_), {});
        c_ = filled(state_desc(units_), {});
        b_ = memory(bias_desc(), engine_);
        put_bias(n);
        y_ = memory(y_desc(), engine_);
        h_end_ = memory(state_desc(outputs_), engine_);
        c_end_ = memory(state_desc(units_), engine_);
        if (is_projected()) {
            memory p(plain({1, 1, units_, outputs_}, tag::ldio), engine_);
            std::copy(n.p.begin(), n.p.end(), data(p));
            p_packed_ = memory(projection_desc(), engine_);
            reorder(p, p_packed_);
            stream_.wait();
        }
        w_packed_ = memory(forward_desc_.weights_layer_desc(), engine_);
        r_packed_ = memory(forward_desc_.weights_iter_desc(), engine_);
        pack();
        given_ = {
            {DNNL_ARG_SRC_LAYER, x_},           {DNNL_ARG_SRC_ITER, h_}, {DNNL_ARG_WEIGHTS_LAYER, w_packed_},
            {DNNL_ARG_WEIGHTS_ITER, r_packed_}, {DNNL_ARG_BIAS, b_},     {DNNL_ARG_DST_LAYER, y_},
            {DNNL_ARG_DST_ITER, h_end_}};
        if (is_lstm)
            given_.insert({{DNNL_ARG_SRC_ITER_C, c_}, {DNNL_ARG_DST_ITER_C, c_end_}});
        if (is_projected())
            given_.insert({DNNL_ARG_WEIGHTS_PROJECTION, p_packed_});
        if (trains_)
            prepare_backward(over, w_dims, r_dims);
    }

    void call() {
        if (trains_)
            pack();
        forward_.execute(stream_, given_);
        if (trains_) {
            reorder(w_, w_back_);
            reorder(r_, r_back_);
            clear(dw_);
            clear(dr_);
            clear(db_);
            backward_.execute(stream_, given_back_);
            if (dw_plain_.get(true) != dw_.get(true))
                reorder(dw_, dw_plain_);
            if (dr_plain_.get(true) != dr_.get(true))
                reorder(dr_, dr_plain_);
        } else if (steps_ == 1) { // the state goes on
            std::memcpy(h_.get_data_handle(), h_end_.get_data_handle(), h_.get_desc().get_size());
            if (is_lstm)
                std::memcpy(c_.get_data_handle(), c_end_.get_data_handle(), c_.get_desc().get_size());
        }
        stream_.wait();
    }
    std::vector<float> answer() {
        clear(h_);
        clear(c_);
        call();
        if (steps_ == 1 && !trains_)
            call();
        if (!trains_)
            return numbers(y_);
        auto all = numbers(dx_);
        auto const dw = numbers(dw_plain_); // [input, gates, units], gates in oneDNN's order
        for (long gate = 0; gate < gates_; ++gate)
            for (long i = 0; i < input_; ++i)
                for (long u = 0; u < units_; ++u)
                    all.push_back(dw[static_cast<std::size_t>((i * gates_ + place_of(gate)) * units_ + u)]);
        return all;
    }

private:
    long steps_, batch_, input_, units_, outputs_, gates_;
    bool trains_;
    dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_{engine_};
    typename Forward::primitive_desc forward_desc_{};
    Forward forward_{};
    Backward backward_{};
    memory w_, r_, b_, x_, y_, h_, c_, h_end_, c_end_, w_packed_, r_packed_, p_packed_;
    memory w_back_, r_back_, dx_, dh_, dc_, dy_, dh_end_, dc_end_, dw_, dr_, db_, dw_plain_, dr_plain_,
        workspace_;
    arguments given_, given_back_;

    memory::desc x_desc() const { return plain({steps_, batch_, input_}, tag::tnc); }
    memory::desc y_desc() const { return plain({steps_, batch_, outputs_}, tag::tnc); }
    memory::desc state_desc(long width) const { return plain({1, 1, batch_, width}, tag::ldnc); }
    memory::desc bias_desc() const { return plain({1, 1, gates_ + has_recurrent_bias, units_}, tag::ldgo); }
    bool is_projected() const { return outputs_ != units_; }
    memory::desc projection_desc() const {
        if constexpr (is_lstm)
            return forward_desc_.weights_projection_desc();
        else
            return {};
    }
    /// oneDNN's GRU begins with the update gate; its LSTM has the same order.
    long place_of(long gate) const { return is_lstm || gate == 2 ? gate : 1 - gate; }

    auto describe(dnnl::prop_kind kind, memory::desc const& w, memory::desc const& r) const {
        constexpr auto way = dnnl::rnn_direction::unidirectional_left2right;
        auto const x = x_desc(), h = state_desc(outputs_), c = state_desc(units_), b = bias_desc(),
                   y = y_desc();
        if constexpr (!is_lstm)
            return described<Forward>(engine_, kind, way, x, h, w, r, b, y, h);
        else if (is_projected())
            return described<Forward>(engine_, kind, way, x, h, c, w, r, memory::desc(),
                                      plain({1, 1, units_, outputs_}, tag::any), b, y, h, c);
        else
            return described<Forward>(engine_, kind, way, x, h, c, w, r, b, y, h, c);
    }
    void prepare_backward(sequence const& over, memory::dims const& w_dims, memory::dims const& r_dims) {
        auto const any = [](memory::dims const& dims) { return plain(dims, tag::any); };
        constexpr auto way = dnnl::rnn_direction::unidirectional_left2right;
        auto const x = x_desc(), s = state_desc(units_), b = bias_desc(), y = y_desc();
        auto const w = any(w_dims), r = any(r_dims);
        auto const pd = [&] {
            if constexpr (is_lstm)
                return described_backward<Backward>(engine_, forward_desc_, dnnl::prop_kind::backward, way, x,
                                                    s, s, w, r, b, y, s, s, x, s, s, w, r, b, y, s, s);
            else
                return described_backward<Backward>(engine_, forward_desc_, dnnl::prop_kind::backward, way, x,
                                                    s, w, r, b, y, s, x, s, w, r, b, y, s);
        }();
        backward_ = Backward(pd);
        w_back_ = memory(pd.weights_layer_desc(), engine_);
        r_back_ = memory(pd.weights_iter_desc(), engine_);
        dw_ = memory(pd.diff_weights_layer_desc(), engine_);
        dr_ = memory(pd.diff_weights_iter_desc(), engine_);
        bool const w_is_plain = dw_.get_desc() == plain(w_dims, tag::ldigo);
        bool const r_is_plain = dr_.get_desc() == plain(r_dims, tag::ldigo);
        dw_plain_ = w_is_plain ? dw_ : memory(plain(w_dims, tag::ldigo), engine_);
        dr_plain_ = r_is_plain ? dr_ : memory(plain(r_dims, tag::ldigo), engine_);
        db_ = memory(bias_desc(), engine_);
        dx_ = memory(x_desc(), engine_);
        dh_ = memory(state_desc(units_), engine_);
        dc_ = memory(state_desc(units_), engine_);
        dy_ = filled(y_desc(), over.dys);
        dh_end_ = filled(state_desc(units_), {});
        dc_end_ = filled(state_desc(units_), {});
        workspace_ = memory(forward_desc_.workspace_desc(), engine_);
        given_.insert({DNNL_ARG_WORKSPACE, workspace_});
        given_back_ = given_;
        given_back_[DNNL_ARG_WEIGHTS_LAYER] = w_back_;
        given_back_[DNNL_ARG_WEIGHTS_ITER] = r_back_;
        given_back_.insert({{DNNL_ARG_DIFF_SRC_LAYER, dx_},
                            {DNNL_ARG_DIFF_SRC_ITER, dh_},
                            {DNNL_ARG_DIFF_WEIGHTS_LAYER, dw_},
                            {DNNL_ARG_DIFF_WEIGHTS_ITER, dr_},
                            {DNNL_ARG_DIFF_BIAS, db_},
                            {DNNL_ARG_DIFF_DST_LAYER, dy_},
                            {DNNL_ARG_DIFF_DST_ITER, dh_end_}});
        if (is_lstm)
            given_back_.insert({{DNNL_ARG_DIFF_SRC_ITER_C, dc_}, {DNNL_ARG_DIFF_DST_ITER_C, dc_end_}});
    }
    static float* data(memory const& m) { return static_cast<float*>(m.get_data_handle()); }
    static void clear(memory const& m) { std::memset(m.get_data_handle(), 0, m.get_desc().get_size()); }
    static std::vector<float> numbers(memory const& m) {
        return {data(m), data(m) + m.get_desc().get_size() / sizeof(float)};
    }
    memory filled(memory::desc const& desc, std::vector<float> const& values) {
        memory m(desc, engine_);
        clear(m);
        std::copy(values.begin(), values.end(), data(m));
        return m;
    }
    void reorder(memory& from, memory& to) { dnnl::reorder(from, to).execute(stream_, from, to); }
    void pack() {
        reorder(w_, w_packed_);
        reorder(r_, r_packed_);
        stream_.wait();
    }
    void put_weights(cell_numbers const& n) {
        auto const put = [&](std::vector<float> const& from, long rows, memory const& to) {
            for (long i = 0; i < rows; ++i)
                for (long gate = 0; gate < gates_; ++gate)
                    std::copy_n(from.data() + (i * gates_ + gate) * units_, units_,
                                data(to) + (i * gates_ + place_of(gate)) * units_);
        };
        put(n.w, input_, w_);
        put(n.r, outputs_, r_);
    }
    void put_bias(cell_numbers const& n) {
        for (long gate = 0; gate < gates_; ++gate)
            std::copy_n(n.b.data() + gate * units_, units_, data(b_) + place_of(gate) * units_);
        if (has_recurrent_bias)
            std::copy_n(n.b_recurrent.data(), units_, data(b_) + 3 * units_);
    }
};

std::string version() {
    dnnl_version_t const& is = *dnnl_version();
    return std::to_string(is.major) + "." + std::to_string(is.minor);
}

template <class Forward, class Backward>
contestant contestant_of(cell_numbers const& n, sequence const& over) {
    return contestant_with<caller<Forward, Backward>>("oneDNN " + version(), n, over);
}
std::optional<contestant> made(cell_numbers const& cell, sequence const& over) {
    if (cell.groups > 1 || (cell.projection > 0 && over.trains()))
        return {};
    switch (cell.kind) {
    case cell_kind::lstm:
        return contestant_of<dnnl::lstm_forward, dnnl::lstm_backward>(cell, over);
    case cell_kind::gru:
        return contestant_of<dnnl::gru_forward, dnnl::gru_backward>(cell, over);
    default:
        return contestant_of<dnnl::lbr_gru_forward, dnnl::lbr_gru_backward>(cell, over);
    }
}

} // namespace

#ifdef BENCH_MODULE
// Its exceptions stay on this side: the program knows another dnnl::error.
extern "C" [[gnu::visibility("default")]] void bench_onednn(cell_numbers const* cell, sequence const* over,
                                                            std::optional<contestant>* result,
                                                            std::string* why) try {
    *result = made(*cell, *over);
} catch (std::exception const& e) { // a build for SYCL finds no processor without that
    *why = e.what();
}
#else
std::string onednn_version() {
    return version();
}

std::optional<contestant> onednn(cell_numbers const& cell, sequence const& over) {
    return made(cell, over);
}
#endif

} // namespace bench
