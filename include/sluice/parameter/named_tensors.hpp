// SPDX-License-Identifier: BSL-1.0
// Boost.Hana maps from name to tensor, in equation order; those of parameters lie side by side in one array.
//
//   cell.parameters()["W_r"_s]      an xtensor expression     [rows, columns]
//   cell.parameters().values()      std::span<float const>    the numbers of all
//   for_each_parameter(cell.parameters(), [](auto key, auto const& tensor) { ... key.c_str() ... });
#pragma once

#include <boost/hana/any_of.hpp>
#include <boost/hana/at_key.hpp>
#include <boost/hana/contains.hpp>
#include <boost/hana/find_if.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/keys.hpp>
#include <boost/hana/map.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/unpack.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/name.hpp>
#include <sluice/core/xtensor.hpp>
#include <sluice/parameter/arena.hpp>
#include <sluice/parameter/tensor.hpp>
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

} // namespace detail

struct named_tensors_tag;

/// name -> tensor, in equation order: a Boost.Hana map (Foldable and Searchable) whose operator[] says in a
/// sentence what is wrong with a key. `Of` is a short name for its type, Of::map.
template <class Of>
class named_tensors {
    using map_type = typename Of::map;

public:
    using hana_tag = named_tensors_tag;

    template <class Key>
    decltype(auto) operator[](Key const& key) & {
        return find(*this, key);
    }
    template <class Key>
    decltype(auto) operator[](Key const& key) const& {
        return find(*this, key);
    }
    /// Of a map that is about to go, the tensor itself; const, so that nothing is assigned to it. Tensors
    /// that lie in an array may be written: `gradients.parameters.at(1)["W_r"_s] = values`.
    template <class Key>
    decltype(auto) operator[](Key const& key) && {
        using found = decltype(find(*this, key));
        if constexpr (requires { typename Of::scalar; } || std::is_void_v<found>)
            return find(*this, key);
        else
            return std::add_const_t<std::remove_reference_t<found>>(std::move(find(*this, key)));
    }
    map_type& map() { return map_; }
    map_type const& map() const { return map_; }

    /// The place of a key in the order of the map.
    template <class Key>
    static constexpr std::size_t place_of(Key const&) {
        std::size_t place = 0;
        if constexpr (has<Key>()) {
            using keys = decltype(boost::hana::keys(std::declval<map_type const&>()));
            bool found = false;
            boost::hana::unpack(keys{}, [&](auto... each) {
                ((found = found || std::is_same_v<decltype(each), Key>, place += found ? 0 : 1), ...);
            });
        }
        return place;
    }

private:
    map_type map_{};

    /// Refuses what is no key of the map with a sentence, and says whether it is one.
    template <class Key>
    static constexpr bool has() {
        if constexpr (detail::require_key<Key>()) {
            constexpr bool is_there = decltype(boost::hana::contains(std::declval<map_type const&>(),
                                                                     std::declval<Key const&>()))::value;
            static_assert(is_there, "sluice: there is no tensor of that name; print<page>() shows the names");
            return is_there;
        }
        return false;
    }
    template <class Self, class Key>
    static decltype(auto) find(Self& self, [[maybe_unused]] Key const& key) {
        if constexpr (has<Key>())
            return boost::hana::at_key(self.map_, key);
    }
};

/// The same with all tensors in one array. `Of::map` is one of parameter_tensors, `Of::scalar` their
/// scalar. It is copied with its numbers, stays in memory that is not its own, and is empty when it was
/// moved from, as an `arena` is.
template <class Of>
class named_arena : public named_tensors<Of> {
public:
    using scalar_type = typename Of::scalar;

    named_arena() { bind(); }
    /// The tensors of the map, in its order.
    explicit named_arena(arena<scalar_type> numbers) : arena_(std::move(numbers)) { bind(); }

    named_arena(named_arena const& other) : named_arena(other.arena_) {}
    named_arena(named_arena&& other) noexcept : named_arena(std::move(other.arena_)) { other.bind(); }
    named_arena& operator=(named_arena const& other) {
        arena_ = other.arena_;
        bind();
        return *this;
    }
    named_arena& operator=(named_arena&& other) {
        arena_ = std::move(other.arena_);
        bind();
        other.bind();
        return *this;
    }
    ~named_arena() = default;

