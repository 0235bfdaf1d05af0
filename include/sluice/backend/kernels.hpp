// SPDX-License-Identifier: BSL-1.0
// What a backend owes when it lets `plan_lowering` run the plans: its kernels, an object that the lowering
// makes and keeps. It may hold a device, handles, a stream of work. Nothing else reads or writes the
// backend's memory, so its addresses need not be the host's; others only add to them.
//
// Memory. S is the type in which numbers are kept. A kernel computes in that of arithmetic
// (core/arithmetic.hpp): it widens what it reads, sums in arithmetic, and rounds each number once, where it
// is written.
//
//   is_host                       constant: the addresses are the host's, so that what the host gives is
//                                 read, and what it is to find is written, where it lies
//   allocate<S>(count)            memory for so many numbers, also for none
//   release(p, count)             which allocate gave
//   upload(count, host, to)       has read the host's numbers when it returns
//   download(count, from, host)   the host reads them after the next wait()
//   wait()                        returns when all that was asked for is done
//
// Weights.
//
//   matrix<S>                     packed weights, or none; copies of it mean the same numbers
//   packs                         constant: a matrix has numbers of its own. Otherwise it refers to those
//                                 that it was packed of, which the host then keeps as long as it is used
//   pack<S>(extents, numbers, transposed)
//                                 the matrices of a grouped one, or their transposes; the numbers lie as
//                                 [groups, rows, columns], row-major, without a gap, in arithmetic: the
//                                 host's, or of kernels that have `arrange` their own
//
// Work. A is [m, k] with rows `lda` apart, and so on; all but the weights is row-major. `add` says that C,
// G or S is added to. `lda` may be zero, for rows that are all the same, except in products and outer
// products; every count may be zero, and then the result is zeros or nothing.
//
//   product(m, n, k, a, lda, w, part, c, ldc, add)   C[m, n] = A[m, k] W[k, n], a part of a packed matrix
//   outer(m, n, k, a, lda, d, ldd, g, ldg, add)      G[m, n] = A[k, m]^T D[k, n]
//   total(m, n, a, lda, s, add)                      S[n] = sum over the m rows of A[m, n]
//   copy(m, n, a, lda, c, ldc)                       C[m, n] = A[m, n]
//   clear(m, n, c, ldc)                              C[m, n] = 0
//   pointwise<Program>(frame)                        runs a block (backend/block.hpp) on the rows of a frame
//
// By choice. Who does not have them is asked for the same piece by piece.
//
//   pack<S>(extents, parts, transposed)
//                                 the same of matrices [groups, rows, columns of the part] side by side
//   pack_again<S>(packed, parts, transposed)
//                                 the same where a matrix of these extents lies that is not used any more
//   products(count, m, n, k, a, lda, next_a, w, part, c, ldc, next_c, add)
//                                 the products of so many groups of W, from that of the part on; those of A
//                                 and C lie next_a and next_c numbers apart
//   outers(count, m, n, k, a, lda, next_a, d, ldd, next_d, g, ldg, next_g, add)
//                                 the same of outer products
//   session()                     an object that the thread holds that runs a sequence, a step or backward,
//                                 while it does: a setting of the processor. A thread that works beside it
//                                 makes its own
//   as_one(f)                     calls f, which asks for work and for nothing else: the steps of a
//                                 recurrence. What it asks for may be done as one piece of work, after the
//                                 call
//   holds(p)                      whether an address is of the backend's memory. The numbers there are then
//                                 read and written where they lie, where otherwise the host's are sent and
//                                 fetched
//   arrange(rows, columns, factor, a, by, divide, to, add)
//                                 of numbers that are kept or computed with (strided):
//                                 to[i, j] = factor a[i, j] by[i, j], or divided by it, or added to what is
//                                 there; without an address a and by are 1. With it, matrices are made of the
//                                 parameters in the backend's memory (execute/matrices.hpp)
//   divide(pieces, effort, f)     calls f(first, count) for parts of so many pieces of work, possibly on
//                                 several threads at a time; each asks for what no other waits for
//   threads()                     how many threads divide() may use
//   stand<S>(is_fold, standing, rows, a, c)
//                                 repeat or fold of matrix values (backend/standing.hpp), in so many rows.
//                                 Kernels of the host without as_one have no need of it
//   find_product(m, n, k, w, part, c, add)
//                                 std::optional of an object in which all is found of a product that does
//                                 not depend on A; its run(a) does it. Where there is none product() is asked
//   product_of_row<N, K, Row, Column>(a, w, c, add, last_first)
//                                 C[1, N] = A[1, K] W[K, N] of the part that begins there, of steps of
//                                 constant sizes; columns in the other direction if `last_first`
//   step_of_row<Step>(frame)      a whole step of one row, of constant sizes, and its copies: Step and frame
//                                 are those of execute/fixed_step.hpp
//   loop<Holder>(frame)           runs all steps of the loop of Holder::plan, which has no product, as one
//                                 piece of work (backend/loop_frame.hpp), and says whether it did
//
// All of it is asked of a const object, by several threads at the same time, and done in the order in which
// it is asked for. So is release: memory that comes back may be handed out again at once. Copies of a cell
// share the kernels of the first, and a tape keeps them.
#pragma once

