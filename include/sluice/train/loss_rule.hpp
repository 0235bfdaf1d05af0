// SPDX-License-Identifier: BSL-1.0
//
// The rule of a loss: what a row of a prediction costs, and its gradient. It is a struct of settings with
//
//   static constexpr std::string_view name            what sentences call it
//   static constexpr bool has_labels                  false: a target t for each number y of a row
//                                                     true: a label k, the right one of the logits z of a row
//   std::array<double, n> constants() const           its settings; throws std::invalid_argument for those
//                                                     without a meaning; left out, it has none
//
// and functions, each of a struct e with what is known when it is called. With targets they are
//
//   static auto part(auto const& e)       e.y, e.t                       p, computed once for each number
//   static auto term(auto const& e)       e.y, e.t, e.part               l_r = 1/C sum_c term
//   static auto slope(auto const& e)      e.share = w_r / (C sum w)      what the gradients of a row share
//   static auto gradient(auto const& e)   e.y, e.t, e.part, e.slope      share * d term / d y
//
// and with labels
//
//   static auto part(auto const& e)       e.z, e.largest                 max_c z_c
//   static auto term(auto const& e)       e.z, e.largest, e.part
//   static auto loss(auto const& e)       e.sum, e.chosen, e.largest     l_r; of the sum of terms, and z_k
//   static auto slope(auto const& e)      e.share, e.sum, e.chosen, e.largest           share: w_r / sum w
//   static auto gradient(auto const& e)   e.z, e.largest, e.part, e.slope, e.share
//   static auto gradient_of_label(auto const& e)        the same for z_k, and e.gradient, which is `gradient`
//
// All have e.constants. `part` and both gradients are computed in the numbers of the prediction, `term`,
// `loss` and `slope` in double. The host calls them with numbers, and a device with numbers that write down
// how they are computed (source/traced.hpp). Functions of the C library are called without std::, as there.
// With `static constexpr bool in_batches = true` the host calls `part`, `term` and the gradients with as many
// numbers as a register holds (simd/batch.hpp): they have +, -, *, /, sqrt, fabs, min, max, exp, log and pow.
//
// mean_squared_error.hpp and softmax_cross_entropy.hpp are one rule each; loss.hpp computes by them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace sluice::detail {

template <class Rule>
auto constants_of_loss(Rule const& rule) {
    if constexpr (requires { rule.constants(); })
        return rule.constants();
    else
        return std::array<double, 0>{};
}
template <class Rule>
inline constexpr std::size_t loss_constants =
    std::tuple_size_v<decltype(constants_of_loss(std::declval<Rule const&>()))>;

/// What a sentence calls the prediction, and what stands beside it.
template <class Rule>
inline constexpr std::string_view loss_predictions = Rule::has_labels ? "logits" : "predictions";
template <class Rule>
inline constexpr std::string_view loss_beside = Rule::has_labels ? "labels" : "targets";

/// A rule in numbers N. Of a row with targets `beside` is t, of one with a label the largest of the row.
template <class Rule, class N>
struct loss_in {
    std::array<N, loss_constants<Rule>> constants{};

    N part(N const& y, N const& beside) const { return Rule::part(number{constants, y, beside}); }
    N term(N const& y, N const& beside, N const& part_of_y) const {
        return Rule::term(numbered{{constants, y, beside}, part_of_y});
    }
    N loss(N const& sum, N const& chosen, N const& largest) const {
        return Rule::loss(summed{constants, sum, chosen, largest});
    }
    N slope(N const& share) const { return Rule::slope(shared{constants, share}); }
    N slope(N const& share, N const& sum, N const& chosen, N const& largest) const {
        return Rule::slope(shared_sum{{constants, sum, chosen, largest}, share});
    }
    N gradient(N const& y, N const& beside, N const& part_of_y, N const& slope_of_row, N const& share) const {
        return Rule::gradient(sloped{{{constants, y, beside}, part_of_y}, slope_of_row, share});
    }
    N gradient_of_label(N const& y, N const& beside, N const& part_of_y, N const& slope_of_row,
                        N const& share, N const& of_any) const {
        return Rule::gradient_of_label(
            right{{{{constants, y, beside}, part_of_y}, slope_of_row, share}, of_any});
    }

private:
    struct with_target {
        std::array<N, loss_constants<Rule>> const& constants;
        N y, t;
    };
    struct with_largest {
        std::array<N, loss_constants<Rule>> const& constants;
        N z, largest;
    };
    using number = std::conditional_t<Rule::has_labels, with_largest, with_target>;
    struct numbered : number {
        N part;
    };
    struct sloped : numbered {
        N slope, share;
    };
    struct right : sloped {
        N gradient;
    };
    struct shared {
        std::array<N, loss_constants<Rule>> const& constants;
        N share;
    };
    struct summed {
        std::array<N, loss_constants<Rule>> const& constants;
        N sum, chosen, largest;
    };
    struct shared_sum : summed {
        N share;
    };
};

/// The same constants in other numbers, or in batches of them.
template <class Rule, class Numbers, class N = Numbers>
loss_in<Rule, Numbers> loss_with_constants(std::array<double, loss_constants<Rule>> const& constants) {
    loss_in<Rule, Numbers> made;
    for (std::size_t i = 0; i < constants.size(); ++i)
        made.constants[i] = Numbers(static_cast<N>(constants[i]));
    return made;
}

} // namespace sluice::detail
