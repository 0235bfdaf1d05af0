// SPDX-License-Identifier: BSL-1.0
// A cell: a page with sizes and parameters. One step is a call; sequences are in sequence/.
//
//   sluice::cell<mgu> cell({.input = 64, .units = 128}, sluice::seed{7});
//   auto state = cell.zero_state(batch);
//   auto [y, next] = cell(x, state);              // [batch, input] -> [batch, output]
#pragma once

// First, so that a refusal is printed with the shortest list of headers in front of it.
#include <sluice/core/refuse.hpp>

#include <sluice/cell/adapt/page_masks.hpp>
#include <sluice/cell/inputs.hpp>
#include <sluice/cell/named_net.hpp>
#include <sluice/cell/policies.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/parameter/parameters.hpp>
#include <span>
#include <string>
#include <vector>

namespace sluice {

/// What a step gives.
template <class Output, class State>
struct step_result {
    Output output;
    State state;
};

namespace detail {

/// Whether all sizes that the equations need are known at compile time; false of equations that are refused.
template <class Page, class Extents>
constexpr bool knows_sizes() {
    if constexpr (Extents::known == sizes{} || bool(passes<Page>::trouble))
        return false;
    else
        return !check_sizes(passes<Page>::checked, Extents::known);
}

template <class Page, class Scalar, class Backend, class Extents>
struct lowering_of_cell {
    using type = typename Backend::template lowering<Page, Scalar>;
};
template <class Page, class Scalar, class Backend, class Extents>
    requires(knows_sizes<Page, Extents>() &&
             requires { typename Backend::template fixed_lowering<Page, Scalar, Extents>; })
struct lowering_of_cell<Page, Scalar, Backend, Extents> {
    using type = typename Backend::template fixed_lowering<Page, Scalar, Extents>;
};

template <class Page, class Scalar, class Lowering>
inline constexpr net_page<Scalar, typename Lowering::kernels_type> page_of_net{
    &passes<Page>::checked, &passes<Page>::entries, all_masks_of<Page>, &Lowering::make};

/// A page, and what runs its cells.
template <class Page, class Scalar, class Backend, class Extents>
using base_of_cell =
    named_net<net_base<Scalar, typename lowering_of_cell<Page, Scalar, Backend, Extents>::type::kernels_type>,
              parameter_map<Page, Scalar>, state_map<Page, Scalar>>;

} // namespace detail

/// A page, a scalar, a backend, and the sizes that are known at compile time: what `sluice::cell` names.
template <class Page, class Scalar, class Backend, class Extents>
class cell_of : public detail::base_of_cell<Page, Scalar, Backend, Extents> {
    static_assert(
        requires { sizeof(Backend); },
        "sluice: <sluice/sluice.hpp> alone has equations but no backend that runs them; include "
        "<sluice/xtensor.hpp>");

    using first = passes<Page>;
    static_assert(sizeof(first) > 0); // here, so that little stands around a refusal
    using base = detail::base_of_cell<Page, Scalar, Backend, Extents>;
    using lowering = typename detail::lowering_of_cell<Page, Scalar, Backend, Extents>::type;
    using starts = typename detail::initial_values_of<Page>::type;

    static_assert(std::is_invocable_r_v<start, starts const&, parameter_role const&, sizes const&>,
                  "sluice: the initial_values of a page are called for the start of each parameter: "
                  "start operator()(parameter_role const&, sizes const&) const");

public:
    using page_type = Page;
    using backend_type = Backend;
    using lowering_type = lowering;
    using typename base::parameters_type;
    /// That of the base; spelled here, it is short in what a compiler says.
    using state_type = named_tensors<states_of<Page, Scalar>>;
    using inputs_type = input_tensors<Page, Scalar>;
    using output_type = xt::xtensor<Scalar, 2>;

