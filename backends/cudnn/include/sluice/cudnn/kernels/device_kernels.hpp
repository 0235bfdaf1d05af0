// SPDX-License-Identifier: BSL-1.0
// The kernels of the planned lowering (sluice/backend/kernels.hpp) on a CUDA device: products through cuBLAS,
// and for each pointwise block a kernel that is compiled for the device at hand when it is first run.
//
// All is put into one queue (cudnn/runtime/queue.hpp), in the order in which it is asked for. Products of
// floats are computed in floats, and so are those of halves and bfloat16; with factors::tf32 tensor cores
// round the factors of floats to 11 binary digits first.
#pragma once

#include <bit>
#include <limits>
#include <sluice/backend/kernels.hpp>
#include <sluice/core/half.hpp>
#include <sluice/cudnn/kernels/row_source.hpp>
#include <sluice/cudnn/runtime/block_kernel.hpp>

namespace sluice::cudnn {

/// The factors in products of floats.
enum class factors { whole, tf32 };

namespace detail {

template <class S>
inline constexpr cudaDataType data_type = CUDA_R_32F;
template <>
inline constexpr cudaDataType data_type<double> = CUDA_R_64F;
template <>
inline constexpr cudaDataType data_type<half> = CUDA_R_16F;
template <>
inline constexpr cudaDataType data_type<bfloat16> = CUDA_R_16BF;

inline int extent_of_product(std::size_t count) {
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        fail<std::invalid_argument>({"cuBLAS expects matrices of at most ", std::numeric_limits<int>::max(),
                                     " rows and columns, but got one of ", count,
                                     "; run shorter sequences or smaller batches"});
    return static_cast<int>(count);
}

} // namespace detail

template <factors How>
class basic_kernels {
    using size = std::size_t;

public:
    static constexpr bool is_host = false;
    static constexpr bool packs = true;

    /// Throws a sentence where there is no device.
    basic_kernels() : queue_(queue::of_this_thread()) {}

    template <class S>
    S* allocate(size count) const {
        return static_cast<S*>(queue_->allocate(bytes<S>(count)));
    }
    template <class S>
    void release(S* p, size count) const {
        queue_->release(p, bytes<S>(count));
    }
    template <class S>
    void upload(size count, S const* host, S* to) const {
        queue_->upload(host, bytes<S>(count), to);
    }
    template <class S>
    void download(size count, S const* from, S* host) const {
        queue_->download(from, bytes<S>(count), host);
    }
    void wait() const { queue_->wait(); }

    /// Row-major, as [groups, rows, columns]; rows begin at multiples of 16 bytes.
    template <class S>
    struct matrix {
        std::shared_ptr<S> numbers{};
        matrix_extents extents{};
        size row = 0;
    };
    template <class S>
    matrix<S> pack(matrix_extents const& e, arithmetic_of<S> const* values, bool transposed) const {
        matrix_extents const n = transposed ? matrix_extents{e.groups, e.columns, e.rows} : e;
        size const aligned = 16 / sizeof(S), row = (n.columns + aligned - 1) / aligned * aligned;
        size const count = n.groups * n.rows * row;
        std::shared_ptr<S> numbers(allocate<S>(count),
                                   [q = queue_, count](S* p) { q->release(p, bytes<S>(count)); });
        for (size g = 0; g < n.groups; ++g)
            arrange(n.rows, n.columns, 1,
                    strided<arithmetic_of<S> const>{values + g * n.rows * n.columns,
                                                    transposed ? 1 : n.columns, transposed ? n.rows : 1},
                    strided<S const>{}, false, strided<S>{numbers.get() + g * n.rows * row, row, 1}, false);
        return {std::move(numbers), n, row};
    }

