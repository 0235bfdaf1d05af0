// SPDX-License-Identifier: BSL-1.0
// stream: stock cells, in float and double.
#include "stream_check.hpp"

#include <sluice/cells/dense.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <support/cells.hpp>

TEST_CASE("stream: stock cells step as they run over a sequence") {
    using namespace support;
    stream::check(planned<gru, double>::make());
    stream::check(planned<full_lstm, float>::make());
    stream::check(planned<projected_glstm, double>::make());
    stream::check(planned<dense, float>::make());
}
