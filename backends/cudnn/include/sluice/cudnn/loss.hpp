// SPDX-License-Identifier: BSL-1.0
// The losses of predictions that lie on the device, and their gradients there (train/loss.hpp):
//
//   auto const error = sluice::mean_squared_error(run.outputs, targets);        weights may follow
//   auto const entropy = sluice::softmax_cross_entropy(run.outputs, labels);       labels: integers
//   backward(net, run, entropy.gradient);
//   double const loss = entropy.loss();                                            waits
//
// Targets are of the type of the predictions, float or double, and so are weights [time, batch]. Only after
// a wait are the numbers known. So loss() refuses weights that are negative, infinite or NaN, and labels that
// are no class, with the sentences of the host. Until then nothing is read
// where nothing is, and the gradients are NaN: all of them for such weights, those of the row for such a
// label. An optimiser refuses them.
//
// A sum has one order for one size. A row of weight zero is not looked at.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <sluice/cudnn/loss_source.hpp>
#include <sluice/cudnn/number_kernel.hpp>
#include <sluice/cudnn/tensor.hpp>
#include <sluice/train/loss.hpp>
#include <sluice/train/softmax_cross_entropy.hpp>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice {

namespace cudnn {

namespace detail {

/// What the kernels of a loss report (cudnn/loss_source.hpp), in one array: of `weight_blocks` blocks, the
/// sums of their weights and their first wrong weights; of `blocks`, the sums of the loss and their first
/// wrong labels.
struct loss_report {
    tensor<std::uint64_t, 1> words{};
    std::string_view who{};
    std::size_t weight_blocks = 0, blocks = 0, classes = 0;
    bool has_labels = false, is_signed = false;

    std::uint64_t* sums() { return words.data(); }
    std::uint64_t* wrong_weights() { return words.data() + weight_blocks; }
    std::uint64_t* losses() { return words.data() + 3 * weight_blocks; }
    std::uint64_t* wrong_labels() { return losses() + blocks; }

    double loss() const {
        auto const all = fetch(words);
        std::span<std::uint64_t const> const host(all.data(), all.size());
        if (auto const [row, weight] = first_wrong(host.subspan(weight_blocks, 2 * weight_blocks));
            row != none)
            sluice::detail::refuse_weight(who, std::bit_cast<double>(weight));
        sluice::detail::require_finite_sum(who, sum_of(host.first(weight_blocks)));
        auto const of_loss = host.subspan(3 * weight_blocks);
        if (has_labels)
            if (auto const [row, label] = first_wrong(of_loss.subspan(blocks)); row != none) {
                if (is_signed)
                    sluice::detail::refuse_label(classes, row, std::bit_cast<std::int64_t>(label));
                sluice::detail::refuse_label(classes, row, label);
            }
        return sum_of(of_loss.first(blocks));
    }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    static double sum_of(std::span<std::uint64_t const> numbers) {
        double sum = 0;
        for (std::uint64_t const one : numbers)
            sum += std::bit_cast<double>(one);
        return sum;
    }
    /// Of pairs: a row, or none, and what stands there.
    static std::pair<std::uint64_t, std::uint64_t> first_wrong(std::span<std::uint64_t const> pairs) {
        std::pair<std::uint64_t, std::uint64_t> first{none, 0};
        for (std::size_t i = 0; i < pairs.size(); i += 2)
            if (pairs[i] < first.first)
                first = {pairs[i], pairs[i + 1]};
        return first;
    }
};

} // namespace detail

/// A loss, and its gradient with respect to the prediction: the same shape.
template <class S, std::size_t Rank>
class resident_loss {
public:
    tensor<S, Rank> gradient{};

    /// Waits for it. Throws `std::invalid_argument` for weights and labels that have no meaning.
    double loss() const { return report_.loss(); }

