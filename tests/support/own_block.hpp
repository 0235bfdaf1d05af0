// SPDX-License-Identifier: BSL-1.0
// A block that a test writes down itself: what kernels of blocks see of a plan, without the equations and
// passes that make one.
//
//   struct doubled { // y = 2 x, where register 0 is x, and what is computed has those from 1 on
//       using operations = support::own_operations<sluice::operation::multiply>;
//       static constexpr auto plan =
//           support::make_block({false}, {support::number(2), support::apply(0, 0, 0, 1)}, {{.from = 2}});
//   };
//   using program = sluice::block_program<doubled, 0>;
#pragma once

#include <array>
#include <cstddef>
#include <sluice/backend/block.hpp>
#include <tuple>

namespace support {

template <class... F>
struct own_operations {
    template <int I>
    using at = std::tuple_element_t<static_cast<std::size_t>(I), std::tuple<F...>>;
};

/// An array with its places counted as those of a plan are.
template <class T, int Count>
struct own_list {
    std::array<T, static_cast<std::size_t>(Count)> all{};
    constexpr T const& operator[](int i) const { return all[static_cast<std::size_t>(i)]; }
};

template <int Loads, int Codes, int Stores>
struct own_block {
    own_list<sluice::planned_block, 1> blocks{};
    own_list<sluice::block_load, Loads> loads{};
    own_list<sluice::instruction, Codes> code{};
    own_list<int, 2 * Codes> registers{};
    own_list<sluice::block_store, Stores> stores{};

    constexpr operator sluice::plan_view() const {
        sluice::plan_view seen;
        seen.blocks = {blocks.all.data(), 1};
        seen.loads = {loads.all.data(), Loads};
        seen.code = {code.all.data(), Codes};
        seen.registers = {registers.all.data(), 2 * Codes};
        seen.stores = {stores.all.data(), Stores};
        return seen;
    }
};

/// An instruction, and the registers that it reads: loads first, then those of instructions.
struct own_code {
    sluice::instruction what{};
    int first = 0, second = 0;
};
constexpr own_code apply(int function, int stage, int first, int second = -1) {
    return {{.kind = sluice::op::pointwise,
             .function = function,
             .operands = {0, second < 0 ? 1 : 2},
             .stage = stage},
            first,
            second};
}
/// The same of what has one number for each row.
constexpr own_code apply_to_row(int function, int stage, int first, int second = -1) {
    own_code made = apply(function, stage, first, second);
    made.what.per_row = true;
    return made;
}
constexpr own_code number(double value) {
    return {{.kind = sluice::op::number, .per_row = true, .value = value}};
}
constexpr own_code features() {
    return {{.kind = sluice::op::features, .per_row = true}};
}
constexpr own_code spread(int of, int stage = 0) {
    return {{.kind = sluice::op::spread, .operands = {0, 1}, .stage = stage}, of};
}
constexpr own_code reduce(int function, int stage, int of) {
    return {{.kind = sluice::op::reduce,
             .function = function,
             .operands = {0, 1},
             .per_row = true,
             .stage = stage},
            of};
}
/// reduce_groups, or scan.
constexpr own_code of_row(sluice::op kind, int function, int stage, int of) {
    return {{.kind = kind, .function = function, .operands = {0, 1}, .stage = stage}, of};
}

/// A register that is stored, of which each row may have one number.
struct own_store {
    int from = 0;
    bool per_row = false;
};

template <std::size_t Loads, std::size_t Codes, std::size_t Stores>
constexpr auto make_block(bool const (&loads_per_row)[Loads], own_code const (&code)[Codes],
                          own_store const (&stores)[Stores]) {
    constexpr auto in_int = [](std::size_t i) { return static_cast<int>(i); };
    own_block<in_int(Loads), in_int(Codes), in_int(Stores)> made;
    sluice::planned_block& block = made.blocks.all[0];
    block.loads = {0, in_int(Loads)}, block.code = {0, in_int(Codes)}, block.stores = {0, in_int(Stores)};
    for (std::size_t i = 0; i < Loads; ++i)
        made.loads.all[i].per_row = loads_per_row[i];
    for (std::size_t i = 0; i < Codes; ++i) {
        made.code.all[i] = code[i].what;
        made.code.all[i].operands.first = in_int(2 * i);
        made.registers.all[2 * i] = code[i].first;
        made.registers.all[2 * i + 1] = code[i].second;
        block.stages = block.stages > code[i].what.stage + 1 ? block.stages : code[i].what.stage + 1;
    }
    for (std::size_t i = 0; i < Stores; ++i)
        made.stores.all[i].from = stores[i].from, made.stores.all[i].per_row = stores[i].per_row;
    return made;
}

} // namespace support
