// SPDX-License-Identifier: BSL-1.0
// Checkpoints of optimisers: what the device saves the host loads, and the other way round.
#include "saved.hpp"
#include <checkpoint/support.hpp>
#include <device/training.hpp>

namespace training_saved_test {

using saved_test::archived, saved_test::same;

template <class S>
auto g(int step) {
    return training::random_map<S>(5, 61, "gradients " + std::to_string(step));
}

TEST_CASE_TEMPLATE("training saved: an optimiser is saved on one side and loaded on the other", S, float,
                   double, sluice::bfloat16) {
    fake_cell<S> cell;
    cell.map = training::random_map<S>(5, 61, "weights");
    training::fake_net net(cell);
    sluice::adam here(cell, {.learning_rate = 0.1}), other_here = here;
    sluice::adam there(net, {.learning_rate = 0.1}), other_there = there;
    for (int i = 0; i < 3; ++i)
        there.step(net, training::sent(g<S>(i)));
    auto const from_device = archived(there);
    CHECK(from_device.tensors().size() == 7);
    CHECK_FALSE(same(from_device, archived(here)));
    sluice::restore(from_device, here);
    CHECK(here.steps() == 3);
    CHECK(same(archived(here), from_device));
    sluice::restore(archived(here), other_there);
    CHECK(other_there.steps() == 3);
    CHECK(same(archived(other_there), from_device));

    // all of them go on alike
    auto const weights = sluice::cudnn::fetch(net.parameters().values());
    std::copy(weights.begin(), weights.end(), cell.map.values().begin());
    training::fake_net other_net(cell);
    here.step(cell, g<S>(3));
    there.step(net, training::sent(g<S>(3)));
    other_there.step(other_net, training::sent(g<S>(3)));
    CHECK(training::near(net.parameters(), cell.map, training::tolerance<S>()));
    CHECK(training::near(sluice::cudnn::fetch(other_net.parameters().values()),
                         sluice::cudnn::fetch(net.parameters().values()), 0));
}

TEST_CASE("training saved: an optimiser on the device in a file; what cannot be taken is refused, and "
          "changes nothing") {
    fake_cell<float> cell;
    training::fake_net net(cell);
    sluice::sgd there(net, {.momentum = 0.5}), loaded = there;
    there.step(net, training::sent(fake_cell<float>::pattern()));
    checkpoint_test::folder const folder;
    sluice::save(folder / "sgd.safetensors", there);
    sluice::load(folder / "sgd.safetensors", loaded);
    CHECK(same(archived(loaded), archived(there)));

    for (float const bad : {std::nanf(""), 3e38f}) {
        sluice::archive wrong;
        auto const right = archived(there);
        for (auto tensor : right.tensors()) {
            if (tensor.name == "momentum/b_r")
                std::memcpy(tensor.bytes.data() + 4, &bad, 4);
            wrong.add(tensor);
        }
        auto const before = archived(loaded);
        CHECK_THROWS_WITH(sluice::restore(wrong, loaded), doctest::Contains("expects momentum from -"));
        CHECK(same(archived(loaded), before));
    }
    sluice::archive wrong;
    std::array<std::int64_t, 1> const steps{-1};
    wrong.add<std::int64_t>("step", std::array<std::size_t, 1>{1}, std::span<std::int64_t const>(steps));
    CHECK_THROWS_WITH(sluice::restore(wrong, loaded), doctest::Contains("a step count from 0 to"));
}

} // namespace training_saved_test