    explicit resident_loss(tensor<S, Rank> made, detail::loss_report report)
        : gradient(std::move(made)), report_(std::move(report)) {}

private:
    detail::loss_report report_;
};

namespace detail {

template <class T, class S>
inline constexpr bool is_beside =
    std::is_same_v<T, S> || std::is_same_v<T, float> || std::is_same_v<T, double>;

inline queue* queue_of(no_weights) {
    return nullptr;
}
template <class W, std::size_t Rank>
queue* queue_of(tensor<W, Rank> const& weights) {
    return weights.work().get();
}

/// What both losses do: `Beside` are targets or labels. `run(grid, block, words)` starts the kernel of the
/// loss; its frame begins with `words`.
template <class S, std::size_t Rank, class Beside, class Weights, class Run>
resident_loss<S, Rank> make_loss(std::string_view who, tensor<S, Rank> const& predictions,
                                 Beside const& beside, Weights const& weights, loss_report report, Run run) {
    constexpr bool weighted = !std::is_same_v<Weights, no_weights>;
    if constexpr (weighted) {
        static_assert(
            Weights::rank == Rank - 1 && is_beside<typename Weights::value_type, S>,
            "sluice: a loss on the device expects one weight for each row of the predictions, of their type, "
            "float or double");
        require_tensor(who, "what ", weights, " is given as weights");
        sluice::detail::require_same_shape(who, "weights", sluice::detail::rows_shape(predictions.shape()),
                                           weights.shape());
    }
    queue& here = *predictions.work();
    queue* const of_weights = weighted ? queue_of(weights) : &here;
    guest_numbers const guests(who, here, {beside.work().get(), of_weights});

    report.who = who;
    report.classes = predictions.shape()[Rank - 1];
    std::size_t rows = 1;
    for (std::size_t const extent : sluice::detail::rows_shape(predictions.shape()))
        rows *= extent;
    bool const has_numbers = report.classes > 0 || report.has_labels;
    unsigned const across = power_of_two(report.classes, threads_of_block),
                   of_block = threads_of_block / across;
    report.blocks = has_numbers ? blocks_for(rows, of_block) : 0;
    report.weight_blocks = weighted ? blocks_for(rows, threads_of_block, threads_of_block) : 0;
    report.words = tensor<std::uint64_t, 1>(
        {3 * report.weight_blocks + (report.has_labels ? 3 : 1) * report.blocks}, predictions.work());
    tensor<S, Rank> gradient(predictions.shape(), predictions.work());

    std::uint64_t weight_words = 0;
    if constexpr (weighted) {
        static char key = 0;
        weight_words = word_of(weights.data());
        if (report.weight_blocks > 0)
            start(here, &key, weights_source<S, typename Weights::value_type>, "weigh",
                  dim3(static_cast<unsigned>(report.weight_blocks)), dim3(threads_of_block),
                  std::array{weight_words, std::uint64_t{rows}, word_of(report.sums()),
                             word_of(report.wrong_weights())});
    }
    if (report.blocks > 0)
        run(here, dim3(static_cast<unsigned>(report.blocks)), dim3(across, of_block),
            std::array{word_of(predictions.data()), word_of(beside.data()), weight_words,
                       word_of(report.sums()), std::uint64_t{report.weight_blocks}, std::uint64_t{rows},
                       std::uint64_t{report.classes}, word_of(gradient.data()), word_of(report.losses()),
                       word_of(report.wrong_labels())});
    return resident_loss<S, Rank>(std::move(gradient), std::move(report));
}

template <class Weights>
struct weight_type {
    using type = typename Weights::value_type;
};
template <>
struct weight_type<no_weights> {
    using type = no_weights;
};

template <class S, std::size_t Rank, class T, std::size_t Wanted, class Weights>
auto mean_squared_error_of(tensor<S, Rank> const& predictions, tensor<T, Wanted> const& targets,
                           Weights const& weights) {
    static_assert(storage_scalar<S>, "sluice: mean_squared_error expects floating-point predictions");
    static_assert(Rank == 2 || Rank == 3,
                  "sluice: mean_squared_error expects predictions [rows, classes] or [time, batch, classes]");
    static_assert(Rank == Wanted,
                  "sluice: mean_squared_error expects a target for each number of the predictions");
    static_assert(
        is_beside<T, S>,
        "sluice: on the device mean_squared_error expects targets of the type of the predictions, float or "
        "double");
    constexpr std::string_view who = "mean_squared_error";
    require_tensor(who, "what ", predictions, " is given as predictions");
    require_tensor(who, "what ", targets, " is given as targets");
    sluice::detail::require_same_shape(who, "targets", predictions.shape(), targets.shape());
    return make_loss(who, predictions, targets, weights, {},
                     [](queue& here, dim3 grid, dim3 block, std::span<std::uint64_t const> words) {
                         static char key = 0;
                         start(here, &key, squares_source<S, T, typename weight_type<Weights>::type>,
                               "squares", grid, block, words.first(9));
                     });
}

template <class S, std::size_t Rank, class K, std::size_t Labelled, class Weights>
auto softmax_cross_entropy_of(tensor<S, Rank> const& logits, tensor<K, Labelled> const& labels,
                              Weights const& weights) {
    static_assert(storage_scalar<S>, "sluice: softmax_cross_entropy expects floating-point logits");
    static_assert(Rank == 2 || Rank == 3,
                  "sluice: softmax_cross_entropy expects logits [rows, classes] or [time, batch, classes]");
    static_assert(std::is_integral_v<K> && !std::is_same_v<K, bool> && Labelled == Rank - 1,
                  "sluice: softmax_cross_entropy expects integer labels, one for each row of the logits");
    constexpr std::string_view who = "softmax_cross_entropy";
    require_tensor(who, "what ", logits, " is given as logits");
    require_tensor(who, "what ", labels, " is given as labels");
    sluice::detail::require_same_shape(who, "labels", sluice::detail::rows_shape(logits.shape()),
                                       labels.shape());
    loss_report report;
    report.has_labels = true;
    report.is_signed = std::is_signed_v<K>;
    return make_loss(who, logits, labels, weights, std::move(report),
                     [](queue& here, dim3 grid, dim3 block, std::span<std::uint64_t const> words) {
                         static char key = 0;
                         start(here, &key, entropy_source<S, K, typename weight_type<Weights>::type>,
                               "entropy", grid, block, words);
                     });
}

} // namespace detail

} // namespace cudnn

