// SPDX-License-Identifier: BSL-1.0
// Losses as kernels, which are printed from their rules (train/loss_rule.hpp). A row is shared by blockDim.x
// = 1 .. 256 threads side by side; a block has 256 threads and passes over rows.
//
// Each block reports, in words of 8 bytes: the sum of weights, the first row with a wrong weight, and that
// weight; the sum of the loss, the first row with a label that is no class, and that label. Weights without a
// finite sum make each gradient NaN; such a label makes those of its row NaN, and nothing is read at its
// index. The optimisers refuse these gradients even if loss() is never called.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <sluice/cudnn/kernels/number_kernel.hpp>
#include <sluice/source/kernel_source.hpp>
#include <sluice/source/traced.hpp>
#include <sluice/train/loss.hpp>
#include <string>
#include <type_traits>

namespace sluice::cudnn::detail {

/// What an array of the prediction's S, of float, or of double is called in the text.
template <class T, class S>
char const* type_text() {
    return std::is_same_v<T, S> ? "stored" : std::is_same_v<T, float> ? "float" : "double";
}
/// The text of a number z of that array.
template <class T, class S>
char const* value_text() {
    return std::is_same_v<T, S> ? "widened(z)" : "z";
}
template <class Label>
std::string label_text() {
    constexpr char const* sizes[] = {"char", "short", "int", "long long"};
    constexpr std::size_t size = sizeof(Label) == 8 ? 3 : sizeof(Label) / 2;
    return std::string(std::is_signed_v<Label> ? "signed " : "unsigned ") + sizes[size];
}

using no_weights = sluice::detail::equal_weights;

/// Sums the weights W.
template <class S, class W>
std::string weights_source() {
    return number_text<S>() + block_text() + "typedef " + type_text<W, S>() +
           " weight;\n__device__ inline double value_of(weight z) { return (double)" + value_text<W, S>() +
           "; }\n" + R"(
struct frame {
    weight const* w;
    size rows;
    double* sums;
    size* wrong;
};
extern "C" __global__ void __launch_bounds__(256) weigh(const __grid_constant__ frame f) {
    __shared__ double part[256];
    __shared__ size first_part[256];
    double sum = 0;
    size first = ~(size)0;
    for (size i = (size)blockIdx.x * 256 + threadIdx.x; i < f.rows; i += (size)gridDim.x * 256) {
        double const w = value_of(f.w[i]);
        if (!(w >= 0 && w <= 0x1.fffffffffffffp1023) && i < first)
            first = i;
        sum += w;
    }
    sum = sum_over_block(sum, part);
    size const least = least_over_block(first, first_part);
    if (threadIdx.x == 0) { // so that the sum over all blocks is NaN
        f.sums[blockIdx.x] = least == ~(size)0 ? sum : __longlong_as_double(0x7ff8000000000000ll);
        f.wrong[2 * (size)blockIdx.x] = least;
        if (least != ~(size)0)
            f.wrong[2 * (size)blockIdx.x + 1] = (size)__double_as_longlong(value_of(f.w[least]));
    }
}
)";
}

/// share_of(f, row, sum): w_r / sum w.
template <class S, class W>
std::string shares_text() {
    if constexpr (std::is_same_v<W, no_weights>)
        return "typedef stored weight;\n__device__ inline double sum_of_weights(frame const&, double*) { "
               "return 1; }\n"
               "__device__ inline double share_of(frame const& f, size, double) { return 1 / (double)f.rows; "
               "}\n";
    else
        return std::string("typedef ") + type_text<W, S>() + R"( weight;
__device__ inline double sum_of_weights(frame const& f, double* part) {
    unsigned int const t = thread_of_block();
    return sum_over_block(t < f.sum_blocks ? f.sums[t] : 0, part);
}
__device__ inline double share_of(frame const& f, size row, double sum) {
    if (!(sum <= 0x1.fffffffffffffp1023))
        return __longlong_as_double(0x7ff8000000000000ll);
    weight const z = ((weight const*)f.w)[row];
    return sum > 0 ? (double))" +
               value_text<W, S>() + " / sum : 0;\n}\n";
}

/// A parameter of such a function, in these numbers.
struct named {
    char const* called;
    template <class N>
    operator traced<N>() const {
        return traced<N>(std::string(called));
    }
};

