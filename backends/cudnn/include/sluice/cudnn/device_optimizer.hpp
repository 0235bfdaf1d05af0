// SPDX-License-Identifier: BSL-1.0
// The optimisers of a net on the device (train/optimizer.hpp): their slots lie there too, and a step is
// computed there, by kernels that are printed from the equations of the rule (train/rule.hpp).
//
//   sluice::cudnn::resident net(host);
//   sluice::adam optimizer(net, {.learning_rate = 1e-3});
//   optimizer.step(net, gradients.parameters);
//
// Checks are those of the host, before anything is changed. A kernel looks at the numbers, and the host waits
// for its result, some microseconds after the work before it. So step() itself refuses.
//
// A constraint is a function of numbers on the host: in each step the values of its parameter go there and
// back, and the host waits for them.
//
// Checkpoints have the same names and numbers as those of the host's optimiser: what one saves the other
// loads.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <sluice/cudnn/kernels/number_kernel.hpp>
#include <sluice/cudnn/resident/resident_parameters.hpp>
#include <sluice/cudnn/runtime/tensor.hpp>
#include <sluice/source/kernel_source.hpp>
#include <sluice/source/traced.hpp>
#include <sluice/train/optimizer.hpp>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

namespace cudnn {

/// A net with its parameters on the device, such as cudnn::resident. update(f) calls f with the numbers of
/// all parameters, which it may change. Their names are those of net_type, on the host.
template <class Net>
concept net_on_device =
    std::same_as<typename Net::parameters_type, resident_parameters<typename Net::scalar_type>> &&
    requires(Net const& net) {
    typename Net::net_type::parameters_type;
    { net.parameters() } -> std::same_as<typename Net::parameters_type const&>;
};

namespace detail {

/// "w[count], g[count], s0[count] ..." of a frame.
inline std::string frame_of_arrays(bool is_step, std::size_t slot_count) {
    std::string text =
        is_step ? "struct frame {\n    stored* w;\n" : "struct frame {\n    stored const* w;\n";
    text += "    stored const* g;\n    size count;\n";
    for (std::size_t i = 0; i < slot_count; ++i)
        text.append(is_step ? "    number* s" : "    number const* s")
            .append(std::to_string(i))
            .append(";\n");
    return text;
}

/// A step of `count` numbers. What all numbers share stands in the frame.
template <class Rule, class S>
std::string step_source() {
    using number = arithmetic_of<S>;
    constexpr std::size_t slot_count = Rule::slot_names.size();
    using constants = decltype(std::declval<Rule const&>().template constants<number>(1));
    std::array<traced<number>, std::tuple_size_v<constants>> constant;
    std::array<traced<number>, slot_count> slot;

    std::string text = number_text<S>() + frame_of_arrays(true, slot_count);
    for (std::size_t i = 0; i < constant.size(); ++i) {
        std::string const name = std::string("c").append(std::to_string(i));
        text.append("    number ").append(name).append(";\n");
        constant[i] = traced<number>("f." + name);
    }
    text += R"(};
extern "C" __global__ void __launch_bounds__(256) step(const __grid_constant__ frame f) {
    for (size i = (size)blockIdx.x * 256 + threadIdx.x; i < f.count; i += (size)gridDim.x * 256) {
        number const w = widened(f.w[i]), g = widened(f.g[i]);
)";
    for (std::size_t i = 0; i < slot_count; ++i) {
        std::string const name = std::string("s").append(std::to_string(i));
        text.append("        number const ").append(name).append(" = f.").append(name).append("[i];\n");
        slot[i] = traced<number>(name);
    }
    traced<number> const stepped = Rule::next(constant, traced<number>("w"), traced<number>("g"), slot);
    std::vector<std::pair<std::string, sluice::detail::written_pointer>> results;
    for (std::size_t i = 0; i < slot_count; ++i)
        results.emplace_back(std::string("next_s").append(std::to_string(i)), slot[i].written);
    results.emplace_back("next_w", stepped.written);
    sluice::detail::expression_writer().write(results, "        ", text);
    for (std::size_t i = 0; i < slot_count; ++i) {
        std::string const name = std::string("s").append(std::to_string(i));
        text.append("        f.").append(name).append("[i] = next_").append(name).append(";\n");
    }
    if constexpr (is_own_arithmetic<S>)
        text += "        f.w[i] = next_w;\n";
    else { // of those that an S cannot hold the last that it can
        std::string const most = sluice::detail::literal_of(static_cast<number>(arithmetic<S>::largest));
        text.append("        number const most = ").append(most).append(";\n        f.w[i] = rounded(");
        text += "next_w < -most ? -most : most < next_w ? most : next_w);\n";
    }
    text += "    }\n}\n";
    return sluice::detail::with_infinity(std::move(text));
}

/// Whether each of `count` numbers of each array lies in its range: one word for each block, 0 where they do.
template <class S>
std::string check_source(std::size_t slot_count) {
    std::string text = number_text<S>() + block_text() + frame_of_arrays(false, slot_count);
    text += "    size* wrong;\n    number low_w, high_w, low_g, high_g";
    for (std::size_t i = 0; i < slot_count; ++i) {
        std::string const name = std::string("s").append(std::to_string(i));
        text.append(", low_").append(name).append(", high_").append(name);
    }
    text += R"(;
};
__device__ inline unsigned int outside(number z, number low, number high) { return z >= low && z <= high ? 0u : 1u; }
extern "C" __global__ void __launch_bounds__(256) check(const __grid_constant__ frame f) {
    __shared__ size part[256];
    unsigned int found = 0;
    for (size i = (size)blockIdx.x * 256 + threadIdx.x; i < f.count; i += (size)gridDim.x * 256) {
        found |= outside(widened(f.w[i]), f.low_w, f.high_w);
        found |= outside(widened(f.g[i]), f.low_g, f.high_g);
)";
    for (std::size_t i = 0; i < slot_count; ++i) {
        std::string const name = std::string("s").append(std::to_string(i));
        text.append("        found |= outside(f.").append(name).append("[i], f.low_").append(name);
        text.append(", f.high_").append(name).append(");\n");
    }
    text += R"(    }
    size const first = least_over_block(found ? 0 : 1, part);
    if (threadIdx.x == 0)
        f.wrong[blockIdx.x] = first == 0;
}
)";
    return text;
}

} // namespace detail

} // namespace cudnn

