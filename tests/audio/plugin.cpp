// SPDX-License-Identifier: BSL-1.0
// The LV2 plugin as a host has it: a file that is set while sound runs is read on the worker's thread, begins
// to play, and what is no longer heard is freed there; run asks for no memory; a state is saved and restored.
#include "counting.hpp"

#include <audio/amp.hpp>
#include <audio/model_at_rate.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <filesystem>
#include <lv2/atom/atom.h>
#include <lv2/atom/forge.h>
#include <lv2/atom/util.h>
#include <lv2/core/lv2.h>
#include <lv2/patch/patch.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <string>
#include <thread>
#include <vector>

namespace audio_plugin_test {

constexpr std::size_t block = 64;
constexpr double rate = 44100;

std::string path_of(std::string const& name) {
    return std::string(SLUICE_RECORDINGS) + "/audio/" + name;
}
std::string const bundle = std::filesystem::path(SLUICE_PLUGIN).parent_path().string() + "/";

std::vector<float> tone(std::size_t count) {
    std::vector<float> made(count);
    for (std::size_t t = 0; t < count; ++t)
        made[t] = 0.5f * static_cast<float>(std::sin(0.1 * static_cast<double>(t)));
    return made;
}

/// What a host gives a plugin. Work is done when the test says so, on a thread of its own.
class host {
public:
    LV2_URID_Map map{this, [](LV2_URID_Map_Handle owner, char const* uri) {
                         auto& names = static_cast<host*>(owner)->names_;
                         auto const found = std::ranges::find(names, uri);
                         if (found == names.end())
                             names.emplace_back(uri);
                         return static_cast<LV2_URID>(std::ranges::find(names, uri) - names.begin() + 1);
                     }};
    LV2_Worker_Schedule schedule{this,
                                 [](LV2_Worker_Schedule_Handle owner, std::uint32_t size, void const* data) {
                                     return static_cast<host*>(owner)->keep(size, data);
                                 }};

