// SPDX-License-Identifier: BSL-1.0
// The LV2 plugin: a model's file, which the host's worker reads and frees, two gains and two knobs.
//
//   run             patch:Set of the model -> a message to the worker; patch:Get -> the file that plays;
//                   sound through gain, model, gain
//   work            reads a file and makes an amplifier, or frees one       on the worker's thread
//   work_response   the amplifier begins to play                            on the thread of the sound
//
// Nothing that run calls allocates, locks or throws. Without a file that was set, the bundle's model.json
// plays.
#include "../model_at_rate.hpp"
#include "../switching_amp.hpp"
#include "gain.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <lv2/atom/atom.h>
#include <lv2/atom/forge.h>
#include <lv2/atom/util.h>
#include <lv2/core/lv2.h>
#include <lv2/core/lv2_util.h>
#include <lv2/patch/patch.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace {

constexpr char const* own_uri = "urn:sluice:amp";
constexpr std::size_t longest_path = 4096; // bytes

enum port : std::uint32_t { control, notify, in, out, input_gain, output_gain, first_knob };
constexpr std::size_t knobs = 2;

/// A model that is there to be played. Those that are to be freed wait in a list.
struct loaded {
    std::unique_ptr<audio::amp> amp{};
    std::string path{};
    loaded* next = nullptr;
};

/// To the worker, side by side: what it shall do, and the path with its last 0, or the list to be freed.
enum class order : std::uint32_t { load, release };
struct release_message {
    order what = order::release;
    loaded* list = nullptr;
};

struct uris {
    LV2_URID set = 0, get = 0, property = 0, value = 0, path = 0, string = 0, urid = 0, model = 0;

    explicit uris(LV2_URID_Map const& map) {
        auto const number = [&](char const* uri) { return map.map(map.handle, uri); };
        set = number(LV2_PATCH__Set);
        get = number(LV2_PATCH__Get);
        property = number(LV2_PATCH__property);
        value = number(LV2_PATCH__value);
        path = number(LV2_ATOM__Path);
        string = number(LV2_ATOM__String);
        urid = number(LV2_ATOM__URID);
        model = number("urn:sluice:amp#model");
    }
    uris() = default;
};

class plugin {
public:
    plugin(double rate, char const* bundle, LV2_Feature const* const* features)
        : rate_(rate), before_(rate), after_(rate), switching_(rate) {
        if (auto* const map = feature<LV2_URID_Map>(features, LV2_URID__map))
            take_map(*map);
        schedule_ = feature<LV2_Worker_Schedule>(features, LV2_WORKER__schedule);
        if (auto first = load((std::filesystem::path(bundle) / "model.json").string()))
            playing_ = std::move(first);
        switching_ = audio::switching_amp(rate, std::move(playing_->amp));
    }
    plugin(plugin const&) = delete;
    plugin& operator=(plugin const&) = delete;
    ~plugin() {
        release(next_.release());
        release(unheard_.release());
        release(waiting_);
    }

    void connect(std::uint32_t number, void* data) {
        if (number < ports_.size())
            ports_[number] = data;
    }
    void activate() {
        is_first_ = true;
        if (audio::amp* const one = switching_.now())
            one->reset();
    }

    void run(std::uint32_t count) noexcept {
        read_messages();
        exchange();
        tell();
        before_.turn(value_of(input_gain, 0));
        after_.turn(value_of(output_gain, 0));
        if (audio::amp* const one = switching_.now())
            for (std::uint32_t k = 0; k < knobs; ++k)
                one->turn(k, value_of(first_knob + k, audio::amp::middle));
        if (std::exchange(is_first_, false)) { // knobs stand where they stand
            before_.settle();
            after_.settle();
            if (audio::amp* const one = switching_.now())
                one->settle();
        }
        auto const* const from = static_cast<float const*>(ports_[in]);
        auto* const to = static_cast<float*>(ports_[out]);
        if (from == nullptr || to == nullptr)
            return;
        before_.process(from, to, count);
        switching_.process({to, count}, {to, count});
        after_.process(to, to, count);
    }

