// SPDX-License-Identifier: BSL-1.0
#include "user_work.hpp"
#include <initializer_list>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/mgu.hpp>

namespace bench {

std::vector<named_page> pages_1();
std::vector<named_page> pages_2();
std::vector<named_page> pages_3();
std::vector<named_page> pages_4();
std::vector<named_page> pages_5();
std::vector<named_page> trained_pages_5();
std::vector<named_page> pages_6();

namespace {

std::string sequence_of(std::size_t steps, std::size_t batch, std::size_t units) {
    std::string text(1, ' ');
    text += std::to_string(units);
    text += ", T ";
    text += std::to_string(steps);
    text += ", batch ";
    text += std::to_string(batch);
    return text;
}
work made(std::initializer_list<std::vector<named_page>> of, std::string const& page, std::size_t steps,
          std::size_t batch, std::size_t units) {
    for (auto const& pages : of)
        for (auto const& [called, make] : pages)
            if (called == page)
                return make(steps, batch, units);
    return {};
}
work made(std::string const& page, std::size_t steps, std::size_t batch, std::size_t units) {
    return made({pages_1(), pages_2(), pages_3(), pages_4(), pages_5(), pages_6()}, page, steps, batch,
                units);
}
std::vector<named_page> trained_pages() {
    return {{"MGU", work_of_page<sluice::mgu, true>}};
}

} // namespace

std::optional<work> user_work(std::string const& page, std::size_t steps, std::size_t batch,
                              std::size_t units) {
    work w = made(page, steps, batch, units);
    if (w.all.empty())
        return {};
    w.called = "cell: ";
    w.called += page;
    w.called += sequence_of(steps, batch, units);
    sluice::sizes const n = sluice::sizes_for<sluice::cudnn_gru>(units, units);
    auto gru =
        page_contestant<sluice::cudnn_gru, false>("cuDNN's GRU by multiplications", steps, batch, n, units);
    gru.answer = {};
    gru.scale =
        w.flops / sluice::cost_of<sluice::cudnn_gru>(n).products() / static_cast<double>(steps * batch);
    w.all.push_back(std::move(gru));
    return w;
}

std::optional<work> plain_work(std::string const& page, std::size_t steps, std::size_t batch,
                               std::size_t units, bool trains) {
    work w = trains ? made({trained_pages(), trained_pages_5()}, page, steps, batch, units)
                    : made(page, steps, batch, units);
    if (w.all.empty())
        return {};
    w.called = trains ? "training: " : "sequence: ";
    w.called += page;
    w.called += sequence_of(steps, batch, units);
    return w;
}

} // namespace bench