    template <class S>
    void product(size m, size n, size k, S const* a, size lda, matrix<S> const& w, matrix_part const& part,
                 S* c, size ldc, bool add) const {
        products(1, m, n, k, a, lda, 0, w, part, c, ldc, 0, add);
    }
    template <class S>
    void products(size count, size m, size n, size k, S const* a, size lda, size next_a, matrix<S> const& w,
                  matrix_part const& part, S* c, size ldc, size next_c, bool add) const {
        if (k == 0 && !add)
            for (size g = 0; g < count; ++g)
                clear(m, n, c + g * next_c, ldc);
        if (count == 0 || m == 0 || n == 0 || k == 0)
            return;
        S const* const from =
            w.numbers.get() + (part.group * w.extents.rows + part.row) * w.row + part.column;
        multiply<S>(count, false, m, n, k, {a, lda, next_a}, {from, w.row, w.extents.rows * w.row}, c, ldc,
                    next_c, add);
    }

    template <class S>
    void outer(size m, size n, size k, S const* a, size lda, S const* d, size ldd, S* g, size ldg,
               bool add) const {
        outers(1, m, n, k, a, lda, 0, d, ldd, 0, g, ldg, 0, add);
    }
    template <class S>
    void outers(size count, size m, size n, size k, S const* a, size lda, size next_a, S const* d, size ldd,
                size next_d, S* g, size ldg, size next_g, bool add) const {
        if (k == 0 && !add)
            for (size i = 0; i < count; ++i)
                clear(m, n, g + i * next_g, ldg);
        if (count == 0 || m == 0 || n == 0 || k == 0)
            return;
        multiply<S>(count, true, m, n, k, {a, lda, next_a}, {d, ldd, next_d}, g, ldg, next_g, add);
    }

    template <class S>
    void total(size m, size n, S const* a, size lda, S* s, bool add) const {
        static char key = 0;
        if (m == 0 && !add)
            clear(1, n, s, n);
        else if (m > 0 && n > 0)
            launch(&key, detail::total_source<S>, "total", dim3(detail::parts_of(n, 32)), dim3(32, 16),
                   {detail::word_of(a), lda, m, detail::word_of(s), n, size(add)});
    }
    template <class S>
    void copy(size m, size n, S const* a, size lda, S* c, size ldc) const {
        static char key = 0;
        if (m == 0 || n == 0)
            return;
        if (m == 1 || lda >= n)
            queue_->submit(copy_command{a, bytes<S>(lda), c, bytes<S>(ldc), bytes<S>(n), m});
        else // one row, into all
            launch(&key, detail::spread_source<S>, "spread",
                   dim3(detail::parts_of(m, 4), std::min(65535u, detail::parts_of(n, 32))), dim3(32, 4),
                   {detail::word_of(a), detail::word_of(c), ldc, m, n});
    }
    template <class S>
    void clear(size m, size n, S* c, size ldc) const {
        if (m > 0 && n > 0)
            queue_->submit(clear_command{c, bytes<S>(ldc), bytes<S>(n), m});
    }

    template <class S>
    void stand(bool is_fold, standing const& how, size rows, typename block_frame<S>::operand const& a,
               typename block_frame<S>::operand const& c) const {
        static char repeat_key = 0, fold_key = 0;
        size const count = how.groups * (is_fold ? how.vector() : how.matrix()); // a thread for each
        if (rows > 0 && count > 0)
            launch(is_fold ? &fold_key : &repeat_key,
                   is_fold ? detail::fold_source<S> : detail::repeat_source<S>, is_fold ? "fold" : "repeat",
                   dim3(detail::parts_of(rows * count, 256)), dim3(256),
                   {detail::word_of(a.data), a.row, a.width, a.group, detail::word_of(c.data), c.row, c.width,
                    c.group, rows, how.in_columns, how.groups, how.rows, how.columns});
    }

    bool holds(void const* p) const { return queue_->holds(p); }

