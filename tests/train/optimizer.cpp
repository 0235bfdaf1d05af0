// SPDX-License-Identifier: BSL-1.0
// What every optimiser keeps, whatever its rule.
#include "fake_cell.hpp"
#include "moved_optimizer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <new>
#include <sluice/train/adam.hpp>
#include <sluice/train/clip.hpp>
#include <sluice/train/sgd.hpp>
#include <stdexcept>
#include <vector>

namespace {

/// What a checkpoint would hold: bytes by name.
template <class Storable>
std::map<std::string, std::vector<std::byte>> stored(Storable const& object) {
    std::map<std::string, std::vector<std::byte>> result;
    object.visit_tensors([&](std::string_view name, std::span<std::size_t const> shape, auto values) {
        std::size_t size = 1;
        for (auto extent : shape)
            size *= extent;
        CHECK(size == values.size());
        auto const bytes = std::as_bytes(values);
        CHECK(result.emplace(name, std::vector(bytes.begin(), bytes.end())).second);
    });
    return result;
}

template <class Storable>
void restore(Storable& object, std::map<std::string, std::vector<std::byte>> const& from) {
    object.visit_tensors([&](std::string_view name, std::span<std::size_t const>, auto values) {
        auto const& bytes = from.at(std::string(name));
        std::ranges::copy(bytes, std::as_writable_bytes(values).begin());
    });
}

/// Pieces of memory that were asked for so far.
std::size_t allocations = 0;

template <class S, template <class> class Optimizer>
struct with {
    using scalar = S;
    using optimizer = Optimizer<fake_cell<S>>;
};

} // namespace

// In place of the library's, for the whole program. Where they are inlined, g++ takes new and free for a
// wrong pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size == 0 ? 1 : size))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

TYPE_TO_STRING_AS("sgd, float", with<float, sluice::sgd>);
TYPE_TO_STRING_AS("sgd, double", with<double, sluice::sgd>);
TYPE_TO_STRING_AS("adam, float", with<float, sluice::adam>);
TYPE_TO_STRING_AS("adam, double", with<double, sluice::adam>);
#define ALL_OPTIMIZERS                                                                                       \
    with<float, sluice::sgd>, with<double, sluice::sgd>, with<float, sluice::adam>, with<double, sluice::adam>

TEST_CASE_TEMPLATE("optimizer: a step moves every parameter that is not frozen, and those only", T,
                   ALL_OPTIMIZERS) {
    using cell_type = fake_cell<typename T::scalar>;
    cell_type cell;
    cell.map = cell_type::pattern();
    typename T::optimizer optimizer(cell, {.learning_rate = 0.125});
    optimizer.freeze("b_r"_s);
    optimizer.step(cell, cell_type::pattern(2));
    CHECK(optimizer.steps() == 1);
    CHECK(cell.updates == 1);
    auto const before = cell_type::pattern();
    CHECK(cell.map["b_r"_s] == before["b_r"_s]);
    auto const moved = [&](auto key) {
        auto const& now = cell.map[key];
        return std::equal(now.begin(), now.end(), before[key].begin(), [](auto a, auto b) { return a != b; });
    };
    CHECK(moved("W_r"_s));
    CHECK(moved("R_r"_s));

    // frozen: neither do its slots move
    for (auto const& [name, bytes] : stored(optimizer))
        if (name.ends_with("/b_r"))
            CHECK(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; }));
}

TEST_CASE_TEMPLATE("optimizer: whatever is frozen, the others move as if it were not", T, ALL_OPTIMIZERS) {
    using cell_type = fake_cell<typename T::scalar>;
    auto const trained = [](unsigned frozen) {
        cell_type cell;
        cell.map = cell_type::pattern();
        typename T::optimizer optimizer(cell, {.learning_rate = 0.125});
        if (frozen & 1)
            optimizer.freeze("W_r"_s);
        if (frozen & 2)
            optimizer.freeze("b_r"_s);
        if (frozen & 4)
            optimizer.freeze("R_r"_s);
        for (int i = 1; i < 4; ++i)
            optimizer.step(cell, cell_type::pattern(i));
        return cell.map;
    };
    auto const start = cell_type::pattern(), all = trained(0);
    for (unsigned frozen = 0; frozen < 8; ++frozen) {
        auto const some = trained(frozen);
        CHECK(some["W_r"_s] == (frozen & 1 ? start : all)["W_r"_s]);
        CHECK(some["b_r"_s] == (frozen & 2 ? start : all)["b_r"_s]);
        CHECK(some["R_r"_s] == (frozen & 4 ? start : all)["R_r"_s]);
    }
}

TEST_CASE_TEMPLATE("optimizer: what is frozen may be any number", T, ALL_OPTIMIZERS) {
    using S = typename T::scalar;
    using cell_type = fake_cell<S>;
    cell_type cell;
    typename T::optimizer optimizer(cell);
    cell.map["b_r"_s](2) = std::numeric_limits<S>::quiet_NaN();
    CHECK_THROWS_WITH_AS(optimizer.step(cell, cell_type::pattern()),
                         doctest::Contains("parameter b_r expects weights from -"), std::invalid_argument);
    optimizer.freeze("b_r"_s);
    CHECK_NOTHROW(optimizer.step(cell, cell_type::pattern()));
    CHECK(std::isnan(cell.map["b_r"_s](2)));
    CHECK(cell.map["R_r"_s](1, 1, 2) != 0);
}

