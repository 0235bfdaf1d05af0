// SPDX-License-Identifier: BSL-1.0
// A number that writes down how it is computed. `F::value` of an operation (expr/operation.hpp) is a template
// over its number; called with these it gives the text of the function in C++, for kernels that are compiled
// at run time:
//
//   traced<float> z("z");
//   print(activation::sigmoid::value(z), "y", text)    float const y = 1.0f / (1.0f + expf(-z));
//
// What is used twice gets a name of its own, so that the text is as long as the computation.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

/// How tightly a written expression binds.
enum class binding : unsigned char { choice, disjunction, conjunction, comparison, sum, product, sign, name };

/// An expression: words, and operands between or after them.
struct written {
    std::string words{}; ///< a name, a literal, a sign, or the name of a function
    binding strength = binding::name;
    std::vector<std::shared_ptr<written const>> operands{};
    bool is_condition = false;
};
using written_pointer = std::shared_ptr<written const>;

/// A literal that every compiler reads as this very number.
template <class Number>
std::string literal_of(Number number) {
    constexpr bool is_float = std::is_same_v<Number, float>;
    if (number != number)
        return "(infinity - infinity)";
    if (number > std::numeric_limits<Number>::max())
        return "infinity";
    if (number < 0 || (number == 0 && std::signbit(number)))
        return "(-" + literal_of(-number) + ")";
    std::array<char, 64> digits{};
    bool const is_short = number < 10000 && static_cast<double>(number) * 1024 ==
                                                static_cast<double>(static_cast<long>(number * 1024));
    auto const end = is_short ? std::to_chars(digits.data(), digits.data() + digits.size(),
                                              static_cast<double>(number), std::chars_format::fixed)
                              : std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                              std::chars_format::hex);
    std::string text(is_short ? "" : "0x");
    text.append(digits.data(), end.ptr);
    if (is_short && text.find('.') == std::string::npos)
        text += ".0";
    if (is_float)
        text += 'f';
    return text;
}

/// Writes expressions; what several others read is written once, as a constant.
class expression_writer {
public:
    /// Results and their names, with which those of other constants begin.
    using results = std::span<std::pair<std::string, written_pointer> const>;

    /// What several results share is written once.
    void write(results wanted, std::string_view indent, std::string& text) {
        uses_.clear();
        names_.clear();
        indent_ = indent;
        for (auto const& [called, result] : wanted)
            count_uses(*result);
        for (auto const& [called, result] : wanted) {
            called_ = called;
            named_ = 0;
            std::string& name = names_[result.get()];
            declare(*result, called, name.empty() ? expression(*result, binding::choice, text) : name, text);
            if (name.empty())
                name = called;
        }
    }

private:
    std::map<written const*, int> uses_{};
    std::map<written const*, std::string> names_{};
    std::string_view indent_{}, called_{};
    int named_ = 0;

    void count_uses(written const& e) {
        if (++uses_[&e] == 1)
            for (auto const& operand : e.operands)
                count_uses(*operand);
    }
    void declare(written const& e, std::string_view name, std::string const& value, std::string& text) const {
        ((text += indent_) += e.is_condition ? "bool const " : "number const ") += name;
        (text += " = ") += value;
        text += ";\n";
    }
    std::string operand(written_pointer const& e, binding least, std::string& text) {
        if (uses_[e.get()] == 1 || e->operands.empty())
            return expression(*e, least, text);
        std::string& name = names_[e.get()];
        if (name.empty()) {
            std::string const value = expression(*e, binding::choice, text);
            std::string const made = std::string(called_).append("_").append(std::to_string(++named_));
            declare(*e, made, value, text);
            names_[e.get()] = made;
            return made;
        }
        return name;
    }
    std::string expression(written const& e, binding least, std::string& text) {
        auto const next = [](binding b) { return static_cast<binding>(static_cast<int>(b) + 1); };
        std::string made;
        if (e.operands.empty())
            return e.words;
        if (e.strength == binding::name) {
            made.append(e.words).append("(");
            for (auto const& o : e.operands)
                made.append(made.back() == '(' ? "" : ", ").append(operand(o, binding::choice, text));
            return made.append(")");
        }
        if (e.strength == binding::choice) {
            made = operand(e.operands[0], binding::disjunction, text);
            made.append(" ? ").append(operand(e.operands[1], binding::disjunction, text));
            made.append(" : ").append(operand(e.operands[2], binding::disjunction, text));
        } else if (e.operands.size() == 1) {
            made.append(e.words).append(operand(e.operands[0], next(e.strength), text));
        } else {
            made = operand(e.operands[0], e.strength, text);
            made.append(" ").append(e.words).append(" ");
            made.append(operand(e.operands[1], next(e.strength), text));
        }
        return e.strength < least ? made.insert(0, "(").append(")") : made;
    }
};

