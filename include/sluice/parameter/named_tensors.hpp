// SPDX-License-Identifier: BSL-1.0
// Tensors by name, in equation order; those of parameters lie side by side in one array. A name is looked up
// while the program is compiled, in the entries that the passes list:
//
//   cell.parameters()["W_r"_s]      an xtensor expression     [rows, columns]
//   cell.parameters().values()      std::span<float const>    the numbers of all
//   cell.parameters().map()         a Boost.Hana map, name -> std::reference_wrapper to the tensor
//   for_each_parameter(cell.parameters(), [](auto key, auto const& tensor) { ... key.c_str() ... });
//
// They also are Foldable and Searchable as that map is: hana::keys, hana::unpack, hana::contains. A program
// that uses none of this pays for no map.
#pragma once

#include <algorithm>
#include <array>
#include <boost/hana/any_of.hpp>
#include <boost/hana/at_key.hpp>
#include <boost/hana/contains.hpp>
#include <boost/hana/find_if.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/keys.hpp>
#include <boost/hana/map.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>
#include <functional>
#include <sluice/core/fail.hpp>
#include <sluice/core/name.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/parameter/arena.hpp>
#include <sluice/parameter/parameter_tensor.hpp>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

template <class Key>
inline constexpr bool is_key = false;
template <char... Letters>
inline constexpr bool is_key<boost::hana::string<Letters...>> = true;

/// Refuses what is no key with a sentence, and says whether it is one.
template <class Key>
constexpr bool require_key() {
    static_assert(is_key<Key>, "sluice: a key is a literal with the suffix _s, as in \"W_r\"_s, after "
                               "using namespace sluice::literals");
    return is_key<Key>;
}

/// The place of what has that name in a list of the passes: -1 if it is not there, -2 for what is no key.
template <class Key, class List>
constexpr int place_of(List const& list) {
    if constexpr (require_key<Key>()) {
        for (int i = 0; i < list.size(); ++i)
            if (list[i].called == name_of(Key{}))
                return i;
        return -1;
    }
    return -2;
}

/// The key of an entry.
template <class Of, std::size_t I>
struct entry_of {
    static constexpr name called = Of::entries[static_cast<int>(I)].called;
    template <std::size_t... Letter>
    static boost::hana::string<called.text[Letter]...> spell(std::index_sequence<Letter...>);
    using key = decltype(spell(std::make_index_sequence<called.view().size()>{}));
};

/// f(std::integral_constant<std::size_t, I>) for each entry.
template <class Of, class F>
constexpr decltype(auto) with_entries(F&& f) {
    return [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
        return f(std::integral_constant<std::size_t, I>{}...);
    }
    (std::make_index_sequence<static_cast<std::size_t>(Of::entries.size())>{});
}

/// What maps of tensors share: keys and places. `Own` has nth<I>(), and `Of::entries` are what is named.
template <class Own, class Of>
class named {
public:
    using hana_tag = struct named_tensors_tag;
    static constexpr auto count = static_cast<std::size_t>(Of::entries.size());
    template <std::size_t I>
    using key_at = typename entry_of<Of, I>::key;

    /// The place of a key in the order of the map.
    template <class Key>
    static constexpr std::size_t place_of(Key const&) {
        constexpr int found = sluice::detail::place_of<Key>(Of::entries);
        static_assert(found != -1, "sluice: there is no tensor of that name; print<page>() shows the names");
        return found < 0 ? count : static_cast<std::size_t>(found);
    }
    static auto keys() {
        return with_entries<Of>([](auto... i) { return boost::hana::make_tuple(key_at<i()>{}...); });
    }
    /// name -> std::reference_wrapper
    auto map() { return map_of(static_cast<Own&>(*this)); }
    auto map() const { return map_of(static_cast<Own const&>(*this)); }

protected:
    template <class Self, class Key>
    static decltype(auto) find([[maybe_unused]] Self& self, Key const&) {
        if constexpr (place_of(Key{}) < count)
            return self.template nth<place_of(Key{})>();
    }

private:
    template <class Self>
    static auto map_of(Self& self) {
        return with_entries<Of>([&](auto... i) {
            return boost::hana::make_map(
                boost::hana::make_pair(key_at<i()>{}, std::ref(self.template nth<i()>()))...);
        });
    }
};

} // namespace detail

/// name -> tensor, all of one type, Of::tensor.
template <class Of>
class named_tensors : public detail::named<named_tensors<Of>, Of> {
    using base = detail::named<named_tensors, Of>;

public:
    using tensor = typename Of::tensor;

