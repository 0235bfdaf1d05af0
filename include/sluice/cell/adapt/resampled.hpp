// SPDX-License-Identifier: BSL-1.0
// A page whose recurrence goes back by any length of time, not by one step: a cell that learned at one sample
// rate runs at another one (Carson, Wright, Chowdhury, Valimaki, Bilbao, "Sample rate independent recurrent
// neural networks for audio effects processing", arXiv 2406.06293). At r times the rate the states of one
// step of the training are those of r steps ago, which lie between steps; they are interpolated:
//
//   h' = f(x, h)     becomes     h' = f(x, tap_1 h + tap_2 h_t-2 + tap_3 h_t-3 + tap_4 h_t-4)
//
//   tap_k     settings: how much of the state of k steps ago; 1, 0, 0, 0 is the page itself
//
//   sluice::cell<sluice::resampled<sluice::lstm>> fast(learned.extents());
//   sluice::copy_to_resampled(learned, fast);
//   sluice::resample(fast, 96000. / 44100);
//
// Parameters and gradients are those of the page. A delay of r steps, between 1 and the number of taps, is
// oversampling; below 1 it is undersampling, where the states are extrapolated. Twice or thrice the rate need
// no interpolation: every second step, or third, is then the step of a sequence of its own.
//
// States from before the first step are zeros, also where the page starts at parameters.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <sluice/cell/copy_parameters.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/name.hpp>
#include <sluice/expr/rewrite.hpp>
#include <sluice/expr/vocabulary.hpp>
#include <sluice/graph/passes.hpp>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

/// What a page has that goes back by steps of its own.
struct own_delay : equation::term {};
struct own_delays {
    template <int Steps, class E, class Width>
    static constexpr own_delay made(equation::delay_term<Steps, E, Width>) {
        return {};
    }
};

template <int Tap>
using key_of_tap = boost::hana::string<'t', 'a', 'p', '_', static_cast<char>('0' + Tap)>;
template <int Tap>
inline constexpr equation::setting_term<key_of_tap<Tap>, equation::number_term<Tap == 1 ? '1' : '0'>> tap{};

template <class Key, class Width, int... More>
constexpr auto between_steps(equation::state_term<Key, Width> state, std::integer_sequence<int, More...>) {
    return ((tap<1> * state) + ... + (tap<More + 2> * equation::delay<More + 1>(state)));
}

template <int Taps>
struct states_between_steps {
    template <class Key, class Width>
    static constexpr auto made(equation::state_term<Key, Width> state) {
        return between_steps(state, std::make_integer_sequence<int, Taps - 1>{});
    }
};

template <class Lines, int Taps>
struct resampled_of {
    static constexpr bool is_delayed =
        !std::is_same_v<decltype(rewriting::rewrite<own_delays>(Lines{})), Lines>;
    template <bool IsDelayed, class = void>
    struct made {
        using lines = Lines;
    };
    template <class Unused>
    struct made<false, Unused> {
        using lines = decltype(rewriting::rewrite<states_between_steps<Taps>>(Lines{}));
    };
    using lines = typename made<is_delayed>::lines;
    static constexpr bool is_any = is_delayed || !std::is_same_v<lines, Lines>;
};

} // namespace detail

/// A page with up to nine taps: delays of up to as many steps.
template <page Page, int Taps = 4>
struct resampled : Page {
    static_assert(Taps >= 2 && Taps <= 9,
                  "sluice: resampled takes from 2 to 9 taps; give it as many as its longest delay has steps");
    using adapted = detail::resampled_of<std::remove_cv_t<decltype(Page::equations)>, Taps>;
    static constexpr bool is_any = adapted::is_any;
    static_assert(is_any, "sluice: resampled is for states, and these equations have none; use the page as "
                          "it is");
    static constexpr bool is_of_one_step = !adapted::is_delayed;
    static_assert(is_of_one_step,
                  "sluice: resampled takes a page whose states go back by one step, but these equations have "
                  "a delay() or a convolution(), which would stay as long as it was in steps");
    using learned_page = Page;
    static constexpr int taps = Taps;
    static constexpr typename adapted::lines equations{};
};