inline written_pointer written_as(std::string words, binding strength,
                                  std::initializer_list<written_pointer> operands,
                                  bool is_condition = false) {
    return std::make_shared<written const>(written{std::move(words), strength, operands, is_condition});
}

} // namespace detail

/// What a comparison of traced numbers gives.
class traced_condition {
public:
    explicit traced_condition(detail::written_pointer p) : written(std::move(p)) {}
    detail::written_pointer written;

    friend traced_condition operator&&(traced_condition const& a, traced_condition const& b) {
        return both(a, "&&", detail::binding::conjunction, b);
    }
    friend traced_condition operator||(traced_condition const& a, traced_condition const& b) {
        return both(a, "||", detail::binding::disjunction, b);
    }
    friend traced_condition operator&(traced_condition const& a, traced_condition const& b) { return a && b; }
    friend traced_condition operator|(traced_condition const& a, traced_condition const& b) { return a || b; }
    friend traced_condition operator!(traced_condition const& a) {
        return traced_condition(detail::written_as("!", detail::binding::sign, {a.written}, true));
    }
    friend traced_condition operator~(traced_condition const& a) { return !a; }

private:
    static traced_condition both(traced_condition const& a, char const* sign, detail::binding strength,
                                 traced_condition const& b) {
        return traced_condition(detail::written_as(sign, strength, {a.written, b.written}, true));
    }
};

template <std::floating_point Number>
class traced {
public:
    traced() : traced(Number(0)) {}
    template <class A>
        requires(std::is_arithmetic_v<A>)
    traced(A number)
        : written(detail::written_as(detail::literal_of(static_cast<Number>(number)), detail::binding::name,
                                     {})) {}
    explicit traced(std::string name)
        : written(detail::written_as(std::move(name), detail::binding::name, {})) {}

    detail::written_pointer written;

    // clang-format off
    friend traced operator+(traced const& a, traced const& b) { return two(a, "+", detail::binding::sum, b); }
    friend traced operator-(traced const& a, traced const& b) { return two(a, "-", detail::binding::sum, b); }
    friend traced operator*(traced const& a, traced const& b) { return two(a, "*", detail::binding::product, b); }
    friend traced operator/(traced const& a, traced const& b) { return two(a, "/", detail::binding::product, b); }
    friend traced operator-(traced const& a) { return make("-", detail::binding::sign, {a.written}); }
    friend traced operator+(traced const& a) { return a; }
    traced& operator+=(traced const& b) { return *this = *this + b; }
    traced& operator-=(traced const& b) { return *this = *this - b; }
    traced& operator*=(traced const& b) { return *this = *this * b; }
    traced& operator/=(traced const& b) { return *this = *this / b; }

    friend traced_condition operator<(traced const& a, traced const& b) { return compare(a, "<", b); }
    friend traced_condition operator>(traced const& a, traced const& b) { return compare(a, ">", b); }
    friend traced_condition operator<=(traced const& a, traced const& b) { return compare(a, "<=", b); }
    friend traced_condition operator>=(traced const& a, traced const& b) { return compare(a, ">=", b); }
    friend traced_condition operator==(traced const& a, traced const& b) { return compare(a, "==", b); }
    friend traced_condition operator!=(traced const& a, traced const& b) { return compare(a, "!=", b); }
    // clang-format on
    friend traced select(traced_condition const& condition, traced const& a, traced const& b) {
        return make("?", detail::binding::choice, {condition.written, a.written, b.written});
    }