    /// On the worker's thread.
    LV2_Worker_Status work(LV2_Worker_Respond_Function respond, LV2_Worker_Respond_Handle handle,
                           std::uint32_t size, void const* data) {
        order what{};
        if (size < sizeof what)
            return LV2_WORKER_ERR_UNKNOWN;
        std::memcpy(&what, data, sizeof what);
        if (what == order::release) {
            release_message message;
            if (size != sizeof message)
                return LV2_WORKER_ERR_UNKNOWN;
            std::memcpy(&message, data, sizeof message);
            release(message.list);
            return LV2_WORKER_SUCCESS;
        }
        char const* const text = static_cast<char const*>(data) + sizeof what;
        std::unique_ptr<loaded> made = load(std::string(text, strnlen(text, size - sizeof what)));
        if (!made)
            return LV2_WORKER_ERR_UNKNOWN;
        loaded* const passed = made.get();
        LV2_Worker_Status const said = respond(handle, sizeof passed, &passed);
        if (said == LV2_WORKER_SUCCESS)
            (void)made.release(); // work_response has it
        return said;
    }
    /// On the thread of the sound.
    LV2_Worker_Status take(std::uint32_t size, void const* data) noexcept {
        loaded* came = nullptr;
        if (size != sizeof came)
            return LV2_WORKER_ERR_UNKNOWN;
        std::memcpy(&came, data, sizeof came);
        if (next_) // a file that was set while the one before it has not begun
            wait(next_.release());
        next_.reset(came);
        return LV2_WORKER_SUCCESS;
    }

    /// May be called beside run; it reads nothing that run writes.
    LV2_State_Status save(LV2_State_Store_Function store, LV2_State_Handle handle,
                          LV2_Feature const* const* features) const {
        if (uris_.model == 0)
            return LV2_STATE_ERR_NO_FEATURE;
        std::string path = [&] {
            std::lock_guard const lock(of_path_);
            return path_;
        }();
        if (auto const* const map = feature<LV2_State_Map_Path>(features, LV2_STATE__mapPath))
            take_path(map->abstract_path(map->handle, path.c_str()), path);
        return store(handle, uris_.model, path.c_str(), path.size() + 1, uris_.path,
                     LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE);
    }
    /// While nothing runs, or with a worker of its own for this.
    LV2_State_Status restore(LV2_State_Retrieve_Function retrieve, LV2_State_Handle handle,
                             LV2_Feature const* const* features) {
        std::size_t size = 0;
        std::uint32_t type = 0, flags = 0;
        void const* const found = retrieve(handle, uris_.model, &size, &type, &flags);
        if (found == nullptr || type != uris_.path)
            return found == nullptr ? LV2_STATE_ERR_NO_PROPERTY : LV2_STATE_ERR_BAD_TYPE;
        std::string path(static_cast<char const*>(found), strnlen(static_cast<char const*>(found), size));
        if (auto const* const map = feature<LV2_State_Map_Path>(features, LV2_STATE__mapPath))
            take_path(map->absolute_path(map->handle, path.c_str()), path);
        if (auto const* const schedule = feature<LV2_Worker_Schedule>(features, LV2_WORKER__schedule))
            return ask_for(*schedule, path.c_str(), path.size()) ? LV2_STATE_SUCCESS : LV2_STATE_ERR_UNKNOWN;
        std::unique_ptr<loaded> made = load(path);
        if (!made)
            return LV2_STATE_ERR_UNKNOWN;
        switching_ = audio::switching_amp(rate_, std::move(made->amp));
        playing_ = std::move(made);
        is_asked_ = true;
        return LV2_STATE_SUCCESS;
    }

private:
    /// The data of the feature with this URI, or null.
    template <class T>
    static T* feature(LV2_Feature const* const* all, char const* uri) {
        return static_cast<T*>(lv2_features_data(all, uri));
    }
    /// What the host made of a path, if it made something.
    static void take_path(char* made, std::string& path) {
        if (made != nullptr)
            path = made;
        std::free(made);
    }
    void take_map(LV2_URID_Map& map) {
        uris_ = uris(map);
        lv2_atom_forge_init(&forge_, &map);
    }
    float value_of(std::uint32_t number, float otherwise) const noexcept {
        auto const* const value = static_cast<float const*>(ports_[number]);
        return value == nullptr ? otherwise : *value;
    }
    /// What went wrong is said on standard error: a plugin has no other place without the host's log.
    std::unique_ptr<loaded> load(std::string path) noexcept {
        try {
            auto made = std::make_unique<loaded>();
            made->amp = std::make_unique<audio::amp>(audio::read_model_at_rate(path, rate_), rate_);
            made->path = path;
            std::lock_guard const lock(of_path_);
            path_ = std::move(path);
            return made;
        } catch (std::exception const& error) {
            std::fprintf(stderr, "%s: %s\n", own_uri, error.what());
            return nullptr;
        }
    }
    static void release(loaded* list) noexcept {
        while (list != nullptr)
            delete std::exchange(list, list->next);
    }