    template <class From, class By, class To>
    void arrange(size rows, size columns, double times, strided<From const> const& a,
                 strided<By const> const& by, bool divide, strided<To> const& to, bool add) const {
        using kept = std::conditional_t<!is_own_arithmetic<From>, From,
                                        std::conditional_t<is_own_arithmetic<By>, To, By>>;
        static_assert(std::is_same_v<arithmetic_of<From>, arithmetic_of<To>> &&
                      std::is_same_v<arithmetic_of<By>, arithmetic_of<To>>);
        static char key = 0;
        if (rows == 0 || columns == 0)
            return;
        launch(&key,
               detail::arrange_source<kept, std::is_same_v<From, kept>, std::is_same_v<By, kept>,
                                      std::is_same_v<To, kept>>,
               "arrange", dim3(detail::parts_of(rows * columns, 256)), dim3(256),
               {detail::word_of(a.data), a.row, a.column, detail::word_of(by.data), by.row, by.column,
                detail::word_of(to.data), to.row, to.column, rows, columns, divide, add,
                std::bit_cast<std::uint64_t>(times)});
    }

    template <class Program, class S>
    void pointwise(block_frame<S> const& f) const {
        static char key = 0;
        if (f.rows == 0)
            return;
        detail::run_block<S>(
            *queue_, &key,
            [] { return kernel_source<typename Program::operations, S>(Program::plan, Program::block); }, f,
            [](int i) { return !Program::is_per_row(i); },
            [](int i) { return !Program::is_store_per_row(i); });
    }

    template <class Holder, class S>
    bool loop(loop_frame<S> const& f) const {
        static char key = 0;
        static auto const printed = loop_source<typename Holder::operations, S>(Holder::plan);
        if (!printed)
            return false;
        detail::run_loop(*queue_, &key, *printed, f);
        return true;
    }

    template <class F>
    void as_one(F f) const {
        queue_->as_one(f);
    }

    std::shared_ptr<cudnn::queue> const& work() const { return queue_; }

private:
    std::shared_ptr<cudnn::queue> queue_;

    template <class S>
    static constexpr size bytes(size count) {
        return count * sizeof(S);
    }
    template <class S>
    struct factor {
        S const* data;
        size row;  ///< from one row to the next
        size next; ///< from one group to the next
    };
    /// C[m, n] = A[m, k] B[k, n] or, transposed, A[k, m]^T B[k, n]. To cuBLAS, whose matrices lie column by
    /// column, that is C^T[n, m] = B^T[n, k] A^T[k, m]. What has one row may have any distance to the next.
    template <class S>
    void multiply(size count, bool transposed, size m, size n, size k, factor<S> const& a, factor<S> const& b,
                  S* c, size ldc, size next_c, bool add) const {
        auto const extent = detail::extent_of_product;
        auto const distance = [&](size row, size rows, size columns) {
            return extent(rows == 1 ? std::max(row, columns) : row);
        };
        product_command next;
        next.op_b = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
        next.m = extent(n);
        next.n = extent(m);
        next.k = extent(k);
        next.count = extent(count);
        next.a = b.data;
        next.lda = distance(b.row, k, n);
        next.stride_a = static_cast<long long>(b.next);
        next.b = a.data;
        next.ldb = transposed ? distance(a.row, k, m) : distance(a.row, m, k);
        next.stride_b = static_cast<long long>(a.next);
        next.c = c;
        next.ldc = distance(ldc, m, n);
        next.stride_c = static_cast<long long>(next_c);
        next.type = detail::data_type<S>;
        next.compute = std::is_same_v<S, double>                          ? CUBLAS_COMPUTE_64F
                       : std::is_same_v<S, float> && How == factors::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                          : CUBLAS_COMPUTE_32F;
        next.add = add;
        queue_->submit(next);
    }
    void launch(void const* key, std::string (*source)(), char const* name, dim3 grid, dim3 block,
                std::initializer_list<std::uint64_t> argument) const {
        detail::start(*queue_, key, source, name, grid, block, std::span(argument.begin(), argument.size()));
    }
};

using kernels = basic_kernels<factors::whole>;

} // namespace sluice::cudnn