TEST_CASE_TEMPLATE("optimizer: a parameter that the equations fix is never trained", T, ALL_OPTIMIZERS) {
    using S = typename T::scalar;
    using cell_type = fake_cell<S>;
    cell_type cell;
    std::vector<sluice::tensor_place> places(cell.map.array().places().begin(),
                                             cell.map.array().places().end());
    places[1].trained = false;
    cell.map = typename cell_type::parameters_type();
    cell.map = typename cell_type::parameters_type(sluice::arena<S>(places));
    typename T::optimizer optimizer(cell);
    CHECK(optimizer.is_frozen("b_r"_s));
    CHECK_FALSE(optimizer.is_frozen("W_r"_s));
    CHECK_THROWS_WITH_AS(optimizer.unfreeze("b_r"_s),
                         doctest::Contains("parameter b_r is fixed by its equations"), std::invalid_argument);
    optimizer.constrain("b_r"_s, [](std::span<S> values) { std::ranges::fill(values, S(7)); });
    optimizer.step(cell, cell_type::pattern());
    CHECK(cell.map["b_r"_s] == xt::zeros<S>({3}));
    CHECK(cell.map["W_r"_s] != xt::zeros<S>({2, 3}));
    optimizer.freeze("b_r"_s);
    CHECK(optimizer.is_frozen("b_r"_s));
}

TEST_CASE_TEMPLATE("optimizer: storing and restoring continues to the bit", T, ALL_OPTIMIZERS) {
    using cell_type = fake_cell<typename T::scalar>;
    cell_type cell;
    cell.map = cell_type::pattern();
    typename T::optimizer optimizer(cell, {.learning_rate = 0.01});
    for (int i = 1; i < 4; ++i)
        optimizer.step(cell, cell_type::pattern(i));

    cell_type resumed = cell;
    typename T::optimizer other(resumed, {.learning_rate = 0.01});
    CHECK(stored(other) != stored(optimizer));
    restore(other, stored(optimizer));
    CHECK(stored(other) == stored(optimizer));
    CHECK(other.steps() == 3);
    for (int i = 4; i < 8; ++i) {
        optimizer.step(cell, cell_type::pattern(-i));
        other.step(resumed, cell_type::pattern(-i));
    }
    CHECK(flat(cell.map) == flat(resumed.map));
}

TEST_CASE_TEMPLATE("optimizer: bad gradients are refused and change nothing", T, ALL_OPTIMIZERS) {
    using S = typename T::scalar;
    using cell_type = fake_cell<S>;
    cell_type cell;
    cell.map = cell_type::pattern();
    typename T::optimizer optimizer(cell);
    auto const refused = [&](cell_type& which, auto const& gradients, char const* sentence) {
        auto const before = flat(which.map);
        auto const slots = stored(optimizer);
        CHECK_THROWS_WITH_AS(optimizer.step(which, gradients), doctest::Contains(sentence),
                             std::invalid_argument);
        auto const after = flat(which.map);
        CHECK(std::ranges::equal(std::as_bytes(std::span(after)), std::as_bytes(std::span(before))));
        CHECK(stored(optimizer) == slots);
        CHECK(which.updates == 0);
    };

    refused(cell, cell_type::pattern(1, 3, 2),
            "parameter W_r expects a gradient of shape [2, 3], but got [3, 2]");
    refused(cell, typename cell_type::parameters_type(), "a gradient for each of 3 parameters, but got 0");

    cell_type larger;
    larger.map = cell_type::pattern(1, 4, 3);
    refused(larger, cell_type::pattern(1, 4, 3), "parameter W_r expects the cell that it was made for");

    auto gradients = cell_type::pattern();

    for (S bad : {std::numeric_limits<S>::quiet_NaN(), std::numeric_limits<S>::infinity(),
                  -std::numeric_limits<S>::infinity(), std::numeric_limits<S>::max()}) {
        gradients = cell_type::pattern();
        gradients["R_r"_s](1, 1, 2) = bad;
        refused(cell, gradients, "parameter R_r expects gradients from -");
        cell_type broken;
        broken.map["b_r"_s](2) = bad;
        refused(broken, cell_type::pattern(), "parameter b_r expects weights from -");
    }

    gradients = cell_type::pattern();
    auto const moved = std::move(gradients);
    refused(cell, gradients, "the map of gradients was moved from");
}