    static bool ask_for(LV2_Worker_Schedule const& schedule, char const* path, std::size_t length) noexcept {
        std::array<char, sizeof(order) + longest_path> message{};
        if (length >= longest_path)
            return false;
        order const what = order::load;
        std::memcpy(message.data(), &what, sizeof what);
        std::memcpy(message.data() + sizeof what, path, length);
        return schedule.schedule_work(schedule.handle, static_cast<std::uint32_t>(sizeof what + length + 1),
                                      message.data()) == LV2_WORKER_SUCCESS;
    }
    void read_messages() noexcept {
        auto const* const sequence = static_cast<LV2_Atom_Sequence const*>(ports_[control]);
        if (sequence == nullptr || uris_.model == 0)
            return;
        LV2_ATOM_SEQUENCE_FOREACH(sequence, event) {
            auto const* const object = reinterpret_cast<LV2_Atom_Object const*>(&event->body);
            if (event->body.size < sizeof(LV2_Atom_Object_Body))
                continue;
            LV2_Atom const* property = nullptr;
            LV2_Atom const* value = nullptr;
            lv2_atom_object_get(object, uris_.property, &property, uris_.value, &value, 0);
            bool const is_of_model = property != nullptr && property->type == uris_.urid &&
                                     reinterpret_cast<LV2_Atom_URID const*>(property)->body == uris_.model;
            if (object->body.otype == uris_.get)
                is_asked_ = is_asked_ || property == nullptr || is_of_model;
            else if (object->body.otype == uris_.set && is_of_model && value != nullptr &&
                     (value->type == uris_.path || value->type == uris_.string) && schedule_ != nullptr) {
                auto const* const path = reinterpret_cast<char const*>(value + 1);
                ask_for(*schedule_, path, strnlen(path, value->size));
            }
        }
    }
    /// The file that plays, where the host asked for it, or it has changed. Nothing where there is no room.
    void tell() noexcept {
        auto* const sequence = static_cast<LV2_Atom_Sequence*>(ports_[notify]);
        if (sequence == nullptr || uris_.model == 0)
            return;
        std::uint32_t const room = sequence->atom.size; // as hosts say it
        std::string const& path = playing_->path;
        constexpr std::size_t beside = 256;
        if (room < sizeof(LV2_Atom_Sequence))
            return;
        lv2_atom_forge_set_buffer(&forge_, reinterpret_cast<std::uint8_t*>(sequence), room);
        LV2_Atom_Forge_Frame all, object;
        lv2_atom_forge_sequence_head(&forge_, &all, 0);
        if (is_asked_ && !path.empty() && room >= path.size() + beside) {
            lv2_atom_forge_frame_time(&forge_, 0);
            lv2_atom_forge_object(&forge_, &object, 0, uris_.set);
            lv2_atom_forge_key(&forge_, uris_.property);
            lv2_atom_forge_urid(&forge_, uris_.model);
            lv2_atom_forge_key(&forge_, uris_.value);
            lv2_atom_forge_path(&forge_, path.c_str(), static_cast<std::uint32_t>(path.size()));
            lv2_atom_forge_pop(&forge_, &object);
        }
        lv2_atom_forge_pop(&forge_, &all);
        is_asked_ = false;
    }