#include <concepts>
#include <cstddef>
#include <sluice/backend/block.hpp>
#include <sluice/backend/standing.hpp>
#include <span>
#include <type_traits>

namespace sluice {

/// The extents of a matrix.
struct matrix_extents {
    std::size_t groups = 1;
    std::size_t rows = 1;    ///< of a group
    std::size_t columns = 1; ///< of a group

    std::size_t count() const { return groups * rows * columns; }
};

/// Where a part of a packed matrix begins; if that is a transpose, in the transpose.
struct matrix_part {
    std::size_t group = 0;
    std::size_t row = 0;    ///< of the group
    std::size_t column = 0; ///< of the group
    /// Not 0: its columns are best read from the last to the first, for the call before has read them the
    /// other way, and the caches have those that it read last. No result depends on it.
    std::size_t backward = 0;
};

/// Some columns of a matrix: [groups, rows, columns], which lie without a gap.
template <class T>
struct matrix_columns {
    T const* values = nullptr;
    std::size_t columns = 0; ///< of a group
};

/// Numbers [rows, columns] at any distances from each other, also at none.
template <class T>
struct strided {
    T* data = nullptr;
    std::size_t row = 0, column = 0;
};

/// Kernels that own memory: allocate, release, upload, download, wait.
template <class K, class S>
concept has_memory = requires(K const& k, std::size_t n, S const* in, S* out) {
    requires std::is_same_v<decltype(K::is_host), bool const>;
    { k.template allocate<S>(n) } -> std::same_as<S*>;
    k.release(out, n);
    k.upload(n, in, out);
    k.download(n, in, out);
    k.wait();
};
/// Kernels that pack a matrix of weights for their products.
template <class K, class S>
concept has_weights = requires(K const& k, matrix_extents const& e, arithmetic_of<S> const* in) {
    requires std::is_same_v<decltype(K::packs), bool const>;
    { k.template pack<S>(e, in, true) } -> std::same_as<typename K::template matrix<S>>;
    requires std::semiregular<typename K::template matrix<S>>;
};
/// Kernels that multiply rows with a packed matrix, [n, rows] [rows, columns].
template <class K, class S>
concept has_product = requires(K const& k, std::size_t n, S const* in, S* out,
                               typename K::template matrix<S> const& w, matrix_part const& part) {
    k.product(n, n, n, in, n, w, part, out, n, true);
};
/// Kernels that sum outer products over rows: the gradient of weights.
template <class K, class S>
concept has_outer = requires(K const& k, std::size_t n, S const* in, S* out) {
    k.outer(n, n, n, in, n, in, n, out, n, true);
};
/// Kernels that sum over rows: the gradient of a bias.
template <class K, class S>
concept has_total = requires(K const& k, std::size_t n, S const* in, S* out) {
    k.total(n, n, in, n, out, true);
};
/// Kernels that copy and clear columns.
template <class K, class S>
concept has_copies = requires(K const& k, std::size_t n, S const* in, S* out) {
    k.copy(n, n, in, n, out, n);
    k.clear(n, n, out, n);
};
/// Kernels that run the block of a program.
template <class K, class S>
concept has_pointwise = requires(K const& k, block_frame<S> const& frame) {
    k.template pointwise<any_program>(frame);
};

/// Kernels that multiply in feature groups. Without it each group is a product.
template <class K, class S>
concept has_groups = requires(K const& k, std::size_t n, S const* in, S* out,
                              typename K::template matrix<S> const& w, matrix_part const& part) {
    k.products(n, n, n, n, in, n, n, w, part, out, n, n, true);
    k.outers(n, n, n, n, in, n, n, in, n, n, out, n, n, true);
};

/// Kernels that find a product once, for steps that repeat it.
template <class K, class S>
concept finds_products = requires(std::size_t n, S* c, typename K::template matrix<S> const& w,
                                  matrix_part const& part) {
    K::find_product(n, n, n, w, part, c, true).value();
};

/// Kernels that make matrices of vectors, and sum over them.
template <class K, class S>
concept has_standing = requires(K const& k, std::size_t n, standing const& how,
                                typename block_frame<S>::operand const& at) {
    k.template stand<S>(true, how, n, at, at);
};

/// Kernels that pack a matrix of several parts that lie apart.
template <class K, class S>
concept packs_parts = requires(K const& k, matrix_extents const& e,
                               matrix_columns<arithmetic_of<S>> const& part) {
    { k.template pack<S>(e, std::span(&part, 1), true) } -> std::same_as<typename K::template matrix<S>>;
};

/// Kernels that do so in the memory of one that was packed before.
template <class K, class S>
concept packs_again = packs_parts<K, S> && requires(K const& k, typename K::template matrix<S>& packed,
                                                    matrix_columns<arithmetic_of<S>> const& part) {
    k.template pack_again<S>(packed, std::span(&part, 1), true);
};

/// Kernels that put together a matrix of others, transposed or times a number.
template <class K, class S>
concept has_arrange = requires(K const& k, std::size_t n, strided<S const> a,
                               strided<arithmetic_of<S> const> by, strided<arithmetic_of<S>> to) {
    k.arrange(n, n, 1., a, by, true, to, true);
};

/// What the kernels of a backend must have.
template <class K, class S>
concept kernels_for = std::default_initializable<K> && has_memory<K, S> && has_weights<K, S> &&
    has_product<K, S> && has_outer<K, S> && has_total<K, S> && has_copies<K, S> && has_pointwise<K, S>;

/// Says in a sentence which kernel is missing.
template <class K, class S>
constexpr bool require_kernels() {
    static_assert(std::default_initializable<K>,
                  "sluice: the kernels of the backend cannot be made from nothing; see backend/kernels.hpp");
    static_assert(has_memory<K, S>,
                  "sluice: the kernels of the backend lack is_host, allocate<S>(count), release(p, count), "
                  "upload(count, host, to), download(count, from, host) or wait(); see backend/kernels.hpp");
    static_assert(has_weights<K, S>, "sluice: the kernels of the backend lack packs, matrix<S> or "
                                     "pack<S>(extents, host, transposed); see backend/kernels.hpp");
    static_assert(!has_weights<K, S> || has_product<K, S>,
                  "sluice: the kernels of the backend lack "
                  "product(m, n, k, a, lda, w, part, c, ldc, add); see backend/kernels.hpp");
    static_assert(has_outer<K, S>, "sluice: the kernels of the backend lack "
                                   "outer(m, n, k, a, lda, d, ldd, g, ldg, add); see backend/kernels.hpp");
    static_assert(has_total<K, S>, "sluice: the kernels of the backend lack total(m, n, a, lda, s, add); see "
                                   "backend/kernels.hpp");
    static_assert(has_copies<K, S>, "sluice: the kernels of the backend lack copy(m, n, a, lda, c, ldc) or "
                                    "clear(m, n, c, ldc); see backend/kernels.hpp");
    static_assert(
        has_pointwise<K, S>,
        "sluice: the kernels of the backend lack pointwise<Program>(frame); see backend/kernels.hpp");
    return kernels_for<K, S>;
}

namespace detail {

/// Calls f, which asks for work only: as one piece of it, where the kernels can do that.
template <class Kernels, class F>
void ask_as_one(Kernels const& kernels, F const& f) {
    if constexpr (requires { kernels.as_one(f); })
        kernels.as_one(f);
    else
        f();
}

struct no_session {};

/// What a thread holds while it runs something.
template <class Kernels>
auto session_of(Kernels const& kernels) {
    if constexpr (requires { kernels.session(); })
        return kernels.session();
    else
        return no_session{};
}

/// Whether an address is of the backend's memory, and not of the host's.
template <class Kernels>
bool holds(Kernels const& kernels, void const* p) {
    if constexpr (requires { kernels.holds(p); })
        return kernels.holds(p);
    else
        return false;
}

} // namespace detail

/// Stands for kernels that were refused, so that no second error follows the first.
struct no_kernels {
    static constexpr bool is_host = true, packs = false;
    template <class S>
    struct matrix {};
    template <class S>
    static S* allocate(std::size_t) {
        return nullptr;
    }
    static void release(auto...) {}
    static void upload(auto...) {}
    static void download(auto...) {}
    static void wait() {}
    template <class S>
    static matrix<S> pack(matrix_extents const&, arithmetic_of<S> const*, bool) {
        return {};
    }
    static void product(auto...) {}
    static void outer(auto...) {}
    static void total(auto...) {}
    static void copy(auto...) {}
    static void clear(auto...) {}
    template <class Program, class S>
    static void pointwise(block_frame<S> const&) {}
};
template <class K, class S>
using checked_kernels = std::conditional_t<require_kernels<K, S>(), K, no_kernels>;

} // namespace sluice
