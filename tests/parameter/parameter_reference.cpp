// SPDX-License-Identifier: BSL-1.0
// A tensor of a map by a name of the running program: it is assigned by value, and keeps its shape.
#include <sluice/parameter/parameter_reference.hpp>
#include <stdexcept>
#include <support/containers.hpp>

namespace reference_test {

using namespace support;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

/// Two tensors side by side in one array, and a third, as in a map.
struct numbers {
    xt::xtensor<float, 1> all = distinct<float, 1>({32}, "all");

    sluice::parameter_reference<float> a() { return {{all.data(), 12}, shape_of_matrix}; }
    sluice::parameter_reference<float> b() { return {{all.data() + 12, 12}, shape_of_matrix}; }
    sluice::parameter_reference<float> c() { return {{all.data() + 24, 4}, shape_of_vector}; }
    sluice::parameter_reference<float const> constant() const { return {{all.data(), 12}, shape_of_matrix}; }

    static constexpr std::size_t shape_of_matrix[] = {3, 4}, shape_of_vector[] = {4};
};

} // namespace

TEST_CASE("reference: it is assigned the values of anything") {
    for_each_kind<float, 3, 4>([](char const* kind, auto const& given) {
        check_like_copy<2>("a matrix", kind, given, [](auto const& values) {
            numbers of;
            of.b() = values;
            return of.all;
        });
    });
    for_each_kind<float, 4>([](char const* kind, auto const& given) {
        check_like_copy<1>("a vector", kind, given, [](auto const& values) {
            numbers of;
            of.c() = values;
            return of.all;
        });
    });
}

TEST_CASE("reference: one is assigned to another by value, and copies refer to the same numbers") {
    numbers of, from;
    from.all += 3.f;
    auto const before = of.all, given = from.all;
    REQUIRE(of.a() != from.a());
    of.a() = from.a();
    CHECK(of.a() == from.a());
    CHECK(same_bits(of.all, xt::xtensor<float, 1>(xt::concatenate(xt::xtuple(
                                xt::view(given, xt::range(0, 12)), xt::view(before, xt::range(12, 32)))))));
    CHECK(same_bits(from.all, given));
    of.b() = from.constant();
    CHECK(of.b() == from.a());
    from.a()(0, 0) = 17;
    CHECK(of.a()(0, 0) == given(0));

    auto to = of.a();
    auto const also = to;
    to = from.b();
    CHECK(also == from.b());
    CHECK(of.a() == from.b());
    to(1, 2) = 5;
    CHECK(of.all(6) == 5);
    CHECK(also(1, 2) == 5);
    xt::view(of.a(), 0) = xt::ones<float>({4});
    CHECK(of.all(3) == 1);
    xt::xarray<float> const copy = of.a();
    of.a().fill(0);
    CHECK(all_zero(of.a()));
    CHECK(copy(0, 3) == 1);
}

TEST_CASE("reference: values may depend on the old ones") {
    numbers of, from;
    auto const before = of.all;
    of.a() = of.a();
    CHECK(same_bits(of.all, before));
    of.a() = xt::flip(of.a(), 1);
    CHECK(of.all(0) == before(3));
    CHECK(of.all(11) == before(8));
    of.c() += of.c();
    CHECK(of.all(24) == 2 * before(24));
    of.c() *= 2.f;
    CHECK(of.all(24) == 4 * before(24));
    of.b() -= from.constant();
    CHECK(of.all(12) == before(12) - before(0));
}

TEST_CASE("reference: another shape is refused with both, and nothing is written") {
    numbers of;
    auto const before = of.all;
    auto const matrix = distinct<float, 2>({4, 3}, "matrix");
    auto const sentence = Contains("a map of parameters expects values of shape [3, 4], but got [4, 3]");
    CHECK_THROWS_WITH_AS(of.a() = matrix, sentence, bad);
    CHECK_THROWS_WITH_AS(of.a() = matrix + 1.f, sentence, bad);
    CHECK_THROWS_WITH_AS(of.a() = xt::transpose(of.b()), sentence, bad);
    CHECK_THROWS_WITH_AS(of.a() = xt::xarray<float>(matrix), sentence, bad);
    CHECK_THROWS_WITH_AS(of.c() = of.a(), Contains("of shape [4], but got [3, 4]"), bad);
    CHECK_THROWS_WITH_AS(of.c() += of.a(), Contains("of shape [4], but got [3, 4]"), bad);
    CHECK_THROWS_WITH_AS(of.c() = xt::ones<float>({4, 1}), Contains("of shape [4], but got [4, 1]"), bad);
    CHECK_THROWS_AS(of.c() = xt::ones<float>({1}), bad);
    CHECK_THROWS_AS(of.c().resize(std::vector<std::size_t>{2, 2}), bad);
    xt::xtensor<float, 1> values = of.c();
    auto const gone = std::move(values);
    CHECK_THROWS_WITH_AS(of.c() = values, Contains("was moved from"), bad);
    CHECK_THROWS_WITH_AS(of.c() = std::move(values), Contains("was moved from"), bad);
    CHECK(same_bits(of.all, before));
}

} // namespace reference_test
