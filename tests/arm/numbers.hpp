// SPDX-License-Identifier: BSL-1.0
// What a cell computes, as an archive: one machine writes it, another compares. Weights and inputs follow
// from seeds, and are the same to the byte on every machine. Sums of products are taken in the order of k,
// and rounded once a term, wherever there are fused products: a machine of other lanes has the same bits.
// Sums over columns are taken lane by lane first, and a short step splits its sums into as many parts as
// there are registers for: those differ in their last digits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/xtensor.hpp>
#include <span>
#include <string>
#include <support/tensors.hpp>
#include <vector>

namespace arm {

/// The tensors of what a cell gives, by name.
class results {
public:
    template <class Tensor>
    void add(std::string const& called, Tensor const& t) {
        using S = typename Tensor::value_type;
        std::vector<std::size_t> const shape(t.shape().begin(), t.shape().end());
        std::vector<S> const values(t.begin(), t.end());
        all_.add<S>(called, shape, std::span<S const>(values));
    }
    template <class Map>
    void add_map(std::string const& called, Map const& map) {
        sluice::for_each_parameter(map, [&](auto key, auto const& t) { add(called + '/' + key.c_str(), t); });
    }
    sluice::archive const& all() const { return all_; }

private:
    sluice::archive all_;
};

/// Sequences of 11 rows and of one, forwards and backwards, some rows of which end early; a stream; and steps
/// of a cell whose sizes the compiler knows.
template <class Page, class S, sluice::sizes Sizes>
sluice::archive computed(sluice::cell<Page, S> const& cell) {
    constexpr std::size_t time = 7;
    results found;
    for (std::size_t const batch : {std::size_t(11), std::size_t(1)}) {
        std::string const rows = std::to_string(batch) + " rows/";
        std::vector<std::size_t> lengths;
        for (std::size_t r = 0; batch > 1 && r < batch; ++r)
            lengths.push_back((3 * r + 1) % (time + 1));
        auto const xs = support::random_sequence<S>(time, batch, Sizes.input);
        auto const start = support::random_map(cell.zero_state(batch), "start");
        auto const run = sluice::unroll(cell, xs, start, {.lengths = lengths});
        auto const dys = support::random_like(run.outputs, "dys");
        auto const back = sluice::backward(cell, run, dys);
        found.add(rows + "outputs", run.outputs);
        found.add_map(rows + "state", run.state);
        found.add(rows + "gradient/inputs", back.inputs);
        found.add_map(rows + "gradient/parameters", back.parameters);
        found.add_map(rows + "gradient/state", back.state);

        sluice::stream live(cell, batch, start);
        for (std::size_t t = 0; t < time; ++t)
            found.add(rows + "stream/" + std::to_string(t), live.step(xt::xtensor<S, 2>(xt::view(xs, t))));
    }
    sluice::cell<Page, S, sluice::extents<Sizes>> fixed;
    fixed.update_values([&](std::span<S> values) {
        auto const from = cell.parameters().values();
        std::copy(from.begin(), from.end(), values.begin());
    });
    auto const xs = support::random_sequence<S>(time, 1, Sizes.input);
    auto state = fixed.zero_state(1);
    for (std::size_t t = 0; t < time; ++t) {
        auto const [y, next] = fixed(xt::xtensor<S, 2>(xt::view(xs, t)), state);
        found.add("constant sizes/" + std::to_string(t), y);
        state = next;
    }
    return found.all();
}

/// |a - b| / |b| of two tensors of scalars S, in Euclid's norm.
template <class S>
double distance(sluice::stored_tensor const& a, sluice::archive const& other) {
    auto const there = other.at<S>(a.name, a.shape);
    double off = 0, norm = 0;
    for (std::size_t i = 0; i < there.size(); ++i) {
        S here;
        std::memcpy(&here, a.bytes.data() + i * sizeof(S), sizeof(S));
        off += std::pow(double(here) - double(there[i]), 2);
        norm += std::pow(double(there[i]), 2);
    }
    if (!std::isfinite(off) || !std::isfinite(norm))
        return std::numeric_limits<double>::infinity();
    return norm > 0 ? std::sqrt(off / norm) : std::sqrt(off);
}

/// How far rounding may move a result, relative to its norm: 64 roundings forward, and eight times as many
/// backward, as in law/laws.hpp.
template <class S>
double tolerance(std::string const& called) {
    return (called.find("gradient") == called.npos ? 64 : 512) * double(std::numeric_limits<S>::epsilon());
}

/// Whether all is as the other machine has it.
template <class S>
bool compare(std::string const& name, sluice::archive const& mine, sluice::archive const& others) {
    double worst = 0;
    std::size_t same = 0, wrong = 0;
    for (sluice::stored_tensor const& t : mine.tensors()) {
        double const off = distance<S>(t, others);
        same += t.bytes == others.tensor(t.name).bytes;
        worst = std::max(worst, off);
        if (!(off <= tolerance<S>(t.name))) {
            std::printf("%s: %s differs by %.1e of its norm; %.1e is the most\n", name.c_str(),
                        t.name.c_str(), off, tolerance<S>(t.name));
            ++wrong;
        }
    }
    bool const whole = mine.tensors().size() == others.tensors().size();
    if (!whole)
        std::printf("%s: %zu tensors here, and %zu in the file\n", name.c_str(), mine.tensors().size(),
                    others.tensors().size());
    std::printf("%-22s %3zu tensors, %3zu the same to the bit, the others within %.1e of their norms\n",
                name.c_str(), mine.tensors().size(), same, worst);
    return whole && wrong == 0;
}

/// The cell of a page, from a seed; its file and that of what it computes are in a folder.
template <class Page, class S, sluice::sizes Sizes>
struct subject {
    static constexpr std::uint64_t seed = 7;
    std::string name = std::string(Page::name) + (sizeof(S) == 4 ? ", float" : ", double");

