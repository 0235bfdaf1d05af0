// SPDX-License-Identifier: BSL-1.0
// The instructions of a block as lines of C++: register r is the constant `rR` of type `number`. Who prints a
// kernel (source/kernel_source.hpp, source/loop_source.hpp) puts them into loops over rows and columns.
#pragma once

#include <sluice/core/fail.hpp>
#include <sluice/execute/interpret.hpp>
#include <sluice/expr/operation.hpp>
#include <sluice/source/traced.hpp>
#include <string>
#include <vector>

namespace sluice::detail {

/// A scan of a table, for traced numbers: what is in front of a feature, or its value, then the operands.
template <class Number>
struct scan_row_of {
    bool reversed = false, associative = false;
    traced<Number> (*step)(traced<Number> const* before_and_operands) = nullptr;
    traced<Number> (*pass_on)(traced<Number> const* value_and_operands) = nullptr;
};

/// The functions of a table, for traced numbers.
template <class Number>
struct traced_functions {
    using number = traced<Number>;
    number (*value)(int function, number const* operands, std::size_t count);
    number (*start)(int function);
    number (*combine)(int function, number const& a, number const& b);
    scan_row_of<Number> (*row)(int function);
};

template <class F, class Number>
constexpr scan_row_of<Number> scan_row_made() {
    using number = traced<Number>;
    using operands = std::make_index_sequence<equation::detail::operands_of_scan<F>()>;
    static_assert(
        []<std::size_t... K>(std::index_sequence<K...>) {
            return requires(number const* z) {
                { F::step(z[0], z[K + 1]...) } -> std::convertible_to<number>;
            };
        }(operands{}),
        "sluice: a scan takes floats or doubles only; for kernels of a CUDA device it is called with a "
        "number that writes down what is computed: template <class T> static T step(T before, T z)");
    return {equation::is_reversed<F>, equation::is_associative<F>,
            [](number const* z) {
                return [&]<std::size_t... K>(std::index_sequence<K...>)->number {
                    return F::step(z[0], z[K + 1]...);
                }
                (operands{});
            },
            [](number const* z) {
                return [&]<std::size_t... K>(std::index_sequence<K...>)->number {
                    return equation::passed_on<F>(z[0], z[K + 1]...);
                }
                (operands{});
            }};
}

template <class F, class T, std::size_t N = 1>
constexpr bool is_template_of_numbers() {
    if constexpr (takes<F, T>(std::make_index_sequence<N>{}))
        return true;
    else if constexpr (N < most_operands)
        return is_template_of_numbers<F, T, N + 1>();
    else
        return false;
}

template <class Operations, class Number>
constexpr traced_functions<Number> traced_functions_of() {
    using number = traced<Number>;
    return {[](int function, number const* operands, std::size_t count) {
                number result;
                Operations::visit(function, [&](auto f) {
                    if constexpr (!equation::reduction<decltype(f)> && !equation::scanning<decltype(f)>) {
                        static_assert(
                            is_template_of_numbers<decltype(f), number>(),
                            "sluice: a function of the equations takes floats or doubles only; for "
                            "kernels of a CUDA device it is called with a number that writes down what "
                            "is computed: template <class T> static T value(T z)");
                        result = value_of<decltype(f)>(operands, count);
                    }
                });
                return result;
            },
            [](int function) {
                number result;
                Operations::visit(function, [&](auto f) {
                    if constexpr (equation::reduction<decltype(f)> || equation::scanning<decltype(f)>)
                        result = decltype(f)::template start<number>();
                });
                return result;
            },
            [](int function, number const& a, number const& b) {
                number result;
                Operations::visit(function, [&](auto f) {
                    if constexpr (equation::reduction<decltype(f)>)
                        result = decltype(f)::combine(a, b);
                });
                return result;
            },
            [](int function) {
                scan_row_of<Number> result;
                Operations::visit(function, [&](auto f) {
                    if constexpr (equation::scanning<decltype(f)>)
                        result = scan_row_made<decltype(f), Number>();
                });
                return result;
            }};
}

template <class Number>
class block_code {
public:
    /// `first_count` of the argument's counts are those of other blocks.
    block_code(plan_view const& p, int k, traced_functions<Number> const& functions, int first_count = 0)
        : block_(p, k), functions_(functions), loads_(block_.loads.count), first_count_(first_count) {
        for (int i = 0; i < block_.code.count; ++i)
            if (about(block_.code[i].kind).counts)
                counts_.push_back(i);
    }

    block_walk block_;
    traced_functions<Number> functions_;
    int loads_, first_count_;
    std::vector<int> counts_{}; ///< the instructions that ask how many features there are
    std::string text_{};

    template <class... Parts>
    void line(int depth, Parts const&... parts) {
        text_.append(static_cast<std::size_t>(depth) * 4, ' ');
        append({parts...}, text_);
        text_ += '\n';
    }
    /// The place of instruction i among the argument's counts.
    int place_of_count(int i) const {
        int place = 0;
        while (counts_[static_cast<std::size_t>(place)] != i)
            ++place;
        return first_count_ + place;
    }
    static std::string name_of(int r) { return std::string("r").append(std::to_string(r)); }
    /// A register as an operand: a number by its value.
    traced<Number> read(int r) const {
        if (r >= loads_ && kind_of(block_.code[r - loads_]) == instruction_kind::constant)
            return traced<Number>(block_.code[r - loads_].value);
        return traced<Number>(name_of(r));
    }
    /// Instruction i, unless it is a reduction or a number.
    void compute(int i, int depth) {
        instruction const& next = block_.code[i];
        instruction_kind const kind = kind_of(next);
        std::string const indent(static_cast<std::size_t>(depth) * 4, ' ');
        std::string const to = name_of(loads_ + i);
        if (kind == instruction_kind::constant)
            return;
        if (kind == instruction_kind::count)
            return line(depth, "number const ", to, " = (number)f.counts[", place_of_count(i), "];");
        std::vector<traced<Number>> operands;
        for (int k = 0; k < next.operands.count; ++k)
            operands.push_back(read(block_.operand(i, k)));
        sluice::print(kind == instruction_kind::copy
                          ? operands[0]
                          : functions_.value(next.function, operands.data(), operands.size()),
                      to, text_, indent);
    }

    std::string value_text(int r) const { return read(r).written->words; }
};

} // namespace sluice::detail
