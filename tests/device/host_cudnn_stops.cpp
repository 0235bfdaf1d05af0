// SPDX-License-Identifier: BSL-1.0
// What the real library does not notice ends the program here, with a sentence.
#include "host.hpp"
#include "host_cudnn.hpp"

using namespace cudnn_host;

namespace {

/// Whether the sentence with which the program ends has these words.
void stops(void (*function)(), std::string const& words) {
    CHECK(device_test::last_words(function) == device_test::says(words));
}

struct trained {
    explicit trained(spec const& of = {.cell = CUDNN_LSTM, .layers = 2, .lengths = {2, 4, 3}}) : run(of) {
        run.give(random_operands(of));
    }
    trained& forward() {
        run.forward(CUDNN_FWD_MODE_TRAINING);
        return wait();
    }
    trained& data() {
        run.backward_data();
        return wait();
    }
    trained& weights() {
        run.backward_weights();
        return wait();
    }
    trained& wait() {
        cudaStreamSynchronize(run.stream);
        return *this;
    }
    trained& change(std::optional<memory> const& what, std::size_t at = 0) {
        cudaMemset(static_cast<char*>(what->get()) + at, 1, 1);
        return *this;
    }
    session run;
};

} // namespace

TEST_CASE("cuDNN on the host: a whole step runs") {
    CHECK(device_test::last_words([] { trained().forward().data().weights(); }) == "went on");
}

TEST_CASE("cuDNN on the host: pointers that nobody checks") {
    stops(
        [] {
            trained t;
            t.run.x.reset();
            t.forward();
        },
        "x is NULL");
    stops(
        [] {
            trained t;
            t.run.y.reset();
            t.forward();
        },
        "y is NULL");
    stops(
        [] {
            trained t;
            t.run.dy.reset();
            t.forward().data();
        },
        "dy is NULL");
    stops(
        [] {
            trained t;
            t.run.dx.reset();
            t.forward().data();
        },
        "dx is NULL");
    stops(
        [] {
            trained t;
            t.run.y.emplace(8);
            t.forward();
        },
        "y: needs");
    stops(
        [] {
            trained t;
            t.run.work.emplace(t.run.work_bytes - 1);
            t.forward();
        },
        "the work space");
}

TEST_CASE("cuDNN on the host: objects that are not there") {
    stops(
        [] {
            trained t;
            cudnnDestroyRNNDescriptor(t.run.rnn);
            t.forward();
        },
        "the RNN descriptor was destroyed");
    stops(
        [] {
            trained t;
            cudnnDestroy(t.run.handle);
            t.forward();
        },
        "the handle was destroyed");
    stops(
        [] {
            trained t;
            cudnnRNNDescriptor_t unset = nullptr;
            cudnnCreateRNNDescriptor(&unset);
            std::size_t bytes = 0;
            cudnnGetRNNWeightSpaceSize(t.run.handle, unset, &bytes);
        },
        "never set");
    stops(
        [] {
            trained t({.layers = 2, .dropout = 0.5f});
            cudnnDestroyDropoutDescriptor(t.run.dropout);
            t.forward();
        },
        "the dropout descriptor was destroyed");
}

TEST_CASE("cuDNN on the host: a sequence of no steps") {
    stops([] { trained({.lengths = {2, 0, 4}}).forward(); }, "sequence 1 has no step");
}

