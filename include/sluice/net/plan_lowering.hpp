// SPDX-License-Identifier: BSL-1.0
// plan_lowering with its engine, for a backend whose engine is compiled in no library.
#pragma once

#include <sluice/net/plan_programs.hpp>
#include <sluice/net/planned_engine.hpp>
