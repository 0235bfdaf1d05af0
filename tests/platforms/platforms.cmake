# SPDX-License-Identifier: BSL-1.0
# A project of its own, which tests/platforms/run builds for each platform.
