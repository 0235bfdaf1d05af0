// SPDX-License-Identifier: BSL-1.0
// Learning curves, the accuracy over the steps: as text for a terminal, and as a picture (SVG).
#pragma once

#include "lesson.hpp"

#include <deque>
#include <string>

namespace recall {

/// A chart of each task; a curve is drawn with the first letter of its learner.
std::string text_chart(std::deque<lesson> const& lessons);

/// The charts of the tasks side by side.
std::string picture(std::deque<lesson> const& lessons);

} // namespace recall
