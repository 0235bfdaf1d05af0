// SPDX-License-Identifier: BSL-1.0
// Device memory: one range of addresses that may not be touched, and the keys to it.
#include "memory.hpp"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace host_device {

namespace {

constexpr std::size_t page = 4096, alignment = 256;
/// Where pages are opened by mprotect, blocks larger than this are opened by such parts as they are touched:
/// a loop over time steps touches little of its sequences at a time.
constexpr std::size_t large = std::size_t(1) << 16;

std::size_t up(std::size_t n, std::size_t to) {
    return (n + to - 1) / to * to;
}
std::uintptr_t address(void const* p) {
    return reinterpret_cast<std::uintptr_t>(p);
}
unsigned char* pointer(std::uintptr_t a) {
    return reinterpret_cast<unsigned char*>(a);
}

struct arena {
    std::uintptr_t first = 0, next = 0, last = 0;
    int key = -1;                     ///< a protection key; -1: pages are opened by mprotect
    std::vector<block> blocks{};      ///< of all time, by address
    std::vector<std::size_t> alive{}; ///< their places in `blocks`, ascending
    std::size_t in_use = 0;

    arena() {
        for (std::size_t size = std::size_t(1) << 40; size > bytes_of_device; size /= 2) {
            void* const p =
                ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (p == MAP_FAILED)
                continue;
            first = next = address(p);
            last = first + size;
            break;
        }
        if (first == 0)
            stop({"the process cannot reserve addresses for the memory of a device"});
        if (control().protection_keys)
            key = ::pkey_alloc(0, PKEY_DISABLE_ACCESS);
    }
    /// Of the pages from an address on, those that are the block's.
    void protect(block const& b, std::uintptr_t from, std::size_t bytes, int how) const {
        std::uintptr_t const begin = std::max(from, b.first / page * page);
        std::uintptr_t const end = std::min(from + bytes, up(b.first + b.bytes, page));
        if (::mprotect(pointer(begin), end - begin, how) != 0)
            stop({"mprotect of ", where(pointer(b.first)), " failed: ", std::strerror(errno)});
    }
    void protect(block const& b, int how) const {
        protect(b, b.first / page * page, up(b.bytes, page) + page, how);
    }

    void open(block const& b) const {
        if (b.bytes <= large)
            protect(b, PROT_READ | PROT_WRITE);
    }
    void close(block& b) const {
        if (b.bytes <= large)
            protect(b, PROT_NONE);
        for (std::uintptr_t const part : b.parts)
            protect(b, part, large, PROT_NONE);
        b.parts.clear();
    }
    /// Opens the part that an address lies in; false where it is none of an open block.
    bool open_part(void const* p) const;
};
arena& device() {
    static arena& it = *new arena;
    return it;
}

thread_local int openings = 0;
thread_local char const* current = nullptr;
std::recursive_mutex& gate() {
    static auto& it = *new std::recursive_mutex;
    return it;
}

bool arena::open_part(void const* p) const {
    block* const b = nearest_block(pointer(address(p) | (page - 1))); // a page is of one block
    if (key >= 0 || b == nullptr || b->opened == 0 || b->bytes <= large ||
        address(p) >= up(b->first + b->bytes, page))
        return false;
    std::uintptr_t const part = address(p) / large * large;
    protect(*b, part, large, PROT_READ | PROT_WRITE);
    b->parts.push_back(part);
    return true;
}

struct sigaction previous_action {};

void on_fault(int number, siginfo_t* info, void*) {
    if (!is_device_address(info->si_addr)) {
        ::sigaction(number, &previous_action, nullptr); // happens again, and is then another handler's
        return;
    }
    if (openings > 0 && device().open_part(info->si_addr))
        return;
    if (openings > 0)
        stop({"memory is touched that is none of the device's blocks: ", where(info->si_addr)});
    current = nullptr;
    stop({"the host touched device memory: ", where(info->si_addr), "; ", count().pending,
          " operations wait. Copy it to the host, and wait for the copy"});
}

bool is_filled(unsigned char const* p, std::size_t bytes, unsigned char with) {
    return bytes == 0 || (p[0] == with && std::memcmp(p, p + 1, bytes - 1) == 0);
}

} // namespace

// Sentences
// -----------------------------------------------------------------------------------------------------

std::string sentence(std::initializer_list<part> parts) {
    std::string s;
    for (part const& p : parts)
        s += p.text();
    return s;
}

void stop(std::initializer_list<part> parts) {
    std::string text = "device of the host: ";
    if (current != nullptr)
        text += sentence({current, ": "});
    text += sentence(parts) + "\n";
    for (std::size_t done = 0; done < text.size();) {
        auto const written = ::write(2, text.data() + done, text.size() - done);
        if (written <= 0)
            break;
        done += static_cast<std::size_t>(written);
    }
    std::abort();
}

entry::entry(char const* name) : outer_(current) {
    gate().lock();
    watch_signals();
    if (current == nullptr)
        current = name;
}
entry::~entry() {
    current = outer_;
    gate().unlock();
}
char const* current_call() {
    return current;
}

running::running(char const* name) : outer_(current) {
    current = name;
}
running::~running() {
    current = outer_;
}