    // The functions of the C library, by their names there.
    // clang-format off
    friend traced abs(traced const& z) { return call("fabs", {z.written}); }
    friend traced fabs(traced const& z) { return call("fabs", {z.written}); }
    friend traced exp(traced const& z) { return call("exp", {z.written}); }
    friend traced exp2(traced const& z) { return call("exp2", {z.written}); }
    friend traced expm1(traced const& z) { return call("expm1", {z.written}); }
    friend traced log(traced const& z) { return call("log", {z.written}); }
    friend traced log2(traced const& z) { return call("log2", {z.written}); }
    friend traced log10(traced const& z) { return call("log10", {z.written}); }
    friend traced log1p(traced const& z) { return call("log1p", {z.written}); }
    friend traced sqrt(traced const& z) { return call("sqrt", {z.written}); }
    friend traced cbrt(traced const& z) { return call("cbrt", {z.written}); }
    friend traced sin(traced const& z) { return call("sin", {z.written}); }
    friend traced cos(traced const& z) { return call("cos", {z.written}); }
    friend traced tan(traced const& z) { return call("tan", {z.written}); }
    friend traced asin(traced const& z) { return call("asin", {z.written}); }
    friend traced acos(traced const& z) { return call("acos", {z.written}); }
    friend traced atan(traced const& z) { return call("atan", {z.written}); }
    friend traced sinh(traced const& z) { return call("sinh", {z.written}); }
    friend traced cosh(traced const& z) { return call("cosh", {z.written}); }
    friend traced tanh(traced const& z) { return call("tanh", {z.written}); }
    friend traced asinh(traced const& z) { return call("asinh", {z.written}); }
    friend traced acosh(traced const& z) { return call("acosh", {z.written}); }
    friend traced atanh(traced const& z) { return call("atanh", {z.written}); }
    friend traced erf(traced const& z) { return call("erf", {z.written}); }
    friend traced erfc(traced const& z) { return call("erfc", {z.written}); }
    friend traced tgamma(traced const& z) { return call("tgamma", {z.written}); }
    friend traced lgamma(traced const& z) { return call("lgamma", {z.written}); }
    friend traced floor(traced const& z) { return call("floor", {z.written}); }
    friend traced ceil(traced const& z) { return call("ceil", {z.written}); }
    friend traced trunc(traced const& z) { return call("trunc", {z.written}); }
    friend traced round(traced const& z) { return call("round", {z.written}); }
    friend traced rint(traced const& z) { return call("rint", {z.written}); }
    friend traced nearbyint(traced const& z) { return call("nearbyint", {z.written}); }
    friend traced pow(traced const& a, traced const& b) { return call("pow", {a.written, b.written}); }
    friend traced hypot(traced const& a, traced const& b) { return call("hypot", {a.written, b.written}); }
    friend traced atan2(traced const& a, traced const& b) { return call("atan2", {a.written, b.written}); }
    friend traced fmod(traced const& a, traced const& b) { return call("fmod", {a.written, b.written}); }
    friend traced fmin(traced const& a, traced const& b) { return call("fmin", {a.written, b.written}); }
    friend traced fmax(traced const& a, traced const& b) { return call("fmax", {a.written, b.written}); }
    friend traced copysign(traced const& a, traced const& b) { return call("copysign", {a.written, b.written}); }
    friend traced fma(traced const& a, traced const& b, traced const& c) { return call("fma", {a.written, b.written, c.written}); }
    friend traced min(traced const& a, traced const& b) { return select(b < a, b, a); }
    friend traced max(traced const& a, traced const& b) { return select(a < b, b, a); }
    friend traced_condition isnan(traced const& z) { return z != z; }
    // clang-format on

private:
    using operand_list = std::initializer_list<detail::written_pointer>;
    static traced make(std::string words, detail::binding strength, operand_list operands) {
        traced made;
        made.written = detail::written_as(std::move(words), strength, operands);
        return made;
    }
    static traced call(std::string name, operand_list operands) {
        if (std::is_same_v<Number, float>)
            name += 'f';
        return make(std::move(name), detail::binding::name, operands);
    }
    static traced two(traced const& a, char const* sign, detail::binding strength, traced const& b) {
        return make(sign, strength, {a.written, b.written});
    }
    static traced_condition compare(traced const& a, char const* sign, traced const& b) {
        return traced_condition(
            detail::written_as(sign, detail::binding::comparison, {a.written, b.written}, true));
    }
};

/// Appends the lines that compute a traced number, the last of which is `number const CALLED = ...;`.
template <class Number>
void print(traced<Number> const& result, std::string_view called, std::string& text,
           std::string_view indent = {}) {
    std::pair<std::string, detail::written_pointer> const wanted(called, result.written);
    detail::expression_writer().write({&wanted, 1}, indent, text);
}

} // namespace sluice
