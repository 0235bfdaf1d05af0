// SPDX-License-Identifier: BSL-1.0
// How much of a log a checkpoint knows.

#include "../../apps/char_lm/log_resume.hpp"
#include "../../apps/char_lm/failure.hpp"

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace char_lm;

namespace {

const std::string step1 = "{\"step\":1,\"bits\":4.5,\"rate\":1.0}\n",
                  step2 = "{\"step\":2,\"bits\":4.25,\"rate\":2.0}\n",
                  valid2 = "{\"step\":2,\"validation\":4.0}\n", test2 = "{\"step\":2,\"test\":4.125}\n",
                  step3 = "{\"step\":3,\"bits\":4.0,\"rate\":3.0}\n";

// Of a training that stands after step 2, validated, and has the rates 1, 2, 3 ...
std::uintmax_t known(const std::string& text) {
    const auto path =
        std::filesystem::temp_directory_path() / ("char_lm-log-test-" + std::to_string(getpid()));
    std::ofstream(path, std::ios::binary) << text;
    history past;
    past.step = past.validated = past.best_step = 2;
    past.validation = past.best = 4;
    struct cleanup {
        std::filesystem::path file;
        ~cleanup() { std::filesystem::remove(file); }
    } const at_the_end{path};
    return known_part(path.string(), past, [](std::size_t step) { return static_cast<double>(step + 1); });
}

} // namespace

TEST_CASE("log resume: what the checkpoint holds is kept, and what comes after it is not") {
    const std::string whole = step1 + step2 + valid2;
    CHECK(known("") == 0);
    CHECK(known(step1) == step1.size());
    CHECK(known(whole) == whole.size());
    for (const std::string& more : {step3, test2, test2 + step3, std::string("{\"st"), step3.substr(0, 20)})
        CHECK(known(whole + more) == whole.size());
    // of a program that appended to the test of a run whose time was over
    CHECK(known(step1 + test2 + step2) == (step1 + test2 + step2).size());
    CHECK(known_part("/no such file", {}, [](std::size_t) { return 1.0; }) == 0);
}

TEST_CASE("log resume: what another program or training wrote is refused") {
    const std::string other_rate = "{\"step\":1,\"bits\":4.5,\"rate\":1.5}\n",
                      other_cost = "{\"step\":2,\"validation\":4.5}\n";
    for (const std::string& text :
         {std::string("\n"), std::string("note"), std::string("note\n"), std::string("[]\n"),
          std::string("7\n"), std::string("{\"step\":-1,\"validation\":1}\n"),
          std::string("{\"step\":0,\"bits\":1,\"rate\":1}\n"),
          std::string("{\"step\":1,\"bits\":null,\"rate\":1}\n"), other_rate, other_cost,
          std::string("{\"step\":1,\"bits\":-4.5,\"rate\":1.0}\n"),
          std::string("{\"step\":2,\"test\":-4.0}\n"), std::string(600, ' '), std::string(10'000, '\0')}) {
        CAPTURE(text);
        CHECK_THROWS_AS(known(text), bad_call);
        CHECK_THROWS_AS(known(step1 + text), bad_call);
    }
}
