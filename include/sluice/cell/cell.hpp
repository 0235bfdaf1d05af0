// SPDX-License-Identifier: BSL-1.0
// A cell: a page with sizes and parameters. One step is a call; sequences are in sequence/.
//
//   sluice::cell<mgu> cell({.input = 64, .units = 128}, sluice::seed{7});
//   auto state = cell.zero_state(batch);
//   auto [y, next] = cell(x, state);              // [batch, input] -> [batch, output]
#pragma once

// First, so that a refusal is printed with the shortest list of headers in front of it.
#include <sluice/core/refuse.hpp>

#include <sluice/cell/cell_base.hpp>
#include <sluice/cell/inputs.hpp>
#include <sluice/cell/policies.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/shape.hpp>
#include <sluice/core/xtensor.hpp>
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

template <class Page, class Scalar, class Backend, class Extents>
using base_of_cell =
    cell_base<Scalar, typename lowering_of_cell<Page, Scalar, Backend, Extents>::type::kernels_type>;

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

    static_assert(std::is_invocable_r_v<start, starts const&, parameter_entry const&, sizes const&>,
                  "sluice: the initial_values of a page are called for the start of each parameter: "
                  "start operator()(parameter_entry const&, sizes const&) const");

public:
    using page_type = Page;
    using scalar_type = Scalar;
    using backend_type = Backend;
    using lowering_type = lowering;
    using parameters_type = parameter_map<Page, Scalar>;
    using state_type = state_map<Page, Scalar>;
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

    /// A copy has memory of its own, where its parameters lie side by side.
    cell_of(cell_of const& other) : base(other), parameters_(other.parameters_) { move_net(); }
    cell_of(cell_of&&) noexcept = default;
    cell_of& operator=(cell_of const& other) {
        base::operator=(other);
        parameters_ = other.parameters_;
        move_net();
        return *this;
    }
    cell_of& operator=(cell_of&& other) {
        base::operator=(std::move(other));
        parameters_ = std::move(other.parameters_);
        move_net();
        return *this;
    }
    ~cell_of() = default;

    using base::extents;
    std::size_t input_size() const { return extent(first::input, extents()); }
    static constexpr int input_count() { return first::inputs.size(); }
    static constexpr std::string_view input_name(std::size_t k) { return detail::input_name<Page>(k); }
    std::size_t output_size() const { return extent(first::output, extents()); }
    std::size_t parameter_count() const { return sluice::parameter_count<Page>(extents()); }

    /// The width of each state, in order.
    std::vector<std::size_t> state_size() const {
        std::vector<std::size_t> widths;
        for (state_entry const& s : first::states)
            widths.push_back(extent(s.columns, extents()));
        return widths;
    }
    state_type zero_state(std::size_t batch) const { return zero_states<Page, Scalar>(extents(), batch); }
    /// What a run that is given no state starts from: in every row the parameters that lines initial(state) =
    /// ... name, and zeros in states without such a line.
    state_type initial_state(std::size_t batch) const {
        state_type state;
        this->start_states_of(parameters_.values(), batch, state.tensors());
        return state;
    }

    // Parameters. They change through the cell only, so that nothing derived from them can be stale.

    parameters_type const& parameters() const {
        this->require();
        return parameters_;
    }

    /// Gives one parameter new values. Throws `std::invalid_argument` if the shape is another; nothing
    /// changes then.
    template <class Key, class E>
    void assign(Key key, xt::xexpression<E> const& values) {
        if constexpr (index(Key{}) < first::parameters.size()) {
            this->require();
            auto& tensor = parameters_[key];
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
            this->was_given(index(key));
            refresh();
        }
    }
    /// f(key, std::span<Scalar>) for every parameter, in equation order.
    template <class F>
    void update(F&& f) {
        this->require();
        refresh_after const guard{*this};
        this->all_were_given();
        for_each_parameter(parameters_, [&](auto key, auto& tensor) {
            f(key, std::span<Scalar>(tensor.data(), tensor.size()));
        });
    }
    /// f(std::span<Scalar>) once, for the numbers of all parameters, in equation order.
    template <class F>
    void update_values(F&& f) {
        this->require();
        refresh_after const guard{*this};
        this->all_were_given();
        f(parameters_.values());
    }
    /// f(name, shape, values) for every parameter and, with an empty shape, for every setting: what
    /// checkpoints read and write. Throws `std::invalid_argument` if f gives a setting a number that is not
    /// finite.
    template <class F>
    void visit_tensors(F&& f) const {
        this->require();
        visit_tensors_of(*this, f);
    }
    template <class F>
    void visit_tensors(F&& f) {
        this->require();
        settings_after const guard{*this};
        this->all_were_given();
        visit_tensors_of(*this, f);
    }
    /// The equations, one line each, with words such as softmax(z) written as what they are made of: what
    /// checkpoints compare.
    static std::string equations_text() { return std::string(print<Page, notation::expanded>().view()); }

    // Settings: numbers that are never trained. Throws `std::invalid_argument` for one that is not finite.

    template <class Key>
    arithmetic_of<Scalar> setting(Key key) const {
        this->require();
        return this->settings_[setting_index(key)];
    }
    template <class Key>
    void set_setting(Key key, arithmetic_of<Scalar> value) {
        this->require();
        detail::require_finite(name_of(key), value);
        this->settings_[setting_index(key)] = value;
        take_settings();
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

    /// Throws `std::logic_error` while a fixed parameter has no value.
    void check_parameters(std::string_view who) const { this->require_given(who, first::parameters); }
    /// The same, and throws `std::invalid_argument` unless every state is [batch, its width].
    void check_state(std::string_view who, std::string_view what, state_type const& state,
                     std::size_t batch) const {
        check_parameters(who);
        this->require_states(who, what, first::states, state.tensors(), batch);
    }

    // For the floors above.

    /// The same cell, with its parameters where the places of a larger array say.
    cell_of(cell_of const& other, arena<Scalar> places) : base(other), parameters_(std::move(places)) {
        parameters_ = other.parameters_;
        move_net();
    }
    /// Somebody has changed that array: all of its parameters, or the one of that number.
    void parameters_changed() {
        this->all_were_given();
        refresh();
    }
    void parameter_changed(std::size_t number) {
        this->was_given(number);
        refresh();
    }
    cell_numbers<Scalar> numbers() const { return this->numbers_of(parameters_.array()); }

private:
    template <class Given>
    step_result<output_type, state_type> step(Given const& given, state_type const& state) const {
        auto const xs = detail::take_inputs<2, Page, Scalar>("a step", extents(), given, false);
        check_state("a step", "a state", state, xs.shape[1]);
        std::array const program{lowering::inference_program()};
        step_result<output_type, state_type> found;
        this->run_step(program, parameters_.values(), xs, state.tensors(), found.output,
                       found.state.tensors());
        return found;
    }

    parameters_type parameters_;

    cell_of(starts const& how, sizes const& given, seed from, settings const& numbers)
        : base(first::checked, first::settings, Extents::known, given, numbers),
          parameters_(zero_parameters<Page, Scalar>(extents())) {
        (void)sizeof(refusal<fault_of_type>);
        auto const call = [](void const* rule, parameter_entry const& entry, sizes const& n) -> start {
            return (*static_cast<starts const*>(rule))(entry, n);
        };
        this->start_parameters(first::parameters, parameters_.array(), parameters_.values(),
                               {&how, call, detail::has_initial_values<Page>}, from);
        take_settings();
    }

    struct refresh_after {
        cell_of& cell;
        ~refresh_after() { cell.refresh(); }
    };
    struct settings_after {
        cell_of& cell;
        ~settings_after() { cell.take_settings(); }
    };
    void refresh() { base::refresh(parameters_.values()); }
    void move_net() { base::move_net(parameters_.array().places()); }
    /// Settings are part of what an engine is made of.
    void take_settings() {
        this->make_net(first::entries, parameters_.array().places(), lowering::make(numbers()));
        refresh();
    }

    /// What is wrong with the sizes in the type; g++ 12 wants the argument of `refusal` to have a name.
    static constexpr problem fault_of_type =
        Extents::known == sizes{} ? problem{} : check_sizes(first::checked, Extents::known, false);

    /// The parameters, then the settings.
    template <class Self, class F>
    static void visit_tensors_of(Self& self, F&& f) {
        using number =
            std::conditional_t<std::is_const_v<Self>, arithmetic_of<Scalar> const, arithmetic_of<Scalar>>;
        for (tensor_place const& place : self.parameters_.array().places())
            f(std::string_view(place.called), place.shape(), place.in(self.parameters_.values()));
        for (int i = 0; i < first::settings.size(); ++i) {
            auto& value = self.base::settings_[static_cast<std::size_t>(i)];
            f(first::settings[i].called.view(), std::span<std::size_t const>(), std::span<number>(&value, 1));
            detail::require_finite(first::settings[i].called, value);
        }
    }
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
/// may stand behind the page.
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

/// A cell or a stack of layers, and what is derived from one.
template <class C>
concept any_net = requires {
    typename C::scalar_type;
    typename C::state_type;
    typename C::memory_type;
};

} // namespace sluice