/// A function of the rule in numbers N: what `traced` gives for its arguments, which are called as its
/// parameters. The constants of the rule stand in the frame, as double.
template <class Rule, class N, class Traced>
std::string rule_text(char const* called, std::initializer_list<char const*> parameters, Traced traced_call) {
    constexpr bool is_double = std::is_same_v<N, double>;
    std::string text("__device__ inline ");
    text.append(is_double ? "double " : "number ").append(called).append("(frame const& f");
    for (char const* const one : parameters)
        text.append(is_double ? ", double " : ", number ").append(one);
    text += ") {\n";
    if (is_double)
        text += "    typedef double number;\n";
    sluice::detail::loss_in<Rule, traced<N>> rule;
    for (std::size_t i = 0; i < rule.constants.size(); ++i) {
        std::string const name = std::string("c").append(std::to_string(i));
        text.append("    number const ").append(name).append(" = (number)f.").append(name).append(";\n");
        rule.constants[i] = traced<N>(name);
    }
    print(traced_call(rule), "result", text, "    ");
    return text += "    return result;\n}\n";
}

/// What both kernels of a rule begin with: `Beside` are targets or labels.
template <class Rule, class S, class Beside, class W>
std::string loss_begin() {
    using number = traced<arithmetic_of<S>>;
    constexpr bool has_labels = Rule::has_labels;
    char const* const beside = has_labels ? "largest" : "t";
    std::string text = number_text<S>() + block_text() + "typedef ";
    if constexpr (has_labels)
        text += label_text<Beside>() + " beside_type;\n";
    else
        text.append(type_text<Beside, S>())
            .append(" beside_type;\n__device__ inline number value_of(beside_type z) { return (number)")
            .append(value_text<Beside, S>())
            .append("; }\n");
    text += R"(
struct frame {
    stored const* y;
    beside_type const* beside;
    void const* w;
    double const* sums;
    size sum_blocks, rows, classes;
    stored* gradient;
    double* losses;
    size* wrong;
)";
    for (std::size_t i = 0; i < sluice::detail::loss_constants<Rule>; ++i)
        text.append("    double c").append(std::to_string(i)).append(";\n");
    text += "};\n" + shares_text<S, W>();
    auto const in_numbers = [&](char const* called, std::initializer_list<char const*> of, auto of_rule) {
        text += rule_text<Rule, arithmetic_of<S>>(called, of, of_rule);
    };
    auto const in_double = [&](char const* called, std::initializer_list<char const*> of, auto of_rule) {
        text += rule_text<Rule, double>(called, of, of_rule);
    };
    number const y = named{"y"}, b = named{beside}, slope = named{"slope"}, share = named{"share"};
    auto const gradient = [&](auto const& r) { return r.gradient(y, b, r.part(y, b), slope, share); };
    in_numbers("part_of", {"y", beside}, [&](auto const& r) { return r.part(y, b); });
    in_double("term_of", {"y", beside, "part"},
              [&](auto const& r) { return r.term(named{"y"}, named{beside}, named{"part"}); });
    in_numbers("gradient_of", {"y", beside, "slope", "share"}, gradient);
    if constexpr (has_labels) {
        in_numbers("gradient_of_label", {"y", beside, "slope", "share"}, [&](auto const& r) {
            return r.gradient_of_label(y, b, r.part(y, b), slope, share, gradient(r));
        });
        in_double("loss_of", {"sum", "chosen", "largest"},
                  [](auto const& r) { return r.loss(named{"sum"}, named{"chosen"}, named{"largest"}); });
        in_double("slope_of", {"share", "sum", "chosen", "largest"}, [](auto const& r) {
            return r.slope(named{"share"}, named{"sum"}, named{"chosen"}, named{"largest"});
        });
    } else
        in_double("slope_of", {"share"}, [](auto const& r) { return r.slope(named{"share"}); });
    return text;
}