    void wait(loaded* one) noexcept {
        one->next = waiting_;
        waiting_ = one;
    }
    /// Begins what was loaded, and sends what is no longer heard to the worker.
    void exchange() noexcept {
        if (next_ && !unheard_ && !switching_.is_fading()) {
            for (std::uint32_t k = 0; k < knobs; ++k)
                next_->amp->turn(k, value_of(first_knob + k, audio::amp::middle));
            next_->amp->settle();
            next_->amp = switching_.start(std::move(next_->amp));
            unheard_ = std::exchange(playing_, std::move(next_));
            is_asked_ = true; // hosts are told
        }
        if (unheard_ && !switching_.is_fading()) {
            unheard_->amp = switching_.finished();
            wait(unheard_.release());
        }
        if (waiting_ == nullptr || schedule_ == nullptr)
            return;
        release_message const message{order::release, waiting_};
        if (schedule_->schedule_work(schedule_->handle, sizeof message, &message) == LV2_WORKER_SUCCESS)
            waiting_ = nullptr; // otherwise at the next run
    }

    double rate_;
    uris uris_{};
    LV2_Worker_Schedule const* schedule_ = nullptr;
    std::array<void*, first_knob + knobs> ports_{};
    audio::gain before_, after_;
    audio::switching_amp switching_;
    // Whose amplifiers are in switching_: the one that plays, and the one that fades; next_ has its own
    // still.
    std::unique_ptr<loaded> playing_ = std::make_unique<loaded>(), unheard_{}, next_{};
    loaded* waiting_ = nullptr; // to be freed
    // The file that was read last: what is saved. The thread of the sound has nothing to do with it.
    std::string path_{};
    mutable std::mutex of_path_{};
    bool is_first_ = true, is_asked_ = false;
    LV2_Atom_Forge forge_{};
};

plugin& of(LV2_Handle handle) {
    return *static_cast<plugin*>(handle);
}

LV2_Handle instantiate(LV2_Descriptor const*, double rate, char const* bundle,
                       LV2_Feature const* const* features) {
    try {
        return new plugin(rate, bundle, features);
    } catch (std::exception const& error) {
        std::fprintf(stderr, "%s: %s\n", own_uri, error.what());
        return nullptr;
    }
}

/// f(), and what it throws as a status: hosts are written in C.
template <class Status, class F>
Status guarded(Status otherwise, F const& f) noexcept {
    try {
        return f();
    } catch (std::exception const& error) {
        std::fprintf(stderr, "%s: %s\n", own_uri, error.what());
        return otherwise;
    }
}

void const* extension(char const* uri) {
    static LV2_Worker_Interface const worker{
        [](LV2_Handle handle, LV2_Worker_Respond_Function respond, LV2_Worker_Respond_Handle to,
           std::uint32_t size, void const* data) {
            return guarded(LV2_WORKER_ERR_UNKNOWN, [&] { return of(handle).work(respond, to, size, data); });
        },
        [](LV2_Handle handle, std::uint32_t size, void const* data) { return of(handle).take(size, data); },
        nullptr};
    static LV2_State_Interface const state{
        [](LV2_Handle handle, LV2_State_Store_Function store, LV2_State_Handle to, std::uint32_t,
           LV2_Feature const* const* features) {
            return guarded(LV2_STATE_ERR_UNKNOWN, [&] { return of(handle).save(store, to, features); });
        },
        [](LV2_Handle handle, LV2_State_Retrieve_Function retrieve, LV2_State_Handle from, std::uint32_t,
           LV2_Feature const* const* features) {
            return guarded(LV2_STATE_ERR_UNKNOWN,
                           [&] { return of(handle).restore(retrieve, from, features); });
        }};
    if (std::strcmp(uri, LV2_WORKER__interface) == 0)
        return &worker;
    return std::strcmp(uri, LV2_STATE__interface) == 0 ? static_cast<void const*>(&state) : nullptr;
}

} // namespace

LV2_SYMBOL_EXPORT LV2_Descriptor const* lv2_descriptor(std::uint32_t index) {
    static LV2_Descriptor const descriptor{
        own_uri,
        instantiate,
        [](LV2_Handle handle, std::uint32_t number, void* data) { of(handle).connect(number, data); },
        [](LV2_Handle handle) { guarded(0, [&] { return of(handle).activate(), 0; }); },
        [](LV2_Handle handle, std::uint32_t count) { of(handle).run(count); },
        nullptr,
        [](LV2_Handle handle) { delete &of(handle); },
        extension};
    return index == 0 ? &descriptor : nullptr;
}
