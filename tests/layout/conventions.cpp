// SPDX-License-Identifier: BSL-1.0
// Laws of every convention: what is written has the names and shapes of the table and is read back as the
// same function, to the bit where the convention has a place for each number; written again, it is the same
// file.
#include <doctest/doctest.h>
#include <layout/archives.hpp>
#include <layout/random_cell.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/layout/all.hpp>
#include <sluice/layout/write.hpp>

namespace conventions_test {

using namespace sluice;
using namespace support;

/// Whether a parameter stands beside a setting, which is added to it, or beside another in a sum.
template <class C>
bool is_part_of_sum(std::string_view called) {
    for (layout::block_table const& table : layout::describe<C>().tables)
        for (layout::block const& b : table.all())
            if (b.plus != name{} && (b.parameter.view() == called || b.plus.view() == called))
                return true;
    return false;
}

template <class C, class S>
void keeps_function(cell_for<C, S> const& written, cell_for<C, S> const& read) {
    auto const before = values_by_name(written), after = values_by_name(read);
    REQUIRE(before.size() == after.size());
    for (auto const& one : before) {
        CAPTURE(one.first);
        if (!is_part_of_sum<C>(one.first))
            CHECK(after.at(one.first) == one.second);
    }
    if (before.contains("forget_bias"))
        for (std::size_t i = 0; i < before.at("b_f").size(); ++i)
            CHECK(after.at("b_f")[i] + after.at("forget_bias")[0] ==
                  doctest::Approx(before.at("b_f")[i] + before.at("forget_bias")[0]).epsilon(1e-6));
}

template <class C, class S>
void obeys_laws() {
    CAPTURE(C::name);
    auto const written = random_cell<C, S>();
    for (std::string_view const spelling : C::spellings) {
        CAPTURE(spelling);
        archive file;
        layout::write<C>(file, written, {.prefix = "model/", .spelling = spelling});
        auto const read = layout::read_cell<C, S, xtensor::reference>(file);
        CHECK(read.extents() == written.extents());
        keeps_function<C, S>(written, read);
        archive again;
        layout::write<C>(again, read, {.prefix = "model/", .spelling = spelling});
        CHECK(same_tensors(file, again));

        // a cell that is there is given the same numbers
        cell_for<C, S> other(written.extents(), seed{11});
        layout::read<C>(file, other, {.prefix = "model/"});
        CHECK(values_by_name(other) == values_by_name(read));
    }
}

template <class S, class... C>
void all_obey_laws(layout::convention_list<C...>) {
    (obeys_laws<C, S>(), ...);
}

TEST_CASE_TEMPLATE("layout: what a convention writes it reads back, and writes again to the bit", S, double,
                   float) {
    all_obey_laws<S>(layout::all_conventions{});
}

/// A user's own: both biases of a gate as one, and a matrix with the other sign.
struct own_convention {
    using page = canonical_gru;
    static constexpr std::string_view name = "own";
    static constexpr std::string_view spellings[] = {"{tensor}"};
    static constexpr layout::tensor tensors[] = {
        {"matrices", "W_r W_u W_n -R_r R_u R_n"},
        {"biases", "b_Wr + b_Rr b_Wu + b_Ru 0 / 0 b_Wn b_Rn"},
    };
};

TEST_CASE("layout: a sum of two parameters is read as two halves") {
    sizes const n{.input = 6, .units = 6};
    cell_for<own_convention> one(n, seed{2});
    randomize(one);
    archive file;
    layout::write<own_convention>(file, one);
    CHECK(file.tensor("biases").shape == std::vector<std::size_t>{2, 18});
    CHECK(file.tensor("matrices").shape == std::vector<std::size_t>{6, 36});
    auto const stored = file.at<double>("biases");
    auto const before = values_by_name(one);
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(stored[i] == before.at("b_Wr")[i] + before.at("b_Rr")[i]);
        CHECK(stored[12 + i] == 0);
        CHECK(stored[18 + i] == 0);
        CHECK(stored[30 + i] == before.at("b_Rn")[i]);
    }
    auto const after = values_by_name(layout::read_cell<own_convention, double, xtensor::reference>(file));
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(after.at("b_Wr")[i] == (before.at("b_Wr")[i] + before.at("b_Rr")[i]) / 2);
        CHECK(after.at("b_Wr") == after.at("b_Rr"));
    }
    CHECK(after.at("R_r") == before.at("R_r"));
}

} // namespace conventions_test