void watch_signals() {
    struct sigaction now {};
    ::sigaction(SIGSEGV, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault)
        return;
    previous_action = now;
    struct sigaction ours {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    ::sigaction(SIGSEGV, &ours, nullptr);
}

// Blocks
// --------------------------------------------------------------------------------------------------------

bool is_device_address(void const* p) {
    arena const& d = device();
    return address(p) >= d.first && address(p) < d.last;
}

block* nearest_block(void const* p) {
    auto& all = device().blocks;
    auto const above = std::upper_bound(all.begin(), all.end(), address(p),
                                        [](std::uintptr_t a, block const& b) { return a < b.first; });
    return above == all.begin() ? nullptr : &*std::prev(above);
}

std::size_t device_bytes(void const* p) {
    block const* const b = is_device_address(p) ? nearest_block(p) : nullptr;
    return b == nullptr || !b->alive || address(p) >= b->first + b->bytes ? 0
                                                                          : b->first + b->bytes - address(p);
}

std::string where(void const* p) {
    if (p == nullptr)
        return "the null pointer";
    if (!is_device_address(p))
        return "an address of the host";
    block const* const b = nearest_block(p);
    if (b == nullptr)
        return "an address in front of every allocation";
    std::size_t const offset = address(p) - b->first;
    std::string s = offset < b->bytes ? sentence({"byte ", offset, " of"})
                                      : sentence({offset - b->bytes, " bytes behind the end of"});
    return s + sentence({" allocation ", b->number, " of ", b->bytes, " bytes",
                         b->alive ? "" : ", which was released"});
}

void require_device(char const* what, void const* p, std::size_t bytes) {
    if (bytes != 0 && device_bytes(p) < bytes)
        stop(
            {what, ": needs ", bytes, " bytes of device memory, has ", device_bytes(p), " (", where(p), ")"});
}

void require_host(char const* what, void const* p, std::size_t bytes) {
    if (bytes != 0 && (p == nullptr || is_device_address(p)))
        stop({what, ": needs ", bytes, " bytes of the host's memory, is given ", where(p)});
}

std::size_t bytes_in_use() {
    return device().in_use;
}
long count_blocks() {
    return static_cast<long>(device().alive.size());
}

void* allocate_device(std::size_t bytes) {
    arena& d = device();
    if (control().fail_allocation > 0 && --control().fail_allocation == 0)
        return nullptr;
    std::size_t const used = up(bytes, alignment), pages = up(used, page);
    if (bytes == 0 || bytes > bytes_of_device || d.in_use + bytes > bytes_of_device ||
        d.next + pages + page > d.last)
        return nullptr;
    std::uintptr_t const from = d.next;
    d.next += pages + page;
    block const b{from + pages - used, bytes, static_cast<long>(d.blocks.size()) + 1, true, 0, true};
    bool const good = d.key < 0 || ::pkey_mprotect(pointer(from), pages, PROT_READ | PROT_WRITE, d.key) == 0;
    if (!good)
        stop({"the pages of an allocation of ", bytes, " bytes cannot be made: ", std::strerror(errno)});
    d.alive.push_back(d.blocks.size());
    d.blocks.push_back(b);
    d.in_use += bytes;
    open_memory const open({pointer(b.first)});
    std::memset(pointer(from), 0xFF, pages);
    return pointer(b.first);
}

void release_device(void* p) {
    arena& d = device();
    block* const b = is_device_address(p) ? nearest_block(p) : nullptr;
    if (b == nullptr || b->first != address(p) || !b->alive)
        stop({"is to release what is not the beginning of an allocation: ", where(p)});
    check_slack(*b);
    b->alive = false;
    d.in_use -= b->bytes;
    d.alive.erase(std::find(d.alive.begin(), d.alive.end(), static_cast<std::size_t>(b - d.blocks.data())));
    std::uintptr_t const from = b->first / page * page;
    if (::mmap(pointer(from), up(b->first + b->bytes - from, page), PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        stop({"the pages of an allocation cannot be given back: ", std::strerror(errno)});
}

void fill_slack(block const& b, unsigned char with) {
    open_memory const open({pointer(b.first)});
    std::memset(pointer(b.first + b.bytes), with, up(b.bytes, alignment) - b.bytes);
    std::memset(pointer(b.first / page * page), with, b.first % page);
}

void check_slack(block const& b, unsigned char with) {
    open_memory const open({pointer(b.first)});
    if (!is_filled(pointer(b.first + b.bytes), up(b.bytes, alignment) - b.bytes, with))
        stop({"something was written behind the end of allocation ", b.number, " of ", b.bytes, " bytes"});
    if (!is_filled(pointer(b.first / page * page), b.first % page, with))
        stop({"something was written in front of allocation ", b.number, " of ", b.bytes, " bytes"});
}

open_memory::open_memory(std::vector<void const*> const& addresses) {
    arena& d = device();
    if (openings++ == 0 && d.key >= 0)
        ::pkey_set(d.key, 0);
    if (d.key >= 0)
        return;
    for (void const* const p : addresses)
        if (block* const b = nearest_block(p); is_device_address(p) && b != nullptr && b->alive) {
            opened_.push_back(p);
            if (b->opened++ == 0)
                d.open(*b);
        }
}
open_memory::~open_memory() {
    arena& d = device();
    if (--openings == 0 && d.key >= 0)
        ::pkey_set(d.key, PKEY_DISABLE_ACCESS);
    for (void const* const p : opened_)
        if (block* const b = nearest_block(p); --b->opened == 0 && b->alive)
            d.close(*b);
}

void poison(void* p, std::size_t bytes) {
    if (bytes != 0)
        std::memset(p, 0xFF, bytes);
}

std::uint64_t content_hash(void const* p, std::size_t bytes) {
    auto const* const at = static_cast<unsigned char const*>(p);
    std::uint64_t h = 0xcbf29ce484222325u ^ bytes;
    for (std::size_t i = 0; i < bytes; ++i)
        h = (h ^ at[i]) * 0x100000001b3u;
    return h;
}

std::vector<pinned_block>& pinned() {
    static auto& it = *new std::vector<pinned_block>;
    return it;
}

} // namespace host_device