    /// The numbers of all tensors, without gaps.
    std::span<scalar_type> values() { return arena_.values(); }
    std::span<scalar_type const> values() const { return arena_.values(); }
    arena<scalar_type> const& array() const { return arena_; }

private:
    arena<scalar_type> arena_{};

    /// Tells each tensor where its numbers lie; nowhere, where there are none.
    void bind() {
        auto const places = arena_.places();
        boost::hana::unpack(this->map(), [&](auto&... pairs) {
            std::size_t i = 0;
            bool const fit = places.size() == sizeof...(pairs) &&
                             ((places[i++].rank == boost::hana::second(pairs).rank) && ...);
            if (!places.empty() && !fit)
                fail<std::logic_error>({"the tensors of the arena are not those of the map"});
            i = 0;
            (bind(boost::hana::second(pairs), places.empty() ? nullptr : &places[i++]), ...);
        });
    }
    template <class Tensor>
    void bind(Tensor& tensor, tensor_place const* place) {
        if (place == nullptr)
            tensor.bind({}, {});
        else
            tensor.bind(place->in(arena_.values()), place->shape());
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
    boost::hana::for_each(boost::hana::keys(map), [&](auto key) { f(key, map[key]); });
}

/// f(key, tensor of a, tensor of b), for two maps with the same keys.
template <class MapA, class MapB, class F>
void for_each_parameter(MapA& a, MapB& b, F&& f) {
    boost::hana::for_each(boost::hana::keys(a), [&](auto key) { f(key, a[key], b[key]); });
}

/// f(index, key, tensor): the index is that in the list of the passes.
template <class Map, class F>
void for_each_entry(Map& map, F&& f) {
    int index = 0;
    for_each_parameter(map, [&](auto key, auto& tensor) { f(index++, key, tensor); });
}

/// Where the numbers of the tensors lie, in equation order.
template <class S, class Tensors>
std::vector<S*> addresses_of(Tensors& tensors) {
    if constexpr (requires { tensors.shape(); })
        return {tensors.data()};
    else
        return boost::hana::unpack(tensors.map(), [](auto&... pairs) {
            return std::vector<S*>{boost::hana::second(pairs).data()...};
        });
}

/// Input number k.
template <class Tensors>
auto& nth_input(Tensors& xs, std::size_t k) {
    if constexpr (requires { xs.shape(); })
        return xs;
    else
        return boost::hana::unpack(
            boost::hana::keys(xs), [&](auto first, auto... more) -> auto& {
                auto* found = &xs[first];
                std::size_t i = 0;
                ((++i == k ? void(found = &xs[more]) : void()), ...);
                return *found;
            });
}
template <class Tensors>
std::size_t steps_of(Tensors const& xs) {
    return nth_input(xs, 0).shape()[0];
}
template <class Tensors>
std::size_t batch_of(Tensors const& xs) {
    return nth_input(xs, 0).shape()[1];
}

} // namespace sluice

// What Boost.Hana asks of a map, handed on to the one inside.
namespace boost::hana {

template <>
struct keys_impl<sluice::named_tensors_tag> {
    template <class Tensors>
    static constexpr decltype(auto) apply(Tensors&& tensors) {
        return hana::keys(tensors.map());
    }
};
template <>
struct unpack_impl<sluice::named_tensors_tag> {
    template <class Tensors, class F>
    static constexpr decltype(auto) apply(Tensors&& tensors, F&& f) {
        return hana::unpack(tensors.map(), static_cast<F&&>(f));
    }
};
template <>
struct any_of_impl<sluice::named_tensors_tag> {
    template <class Tensors, class Predicate>
    static constexpr auto apply(Tensors&& tensors, Predicate&& p) {
        return hana::any_of(tensors.map(), static_cast<Predicate&&>(p));
    }
};
template <>
struct find_if_impl<sluice::named_tensors_tag> {
    template <class Tensors, class Predicate>
    static constexpr auto apply(Tensors&& tensors, Predicate&& p) {
        return hana::find_if(tensors.map(), static_cast<Predicate&&>(p));
    }
};

} // namespace boost::hana
