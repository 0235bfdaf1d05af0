// SPDX-License-Identifier: BSL-1.0
// Where the parameters of a stack stand in the arrays of other frameworks. Each is a block of an array, or
// the sum of two, where a gate has two biases there and one here. The gradient of a block is that of the
// parameter.
//
//   PyTorch        weight_ih_l0, weight_hh_l0 [gates units, width], bias_ih_l0, bias_hh_l0 [gates units],
//                  weight_hr_l0 [projection, units]; the other direction's names end in _reverse.
//                  GRU: r z n, LSTM: i f g o
//   Keras          kernel, recurrent_kernel [width, gates units], bias [gates units] or [2, gates units]
//                  with reset_after.  GRU: z r h, LSTM: i f c o
//   ONNX           W, R [directions, gates units, width], B [directions, 2 gates units],
//                  P [directions, 3 units].  GRU: z r h, LSTM: i o f c, P: i o f
//
// z is our u, which keeps the old state everywhere; h and n are our n; g and c are our j.
#pragma once

#include <map>
#include <optional>
#include <reference/recording.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace reference {

/// Block `number` of `count` equal ones of an array, as a matrix [in, out] or a vector.
struct block {
    std::string array{};
    std::size_t number = 0, count = 1;
    bool transposed = false;           ///< the array is [out, in], and its blocks lie one below the other
    std::optional<std::size_t> slab{}; ///< of an array with one more axis in front: the index there

    auto place() const { return std::tie(array, slab, number); }
};

/// The blocks of which each parameter is the sum, by its name: "layer1/W_r", "layer0/backward/W_r".
using weights = std::map<std::string, std::vector<block>>;

/// The numbers of a block, row by row; `before` stands before the name of the array.
std::vector<double> values(recording const& from, block const& part, std::string const& before = "");

weights weights_of(recording const& from);

/// Checks that every number of every weight stands in one block.
void cover_all(recording const& from, weights const& all);

} // namespace reference
