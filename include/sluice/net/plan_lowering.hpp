// SPDX-License-Identifier: BSL-1.0
// plan_lowering with its engine: for a backend of which no library holds a compiled engine.
#pragma once

#include <sluice/net/plan_programs.hpp>
#include <sluice/net/planned_engine.hpp>
