// SPDX-License-Identifier: BSL-1.0
// An amplifier as a thread of sound has it, under clang's sanitizer of real time, which ends the program
// where a function that promises not to wait asks for memory, a lock or the system. With the argument --wait
// one does.
#include <audio/amp.hpp>
#include <audio/model_at_rate.hpp>
#include <audio/switching_amp.hpp>

#include <cstdio>
#include <memory>
#include <sluice/model/read_model.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

/// f(), which waits for nothing.
void in_real_time(auto const& f) noexcept [[clang::nonblocking]] {
    f();
}
std::string path_of(std::string const& name) {
    return std::string(SLUICE_RECORDINGS) + "/audio/" + name;
}

} // namespace

int main(int count, char** given) {
    if (count > 1 && std::string_view(given[1]) == "--wait")
        in_real_time([] { std::printf("%p\n", static_cast<void const*>(std::vector<float>(1000).data())); });
    std::vector<float> sound(1000, 0.25f);
    for (std::string const name : {"lstm.json", "aida.json", "guitarml_gru_3.json", "lstm.nam"}) {
        audio::amp one(sluice::read_model(path_of(name)), 44100);
        in_real_time([&] {
            one.turn(0, 0.75f);
            one.process(sound, sound);
        });
    }
    audio::switching_amp both(
        44100, std::make_unique<audio::amp>(audio::read_model_at_rate(path_of("lstm.nam"), 44100), 44100));
    auto next = std::make_unique<audio::amp>(sluice::read_model(path_of("aida.json")), 44100);
    std::unique_ptr<audio::amp> old;
    in_real_time([&] {
        both.process(sound, sound);
        both.start(std::move(next));
        for (int k = 0; k < 20; ++k)
            both.process(sound, sound);
        old = both.finished();
    });
    std::puts(old ? "played in real time" : "the first amplifier is not given back");
}
