// SPDX-License-Identifier: BSL-1.0
// Tensors whose numbers lie in the array of a map: expressions like any other, in place.
#include "map.hpp"

#include <algorithm>
#include <limits>
#include <support/tensors.hpp>
#include <utility>

namespace parameter_tensor_test {

using support::same_bits;

TEST_CASE_TEMPLATE("tensor: it takes part in expressions as an xtensor does", S, float, double) {
    auto map = numbered<S>();
    auto const& w = map["W_f"_s];
    using tensor = std::decay_t<decltype(w)>;
    static_assert(xt::is_xexpression<tensor>::value);
    static_assert(std::tuple_size_v<typename tensor::shape_type> == 2);
    static_assert(std::is_same_v<typename tensor::value_type, S>);
    static_assert(std::is_same_v<decltype(w.data()), S const*>);
    static_assert(std::is_same_v<decltype(*w.begin()), S const&>);
    static_assert(std::is_same_v<decltype(w(0, 0)), S const&>);
    CHECK(w.size() == 12);
    CHECK(w.dimension() == 2);
    CHECK(w.shape() == std::array<std::size_t, 2>{3, 4});
    CHECK(w(1, 2) == 6);
    CHECK(w(2, 3) == map.values()[11]);

    xt::xtensor<S, 2> const plain = w;
    CHECK(same_bits(w, plain));
    CHECK(w == plain);
    CHECK(xt::xtensor<S, 2>(w + plain) == 2 * plain);
    CHECK(xt::sum(w)() == 66);
    CHECK(xt::amax(w)() == 11);
    CHECK(xt::view(w, 1) == xt::xtensor<S, 1>{4, 5, 6, 7});
    CHECK(xt::view(w, xt::all(), 1) == xt::xtensor<S, 1>{1, 5, 9});
    CHECK(xt::transpose(w)(3, 2) == 11);
    CHECK(xt::reshape_view(w, {4, 3})(3, 2) == 11);
    CHECK(xt::zeros_like(w) == xt::zeros<S>({3, 4}));
    CHECK(xt::xtensor<S, 2>(w * map["b_f"_s])(2, 1) == w(2, 1) * map["b_f"_s](1));
    CHECK(xt::xtensor<S, 2>(w * map["gain"_s])(2, 1) == w(2, 1) * map["gain"_s]());
    CHECK(xt::xarray<S>(map["R_n"_s]).dimension() == 3);
    CHECK(std::equal(w.rbegin(), w.rend(), plain.rbegin()));
}

TEST_CASE_TEMPLATE("tensor: what is assigned is written where the tensor lies, and nowhere else", S, float,
                   double) {
    auto map = numbered<S>();
    auto const before = numbered<S>();
    auto& r = map["R_f"_s];
    S* const where = r.data();
    auto const only_r_changed = [&] {
        for (std::size_t i = 0; i < map.values().size(); ++i)
            if (i < 12 || i >= 28)
                CHECK(map.values()[i] == before.values()[i]);
        CHECK(r.data() == where);
        CHECK(where == map.values().data() + 12);
    };
    r = xt::ones<S>({4, 4}); // an expression
    CHECK(map.values()[12] == 1);
    only_r_changed();
    r = xt::xtensor<S, 2>(xt::zeros<S>({4, 4})); // a temporary tensor
    CHECK(map.values()[27] == 0);
    only_r_changed();
    r = before["R_f"_s]; // one of another map
    CHECK(map.values()[27] == 27);
    only_r_changed();
    auto copy = r;
    r = std::move(copy);
    r += xt::ones<S>({4}); // spread over the rows
    r -= xt::ones<S>({4, 4});
    r *= S(2);
    CHECK(map.values()[27] == 54);
    xt::view(r, 0) = S(7);
    r.assign(r + S(1)); // without a temporary
    CHECK(map.values()[12] == 8);
    r.fill(S(3));
    CHECK(std::ranges::count(map.values().subspan(12, 16), S(3)) == 16);
    only_r_changed();
    r.resize({4, 4});
    only_r_changed();
}

TEST_CASE_TEMPLATE("tensor: what is assigned may depend on the old values", S, float, double) {
    auto map = numbered<S>();
    auto const before = numbered<S>();
    auto& r = map["R_f"_s];
    r = xt::transpose(r);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            CHECK(r(i, j) == before["R_f"_s](j, i));
    r = xt::transpose(r) + r - xt::transpose(r);
    r = xt::transpose(r);
    CHECK(r == before["R_f"_s]);
    auto& itself = r;
    r = itself;
    r = std::move(itself);
    CHECK(r == before["R_f"_s]);
    std::swap(r, r);
    auto other = numbered<S>();
    other["R_f"_s] *= S(2);
    std::swap(r, other["R_f"_s]);
    CHECK(r == 2 * before["R_f"_s]);
    CHECK(other["R_f"_s] == before["R_f"_s]);
    CHECK(other["R_f"_s].data() == other.values().data() + 12);
}

TEST_CASE("tensor: in a map it keeps its shape") {
    auto map = numbered<double>();
    auto const before = numbered<double>();
    auto& w = map["W_f"_s];
    auto const refused = [&](auto change) {
        CHECK_THROWS_WITH_AS(
            change(),
            doctest::Contains("sluice: a map of parameters expects values of shape [3, 4], but got ["),
            std::invalid_argument);
        CHECK(w.shape() == std::array<std::size_t, 2>{3, 4});
        CHECK(std::ranges::equal(map.values(), before.values()));
    };
    xt::xtensor<double, 2> turned = xt::ones<double>({4, 3});
    refused([&] { w = turned; });
    refused([&] { w = std::move(turned); });
    refused([&] { w = xt::transpose(w); });
    refused([&] { w = xt::zeros<double>({0, 4}); });
    refused([&] { w = map["R_f"_s]; });
    refused([&] { w.assign(xt::ones<double>({4, 3})); });
    refused([&] { w.resize({4, 3}); });
    refused([&] { w.resize({std::numeric_limits<std::size_t>::max(), 2}); });
    refused([&] { w = parameters<>()["W_f"_s]; });
    CHECK_THROWS_AS(w.storage().resize(13), std::invalid_argument);
    CHECK(std::ranges::equal(map.values(), before.values()));
}

TEST_CASE_TEMPLATE("tensor: a copy is a value of its own", S, float, double) {
    auto map = numbered<S>();
    auto const before = numbered<S>();
    auto const& read_only = std::as_const(map);
    auto w = read_only["W_f"_s];
    auto moved = std::move(map["b_f"_s]);
    auto storage = read_only["W_f"_s].storage();
    w.fill(S(-1));
    moved.fill(S(-1));
    storage[0] = S(-1);
    CHECK(std::ranges::equal(map.values(), before.values()));
    w = xt::ones<S>({2, 5});
    CHECK(w.shape() == std::array<std::size_t, 2>{2, 5});
    w.resize({6, 6});
    CHECK(w.size() == 36);
    w = before["R_f"_s];
    CHECK(same_bits(w, before["R_f"_s]));
    auto gain = read_only["gain"_s];
    gain() = S(-1);
    CHECK(map["gain"_s]() == before["gain"_s]());

    std::decay_t<decltype(w)> none;
    CHECK(none.size() == 0);
    none = w;
    CHECK(same_bits(none, w));
    std::decay_t<decltype(gain)> scalar;
    scalar = gain;
    CHECK(scalar() == S(-1));
    map = {};
    CHECK(same_bits(w, before["R_f"_s]));
}

} // namespace parameter_tensor_test
