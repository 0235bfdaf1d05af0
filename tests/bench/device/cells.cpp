// SPDX-License-Identifier: BSL-1.0
// What a sequence takes on a CUDA device. compare.py asks, one line each, and gets milliseconds:
//
//     gru units=512 projection=0 groups=1 layers=1 steps=50 batch=64 training        ->     1.234
//
// Everything stays on the device. `inference` is infer; `training` is unroll and backward with all gradients,
// those of the inputs too. A round is as many calls as take about 0.2 s, between two events; the answer is
// its mean. `flops` in the place of them asks for the multiplications and additions of one call of infer.
#include "../cells/numbers.hpp"
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cudnn.hpp>
#include <sluice/plan/cost.hpp>
#include <sluice/sluice.hpp>
#include <sstream>
#include <string>
#include <xtensor/xrandom.hpp>

namespace {

using namespace sluice::equation;

/// arXiv 1603.09420
struct mgu {
    static constexpr auto f = gate<"f">;
    static constexpr auto n = gate<"n">;
    static constexpr auto equations =
        sluice::lines(f = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
                      n = tanh(x * W<"n"> + (f * h) * R<"n"> + b<"n">), next(h) = (1 - f) * h + f * n);
};
/// arXiv 2410.01201
struct min_gru {
    static constexpr auto z = gate<"z">;
    static constexpr auto equations =
        sluice::lines(z = sigmoid(x * W<"z"> + b<"z">), next(h) = (1 - z) * h + z * (x * W<"n"> + b<"n">));
};

struct work {
    std::string cell{};
    std::map<std::string, std::size_t> sizes{};
    std::string what{};

    std::size_t size(std::string const& called) const {
        auto const found = sizes.find(called);
        if (found == sizes.end())
            throw std::invalid_argument("a line says " + called + "=...");
        return found->second;
    }
};
work read(std::string const& line) {
    work w;
    std::istringstream words(line);
    words >> w.cell;
    for (std::string word; words >> word;)
        if (auto const at = word.find('='); at == word.npos)
            w.what = word;
        else
            w.sizes[word.substr(0, at)] = bench::number_in<std::size_t>(std::string_view(word).substr(at + 1),
                                                                        word.substr(0, at), 0, 1 << 20);
    return w;
}

struct event {
    cudaEvent_t it = nullptr;
    event() { sluice::cudnn::require(cudaEventCreate(&it), {"make an event"}); }
    event(event const&) = delete;
    event& operator=(event const&) = delete;
    ~event() { (void)cudaEventDestroy(it); }
};

/// The mean of a round.
double milliseconds(std::function<void()> const& call) {
    auto const queue = sluice::cudnn::queue::of_this_thread();
    for (int i = 0; i < 3; ++i) // plans, kernels and graphs are made
        call();
    queue->wait();
    auto const round = [&](int calls) {
        event first, last;
        sluice::cudnn::require(cudaEventRecord(first.it, queue->stream()), {"record an event"});
        for (int i = 0; i < calls; ++i)
            call();
        sluice::cudnn::require(cudaEventRecord(last.it, queue->stream()), {"record an event"});
        queue->wait();
        float taken = 0;
        sluice::cudnn::require(cudaEventElapsedTime(&taken, first.it, last.it), {"read a time"});
        return static_cast<double>(taken) / calls;
    };
    double const once = round(2);
    return round(std::clamp(static_cast<int>(200 / std::max(once, 1e-3)), 3, 400));
}

template <class Net>
double answer(Net const& host, work const& w) {
    sluice::cudnn::resident net(host);
    std::size_t const steps = w.size("steps"), batch = w.size("batch");
    auto const random = [&](std::size_t width) {
        xt::xtensor<float, 3> const values = xt::random::rand<float>({steps, batch, width}, -1.f, 1.f);
        return sluice::cudnn::send(values);
    };
    auto const xs = random(host.input_size());
    auto const dys = random(host.output_size());
    auto const state = net.zero_state(batch);
    if (w.what == "inference")
        return milliseconds([&] { (void)sluice::infer(net, xs, state); });
    return milliseconds([&] {
        auto const run = sluice::unroll(net, xs, state);
        (void)sluice::backward(net, run, dys);
    });
}

template <class Page>
double answer(work const& w) {
    sluice::sizes n{.units = w.size("units"), .projection = w.size("projection")};
    n.groups = w.size("groups");
    n.input = n.projection > 0 ? n.projection : n.units;
    if (w.what == "flops")
        return sluice::flops<Page>(n) * static_cast<double>(w.size("steps") * w.size("batch"));
    using backend = sluice::cudnn::device;
    if (std::size_t const layers = w.size("layers"); layers > 1)
        return answer(sluice::stack<Page, float, backend>(n, {.layers = layers}), w);
    return answer(sluice::cell<Page, float, backend>(n), w);
}

} // namespace

int main() {
    if (!sluice::cudnn::device_available()) {
        std::cerr << "skipped: no GPU\n";
        return 0;
    }
    std::map<std::string, double (*)(work const&)> const cells{
        {"cudnn_gru", answer<sluice::cudnn_gru>},
        {"gru", answer<sluice::gru>},
        {"lstm", answer<sluice::lstm>},
        {"peephole_lstm", answer<sluice::peephole_lstm>},
        {"projected_glstm", answer<sluice::projected_glstm>},
        {"mgu", answer<mgu>},
        {"min_gru", answer<min_gru>},
    };
    for (std::string line; std::getline(std::cin, line);)
        try {
            work const w = read(line);
            auto const found = cells.find(w.cell);
            if (found == cells.end())
                throw std::invalid_argument("there is no cell " + w.cell);
            std::cout << found->second(w) << std::endl;
        } catch (std::exception const& e) {
            std::cout << "failed: " << e.what() << std::endl;
        }
}
