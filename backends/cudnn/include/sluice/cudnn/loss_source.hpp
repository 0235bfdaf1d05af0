// SPDX-License-Identifier: BSL-1.0
// Losses as kernels (train/mean_squared_error.hpp, train/softmax_cross_entropy.hpp have the equations). A row
// is shared by gridDim.y = 1 .. 256 threads side by side; a block has 256 threads and passes over rows.
//
// Each block reports, in words of 8 bytes: the sum of weights, the first row with a wrong weight, and that
// weight; the sum of the loss, the first row with a label that is no class, and that label. Weights without a
// finite sum make each gradient NaN; such a label makes those of its row NaN, and nothing is read at its
// index. The optimisers refuse these gradients even if loss() is never called.
#pragma once

#include <cstddef>
#include <sluice/cudnn/number_kernel.hpp>
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

/// No weights.
struct no_weights {};

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

/// For targets T and weights W.
template <class S, class T, class W>
std::string squares_source() {
    return number_text<S>() + block_text() + "typedef " + type_text<T, S>() +
           " target;\n__device__ inline number value_of(target z) { return (number)" + value_text<T, S>() +
           "; }\n" + R"(
struct frame {
    stored const* y;
    target const* t;
    void const* w;
    double const* sums;
    size sum_blocks, rows, classes;
    stored* gradient;
    double* losses;
};
)" + shares_text<S, W>() +
           R"(
extern "C" __global__ void __launch_bounds__(256) squares(const __grid_constant__ frame f) {
    __shared__ double part[256];
    double const sum = sum_of_weights(f, part);
    double loss = 0;
    for (size row = (size)blockIdx.x * blockDim.y + threadIdx.y; row < f.rows; row += (size)gridDim.x * blockDim.y) {
        double const share = share_of(f, row, sum) / (double)f.classes;
        number const slope = (number)(2 * share);
        size const end = (row + 1) * f.classes;
        double squares = 0;
        for (size i = row * f.classes + threadIdx.x; i < end; i += blockDim.x) {
            number const difference = share > 0 ? widened(f.y[i]) - value_of(f.t[i]) : 0;
            squares += (double)difference * (double)difference;
            f.gradient[i] = rounded(slope * difference);
        }
        loss += share * squares;
    }
    loss = sum_over_block(loss, part);
    if (thread_of_block() == 0)
        f.losses[blockIdx.x] = loss;
}
)";
}

/// For labels K and weights W.
template <class S, class K, class W>
std::string entropy_source() {
    return number_text<S>() + block_text() + "typedef " + label_text<K>() + R"( label_type;
struct frame {
    stored const* z;
    label_type const* k;
    void const* w;
    double const* sums;
    size sum_blocks, rows, classes;
    stored* gradient;
    double* losses;
    size* wrong;
};
)" + shares_text<S, W>() +
           // Calls the exponential of its own type.
           "__device__ inline number power(number z) { return " +
           (std::is_same_v<arithmetic_of<S>, float> ? "expf" : "exp") + R"((z); }
)" + reduction_text("sum_over_row", "double", sum_step, row_of_threads) +
           reduction_text("largest_over_row", "number", most_step, row_of_threads) +
           R"(extern "C" __global__ void __launch_bounds__(256) entropy(const __grid_constant__ frame f) {
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
            label_type const label = f.k[row];
            k = (size)label;
            is_class = )" +
           (std::is_signed_v<K> ? "label >= 0 && " : "") + R"(k < f.classes;
            if (!is_class && row < first)
                first = row;
        }
        bool const counts = share > 0 && is_class;
        stored const* const z = f.z + row * f.classes;
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
            for (size c = threadIdx.x; c < f.classes; c += blockDim.x)
                sum += (double)power(widened(z[c]) - largest);
        sum = sum_over_row(sum, part);
        if (counts) {
            if (threadIdx.x == 0)
                loss += share * (log(sum) - ((double)widened(z[k]) - (double)largest));
            number const slope = (number)(share / sum);
            for (size c = threadIdx.x; c < f.classes; c += blockDim.x) {
                number const step = power(widened(z[c]) - largest) * slope;
                f.gradient[row * f.classes + c] = rounded(c == k ? step - (number)share : step);
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
            f.wrong[2 * (size)blockIdx.x + 1] = (size)f.k[least];
    }
}
)";
}

} // namespace sluice::cudnn::detail