template <cudnn::net_on_device Net, class Rule>
class optimizer<Net, Rule>
    : public detail::named_optimizer<typename Net::net_type::parameters_type,
                                     detail::constrained_optimizer<typename Net::scalar_type, Rule>> {
    using base = detail::named_optimizer<typename Net::net_type::parameters_type,
                                         detail::constrained_optimizer<typename Net::scalar_type, Rule>>;
    using base::slot_count;

public:
    using scalar_type = typename Net::scalar_type;
    using number_type = arithmetic_of<scalar_type>;
    using parameters_type = cudnn::resident_parameters<scalar_type>;

    explicit optimizer(Net const& net, Rule rule) : base(required(net.parameters()).places(), rule) {
        auto const& weights = net.parameters().values();
        for (auto& slot : slots_) {
            slot = cudnn::tensor<number_type, 1>({weights.size()}, weights.work());
            if (std::size_t const bytes = slot.size() * sizeof(number_type); bytes > 0)
                weights.work()->submit(cudnn::clear_command{slot.data(), bytes, bytes, 1});
        }
    }
    /// A copy has slots of its own.
    optimizer(optimizer const& other) : base(other) {
        for (std::size_t i = 0; i < slot_count; ++i)
            slots_[i] = other.slots_[i].copy();
    }
    optimizer(optimizer&&) noexcept = default;
    optimizer& operator=(optimizer const& other) { return *this = optimizer(other); }
    optimizer& operator=(optimizer&&) noexcept = default;
    ~optimizer() = default;

    /// One step of every parameter that is not frozen, then its constraint. Everything is checked first, as
    /// on the host, and what is refused changes nothing. Waits for the gradients, and for the step itself
    /// where a parameter has a constraint.
    void step(Net& net, parameters_type const& gradients) {
        auto const step = this->next_step();
        parameters_type const& parameters = required(net.parameters());
        gradients.require("the map of gradients");
        this->check_shapes(parameters.places(), gradients.places());
        cudnn::queue& here = *parameters.values().work();
        cudnn::queue* const slots_are_of = slot_count > 0 ? slots_.front().work().get() : &here;
        cudnn::detail::guest_numbers const guests("optimiser step", here,
                                                  {gradients.values().work().get(), slots_are_of});
        if (!fit(parameters, gradients))
            refuse(parameters, gradients);
        auto constrained = room_for_constraints(parameters.values().size());
        net.update([&](cudnn::tensor<scalar_type, 1>& weights) {
            static char key = 0;
            auto const constants = this->settings().template constants<number_type>(step);
            this->for_each_run([&](std::size_t first, std::size_t count) {
                auto words = argument(weights, gradients, first, count);
                cudnn::detail::add_numbers<number_type>(words, constants.size(),
                                                        [&](std::size_t i) { return constants[i]; });
                cudnn::detail::start(here, &key, cudnn::detail::step_source<Rule, scalar_type>, "step",
                                     dim3(cudnn::detail::blocks_for(count)), dim3(threads), words);
            });
            if (constrained.size() > 0)
                constrain_on_host(weights, {constrained.data(), constrained.size()});
        });
        this->made(step);
    }

    /// Storable, as on the host; waits for the slots.
    template <class F>
    void visit_tensors(F&& f) const {
        this->require_here();
        this->visit_step(f);
        for (std::size_t i = 0; i < slot_count; ++i) {
            auto const numbers = cudnn::fetch(slots_[i]);
            this->visit_slot(f, i, std::span<number_type const>(numbers.data(), numbers.size()));
        }
    }
    template <class F>
    void visit_tensors(F&& f) {
        this->require_here();
        this->visit_step(f);
        for (std::size_t i = 0; i < slot_count; ++i) {
            auto numbers = cudnn::fetch(slots_[i]);
            this->visit_slot(f, i, std::span<number_type>(numbers.data(), numbers.size()));
            cudnn::send(numbers, slots_[i]);
        }
    }

private:
    static constexpr unsigned threads = cudnn::detail::threads_of_block;

    static parameters_type const& required(parameters_type const& parameters) {
        parameters.require(base::whose_parameters);
        return parameters;
    }
    /// Of the numbers from `first` on, as cudnn::detail::frame_of_arrays has them.
    std::vector<std::uint64_t> argument(cudnn::tensor<scalar_type, 1> const& weights,
                                        parameters_type const& gradients, std::size_t first,
                                        std::size_t count) const {
        using cudnn::detail::word_of;
        std::vector<std::uint64_t> words{word_of(weights.data() + first),
                                         word_of(gradients.values().data() + first), count};
        for (auto const& slot : slots_)
            words.push_back(word_of(slot.data() + first));
        return words;
    }
    /// Memory of the host for the values of all parameters, or for none where no parameter has a constraint.
    xt::xtensor<scalar_type, 1> room_for_constraints(std::size_t count) const {
        bool any = false;
        this->for_each_constraint([&](auto const&, auto const&) { any = true; });
        return xt::xtensor<scalar_type, 1>::from_shape({any ? count : 0});
    }
    /// The values of parameters with a constraint go to the host and come back; waits.
    void constrain_on_host(cudnn::tensor<scalar_type, 1>& weights, std::span<scalar_type> room) const {
        cudnn::queue& here = *weights.work();
        this->for_each_constraint([&](tensor_place const& at, auto const&) {
            here.download(weights.data() + at.first, at.in(room).size_bytes(), at.in(room).data());
        });
        here.wait();
        this->apply_constraints(room);
        this->for_each_constraint([&](tensor_place const& at, auto const&) {
            here.upload(at.in(room).data(), at.in(room).size_bytes(), weights.data() + at.first);
        });
    }
    /// Whether all numbers lie in the range of the rule; waits.
    bool fit(parameters_type const& parameters, parameters_type const& gradients) const {
        static char key = 0;
        using cudnn::detail::blocks_for;
        std::size_t total = 0;
        this->for_each_run([&](std::size_t, std::size_t count) { total += blocks_for(count); });
        if (total == 0)
            return true;
        auto const& work = parameters.values().work();
        cudnn::tensor<std::uint64_t, 1> wrong({total}, work);
        auto const range = this->settings().template range<number_type>();
        std::vector<interval> bounds{range.weights, range.gradients};
        bounds.insert(bounds.end(), range.of_slots.begin(), range.of_slots.end());
        total = 0;
        this->for_each_run([&](std::size_t first, std::size_t count) {
            auto words = argument(parameters.values(), gradients, first, count);
            words.push_back(cudnn::detail::word_of(wrong.data() + total));
            cudnn::detail::add_numbers<number_type>(words, 2 * bounds.size(), [&](std::size_t i) {
                return static_cast<number_type>(i % 2 == 0 ? bounds[i / 2].low : bounds[i / 2].high);
            });
            cudnn::detail::start(
                *work, &key, [] { return cudnn::detail::check_source<scalar_type>(slot_count); }, "check",
                dim3(blocks_for(count)), dim3(threads), words);
            total += blocks_for(count);
        });
        auto const found = cudnn::fetch(wrong);
        return std::all_of(found.begin(), found.end(), [](std::uint64_t one) { return one == 0; });
    }
    /// Says which parameter does not.
    void refuse(parameters_type const& parameters, parameters_type const& gradients) const {
        auto const weights = cudnn::fetch(parameters.values());
        auto const slopes = cudnn::fetch(gradients.values());
        std::array<xt::xtensor<number_type, 1>, slot_count> kept;
        typename base::slot_numbers numbers{};
        for (std::size_t i = 0; i < slot_count; ++i) {
            kept[i] = cudnn::fetch(slots_[i]);
            numbers[i] = {kept[i].data(), kept[i].size()};
        }
        this->check_numbers(std::span<scalar_type const>(weights.data(), weights.size()), numbers,
                            std::span<scalar_type const>(slopes.data(), slopes.size()));
    }

    std::array<cudnn::tensor<number_type, 1>, slot_count> slots_{};
};

} // namespace sluice
