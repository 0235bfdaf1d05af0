// SPDX-License-Identifier: BSL-1.0
// All parameters of a net on the device, or their gradients: one array, laid out as that of the host.
#pragma once

#include <memory>
#include <sluice/core/moved_from.hpp>
#include <sluice/cudnn/kernels/gradient_norm.hpp>
#include <sluice/cudnn/kernels/penalty_kernel.hpp>
#include <sluice/cudnn/runtime/tensor.hpp>
#include <sluice/parameter/arena.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::cudnn {

template <class S>
class resident_parameters {
public:
    using scalar_type = S;
    using places_type = std::shared_ptr<std::vector<tensor_place> const>;

    resident_parameters() = default;
    /// Numbers that are not yet written; `count` of them, among which the places are.
    resident_parameters(places_type places, std::size_t count, std::shared_ptr<queue> work)
        : places_(std::move(places)), values_({count}, std::move(work)) {}

    tensor<S, 1>& values() { return values_; }
    tensor<S, 1> const& values() const { return values_; }
    std::span<tensor_place const> places() const {
        return places_ ? std::span<tensor_place const>(*places_) : std::span<tensor_place const>();
    }
    places_type const& shared_places() const { return places_; }

    resident_parameters copy() const {
        resident_parameters made;
        made.places_ = places_;
        made.values_ = values_.copy();
        return made;
    }

    /// Throws `std::invalid_argument` if it was moved from.
    void require(std::string_view what) const {
        if (!values_.work())
            fail<std::invalid_argument>({what, sluice::detail::was_moved_from});
    }

    // Of gradients, for sluice::global_norm and sluice::clip_by_global_norm (train/clip.hpp). The first two
    // wait.
    double sum_of_squares(double unit) const { return detail::sum_of_squares(values_, unit); }
    double largest() const { return detail::largest_of(values_); }
    void scale(double factor) { detail::scale(values_, factor); }

    // For sluice::penalty (train/penalty.hpp). The first one waits.
    double penalty(regularizer const& how, tensor_place const& of) const {
        return detail::penalty_of(how, values_, of.first, of.count());
    }
    /// Of these parameters, to a map of gradients.
    void add_penalty(regularizer const& how, tensor_place const& of, resident_parameters& gradients) const {
        detail::add_penalty(how, values_, of.first, of.count(), gradients.values_);
    }

private:
    places_type places_{};
    tensor<S, 1> values_{};
};

} // namespace sluice::cudnn