TEST_CASE_TEMPLATE("optimizer: no step with numbers in range overflows, and the slots stay in range", T,
                   ALL_OPTIMIZERS) {
    using S = typename T::scalar;
    using cell_type = fake_cell<S>;
    cell_type cell;
    typename T::optimizer optimizer(cell);
    auto const range = optimizer.settings().template range<S>();
    auto const every = [](auto& map, double value) {
        std::ranges::fill(map.values(), static_cast<S>(value));
    };
    auto gradients = cell_type::zeros(2, 3);
    for (double const sign : {1.0, -1.0}) {
        optimizer.visit_tensors([&](std::string_view name, auto, auto values) {
            using element = typename decltype(values)::element_type;
            double const slot =
                name.starts_with("v/") ? range.of_slots.back().high : sign * range.of_slots[0].high;
            std::ranges::fill(values, name == "step" ? element{0} : static_cast<element>(slot));
        });
        every(gradients, sign * range.gradients.high);
        for (int i = 0; i < 100; ++i) {
            every(cell.map, -sign * range.weights.high);
            optimizer.step(cell, gradients);
            for (double const w : flat(cell.map))
                CHECK(std::isfinite(w));
        }
    }
}

TEST_CASE_TEMPLATE("optimizer: one that was moved from says so", T, ALL_OPTIMIZERS) {
    using cell_type = fake_cell<typename T::scalar>;
    check_moved<typename T::optimizer>(cell_type{}, cell_type::pattern());
}

TEST_CASE_TEMPLATE("optimizer: steps are counted to 2^53", T, ALL_OPTIMIZERS) {
    using cell_type = fake_cell<typename T::scalar>;
    cell_type cell;
    typename T::optimizer optimizer(cell);
    auto const set_steps = [&](std::int64_t steps) {
        auto all = stored(optimizer);
        std::memcpy(all.at("step").data(), &steps, sizeof steps);
        restore(optimizer, all);
    };
    set_steps(sluice::most_steps - 1);
    optimizer.step(cell, cell_type::pattern());
    auto const slots = stored(optimizer);
    auto const weights = flat(cell.map);
    CHECK_THROWS_WITH_AS(optimizer.step(cell, cell_type::pattern()),
                         doctest::Contains("makes at most 9007199254740992 steps"), std::invalid_argument);
    CHECK(flat(cell.map) == weights);
    for (std::int64_t const bad : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                   sluice::most_steps + 1, std::numeric_limits<std::int64_t>::max()})
        CHECK_THROWS_WITH_AS(set_steps(bad), doctest::Contains("step count from 0 to 9007199254740992"),
                             std::invalid_argument);
    CHECK(stored(optimizer) == slots);
}

TEST_CASE_TEMPLATE("optimizer: a constraint is applied after the step to its parameter", T, ALL_OPTIMIZERS) {
    using S = typename T::scalar;
    using cell_type = fake_cell<S>;
    cell_type cell;
    cell_type free;
    cell.map = free.map = cell_type::pattern();
    typename T::optimizer optimizer(cell, {.learning_rate = 0.5});
    typename T::optimizer plain(free, {.learning_rate = 0.5});
    optimizer.constrain("W_r"_s, [](std::span<S> values) {
        for (S& w : values)
            w = std::max(w, S{0});
    });
    optimizer.step(cell, cell_type::pattern());
    plain.step(free, cell_type::pattern());
    CHECK(cell.map["b_r"_s] == free.map["b_r"_s]);
    CHECK(cell.map["W_r"_s] != free.map["W_r"_s]);
    for (std::size_t i = 0; i < 6; ++i)
        CHECK(cell.map["W_r"_s].data()[i] == std::max(free.map["W_r"_s].data()[i], S{0}));

    optimizer.constrain("W_r"_s, nullptr);
    for (int i = 0; i < 4; ++i)
        optimizer.step(cell, cell_type::pattern(2));
    CHECK(*std::min_element(cell.map["W_r"_s].begin(), cell.map["W_r"_s].end()) < 0);
}

TEST_CASE_TEMPLATE("optimizer: the learning rate can change, and bad settings are refused", T,
                   ALL_OPTIMIZERS) {
    using cell_type = fake_cell<typename T::scalar>;
    cell_type cell;
    cell.map = cell_type::pattern();
    typename T::optimizer optimizer(cell, {.learning_rate = 0.5});
    optimizer.set_learning_rate(0);
    CHECK(optimizer.learning_rate() == 0);
    optimizer.step(cell, cell_type::pattern());
    CHECK(flat(cell.map) == flat(cell_type::pattern()));
    for (double bad :
         {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          1.5 * static_cast<double>(std::numeric_limits<typename T::scalar>::max())}) {
        CHECK_THROWS_WITH_AS(optimizer.set_learning_rate(bad), doctest::Contains("learning rate"),
                             std::invalid_argument);
        CHECK_THROWS_AS(typename T::optimizer(cell, {.learning_rate = bad}), std::invalid_argument);
    }
    CHECK(optimizer.learning_rate() == 0);
}

TEST_CASE_TEMPLATE("optimizer: a step that goes well asks for no memory, nor does clipping", T,
                   ALL_OPTIMIZERS) {
    using cell_type = fake_cell<typename T::scalar>;
    cell_type cell;
    auto gradients = cell_type::pattern();
    typename T::optimizer optimizer(cell);
    optimizer.freeze("b_r"_s);
    auto const before = allocations;
    sluice::clip_by_global_norm(0.5, gradients);
    optimizer.step(cell, gradients);
    CHECK(allocations == before);
}
