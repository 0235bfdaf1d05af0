// SPDX-License-Identifier: BSL-1.0
// The umbrella of the core: includes only. A backend's header adds what runs it.
#pragma once

#include <sluice/cell/cell.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/unroll.hpp>