    template <class Key>
    decltype(auto) operator[](Key const& key) & {
        return base::find(*this, key);
    }
    template <class Key>
    decltype(auto) operator[](Key const& key) const& {
        return base::find(*this, key);
    }
    /// Of a map that is about to go, the tensor itself; const, so that nothing is assigned to it.
    template <class Key>
    auto operator[](Key const& key) && -> std::conditional_t<detail::is_key<Key>, tensor const, void> {
        if constexpr (detail::require_key<Key>())
            return std::move(base::find(*this, key));
    }

    template <std::size_t I>
    tensor& nth() {
        return all_[I];
    }
    template <std::size_t I>
    tensor const& nth() const {
        return all_[I];
    }
    std::span<tensor> tensors() { return all_; }
    std::span<tensor const> tensors() const { return all_; }

private:
    std::array<tensor, base::count> all_{};
};

namespace detail {

/// What maps share whose tensors lie in arrays, of the ranks that the entries say and numbers that are
/// Of::scalar.
template <class Own, class Of>
class named_numbers : public named<Own, Of> {
    using base = named<Own, Of>;
    using S = typename Of::scalar;

public:
    using scalar_type = S;

    /// Tensors may be written where the map may be, also of one that is about to go, for they may lie
    /// elsewhere: `gradients.parameters.at(1)["W_r"_s] = values`.
    template <class Key>
    decltype(auto) operator[](Key const& key) {
        return base::find(static_cast<Own&>(*this), key);
    }
    template <class Key>
    decltype(auto) operator[](Key const& key) const {
        return base::find(static_cast<Own const&>(*this), key);
    }

    template <std::size_t I>
    auto& nth() {
        return static_cast<of_rank<ranks[I]>&>(tensors_).all[place_among<I>()];
    }
    template <std::size_t I>
    auto const& nth() const {
        return static_cast<of_rank<ranks[I]> const&>(tensors_).all[place_among<I>()];
    }

protected:
    named_numbers() = default;
    ~named_numbers() = default;

    /// Tells each tensor where its numbers lie among all; nowhere, where there are none.
    void bind(std::span<tensor_place const> places, std::span<S> all) {
        require_ranks(places, ranks);
        bind_rank<0>(places, all);
        bind_rank<1>(places, all);
        bind_rank<2>(places, all);
        bind_rank<3>(places, all);
    }

private:
    static constexpr auto ranks = [] {
        std::array<std::size_t, base::count> all{};
        for (std::size_t i = 0; i < base::count; ++i)
            all[i] = Of::entries[static_cast<int>(i)].rank;
        return all;
    }();
    static constexpr std::size_t count_of(std::size_t rank, std::size_t before) {
        std::size_t found = 0;
        for (std::size_t i = 0; i < before; ++i)
            found += ranks[i] == rank ? 1 : 0;
        return found;
    }
    template <std::size_t I>
    static constexpr std::size_t place_among() {
        return count_of(ranks[I], I);
    }
    template <std::size_t Rank>
    struct of_rank {
        std::array<parameter_tensor<S, Rank>, count_of(Rank, base::count)> all{};
    };
    struct of_ranks : of_rank<0>, of_rank<1>, of_rank<2>, of_rank<3> {};
    of_ranks tensors_{};

    template <std::size_t Rank>
    void bind_rank(std::span<tensor_place const> places, std::span<S> all) {
        if constexpr (count_of(Rank, base::count) != 0)
            bind_tensors<S, Rank>(places, all, static_cast<of_rank<Rank>&>(tensors_).all);
    }
};

} // namespace detail

/// name -> tensor, all in one array, without gaps. It is copied with its numbers, and is empty when it was
/// moved from, as an `arena` is.
template <class Of>
class named_arena : public detail::named_numbers<named_arena<Of>, Of> {
    using S = typename Of::scalar;

public:
    named_arena() { bind(); }
    /// The tensors of the map, in its order.
    explicit named_arena(arena<S> numbers) : arena_(std::move(numbers)) { bind(); }

    named_arena(named_arena const& other) : named_arena(other.arena_) {}
    named_arena(named_arena&& other) noexcept : named_arena(std::move(other.arena_)) { other.bind(); }
    named_arena& operator=(named_arena const& other) {
        arena_ = other.arena_;
        bind();
        return *this;
    }
    named_arena& operator=(named_arena&& other) noexcept {
        arena_ = std::move(other.arena_);
        bind();
        other.bind();
        return *this;
    }
    ~named_arena() = default;

