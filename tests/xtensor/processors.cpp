// SPDX-License-Identifier: BSL-1.0
// Which processors a thread may use: counted, left, kept off and given back.
#include <sluice/xtensor/processors.hpp>

#include <doctest/doctest.h>
#include <thread>

namespace processors_test {

using sluice::xtensor::processors;

TEST_CASE("processors: there is at least one, as many as the thread may use") {
    CHECK(processors().count() >= 1);
    processors const all;
    processors const copy = all;
    CHECK(copy.count() == all.count());
}

#ifdef __linux__

namespace {

cpu_set_t usable() {
    cpu_set_t now;
    CPU_ZERO(&now);
    REQUIRE(sched_getaffinity(0, sizeof(now), &now) == 0);
    return now;
}
bool are_same(cpu_set_t const& a, cpu_set_t const& b) {
    return CPU_EQUAL(&a, &b);
}
/// The first that the thread may use.
int first_of(cpu_set_t const& from) {
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(static_cast<unsigned>(i), &from))
            return i;
    return -1;
}
/// f in a thread of its own, which may be kept off processors, and ends then.
template <class F>
void in_a_thread(F const& f) {
    std::thread(f).join();
}

} // namespace

TEST_CASE("processors: a thread is kept off one, unless it has no other, and gets back what it had") {
    in_a_thread([] {
        cpu_set_t const before = usable();
        int const one = first_of(before), count = CPU_COUNT(&before);
        processors const all;
        CHECK(all.count() == static_cast<std::size_t>(count));
        CHECK(processors::current() >= 0);
        CHECK(CPU_ISSET(static_cast<unsigned>(processors::current()), &before));

        all.keep_off(pthread_self(), one);
        cpu_set_t const less = usable();
        if (count > 1) {
            CHECK(CPU_COUNT(&less) == count - 1);
            CHECK_FALSE(CPU_ISSET(static_cast<unsigned>(one), &less));
            CHECK(processors::current() != one);
            CHECK(processors().count() == static_cast<std::size_t>(count - 1));
        } else
            CHECK(are_same(less, before));
        CHECK(all.count() == static_cast<std::size_t>(count)); // as it was then
        all.restore();
        CHECK(are_same(usable(), before));

        for (int const none : {-1, CPU_SETSIZE, 1 << 30}) {
            all.keep_off(pthread_self(), none);
            CHECK(are_same(usable(), before));
        }
    });
}

TEST_CASE("processors: a thread that has one processor stays on it") {
    in_a_thread([] {
        cpu_set_t only;
        CPU_ZERO(&only);
        int const one = first_of(usable());
        CPU_SET(static_cast<unsigned>(one), &only);
        REQUIRE(sched_setaffinity(0, sizeof(only), &only) == 0);
        CHECK(processors::current() == one);
        CHECK(processors().count() == 1);
        processors::leave(one);
        CHECK(processors::current() == one);
        CHECK(are_same(usable(), only));
        processors().keep_off(pthread_self(), one);
        CHECK(are_same(usable(), only));
    });
}

TEST_CASE("processors: a thread leaves a processor, and may use it again") {
    in_a_thread([] {
        cpu_set_t const before = usable();
        int const here = processors::current();
        processors::leave(here + 1); // another's
        CHECK(are_same(usable(), before));
        processors::leave(processors::current());
        CHECK(are_same(usable(), before));
        processors::leave(-1);
        CHECK(are_same(usable(), before));
    });
}

#endif

} // namespace processors_test
