// SPDX-License-Identifier: BSL-1.0
// Commands as bytes, and what each of them does to memory of the device.
#include <sluice/cudnn/runtime/commands.hpp>

#include <device/host/controls.hpp>
#include <doctest/doctest.h>
#include <sluice/cudnn/runtime/handle.hpp>
#include <string>

namespace commands_test {

using namespace sluice::cudnn;

static_assert(product_command::kind != copy_command::kind && copy_command::kind != clear_command::kind &&
              clear_command::kind != launch_command::kind && launch_command::kind != product_command::kind);

/// A stream and cuBLAS in it.
struct place {
    unique_stream stream{"a stream"};
    unique_blas blas{"a handle"};
    place() { REQUIRE(cublasSetStream(blas.get(), stream.get()) == CUBLAS_STATUS_SUCCESS); }
    command_target target() const { return {stream.get(), blas.get()}; }
};
/// Numbers on the device.
template <class S>
class numbers {
public:
    explicit numbers(std::vector<S> const& given) : size_(given.size()) {
        REQUIRE(cudaMalloc(reinterpret_cast<void**>(&data_), size_ * sizeof(S)) == cudaSuccess);
        REQUIRE(cudaMemcpy(data_, given.data(), size_ * sizeof(S), cudaMemcpyHostToDevice) == cudaSuccess);
    }
    numbers(numbers const&) = delete;
    numbers& operator=(numbers const&) = delete;
    ~numbers() { (void)cudaFree(data_); }
    S* data() const { return data_; }
    std::vector<S> get(place const& p) const {
        std::vector<S> found(size_);
        REQUIRE(cudaStreamSynchronize(p.stream.get()) == cudaSuccess);
        REQUIRE(cudaMemcpy(found.data(), data_, size_ * sizeof(S), cudaMemcpyDeviceToHost) == cudaSuccess);
        return found;
    }

private:
    std::size_t size_;
    S* data_ = nullptr;
};
/// Small whole numbers that differ; their products are exact.
template <class S>
std::vector<S> whole(std::size_t count, unsigned from) {
    std::vector<S> all(count);
    for (S& one : all)
        one = static_cast<S>(static_cast<int>(from = (from * 75 + 74) % 65537) % 17 - 8);
    return all;
}

/// c[i] = op(a[i]) op(b[i]) by hand, with gaps after columns and between matrices.
template <class S>
void check_product(bool turned_a, bool turned_b, int count, bool add) {
    CAPTURE(turned_a);
    CAPTURE(turned_b);
    CAPTURE(count);
    CAPTURE(add);
    constexpr std::size_t m = 3, n = 5, k = 2;
    std::size_t const rows_a = turned_a ? k : m, columns_a = turned_a ? m : k, rows_b = turned_b ? n : k,
                      columns_b = turned_b ? k : n;
    std::size_t const lda = rows_a + 1, ldb = rows_b + 2, ldc = m + 3;
    std::size_t const next_a = lda * columns_a + 1, next_b = ldb * columns_b + 2, next_c = ldc * n + 3;
    auto const times = static_cast<std::size_t>(count);
    auto const a = whole<S>(times * next_a, 1), b = whole<S>(times * next_b, 2),
               c = whole<S>(times * next_c, 3);
    std::vector<S> expected = c;
    for (std::size_t i = 0; i < times; ++i)
        for (std::size_t row = 0; row < m; ++row)
            for (std::size_t column = 0; column < n; ++column) {
                S sum = 0;
                for (std::size_t l = 0; l < k; ++l)
                    sum += a[i * next_a + (turned_a ? row * lda + l : l * lda + row)] *
                           b[i * next_b + (turned_b ? l * ldb + column : column * ldb + l)];
                S& to = expected[i * next_c + column * ldc + row];
                to = add ? to + sum : sum;
            }

    place const p;
    numbers<S> const at_a(a), at_b(b), at_c(c);
    constexpr bool in_double = sizeof(S) == 8;
    product_command const product{.op_a = turned_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                                  .op_b = turned_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                                  .m = int(m),
                                  .n = int(n),
                                  .k = int(k),
                                  .count = count,
                                  .a = at_a.data(),
                                  .lda = static_cast<long long>(lda),
                                  .stride_a = static_cast<long long>(next_a),
                                  .b = at_b.data(),
                                  .ldb = static_cast<long long>(ldb),
                                  .stride_b = static_cast<long long>(next_b),
                                  .c = at_c.data(),
                                  .ldc = static_cast<long long>(ldc),
                                  .stride_c = static_cast<long long>(next_c),
                                  .type = in_double ? CUDA_R_64F : CUDA_R_32F,
                                  .compute = in_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                                  .add = add};
    command_log log;
    log.add(product);
    log.run(p.target());
    CHECK(at_c.get(p) == expected);
}

TEST_CASE("commands: products of matrices, turned or not, one or several, added or not") {
    for (bool const turned_a : {false, true})
        for (bool const turned_b : {false, true})
            for (bool const add : {false, true}) {
                check_product<float>(turned_a, turned_b, 1, add);
                check_product<double>(turned_a, turned_b, 3, add);
            }
}

TEST_CASE("commands: rows are copied and cleared, and what lies between them stays") {
    place const p;
    auto const given = whole<int>(40, 5), old = whole<int>(40, 6);
    numbers<int> const from(given), to(old), plain(old);
    auto expected = old;
    for (std::size_t row = 0; row < 4; ++row)
        for (std::size_t i = 0; i < 3; ++i)
            expected[row * 7 + i] = row == 3 && i < 2 ? 0 : given[row * 5 + i];
    expected[14] = expected[15] = 0;
    command_log log;
    log.add(copy_command{from.data(), 5 * sizeof(int), to.data(), 7 * sizeof(int), 3 * sizeof(int), 4});
    log.add(clear_command{to.data() + 14, 7 * sizeof(int), 2 * sizeof(int), 2});
    log.add(copy_command{from.data(), 8, plain.data(), 8, 8, 5}); // without gaps
    log.add(clear_command{plain.data() + 20, 12, 12, 2});
    log.add(copy_command{from.data() + 30, 0, plain.data() + 30, 0, 12, 1}); // one row has no next one
    log.run(p.target());
    CHECK(to.get(p) == expected);
    expected = old;
    for (std::size_t i = 0; i < 40; ++i)
        if (i < 10 || (30 <= i && i < 33))
            expected[i] = given[i];
        else if (20 <= i && i < 26)
            expected[i] = 0;
    CHECK(plain.get(p) == expected);
}

TEST_CASE("commands: they are done in their order, as often as the log is run") {
    place const p;
    numbers<int> const a({1, 2}), b({3, 4});
    command_log log;
    log.add(copy_command{a.data(), 0, b.data(), 0, 8, 1});
    log.add(clear_command{a.data(), 8, 8, 1});
    log.run(p.target());
    CHECK(b.get(p) == std::vector{1, 2});
    log.run(p.target());
    CHECK(b.get(p) == std::vector{0, 0});
    command_log().run(p.target());
}

TEST_CASE(
    "commands: the same commands are the same bytes, and others are of the same shape where their kind is") {
    int a = 0, b = 0;
    auto const logged = [](auto const&... commands) {
        command_log log;
        (log.add(commands), ...);
        return log;
    };
    copy_command const copy{&a, 0, &b, 0, 4, 1}, back{&b, 0, &a, 0, 4, 1};
    clear_command const clear{&a, 4, 4, 1};
    CHECK(logged(copy, clear).bytes() == logged(copy, clear).bytes());
    CHECK(logged(copy, clear).bytes() != logged(back, clear).bytes());
    CHECK(logged(copy, clear).shape() == logged(back, clear).shape());
    CHECK(logged(copy, clear).shape() != logged(clear, copy).shape());
    CHECK(logged(copy).shape() != logged(copy, copy).shape());
    CHECK(logged(copy, clear).count() == 2);

    std::uint64_t const words[] = {1, 2, 3};
    launch_command launch;
    launch.kernel = reinterpret_cast<cudaKernel_t>(&a);
    auto const launched = [&](std::size_t argument) {
        command_log log;
        log.add(launch, std::span(words).first(argument));
        return log;
    };
    std::uint64_t const shape = launched(3).shape();
    CHECK(launched(2).shape() != shape);
    CHECK(launched(3).bytes().size() == launched(0).bytes().size() + 3);
    launch.grid = dim3(7);
    CHECK(launched(3).shape() == shape);
    launch.kernel = reinterpret_cast<cudaKernel_t>(&b);
    CHECK(launched(3).shape() != shape);

    command_log log = logged(copy, clear);
    log.clear();
    CHECK(log.count() == 0);
    CHECK(log.bytes().empty());
    CHECK(log.shape() == command_log().shape());
}

TEST_CASE("commands: what the device refuses is said in numbers of the command") {
    place const p;
    numbers<float> const a(std::vector<float>(100));
    product_command product{
        .m = 3, .n = 5, .k = 2, .a = a.data(), .lda = 2, .b = a.data(), .ldb = 2, .c = a.data(), .ldc = 3};
    CHECK_THROWS_WITH_AS(
        product.run(p.target()),
        "sluice: cuBLAS could not multiply 1 times [5, 2] with [2, 3], rows 2, 2 and 3 numbers apart: "
        "an unsupported value or parameter was passed to the function (7)",
        device_error);
    product.count = 4;
    CHECK_THROWS_WITH_AS(product.run(p.target()), doctest::Contains("multiply 4 times [5, 2]"), device_error);
    CHECK_THROWS_WITH_AS(
        (copy_command{a.data(), 4, a.data() + 50, 8, 8, 2}.run(p.target())),
        "sluice: CUDA could not copy 2 rows of 8 bytes on the device: invalid pitch argument "
        "(cudaErrorInvalidPitchValue)",
        device_error);
    CHECK_THROWS_WITH_AS(
        (clear_command{a.data(), 4, 8, 2}.run(p.target())),
        "sluice: CUDA could not clear 2 rows of 8 bytes on the device: invalid pitch argument "
        "(cudaErrorInvalidPitchValue)",
        device_error);
    CHECK(cudaGetLastError() == cudaSuccess); // said once
}

} // namespace commands_test
