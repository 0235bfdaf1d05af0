// SPDX-License-Identifier: BSL-1.0
// Texts that a constant expression puts together.
#include <limits>
#include <sluice/core/constant_of.hpp>
#include <sluice/core/text.hpp>
#include <sstream>
#include <support/both.hpp>

namespace text_test {

using namespace sluice;

namespace {
constexpr text a_sentence() {
    text t;
    t << "width " << std::size_t(120) << ',' << 0 << ',' << -7;
    return t;
}
} // namespace

TEST_CASE("text: words, letters, and numbers to their ends") {
    BOTH(a_sentence().view() == "width 120,0,-7");
    BOTH((text{} << std::numeric_limits<long long>::min()).view() == "-9223372036854775808");
    BOTH((text{} << std::numeric_limits<std::size_t>::max()).view() == "18446744073709551615");
    BOTH((text{} << -std::numeric_limits<double>::infinity()).view() == "-inf");
    BOTH((text{} << std::numeric_limits<double>::quiet_NaN()).view() == "nan");
    BOTH((text{} << 0.5 << ' ' << 1e-8 << ' ' << -1e300 << ' ' << 5e-324).view() == "0.5 1e-8 -1e300 5e-324");
    std::ostringstream out;
    out << a_sentence();
    CHECK(out.str() == "width 120,0,-7");
}

} // namespace text_test
