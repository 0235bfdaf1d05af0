# SPDX-License-Identifier: BSL-1.0
# What makes the book and checks it, without mkdocs and without a browser: `docs/run --check` has these.
add_test(NAME book.gather.self_test COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/docs/book/gather.py --self-test)
add_test(NAME book.links.self_test COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/links.py --self-test)
set(errors Python3::Interpreter ${PROJECT_SOURCE_DIR}/docs/generate/errors.py)
add_test(NAME book.errors COMMAND ${errors} ${PROJECT_SOURCE_DIR} --check)
add_test(NAME book.errors.self_test COMMAND ${errors} --self-test)
