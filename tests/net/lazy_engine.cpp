// SPDX-License-Identifier: BSL-1.0
// An engine that is told of changed parameters when it is first used after them.
#include <sluice/backend/kernels.hpp>
#include <sluice/net/lazy_engine.hpp>

#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

namespace lazy_engine_test {

namespace {

using kernels = sluice::no_kernels;
using engine = sluice::engine<double, kernels>;

/// Says what it was asked for.
class telling final : public engine {
public:
    explicit telling(std::string& said) : said_(&said) {}
    std::shared_ptr<engine> copy() const override { return std::make_shared<telling>(*this); }
    void refresh(numbers const& cell) override {
        *said_ += "refresh " + std::to_string(cell.parameters.size()) + " ";
    }
    void infer(program const&, numbers const&, sluice::engine_sequence<double> const&) const override {
        *said_ += "infer ";
    }
    tape forward(program const&, numbers const&, sluice::engine_sequence<double> const&) const override {
        *said_ += "forward ";
        return std::make_shared<int>(7);
    }
    void backward(program const&, numbers const&, tape const& of,
                  sluice::engine_gradients<double> const&) const override {
        *said_ += "backward " + std::to_string(*static_cast<int const*>(of.get())) + " ";
    }
    std::unique_ptr<sluice::stepper<double>> prepare(program const&, numbers const&, std::size_t,
                                                     std::vector<double const*> const&,
                                                     double*) const override {
        *said_ += "prepare ";
        return {};
    }
    void refresh(numbers const&, sluice::stepper<double>&) const override {}

private:
    std::string* said_;
};

} // namespace

TEST_CASE("lazy engine: the first use after a change refreshes, and only that") {
    std::string said;
    sluice::lazy_engine<double, kernels> lazy(std::make_shared<telling>(said));
    std::vector<double> const values(3);
    sluice::sizes const n{};
    engine::numbers const cell{n, {}, values, {}};
    lazy.refresh(cell);
    lazy.refresh(cell);
    CHECK(said == "");
    lazy.infer({}, cell, {});
    auto const tape = lazy.forward({}, cell, {});
    lazy.backward({}, cell, tape, {});
    CHECK(said == "refresh 3 infer forward backward 7 ");
    said.clear();
    lazy.refresh(cell);
    lazy.backward({}, cell, tape, {});
    CHECK(lazy.prepare({}, cell, 1, {}, nullptr) == nullptr);
    CHECK(said == "refresh 3 backward 7 prepare ");
    said.clear();
    lazy.copy()->infer({}, cell, {});
    CHECK(said == "refresh 3 infer ");
}

} // namespace lazy_engine_test
