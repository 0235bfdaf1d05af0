# SPDX-License-Identifier: BSL-1.0
# No tests: `python3 tests/cost/measure.py` compiles these files and prints what that costs.
