// SPDX-License-Identifier: BSL-1.0
// The losses of predictions that lie on the device, and their gradients there (train/loss.hpp), by kernels
// that are printed from their rules (train/loss_rule.hpp):
//
//   auto const error = sluice::mean_squared_error(run.outputs, targets);        weights may follow
//   auto const entropy = sluice::softmax_cross_entropy(run.outputs, labels);       labels: integers
//   backward(net, run, entropy.gradient);
//   double const loss = entropy.loss();                                            waits
//   loss_of(rule, run.outputs, targets or labels)                                  by a rule of one's own
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
#include <sluice/cudnn/kernels/loss_source.hpp>
#include <sluice/cudnn/kernels/number_kernel.hpp>
#include <sluice/cudnn/runtime/tensor.hpp>
#include <sluice/train/loss.hpp>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

namespace cudnn {

namespace detail {

/// What the kernels of a loss report (cudnn/kernels/loss_source.hpp), in one array: of `weight_blocks`
/// blocks, the sums of their weights and their first wrong weights; of `blocks`, the sums of the loss and
/// their first wrong labels.
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
                    sluice::detail::refuse_label(who, classes, row, std::bit_cast<std::int64_t>(label));
                sluice::detail::refuse_label(who, classes, row, label);
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

template <class Rule, class S, std::size_t Rank, class T, std::size_t Beside, class Weights>
resident_loss<S, Rank> loss_on_device(Rule const& rule, tensor<S, Rank> const& predictions,
                                      tensor<T, Beside> const& beside, Weights const& weights) {
    constexpr bool weighted = !std::is_same_v<Weights, no_weights>;
    constexpr bool has_labels = Rule::has_labels;
    constexpr std::string_view who = Rule::name;
    static_assert(storage_scalar<S>, "sluice: a loss expects floating-point predictions");
    static_assert(Rank == 2 || Rank == 3,
                  "sluice: a loss expects predictions [rows, classes] or [time, batch, classes]");
    static_assert(!has_labels || (std::is_integral_v<T> && !std::is_same_v<T, bool> && Beside == Rank - 1),
                  "sluice: a loss with labels expects integers, one for each row of the logits");
    static_assert(has_labels || Beside == Rank,
                  "sluice: a loss with targets expects one for each number of the predictions");
    static_assert(has_labels || is_beside<T, S>,
                  "sluice: on the device a loss expects targets of the type of the predictions, float or "
                  "double");
    auto const rows_of = sluice::detail::rows_shape(predictions.shape());
    require_tensor(who, "what ", predictions,
                   has_labels ? " is given as logits" : " is given as predictions");
    require_tensor(who, "what ", beside, has_labels ? " is given as labels" : " is given as targets");
    if constexpr (has_labels)
        sluice::detail::require_same_shape(who, "labels", rows_of, beside.shape());
    else
        sluice::detail::require_same_shape(who, "targets", predictions.shape(), beside.shape());
    if constexpr (weighted) {
        static_assert(
            Weights::rank == Rank - 1 && is_beside<typename Weights::value_type, S>,
            "sluice: a loss on the device expects one weight for each row of the predictions, of their type, "
            "float or double");
        require_tensor(who, "what ", weights, " is given as weights");
        sluice::detail::require_same_shape(who, "weights", rows_of, weights.shape());
    }
    queue& here = *predictions.work();
    queue* of_weights = &here;
    if constexpr (weighted)
        of_weights = weights.work().get();
    guest_numbers const guests(who, here, {beside.work().get(), of_weights});

    loss_report report;
    report.who = who;
    report.has_labels = has_labels;
    report.is_signed = std::is_signed_v<T>;
    report.classes = predictions.shape()[Rank - 1];
    std::size_t rows = 1;
    for (std::size_t const extent : rows_of)
        rows *= extent;
    bool const has_numbers = report.classes > 0 || has_labels;
    unsigned const across = power_of_two(report.classes, threads_of_block),
                   of_block = threads_of_block / across;
    report.blocks = has_numbers ? blocks_for(rows, of_block) : 0;
    report.weight_blocks = weighted ? blocks_for(rows, threads_of_block, threads_of_block) : 0;
    report.words = tensor<std::uint64_t, 1>({3 * report.weight_blocks + (has_labels ? 3 : 1) * report.blocks},
                                            predictions.work());
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
    if (report.blocks > 0) {
        static char key = 0;
        std::vector<std::uint64_t> words{word_of(predictions.data()),
                                         word_of(beside.data()),
                                         weight_words,
                                         word_of(report.sums()),
                                         report.weight_blocks,
                                         rows,
                                         report.classes,
                                         word_of(gradient.data()),
                                         word_of(report.losses()),
                                         word_of(report.wrong_labels())};
        for (double const constant : sluice::detail::constants_of_loss(rule))
            words.push_back(word_of(constant));
        start(here, &key, loss_source<Rule, S, T, typename Weights::value_type>, "loss",
              dim3(static_cast<unsigned>(report.blocks)), dim3(across, of_block), words);
    }
    return resident_loss<S, Rank>(std::move(gradient), std::move(report));
}

} // namespace detail

/// As on the host. Found by its arguments, so that one function of a user serves both.
template <class Rule, class S, std::size_t Rank, class T, std::size_t Beside,
          class Weights = detail::no_weights>
resident_loss<S, Rank> loss_of(Rule const& rule, tensor<S, Rank> const& predictions,
                               tensor<T, Beside> const& beside, Weights const& weights = {}) {
    return detail::loss_on_device(rule, predictions, beside, weights);
}

} // namespace cudnn

using cudnn::loss_of;

} // namespace sluice