template <class S, std::size_t Rank, class T, std::size_t Wanted>
auto mean_squared_error(cudnn::tensor<S, Rank> const& predictions, cudnn::tensor<T, Wanted> const& targets) {
    return cudnn::detail::mean_squared_error_of(predictions, targets, cudnn::detail::no_weights{});
}
template <class S, std::size_t Rank, class T, std::size_t Wanted, class W, std::size_t Weighted>
auto mean_squared_error(cudnn::tensor<S, Rank> const& predictions, cudnn::tensor<T, Wanted> const& targets,
                        cudnn::tensor<W, Weighted> const& weights) {
    return cudnn::detail::mean_squared_error_of(predictions, targets, weights);
}

template <class S, std::size_t Rank, class K, std::size_t Labelled>
auto softmax_cross_entropy(cudnn::tensor<S, Rank> const& logits, cudnn::tensor<K, Labelled> const& labels) {
    return cudnn::detail::softmax_cross_entropy_of(logits, labels, cudnn::detail::no_weights{});
}
template <class S, std::size_t Rank, class K, std::size_t Labelled, class W, std::size_t Weighted>
auto softmax_cross_entropy(cudnn::tensor<S, Rank> const& logits, cudnn::tensor<K, Labelled> const& labels,
                           cudnn::tensor<W, Weighted> const& weights) {
    return cudnn::detail::softmax_cross_entropy_of(logits, labels, weights);
}

} // namespace sluice
