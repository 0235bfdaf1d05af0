// SPDX-License-Identifier: BSL-1.0
// From each convention to each of the same cell and back, and to itself in fewer bits.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <layout/archives.hpp>
#include <layout/random_cell.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/layout/convert.hpp>
#include <sluice/layout/recognise.hpp> // the list of all conventions
#include <sluice/layout/write.hpp>

namespace conventions_test {

/// A file of each known convention, in their order.
template <class... C>
std::vector<archive> all_files(layout::convention_list<C...>) {
    std::vector<archive> files;
    auto const add = [&]<class One>(One) {
        layout::write<One>(files.emplace_back(), random_cell<One>(), {.prefix = "model/"});
    };
    (add(C{}), ...);
    return files;
}

/// The same names and shapes, and numbers that differ by rounding.
void are_near(archive const& a, archive const& b) {
    REQUIRE(a.tensors().size() == b.tensors().size());
    for (stored_tensor const& one : a.tensors()) {
        CAPTURE(one.name);
        REQUIRE(b.contains(one.name));
        CHECK(one.shape == b.tensor(one.name).shape);
        auto const x = a.at<double>(one.name), y = b.at<double>(one.name);
        for (std::size_t i = 0; i < x.size(); ++i)
            CHECK(x[i] == doctest::Approx(y[i]).epsilon(1e-12));
    }
}

TEST_CASE("layout: from each convention to each of its cell, and back") {
    auto const files = all_files(layout::all_conventions{});
    auto const known = layout::known_conventions();
    REQUIRE(files.size() == known.size());
    std::size_t pairs = 0;
    for (std::size_t a = 0; a < known.size(); ++a)
        for (std::size_t b = 0; b < known.size(); ++b) {
            CAPTURE(known[a].key);
            CAPTURE(known[b].key);
            if (!layout::is_convertible(known[a].what, known[b].what)) {
                CHECK(known[a].page != known[b].page);
                CHECK_THROWS_AS(layout::convert(files[a], known[a].what, known[b].what),
                                std::invalid_argument);
                continue;
            }
            CHECK(known[a].page == known[b].page);
            if (known[b].what.ties_groups && !known[a].what.ties_groups)
                continue; // kernels of groups differ
            ++pairs;
            auto const there = layout::convert(files[a], known[a].what, known[b].what, {.prefix = "other/"});
            auto const back =
                layout::convert(there, known[b].what, known[a].what,
                                {.prefix = "model/", .spelling = known[a].what.spellings.front()});
            are_near(files[a], back);
        }
    CHECK(pairs > 3 * known.size());
}

TEST_CASE(
    "layout: in fewer bits each convention keeps its numbers as near as the type allows, and writes what it "
    "has read as the same") {
    auto const files = all_files(layout::all_conventions{});
    auto const known = layout::known_conventions();
    for (dtype const type : {dtype::bf16, dtype::f16, dtype::i8})
        for (std::size_t k = 0; k < known.size(); ++k) {
            CAPTURE(known[k].key);
            auto const again = [&](archive const& from, std::optional<dtype> weights) {
                return layout::convert(
                    from, known[k].what, known[k].what,
                    {.prefix = "model/", .spelling = known[k].what.spellings.front(), .weights = weights});
            };
            archive const narrow = again(files[k], type), wide = again(narrow, std::nullopt);
            std::size_t scales = 0;
            for (stored_tensor const& one : files[k].tensors()) {
                CAPTURE(one.name);
                stored_tensor const& kept = narrow.tensor(one.name);
                CHECK(kept.shape == one.shape);
                CHECK((kept.type == type || (type == dtype::i8 && kept.type == dtype::f64)));
                CHECK(again(narrow, type).tensor(one.name).bytes == kept.bytes);
                sluice::detail::stored_numbers<double> const before(files[k], one.name),
                    after(wide, one.name);
                double largest = 0;
                if (kept.type == dtype::i8) {
                    ++scales;
                    for (float const scale : narrow.at<float>(one.name + ".scale"))
                        largest = std::max(largest, static_cast<double>(scale));
                }
                for (std::size_t i = 0; i < one.bytes.size() / sizeof(double); ++i)
                    CHECK(std::abs(after[i] - before[i]) <= (kept.type == dtype::i8 ? largest * 0.50001
                                                             : kept.type == dtype::f64
                                                                 ? 0.
                                                                 : std::abs(before[i]) / 255));
            }
            CHECK((scales > 0) == (type == dtype::i8));
            CHECK(narrow.tensors().size() == files[k].tensors().size() + scales);
        }
}

TEST_CASE("layout: all layers and directions are converted, in names that there are for them") {
    stack<cudnn_gru, float, xtensor::reference> const net(
        {.input = 5, .units = 7}, {.layers = 2, .direction = direction::bidirectional}, seed{3});
    archive file;
    layout::write<layout::pytorch_gru>(file, net);
    auto const keras =
        layout::convert(file, layout::describe<layout::pytorch_gru>(), layout::describe<layout::keras_gru>());
    CHECK(keras.contains("layers/bidirectional_1/backward_layer/cell/vars/2"));
    stack<cudnn_gru, float, xtensor::reference> other(
        {.input = 5, .units = 7}, {.layers = 2, .direction = direction::bidirectional}, seed{9});
    layout::read<layout::keras_gru>(keras, other);
    CHECK(values_by_name(other) == values_by_name(net));
}

} // namespace conventions_test