/// The taps of a delay: Lagrange's polynomial through the states of `order` + 1 steps, evaluated `delay`
/// steps ago (Laakso, Valimaki, Karjalainen, Laine, "Splitting the unit delay", 1996, equation 42),
///
///   tap_k = prod over j != k of (delay - j) / (k - j)
///
/// order 1 is linear, 3 cubic. The steps lie on both sides of the delay as far as there are any: the last one
/// is the first that is known. Throws `std::invalid_argument` for a delay that is not above 0 and up to the
/// number of taps, and for an order that is not from 0 to one below that number.
template <std::size_t Taps>
constexpr std::array<double, Taps> lagrange_taps(double delay, int order) {
    constexpr auto taps = static_cast<int>(Taps);
    if (!(delay > 0 && delay <= taps))
        fail<std::invalid_argument>({"a delay above 0 and up to ", taps,
                                     " steps is expected, as many as there are taps, but got ", delay,
                                     "; give resampled more taps"});
    if (order < 0 || order >= taps)
        fail<std::invalid_argument>({"an order from 0 to ", taps - 1, " is expected, but got ", order});
    int const whole = static_cast<int>(delay); // below 10
    int const nearest = order % 2 == 1 ? whole - order / 2 : static_cast<int>(delay + 0.5) - order / 2;
    int const first = std::clamp(nearest, 1, taps - order);
    std::array<double, Taps> found{};
    for (int k = first; k <= first + order; ++k) {
        double product = 1;
        for (int j = first; j <= first + order; ++j)
            if (j != k)
                product *= (delay - j) / (k - j);
        found[static_cast<std::size_t>(k - 1)] = product + 0.0; // no -0
    }
    return found;
}

namespace detail {

/// f.operator()<Page>() with the page of a layer, or that of a cell.
template <class Net, class F>
void with_page_of_layer(Net const& net, std::size_t layer, F const& f) {
    if constexpr (requires { typename Net::page_type; })
        f.template operator()<typename Net::page_type>();
    else
        net.with_page_of(layer, f);
}
template <class Net>
constexpr auto first_page_of() {
    if constexpr (requires { typename Net::page_type; })
        return std::type_identity<typename Net::page_type>{};
    else
        return std::type_identity<typename Net::template page_at<0>>{};
}
template <class Net>
inline constexpr int taps_of = decltype(first_page_of<Net>())::type::taps;

/// The equations that learned the parameters of a page.
template <class Page>
std::string_view learned_equations() {
    if constexpr (requires { typename Page::learned_page; })
        return print<typename Page::learned_page, notation::expanded>().view();
    else
        return print<Page, notation::expanded>().view();
}
template <class Net>
std::vector<std::string_view> equations_of_layers(Net const& net) {
    std::vector<std::string_view> found;
    for (std::size_t layer = 0; layer < net.as_net().layers.size(); ++layer)
        with_page_of_layer(net, layer, [&]<class Page>() { found.push_back(learned_equations<Page>()); });
    return found;
}

} // namespace detail

/// A cell or a stack of resampled pages gets the parameters and settings of one of the pages; its rate stays.
/// Throws `std::invalid_argument`, as copy_parameters does, unless the two have the same equations, layers
/// and sizes; the net is then as it was.
template <class Learned, class Net>
void copy_to_resampled(Learned const& learned, Net& net) {
    learned.check_parameters("copy_to_resampled");
    if (detail::equations_of_layers(learned) != detail::equations_of_layers(net))
        fail<std::invalid_argument>(
            {"copy_to_resampled expects a net of some pages and one of the same pages, "
             "resampled, but these have other equations"});
    detail::copy_tensors(learned, net, [](std::string_view called) {
        auto const name = called.substr(called.rfind('/') + 1);
        return name.size() == 5 && name.starts_with("tap_");
    });
}

/// A net of resampled pages runs at `ratio` times the rate at which it learned: 48000. / 44100. `order` 1 is
/// linear interpolation, 3 cubic, which 4 taps and more allow. Throws as lagrange_taps does; the net is then
/// as it was.
template <class Net>
void resample(Net& net, double ratio, int order = std::min(3, detail::taps_of<Net> - 1)) {
    constexpr int taps = detail::taps_of<Net>;
    auto const all = lagrange_taps<static_cast<std::size_t>(taps)>(ratio, order);
    using arithmetic = arithmetic_of<typename Net::scalar_type>;
    [&]<int... K>(std::integer_sequence<int, K...>) {
        (net.set_setting(detail::key_of_tap<K + 1>{}, static_cast<arithmetic>(all[std::size_t{K}])), ...);
    }
    (std::make_integer_sequence<int, taps>{});
}

} // namespace sluice