    std::filesystem::path file(std::filesystem::path const& folder, char const* what) const {
        return folder / (name + "." + what + ".safetensors");
    }
    static std::string bytes(std::filesystem::path const& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    bool write(std::filesystem::path const& folder) const {
        sluice::cell<Page, S> const cell(Sizes, sluice::seed{seed});
        sluice::save(file(folder, "cell"), cell);
        sluice::safetensors::write(file(folder, "numbers"), computed<Page, S, Sizes>(cell));
        return true;
    }
    /// Against the folder of another machine. A copy of the cell that was read there, and the cell of the
    /// same seed, make the same file.
    bool compare(std::filesystem::path const& others, std::filesystem::path const& copies) const {
        sluice::cell<Page, S> cell(Sizes, sluice::seed{seed + 1});
        sluice::load(file(others, "cell"), cell);
        sluice::save(file(copies, "cell"), cell);
        sluice::save(file(copies, "seeded"), sluice::cell<Page, S>(Sizes, sluice::seed{seed}));
        bool is_same = true;
        for (char const* const what : {"cell", "seeded"})
            if (bytes(file(copies, what)) != bytes(file(others, "cell"))) {
                std::printf("%s: %s has other bytes than %s\n", name.c_str(),
                            file(copies, what).string().c_str(), file(others, "cell").string().c_str());
                is_same = false;
            }
        return arm::compare<S>(name, computed<Page, S, Sizes>(cell),
                               sluice::safetensors::read(file(others, "numbers"))) &&
               is_same;
    }
};

/// What a file of cells does with a folder, or two.
using action = bool (*)(std::filesystem::path const& folder, std::filesystem::path const& copies);

template <class Page, sluice::sizes Sizes>
bool with_both(std::filesystem::path const& folder, std::filesystem::path const& copies) {
    auto const one = [&](auto const& of) {
        return copies.empty() ? of.write(folder) : of.compare(folder, copies);
    };
    bool const in_float = one(subject<Page, float, Sizes>());
    return one(subject<Page, double, Sizes>()) && in_float;
}

bool gated(std::filesystem::path const&, std::filesystem::path const&);
bool lstms(std::filesystem::path const&, std::filesystem::path const&);
bool matrices(std::filesystem::path const&, std::filesystem::path const&);

} // namespace arm
