// SPDX-License-Identifier: BSL-1.0
#include "training.hpp"

#include <algorithm>
#include <checkpoint/support.hpp>
#include <doctest/doctest.h>
#include <filesystem>
#include <sluice/distributed/saving.hpp>
#include <sluice/distributed/threads.hpp>

namespace saving_test {

using checkpoint_test::contains;
using checkpoint_test::file_text;
using checkpoint_test::folder;
using checkpoint_test::put_file;

using together::said_by_all;

TEST_CASE("saving: the file is the one that save writes, and all ranks read it") {
    folder const here;
    auto const net = together::make_net<float>();
    sluice::save(here / "alone.safetensors", net);
    sluice::run_ranks(3, [&](sluice::transport& by) {
        sluice::save_together(by, here / "m.safetensors", together::make_net<float>());
        auto mine = together::make_net<float>(static_cast<std::uint64_t>(by.rank()));
        sluice::load_together(by, here / "m.safetensors", mine);
        if (!std::ranges::equal(mine.parameters().values(), net.parameters().values()))
            throw std::runtime_error("other numbers");
    });
    CHECK(file_text(here / "m.safetensors") == file_text(here / "alone.safetensors"));
}

TEST_CASE("saving: what cannot be written or read is refused on all ranks, and nothing changes") {
    folder const here;
    for (std::string const& one : said_by_all([&](sluice::transport& by) {
             sluice::save_together(by, here / "no folder/m.safetensors", together::make_net<float>());
         }))
        CHECK((contains(one, "on rank 0: ") && contains(one, "no folder")));
    for (std::string const& one : said_by_all([&](sluice::transport& by) {
             auto net = together::make_net<float>();
             sluice::load_together(by, here / "m.safetensors", net);
         }))
        CHECK((contains(one, "on rank 0: ") && contains(one, "there is no such file")));
    put_file(here / "m.safetensors", "broken");
    for (std::string const& one : said_by_all([&](sluice::transport& by) {
             auto net = together::make_net<float>();
             sluice::load_together(by, here / "m.safetensors", net);
         }))
        CHECK(contains(one, "on rank 0: "));
    sluice::save(here / "m.safetensors", sluice::stack<sluice::gru>({.input = 3, .units = 4}));
    for (std::string const& one : said_by_all([&](sluice::transport& by) {
             auto net = together::make_net<float>();
             auto const before = net;
             try {
                 sluice::load_together(by, here / "m.safetensors", net);
             } catch (...) {
                 CHECK(std::ranges::equal(net.parameters().values(), before.parameters().values()));
                 throw;
             }
         }))
        CHECK(contains(one, "equations are not those of the object"));
}

} // namespace saving_test
