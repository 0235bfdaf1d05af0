# SPDX-License-Identifier: BSL-1.0
# A project of its own, which tests/arm/run builds for two machines.