TEST_CASE("cuDNN on the host: the reserve space is that of the step, and untouched") {
    stops([] { trained().data(); }, "holds nothing of a forward call");
    stops(
        [] {
            trained t;
            t.run.forward(CUDNN_FWD_MODE_INFERENCE);
            t.wait().data();
        },
        "holds nothing of a forward call");
    stops([] { trained().forward().weights(); }, "has to come first");
    stops([] { trained().forward().data().data(); }, "was used up");
    stops([] { trained().forward().data().weights().weights(); }, "was used up");
    stops(
        [] {
            trained t;
            t.forward().change(t.run.reserve, 200).data();
        },
        "was changed");
    stops(
        [] {
            trained t;
            t.forward().data().change(t.run.reserve, 200).weights();
        },
        "was changed");
    stops(
        [] {
            trained t({.lengths = {4, 3, 4}});
            t.forward();
            std::vector const others{4, 4, 3};
            for (auto const& [data, width] : {std::pair{t.run.x_as, 3}, {t.run.y_as, 5}})
                cudnnSetRNNDataDescriptor(data, CUDNN_DATA_DOUBLE, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
                                          4, 3, width, others.data(), nullptr);
            t.data();
        },
        "other sizes, lengths or descriptors");
}

TEST_CASE("cuDNN on the host: backward is given what forward was given") {
    stops(
        [] {
            trained t;
            t.forward().change(t.run.y).data();
        },
        "y is not what it was");
    stops(
        [] {
            trained t;
            t.forward().change(t.run.hx).data();
        },
        "hx is not");
    stops(
        [] {
            trained t;
            t.forward().change(t.run.cx).data();
        },
        "cx is not");
    stops(
        [] {
            trained t;
            t.forward().change(t.run.weights).data();
        },
        "the weight space is not");
    stops(
        [] {
            trained t;
            t.forward().data().change(t.run.x).weights();
        },
        "x is not");
    stops(
        [] {
            trained t;
            t.forward().data().change(t.run.y).weights();
        },
        "y is not");
    CHECK(device_test::last_words([] {
              trained t;
              t.forward().data().change(t.run.weights).weights();
          }) == "went on"); // an optimiser may be faster
}

TEST_CASE("cuDNN on the host: memory that overlaps") {
    stops(
        [] {
            trained t({.lengths = {4, 4, 4}});
            auto& r = t.run;
            cudnnRNNForward(r.handle, r.rnn, CUDNN_FWD_MODE_INFERENCE, nullptr, r.x_as, r.x->get(), r.y_as,
                            r.y->get(), r.h_as, r.hx->get(), r.hx->get(), nullptr, nullptr, nullptr,
                            r.weight_bytes, r.weights->get(), r.work_bytes, r.work->get(), 0, nullptr);
        },
        "hy and hx overlap");
}

TEST_CASE("cuDNN on the host: dropout whose states are not its own") {
    stops(
        [] {
            trained t({.layers = 2, .dropout = 0.5f});
            t.wait();
            cudaMemset(t.run.random_states->get(), 0, 16);
            t.forward();
        },
        "states of dropout were not made");
    stops(
        [] {
            trained t({.layers = 2, .dropout = 0.5f});
            cudnnSetDropoutDescriptor(t.run.dropout, t.run.handle, 0.25f, t.run.random_states->get(),
                                      t.run.random_states->bytes(), 1);
            t.forward();
        },
        "another rate");
    stops(
        [] {
            trained t;
            cudnnDropoutDescriptor_t dropout = nullptr;
            cudnnCreateDropoutDescriptor(&dropout);
            cudnnSetDropoutDescriptor(dropout, t.run.handle, 1.5f, nullptr, 0, 1);
        },
        "not within 0 and 1");
}

TEST_CASE("cuDNN on the host: addresses between two elements") {
    stops(
        [] {
            trained t({.lengths = {4, 4, 4}});
            auto& r = t.run;
            memory const larger(r.x->bytes() + 8);
            cudnnRNNForward(r.handle, r.rnn, CUDNN_FWD_MODE_INFERENCE, nullptr, r.x_as,
                            static_cast<char*>(larger.get()) + 4, r.y_as, r.y->get(), nullptr, nullptr,
                            nullptr, nullptr, nullptr, nullptr, r.weight_bytes, r.weights->get(),
                            r.work_bytes, r.work->get(), 0, nullptr);
        },
        "x begins at an address that is not a multiple of 8");
}