    explicit host(bool has_features = true) {
        library_ = dlopen(SLUICE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
        REQUIRE_MESSAGE(library_ != nullptr, dlerror());
        auto const find = reinterpret_cast<LV2_Descriptor_Function>(dlsym(library_, "lv2_descriptor"));
        REQUIRE(bool(find));
        of = find(0);
        REQUIRE(of != nullptr);
        CHECK(find(1) == nullptr);
        CHECK(std::string(of->URI) == "urn:sluice:amp");
        features_ = {&map_feature_, &schedule_feature_, nullptr};
        self = of->instantiate(of, rate, bundle.c_str(), has_features ? features_.data() : nullptr);
        REQUIRE(self != nullptr);
        of->connect_port(self, 0, sequence_.data());
        of->connect_port(self, 1, notify_.data());
        for (std::uint32_t k = 0; k < controls.size(); ++k)
            of->connect_port(self, 4 + k, &controls[k]);
        empty();
        of->activate(self);
    }
    host(host const&) = delete;
    ~host() {
        of->cleanup(self);
        dlclose(library_);
    }

    /// The next block of the sound, and the sequence is empty again.
    std::vector<float> run(std::vector<float> sound) {
        of->connect_port(self, 2, sound.data());
        of->connect_port(self, 3, sound.data());
        auto& out = *reinterpret_cast<LV2_Atom_Sequence*>(notify_.data());
        out.atom.size = static_cast<std::uint32_t>(notify_.size() * sizeof notify_[0]);
        asked += audio_test::calls_in([&] { of->run(self, static_cast<std::uint32_t>(sound.size())); });
        empty();
        return sound;
    }
    /// The file of which the plugin told in the last block; nothing where it told of none.
    std::string told() {
        auto const* const out = reinterpret_cast<LV2_Atom_Sequence const*>(notify_.data());
        CHECK(out->atom.type == id(LV2_ATOM__Sequence));
        LV2_ATOM_SEQUENCE_FOREACH(out, event) {
            auto const* const object = reinterpret_cast<LV2_Atom_Object const*>(&event->body);
            LV2_Atom const* value = nullptr;
            lv2_atom_object_get(object, id(LV2_PATCH__value), &value, 0);
            CHECK(object->body.otype == id(LV2_PATCH__Set));
            REQUIRE(value != nullptr);
            CHECK(value->type == id(LV2_ATOM__Path));
            return reinterpret_cast<char const*>(value + 1);
        }
        return "";
    }
    /// patch:Set of the model, or patch:Get where there is no path, in the next block.
    void set(std::string const& path) {
        LV2_Atom_Forge forge;
        lv2_atom_forge_init(&forge, &map);
        lv2_atom_forge_set_buffer(&forge, reinterpret_cast<std::uint8_t*>(sequence_.data()),
                                  sequence_.size() * sizeof sequence_[0]);
        LV2_Atom_Forge_Frame all, object;
        lv2_atom_forge_sequence_head(&forge, &all, 0);
        lv2_atom_forge_frame_time(&forge, 0);
        lv2_atom_forge_object(&forge, &object, 0, id(path.empty() ? LV2_PATCH__Get : LV2_PATCH__Set));
        lv2_atom_forge_key(&forge, id(LV2_PATCH__property));
        lv2_atom_forge_urid(&forge, id("urn:sluice:amp#model"));
        if (!path.empty()) {
            lv2_atom_forge_key(&forge, id(LV2_PATCH__value));
            lv2_atom_forge_path(&forge, path.c_str(), static_cast<std::uint32_t>(path.size()));
        }
        lv2_atom_forge_pop(&forge, &object);
        lv2_atom_forge_pop(&forge, &all);
    }
    /// All that is asked of the worker, and its answers.
    void work() {
        auto const& worker =
            *static_cast<LV2_Worker_Interface const*>(of->extension_data(LV2_WORKER__interface));
        std::thread([&] {
            for (; used_ > 0; --used_) {
                worker.work(
                    self,
                    [](LV2_Worker_Respond_Handle to, std::uint32_t size, void const* data) {
                        auto const* const bytes = static_cast<char const*>(data);
                        static_cast<host*>(to)->answers_.emplace_back(bytes, bytes + size);
                        return LV2_WORKER_SUCCESS;
                    },
                    this, static_cast<std::uint32_t>(orders_[0].size), orders_[0].bytes.data());
                std::move(orders_.begin() + 1, orders_.end(), orders_.begin());
            }
        }).join();
        for (auto const& one : answers_)
            asked += audio_test::calls_in(
                [&] { worker.work_response(self, static_cast<std::uint32_t>(one.size()), one.data()); });
        answers_.clear();
    }
    std::size_t orders() const { return used_; }
    LV2_URID id(char const* uri) { return map.map(map.handle, uri); }

    LV2_Descriptor const* of = nullptr;
    LV2_Handle self = nullptr;
    std::array<float, 4> controls{0, 0, 0.5f, 0.5f}; // gains, knobs
    std::size_t asked = 0;                           // calls of memory on the thread of the sound
    bool is_full = false;                            // the worker takes nothing

private:
    struct order {
        std::size_t size = 0;
        std::array<char, 5000> bytes{};
    };
    LV2_Worker_Status keep(std::uint32_t size, void const* data) {
        if (is_full || used_ == orders_.size() || size > orders_[0].bytes.size())
            return LV2_WORKER_ERR_NO_SPACE;
        orders_[used_].size = size;
        std::memcpy(orders_[used_++].bytes.data(), data, size);
        return LV2_WORKER_SUCCESS;
    }
    void empty() {
        auto& head = *reinterpret_cast<LV2_Atom_Sequence*>(sequence_.data());
        head.atom.size = sizeof(LV2_Atom_Sequence_Body);
        head.atom.type = id(LV2_ATOM__Sequence);
    }

    void* library_ = nullptr;
    std::vector<std::string> names_{};
    LV2_Feature map_feature_{LV2_URID__map, &map}, schedule_feature_{LV2_WORKER__schedule, &schedule};
    std::array<LV2_Feature const*, 3> features_{};
    std::array<std::uint64_t, 1024> sequence_{}, notify_{};
    std::array<order, 4> orders_{};
    std::size_t used_ = 0;
    std::vector<std::vector<char>> answers_{};
};

std::vector<float> expected(std::string const& path, std::vector<float> sound) {
    audio::amp amp(audio::read_model_at_rate(path, rate), rate);
    amp.process(sound, sound);
    return sound;
}

TEST_CASE("plugin: without a file that was set the model of the bundle plays, to the bit") {
    auto const sound = tone(block);
    for (bool const has_features : {true, false}) {
        host h(has_features);
        CHECK(h.run(sound) == expected(bundle + "model.json", sound));
        CHECK(h.asked == 0);
        h.of->activate(h.self); // from the start
        CHECK(h.run(sound) == expected(bundle + "model.json", sound));
        h.controls[1] = 20; // tenfold, soon
        for (int k = 0; k < 1000; ++k)
            h.run(sound);
        CHECK(h.asked == 0);
    }
}

TEST_CASE("plugin: a file that is set is read by the worker, and the old model is freed by it") {
    host h;
    auto const sound = tone(block);
    h.run(sound);
    for (std::string const name : {"guitarml_gru_3.json", "aida.json", "lstm.nam"}) {
        h.set(path_of(name));
        h.run(sound);
        REQUIRE(h.orders() == 1); // to read it
        h.work();
        std::size_t const blocks = static_cast<std::size_t>(0.02 * rate) / block + 2;
        std::vector<float> heard;
        for (std::size_t k = 0; k < blocks; ++k) {
            auto const out = h.run(sound);
            CHECK(h.told() == (k == 0 ? path_of(name) : ""));
            heard.insert(heard.end(), out.begin(), out.end());
        }
        auto all = sound;
        for (std::size_t k = 1; k < blocks; ++k)
            all.insert(all.end(), sound.begin(), sound.end());
        auto const alone = expected(path_of(name), all);
        CHECK(std::equal(heard.end() - 40, heard.end(), alone.end() - 40)); // after the fade
        CHECK(heard[0] != alone[0]);
        h.run(sound);
        REQUIRE(h.orders() == 1); // to free the one before
        h.work();
        CHECK(h.orders() == 0);
        h.set(""); // what plays?
        h.run(sound);
        CHECK(h.told() == path_of(name));
    }
    CHECK(h.asked == 0);
}

TEST_CASE("plugin: files that are no models, files that follow each other, and a worker without room") {
    host h;
    auto const sound = tone(block);
    auto const once = [&](std::string const& path) {
        h.set(path);
        h.run(sound);
        h.work();
    };
    once("no such file");
    once(std::string(4090, 'a'));
    once(std::string(4100, 'a')); // longer than a path
    once(path_of("lstm.json"));   // two outputs
    once(path_of("aida.json"));
    once(path_of("lstm.nam")); // while that fades
    once(path_of("guitarml_lstm_1.json"));
    h.is_full = true;
    for (int k = 0; k < 50; ++k)
        h.run(sound);
    CHECK(h.orders() == 0);
    h.is_full = false;
    h.run(sound);
    CHECK(h.orders() == 1); // all that waited
    h.work();
    CHECK(h.asked == 0);
    h.set(path_of("aida.json")); // and one that is read, but never heard
    h.run(sound);
    h.work();
}

TEST_CASE("plugin: its file is its state") {
    std::vector<char> kept;
    {
        host h;
        h.set(path_of("aida.json"));
        h.run(tone(block));
        h.work();
        auto const& state =
            *static_cast<LV2_State_Interface const*>(h.of->extension_data(LV2_STATE__interface));
        state.save(
            h.self,
            [](LV2_State_Handle to, std::uint32_t, void const* value, std::size_t size, std::uint32_t,
               std::uint32_t) {
                auto const* const bytes = static_cast<char const*>(value);
                static_cast<std::vector<char>*>(to)->assign(bytes, bytes + size);
                return LV2_STATE_SUCCESS;
            },
            &kept, 0, nullptr);
        CHECK(std::string(kept.data()) == path_of("aida.json"));
    }
    host h;
    struct given {
        host* of;
        std::vector<char>* kept;
    } from{&h, &kept};
    auto const& state = *static_cast<LV2_State_Interface const*>(h.of->extension_data(LV2_STATE__interface));
    CHECK(state.restore(
              h.self,
              [](LV2_State_Handle handle, std::uint32_t, std::size_t* size, std::uint32_t* type,
                 std::uint32_t*) {
                  auto const& all = *static_cast<given*>(handle);
                  *size = all.kept->size();
                  *type = all.of->id(LV2_ATOM__Path);
                  return static_cast<void const*>(all.kept->data());
              },
              &from, 0, nullptr) == LV2_STATE_SUCCESS);
    auto const sound = tone(block);
    CHECK(h.run(sound) == expected(path_of("aida.json"), sound));
}

} // namespace audio_plugin_test
