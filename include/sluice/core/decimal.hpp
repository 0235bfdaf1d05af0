// SPDX-License-Identifier: BSL-1.0
// Decimal numbers inside constant expressions, exactly: the double nearest to what is written, and the fewest
// digits that read back to a double. Both compare fractions of whole numbers, which are as long as it takes.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>

namespace sluice {
namespace detail {

/// A whole number of up to 5120 bits: more than any quotient of a double and a power of ten asks for.
class whole_number {
public:
    constexpr explicit whole_number(std::uint64_t value = 0) {
        for (; value != 0; value >>= 32)
            limbs_[count_++] = static_cast<std::uint32_t>(value);
    }

    constexpr int bits() const {
        return count_ == 0 ? 0 : 32 * count_ - std::countl_zero(limbs_[count_ - 1]);
    }
    constexpr void multiply_and_add(std::uint32_t factor, std::uint32_t summand) {
        std::uint64_t carry = summand;
        for (int i = 0; i < count_; ++i, carry >>= 32) {
            carry += std::uint64_t(limbs_[i]) * factor;
            limbs_[i] = static_cast<std::uint32_t>(carry);
        }
        if (carry != 0)
            limbs_[count_++] = static_cast<std::uint32_t>(carry);
    }
    constexpr void multiply_by_power_of_ten(int exponent) {
        for (; exponent >= 9; exponent -= 9)
            multiply_and_add(1'000'000'000, 0);
        for (; exponent > 0; --exponent)
            multiply_and_add(10, 0);
    }
    constexpr void shift_left(int by) {
        for (; by >= 31; by -= 31)
            multiply_and_add(std::uint32_t(1) << 31, 0);
        multiply_and_add(std::uint32_t(1) << by, 0);
    }
    constexpr void halve() {
        for (int i = 0; i < count_; ++i)
            limbs_[i] = limbs_[i] >> 1 | (i + 1 < count_ ? limbs_[i + 1] << 31 : 0);
        trim();
    }
    /// For a difference that is not negative.
    constexpr void subtract(whole_number const& other) {
        std::uint64_t borrow = 0;
        for (int i = 0; i < count_; ++i) {
            std::uint64_t const take = borrow + (i < other.count_ ? other.limbs_[i] : 0);
            borrow = limbs_[i] < take;
            limbs_[i] = static_cast<std::uint32_t>(limbs_[i] - take);
        }
        trim();
    }
    constexpr bool is_zero() const { return count_ == 0; }
    constexpr bool is_less_than(whole_number const& other) const {
        if (count_ != other.count_)
            return count_ < other.count_;
        int i = count_ - 1;
        while (i >= 0 && limbs_[i] == other.limbs_[i])
            --i;
        return i >= 0 && limbs_[i] < other.limbs_[i];
    }

private:
    std::uint32_t limbs_[160]{}; ///< the lowest first
    int count_ = 0;              ///< of limbs that are used; the last of them is not zero

    constexpr void trim() {
        while (count_ > 0 && limbs_[count_ - 1] == 0)
            --count_;
    }
};

struct quotient {
    std::uint64_t whole = 0;
    bool exact = true;
};

/// For a quotient below 2^64.
constexpr quotient divide(whole_number numerator, whole_number denominator) {
    constexpr int bits = 64;
    quotient result;
    denominator.shift_left(bits);
    for (int bit = 0; bit < bits; ++bit) {
        denominator.halve();
        result.whole *= 2;
        if (!numerator.is_less_than(denominator)) {
            numerator.subtract(denominator);
            ++result.whole;
        }
    }
    result.exact = numerator.is_zero();
    return result;
}

/// The double nearest to digits * 10^exponent, ties to even; infinity where that is too large for a double.
constexpr double round_to_double(whole_number numerator, int exponent) {
    if (numerator.is_zero())
        return 0;
    whole_number denominator(1);
    (exponent < 0 ? denominator : numerator).multiply_by_power_of_ten(exponent < 0 ? -exponent : exponent);

    // q 2^unit with 54 or 55 bits in q: a double's 53 and at least one to round; subnormals have fewer
    constexpr int smallest_unit = -1075;
    int unit = numerator.bits() - denominator.bits() - 54;
    unit = unit < smallest_unit ? smallest_unit : unit;
    (unit < 0 ? numerator : denominator).shift_left(unit < 0 ? -unit : unit);
    auto [q, exact] = divide(numerator, denominator);
    int const spare = q >> 54 != 0 ? 2 : 1;
    std::uint64_t const cut = q & ((std::uint64_t(1) << spare) - 1), half = std::uint64_t(1) << (spare - 1);
    q >>= spare;
    unit += spare;
    if (cut > half || (cut == half && (!exact || q % 2 != 0)))
        ++q;

    constexpr std::uint64_t hidden_bit = std::uint64_t(1) << 52;
    if (unit + 1075 >= 2047)
        return std::numeric_limits<double>::infinity();
    return std::bit_cast<double>((static_cast<std::uint64_t>(unit + 1075) << 52) + q - hidden_bit);
}

} // namespace detail

/// The double nearest to a decimal literal, as a compiler reads it: 1'000.5e-3
constexpr double nearest_double(std::string_view literal) {
    constexpr int most_digits = 800; // what follows cannot bring a number to the other side of a tie
    constexpr int most_exponent = 9999;
    detail::whole_number digits;
    int exponent = 0, written = 0, read = 0;
    bool fraction = false, negative = false, in_exponent = false, rest = false;
    for (char const c : literal) {
        if (c == '.')
            fraction = true;
        else if (c == 'e' || c == 'E')
            in_exponent = true;
        else if (c == '-')
            negative = true;
        else if (c >= '0' && c <= '9' && in_exponent)
            written = written > most_exponent ? written : 10 * written + (c - '0');
        else if (c >= '0' && c <= '9') {
            if (read < most_digits) {
                digits.multiply_and_add(10, static_cast<std::uint32_t>(c - '0'));
                read += !digits.is_zero();
                exponent -= fraction;
            } else {
                rest = rest || c != '0';
                exponent += !fraction;
            }
        }
    }
    if (rest) {
        digits.multiply_and_add(10, 1);
        --exponent;
    }
    exponent += negative ? -written : written;
    if (digits.is_zero() || exponent < -1200)
        return 0;
    if (exponent > 400)
        return std::numeric_limits<double>::infinity();
    return detail::round_to_double(digits, exponent);
}

/// Whether C++ reads a literal as decimal: not 0x10, 0b10, 010.
constexpr bool is_decimal(std::string_view literal) {
    bool const octal =
        literal.size() > 1 && literal[0] == '0' && literal.find_first_of(".eE") == std::string_view::npos;
    return !octal && literal.find_first_of("xXbB") == std::string_view::npos;
}

/// digits * 10^exponent; no zero at the end of the digits, but for the number 0
struct decimal {
    std::uint64_t digits = 0;
    int exponent = 0;
};

constexpr bool reads_back_to(double number, decimal const& d) {
    return detail::round_to_double(detail::whole_number(d.digits), d.exponent) == number;
}

/// The decimal of the fewest digits that reads back to this finite number, which is not negative.
constexpr decimal shortest_decimal(double number) {
    if (number == 0)
        return {};
    auto const pattern = std::bit_cast<std::uint64_t>(number);
    auto const biased = static_cast<int>(pattern >> 52);
    std::uint64_t const fraction = pattern & ((std::uint64_t(1) << 52) - 1);
    std::uint64_t const mantissa = biased == 0 ? fraction : fraction | std::uint64_t(1) << 52;
    int const unit = (biased == 0 ? 1 : biased) - 1075;

    // number = (18 digits + a part of one) * 10^exponent
    int const log2 = unit + 63 - std::countl_zero(mantissa);
    int exponent = (log2 * 30103 - (log2 < 0 ? 99999 : 0)) / 100000 - 17;
    std::uint64_t digits = 0;
    for (;; ++exponent) {
        detail::whole_number numerator(mantissa), denominator(1);
        (unit < 0 ? denominator : numerator).shift_left(unit < 0 ? -unit : unit);
        (exponent < 0 ? numerator : denominator)
            .multiply_by_power_of_ten(exponent < 0 ? -exponent : exponent);
        digits = detail::divide(numerator, denominator).whole;
        if (digits < 1'000'000'000'000'000'000u)
            break;
    }
    // any 15 digits survive in a double that is not subnormal, and any double in 17
    int cut = biased == 0 ? 17 : 3;
    std::uint64_t unit_of_cut = biased == 0 ? 100'000'000'000'000'000u : 1'000u;
    decimal result{(digits + unit_of_cut / 2) / unit_of_cut, exponent + cut};
    while (!reads_back_to(number, result)) {
        unit_of_cut /= 10;
        result = {(digits + unit_of_cut / 2) / unit_of_cut, exponent + --cut};
    }
    for (; result.digits % 10 == 0; result.digits /= 10)
        ++result.exponent;
    return result;
}

} // namespace sluice