    /// Sizes, a seed, how the parameters start, settings: in this order, and all but the sizes can be left
    /// out. Throws `std::invalid_argument` with the sentence that the compiler would say, had it known the
    /// sizes; also for a setting that has no default and is not given, or that the equations do not have.
    explicit cell_of(sizes const& given, seed from = {}, settings const& numbers = {})
        : cell_of(starts{}, given, from, numbers) {}
    cell_of(sizes const& given, seed from, starts const& how, settings const& numbers = {}) //
        requires(detail::has_initial_values<Page>)
        : cell_of(how, given, from, numbers) {}

    /// A cell of compile-time sizes.
    explicit cell_of(seed from = {}, settings const& numbers = {}) requires(Extents::known != sizes{})
        : cell_of(starts{}, Extents::known, from, numbers) {}
    cell_of(seed from, starts const& how, settings const& numbers = {}) //
        requires(detail::has_initial_values<Page>&& Extents::known != sizes{})
        : cell_of(how, Extents::known, from, numbers) {}

    sizes const& extents() const { return own().extents; }
    std::size_t input_size() const { return own().widths[0]; }
    static constexpr int input_count() { return first::inputs.size(); }
    static constexpr std::string_view input_name(std::size_t k) { return detail::input_name<Page>(k); }
    std::size_t output_size() const { return this->as_net().layers[0].output; }

    /// The width of each state, in order.
    std::vector<std::size_t> state_size() const {
        std::vector<std::size_t> widths;
        for (state_entry const& s : first::states)
            widths.push_back(extent(s.columns, extents()));
        return widths;
    }

    /// Zeros in the shapes of the parameters: what gradients are added to.
    parameters_type zero_parameters() const { return sluice::zero_parameters<Page, Scalar>(extents()); }
    /// Gives one parameter new values. Throws `std::invalid_argument` if the shape is another; nothing
    /// changes then.
    template <class Key, class E>
    void assign(Key key, xt::xexpression<E> const& values) {
        if constexpr (index(Key{}) < first::parameters.size()) {
            this->require();
            auto& tensor = this->parameters_[key];
            static_assert(
                detail::may_have_rank<E, detail::rank_of<std::decay_t<decltype(tensor)>>>,
                "sluice: assign expects values of the parameter's rank: 2 for a matrix, 1 for a vector, "
                "3 for a grouped matrix");
            auto const& source = values.derived_cast();
            if (!detail::shapes_agree(tensor.shape(), source.shape()))
                detail::refuse_shape({"assign expects values of ", key.c_str()}, tensor.shape(),
                                     source.shape());
            if (!detail::has_numbers(source))
                fail<std::invalid_argument>(
                    {"what assign is given for ", key.c_str(), detail::was_moved_from});
            tensor = rounded_tensor<Scalar>(source);
            this->was_given(own(), index(key));
            this->refresh();
        }
    }
    /// f(key, std::span<Scalar>) for every parameter, in equation order.
    template <class F>
    void update(F&& f) {
        this->update_values([&](std::span<Scalar>) {
            for_each_parameter(this->parameters_, [&](auto key, auto& tensor) {
                f(key, std::span<Scalar>(tensor.data(), tensor.size()));
            });
        });
    }
    /// The equations, one line each, with words such as softmax(z) written as what they are made of: what
    /// checkpoints compare.
    static std::string equations_text() { return std::string(print<Page, notation::expanded>().view()); }

    // Settings: numbers that are never trained. Throws `std::invalid_argument` for one that is not finite.

    template <class Key>
    arithmetic_of<Scalar> setting(Key key) const {
        this->require();
        return own().settings[setting_index(key)];
    }
    template <class Key>
    void set_setting(Key key, arithmetic_of<Scalar> value) {
        this->require();
        detail::require_finite(name_of(key), value);
        own().settings[setting_index(key)] = value;
        this->take_settings();
    }

    // Running.

    /// One step. x is [batch, input]; several inputs are given by their names, as cell/inputs.hpp shows.
    /// Throws `std::invalid_argument` if a rank, width or batch is another than the cell's; nothing has
    /// changed then.
    template <class E>
    step_result<output_type, state_type> operator()(xt::xexpression<E> const& x,
                                                    state_type const& state) const {
        static_assert(
            detail::may_have_rank<E, 2>,
            "sluice: a step expects x of shape [batch, input], of rank 2; a sequence is for unroll");
        return step(x, state);
    }
    template <class Map>
    step_result<output_type, state_type> operator()(named_inputs<Map> const& given,
                                                    state_type const& state) const {
        return step(given, state);
    }