inline constexpr char const* target_loss_text = R"(
extern "C" __global__ void __launch_bounds__(256) loss(const __grid_constant__ frame f) {
    __shared__ double part[256];
    double const weights = sum_of_weights(f, part);
    double loss = 0;
    for (size row = (size)blockIdx.x * blockDim.y + threadIdx.y; row < f.rows; row += (size)gridDim.x * blockDim.y) {
        double const share = share_of(f, row, weights) / (double)f.classes;
        bool const counts = share > 0;
        number const slope = counts ? (number)slope_of(f, share) : 0;
        number const none = share == 0 ? (number)0 : (number)__longlong_as_double(0x7ff8000000000000ll);
        size const end = (row + 1) * f.classes;
        double sum = 0;
        for (size i = row * f.classes + threadIdx.x; i < end; i += blockDim.x)
            if (counts) {
                number const y = widened(f.y[i]), t = value_of(f.beside[i]);
                sum += term_of(f, (double)y, (double)t, (double)part_of(f, y, t));
                f.gradient[i] = rounded(gradient_of(f, y, t, slope, (number)share));
            } else
                f.gradient[i] = rounded(none);
        if (counts)
            loss += share * sum;
    }
    loss = sum_over_block(loss, part);
    if (thread_of_block() == 0)
        f.losses[blockIdx.x] = loss;
}
)";

/// For targets or labels and weights W: the kernel `loss`.
template <class Rule, class S, class Beside, class W>
std::string loss_source() {
    std::string text = loss_begin<Rule, S, Beside, W>();
    if constexpr (!Rule::has_labels)
        text += target_loss_text;
    else
        text += reduction_text("sum_over_row", "double", sum_step, row_of_threads) +
                reduction_text("largest_over_row", "number", most_step, row_of_threads) +
                R"(extern "C" __global__ void __launch_bounds__(256) loss(const __grid_constant__ frame f) {
    __shared__ double part[256];
    __shared__ number largest_part[256];
    __shared__ size first_part[256];
    double const weights = sum_of_weights(f, part);
    double loss = 0;
    size first = ~(size)0;
    for (size block = (size)blockIdx.x * blockDim.y; block < f.rows; block += (size)gridDim.x * blockDim.y) {
        size const row = block + threadIdx.y; // all threads of a block meet, whatever their rows are
        double const share = row < f.rows ? share_of(f, row, weights) : 0;
        size k = 0;
        bool is_class = true;
        if (share > 0) {
            beside_type const label = f.beside[row];
            k = (size)label;
            is_class = )" +
                (std::is_signed_v<Beside> ? "label >= 0 && " : "") + R"(k < f.classes;
            if (!is_class && row < first)
                first = row;
        }
        bool const counts = share > 0 && is_class;
        stored const* const z = f.y + row * f.classes;
        number largest = 0;
        if (counts) {
            largest = widened(z[0]);
            for (size c = threadIdx.x; c < f.classes; c += blockDim.x) {
                number const one = widened(z[c]);
                largest = largest < one ? one : largest;
            }
        }
        largest = largest_over_row(largest, largest_part);
        double sum = 0;
        if (counts)
            for (size c = threadIdx.x; c < f.classes; c += blockDim.x) {
                number const one = widened(z[c]);
                sum += term_of(f, (double)one, (double)largest, (double)part_of(f, one, largest));
            }
        sum = sum_over_row(sum, part);
        if (counts) {
            double const chosen = (double)widened(z[k]);
            if (threadIdx.x == 0)
                loss += share * loss_of(f, sum, chosen, (double)largest);
            number const slope = (number)slope_of(f, share, sum, chosen, (double)largest);
            for (size c = threadIdx.x; c < f.classes; c += blockDim.x) {
                number const one = widened(z[c]);
                f.gradient[row * f.classes + c] =
                    rounded(c == k ? gradient_of_label(f, one, largest, slope, (number)share)
                                   : gradient_of(f, one, largest, slope, (number)share));
            }
        } else if (row < f.rows) {
            number const none = share == 0 ? (number)0 : (number)__longlong_as_double(0x7ff8000000000000ll);
            for (size c = threadIdx.x; c < f.classes; c += blockDim.x)
                f.gradient[row * f.classes + c] = rounded(none);
        }
    }
    loss = sum_over_block(loss, part);
    size const least = least_over_block(first, first_part);
    if (thread_of_block() == 0) {
        f.losses[blockIdx.x] = loss;
        f.wrong[2 * (size)blockIdx.x] = least;
        if (least != ~(size)0)
            f.wrong[2 * (size)blockIdx.x + 1] = (size)f.beside[least];
    }
}
)";
    return sluice::detail::with_infinity(std::move(text));
}

} // namespace sluice::cudnn::detail