    /// The numbers of all tensors.
    std::span<S> values() { return arena_.values(); }
    std::span<S const> values() const { return arena_.values(); }
    arena<S> const& array() const { return arena_; }
    void take(arena<S> numbers) {
        arena_ = std::move(numbers);
        bind();
    }

private:
    arena<S> arena_{};

    void bind() { detail::named_numbers<named_arena, Of>::bind(arena_.places(), arena_.values()); }
};

/// name -> tensor, where the tensors lie in an array that outlives the map, such as that of a stack of
/// layers. A copy names the same tensors.
template <class Of>
class named_view : public detail::named_numbers<named_view<Of>, Of> {
    using S = typename Of::scalar;

public:
    /// Throws `std::invalid_argument` for a place that is not inside.
    named_view(std::vector<tensor_place> places, std::span<S> all) : places_(std::move(places)), all_(all) {
        detail::require_inside(places_, all_.size());
        this->bind(places_, all_);
    }
    named_view(named_view const& other) : named_view(other.places_, other.all_) {}
    /// Write the numbers of all tensors. Throw `std::invalid_argument` for other shapes, and change nothing
    /// then.
    named_view& operator=(named_view const& other) {
        put(other.places_, other.all_);
        return *this;
    }
    named_view& operator=(named_arena<Of> const& other) {
        put(other.array().places(), other.values());
        return *this;
    }
    ~named_view() = default;

    /// The numbers, copied.
    named_arena<Of> copied() const {
        arena<S> made(places_);
        for (std::size_t i = 0; i < places_.size(); ++i)
            std::ranges::copy(places_[i].in(all_), made.places()[i].in(made.values()).begin());
        return named_arena<Of>(std::move(made));
    }

private:
    std::vector<tensor_place> places_;
    std::span<S> all_;

    void put(std::span<tensor_place const> from, std::span<S const> numbers) {
        detail::require_shapes("a map of parameters in an array", "values", places_, from);
        for (std::size_t i = 0; i < places_.size(); ++i)
            std::ranges::copy(from[i].in(numbers), places_[i].in(all_).begin());
    }
};

namespace detail {

/// Which of the parameters a key stands for: of a cell "W_r"_s, of a stack of layers the name "layer1/W_r"
/// among its entries.
template <class Parameters, class Key, class Entries>
std::size_t place_of_parameter(Key const& key, [[maybe_unused]] Entries const& entries) {
    if constexpr (requires { Parameters::place_of(key); })
        return Parameters::place_of(key);
    else
        return place_called(key, entries);
}

} // namespace detail

/// f(key, tensor) for every entry of a map, in equation order.
template <class Map, class F>
void for_each_parameter(Map& map, F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (f(typename Map::template key_at<I>{}, map.template nth<I>()), ...);
    }
    (std::make_index_sequence<Map::count>{});
}

/// f(key, tensor of a, tensor of b), for two maps with the same keys.
template <class MapA, class MapB, class F>
void for_each_parameter(MapA& a, MapB& b, F&& f) {
    for_each_parameter(a, [&](auto key, auto& tensor) { f(key, tensor, b[key]); });
}

/// Input number k.
template <class Tensors>
auto& nth_input(Tensors& xs, std::size_t k) {
    if constexpr (requires { xs.shape(); })
        return xs;
    else
        return xs.tensors()[k];
}

} // namespace sluice

// What Boost.Hana asks of a map.
namespace boost::hana {

template <>
struct keys_impl<sluice::detail::named_tensors_tag> {
    template <class Tensors>
    static constexpr auto apply(Tensors const&) {
        return Tensors::keys();
    }
};
template <>
struct unpack_impl<sluice::detail::named_tensors_tag> {
    template <class Tensors, class F>
    static constexpr decltype(auto) apply(Tensors&& tensors, F&& f) {
        return hana::unpack(tensors.map(), static_cast<F&&>(f));
    }
};
template <>
struct any_of_impl<sluice::detail::named_tensors_tag> {
    template <class Tensors, class Predicate>
    static constexpr auto apply(Tensors&& tensors, Predicate&& p) {
        return hana::any_of(tensors.map(), static_cast<Predicate&&>(p));
    }
};
template <>
struct find_if_impl<sluice::detail::named_tensors_tag> {
    template <class Tensors, class Predicate>
    static constexpr auto apply(Tensors&& tensors, Predicate&& p) {
        return hana::find_if(tensors.map(), static_cast<Predicate&&>(p));
    }
};

} // namespace boost::hana
