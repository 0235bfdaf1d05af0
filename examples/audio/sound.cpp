// SPDX-License-Identifier: BSL-1.0
#include "sound.hpp"

#include "../../apps/terminal_text.hpp"

#include <memory>
#include <sndfile.h>
#include <stdexcept>
#include <string>

namespace audio {

namespace {

struct closing {
    void operator()(SNDFILE* file) const { sf_close(file); }
};
using opened = std::unique_ptr<SNDFILE, closing>;

std::string shown(std::filesystem::path const& path) {
    std::string text = "'"; // step by step: g++ 12 warns of its own operator+ here
    return text.append(terminal::short_terminal_text(path.string())).append("'");
}

} // namespace

sound read_sound(std::filesystem::path const& path) {
    SF_INFO about{};
    opened const file(sf_open(path.c_str(), SFM_READ, &about));
    if (!file)
        throw std::runtime_error(shown(path) +
                                 " should be a sound, such as a WAV file, but libsndfile says: " +
                                 sf_strerror(nullptr) + " Name another one.");
    if (about.channels != 1)
        throw std::runtime_error(shown(path) + " should have one channel, but it has " +
                                 std::to_string(about.channels) +
                                 "; `sox in.wav out.wav remix 1` takes the first.");
    sound made{about.samplerate, std::vector<float>(static_cast<std::size_t>(about.frames))};
    sf_count_t const came = sf_readf_float(file.get(), made.samples.data(), about.frames);
    if (came != about.frames)
        throw std::runtime_error(shown(path) + " says that it has " + std::to_string(about.frames) +
                                 " samples, but " + std::to_string(came) + " are there; copy it again.");
    return made;
}

void write_sound(std::filesystem::path const& path, sound const& from) {
    SF_INFO about{};
    about.samplerate = from.rate;
    about.channels = 1;
    about.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT;
    opened const file(sf_open(path.c_str(), SFM_WRITE, &about));
    auto const count = static_cast<sf_count_t>(from.samples.size());
    if (!file || sf_writef_float(file.get(), from.samples.data(), count) != count)
        throw std::runtime_error(shown(path) +
                                 " should be a WAV file that can be written, but libsndfile says: " +
                                 sf_strerror(file.get()) + " Name another one, or make room for it.");
}

} // namespace audio
