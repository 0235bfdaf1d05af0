// SPDX-License-Identifier: BSL-1.0
// Batches at the end of a row, and of numbers of another precision. What lies around a row is never touched:
// rows end where their memory does, which sanitizers see.
#include <sluice/core/half.hpp>
#include <sluice/simd/lanes.hpp>
#include <support/widths.hpp>

#include <array>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace lanes_test {

namespace {

using namespace sluice::batches;
using size = std::size_t;
using widths::for_widths;

template <class S, size L>
std::array<S, L> numbers_of(batch<S, L> const& z) {
    std::array<S, L> all;
    z.store(all.data());
    return all;
}
template <class S>
std::vector<S> counted(size count) {
    std::vector<S> all;
    for (size i = 0; i < count; ++i)
        all.push_back(S(i) + S(0.5));
    return all;
}

} // namespace

TEST_CASE_TEMPLATE("lanes: the first numbers of a row are loaded and stored, and no others", S, float,
                   double) {
    for_widths<S>([&]<size L> {
        for (size count = 0; count <= L + 1; ++count) {
            std::vector<S> const row = counted<S>(count);
            auto const loaded = numbers_of(load_first<S, L>(row.data(), count, S(-7)));
            for (size i = 0; i < L; ++i)
                CHECK(loaded[i] == (i < count ? row[i] : S(-7)));
            std::vector<S> stored(count, S(-1));
            store_first(batch<S, L>::load(counted<S>(L).data()), stored.data(), count);
            for (size i = 0; i < count; ++i)
                CHECK(stored[i] == (i < L ? S(i) + S(0.5) : S(-1)));
        }
    });
}

TEST_CASE("lanes: numbers of one precision are those of the other") {
    for_widths<double>([&]<size L> {
        std::vector<float> row = counted<float>(L);
        row[0] = 1e-40f;
        row[L - 1] = -std::numeric_limits<float>::infinity();
        auto const wide = load_as<batch<double, L>>(row.data());
        for (size i = 0; i < L; ++i)
            CHECK(numbers_of(wide)[i] == static_cast<double>(row[i]));
        std::vector<float> again(L);
        store_as(wide, again.data());
        CHECK(again == row);
        store_as(wide * batch<double, L>(1e300), again.data());
        CHECK(again[L - 1] == -std::numeric_limits<float>::infinity());
        CHECK(load_as<batch<double, L>>(counted<double>(L).data()).v[0] == 0.5);
    });
}

TEST_CASE_TEMPLATE("lanes: a fold takes each lane once", S, float, double) {
    for_widths<S>([&]<size L> {
        auto const z = batch<S, L>::load(counted<S>(L).data());
        CHECK(fold(z, [](S a, S b) { return a + b; }) == S(L * L) / 2);
        CHECK(fold(z, [](S, S b) { return b; }) == S(L) - S(0.5));
    });
}

TEST_CASE_TEMPLATE("lanes: each number is added and replaced once, in double, in rows of any length", S,
                   float, double, sluice::half) {
    static_assert(doubles_of<S> == (sizeof(S) == 2 ? 1 : widest<double>));
    for (size count = 0; count < 70; ++count) {
        std::vector<S> row;
        double expected = 0;
        for (size i = 0; i < count; ++i) {
            row.push_back(sluice::rounded<S>(static_cast<double>(i % 9) + 0.5));
            expected += static_cast<double>(i) * (static_cast<double>(i % 9) + 0.5);
        }
        std::vector<double> places(count);
        std::iota(places.begin(), places.end(), 0.);
        auto const times_place = [&]<class D>(D) {
            return [&](size i) { return in_doubles<D>(row.data() + i) * in_doubles<D>(places.data() + i); };
        };
        CHECK(sum_in_doubles<doubles_of<S>>(count, times_place) == expected); // exact: the numbers are short
        std::vector<S> const before = row;
        replace_in_doubles<doubles_of<S>>(std::span(row), times_place);
        for (size i = 0; i < count; ++i)
            CHECK(sluice::in_double(row[i]) == sluice::in_double(before[i]) * static_cast<double>(i));
    }
}

} // namespace lanes_test