    template <class E, class State>
    void operator()(xt::xexpression<E> const&, State const&) const {
        static_assert(never<State>,
                      "sluice: the state is of another cell, or of another scalar type; make it with "
                      "zero_state of the cell that steps");
    }

private:
    template <class Given>
    step_result<output_type, state_type> step(Given const& given, state_type const& state) const {
        auto const xs = detail::take_inputs<2, Page, Scalar>("a step", own().widths, given, false);
        this->check_state("a step", "a state", state, xs.shape[1]);
        std::array const program{lowering::inference_program()};
        step_result<output_type, state_type> found;
        this->run_step(program, this->parameters_.values(), xs, state.tensors(), found.output,
                       found.state.tensors());
        return found;
    }

    static constexpr auto const& page = detail::page_of_net<Page, Scalar, lowering>;
    net_cell<typename base::memory_type>& own() { return this->net_.layers[0].ways[0]; }
    net_cell<typename base::memory_type> const& own() const { return this->as_net().layers[0].ways[0]; }

    cell_of(starts const& how, sizes const& given, seed from, settings const& numbers)
        : base("the cell", std::span(&page, 1)) {
        (void)sizeof(refusal<fault_of_type>);
        this->add_only_cell(Extents::known, given, numbers);
        make_parameters();
        this->start_parameters(own(), detail::rule_of<Page>(how), from, this->parameters_.values());
        this->take_settings();
    }
    /// A cell like one of a stack, with a copy of its numbers among all.
    template <class, class, class, class>
    friend class stack_of;
    cell_of(net_cell<typename base::memory_type> const& like, std::span<Scalar const> all)
        : base("the cell", std::span(&page, 1)) {
        this->add_only_cell(like);
        make_parameters();
        for (std::size_t k = 0; k < like.places.size(); ++k)
            std::ranges::copy(like.places[k].in(all), own().places[k].in(this->parameters_.values()).begin());
        this->take_settings();
    }
    void make_parameters() {
        this->parameters_.take(detail::zero_arena<Scalar>(first::parameters, extents()));
        this->place_only_cell(this->parameters_.array().places());
    }

    /// What is wrong with the sizes in the type; g++ 12 wants the argument of `refusal` to have a name.
    static constexpr problem fault_of_type =
        Extents::known == sizes{} ? problem{} : check_sizes(first::checked, Extents::known, false);

    template <class Key>
    static constexpr std::size_t index(Key) {
        constexpr int found = detail::place_of<Key>(first::parameters);
        static_assert(found != -1,
                      "sluice: the cell has no parameter of that name; see the keys of parameters()");
        return static_cast<std::size_t>(found);
    }
    template <class Key>
    static constexpr std::size_t setting_index(Key) {
        constexpr int found = detail::place_of<Key>(first::settings);
        static_assert(found != -1, "sluice: the equations have no setting of that name");
        return static_cast<std::size_t>(found);
    }
};

/// A cell of a page: `sluice::cell<mgu>`, in double `sluice::cell<mgu, double>`; cell/policies.hpp lists what
/// may follow the page.
template <class Page, class... Policies>
using cell =
    cell_of<typename detail::page_of_cell<Page>::type, typename detail::policies<Policies...>::scalar,
            typename detail::policies<Policies...>::backend, typename detail::policies<Policies...>::extents>;

/// A cell of any page and policies, and what is derived from one.
template <class C>
concept any_cell = requires {
    typename C::page_type;
    typename C::scalar_type;
    typename C::state_type;
    typename C::lowering_type;
};

/// A cell or a stack of layers, on the host or on a device, and what is derived from one.
template <class C>
concept any_net = requires {
    typename C::scalar_type;
    typename C::state_type;
    typename C::memory_type;
};

} // namespace sluice
