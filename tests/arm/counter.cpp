// SPDX-License-Identifier: BSL-1.0
// A plugin of QEMU that counts the instructions of the emulated program: each block of them, when it is
// translated, is given an addition of its length. The declarations are those of qemu-plugin.h, which Debian
// has in no package.
#include <cinttypes>
#include <cstddef>
#include <cstdio>

extern "C" {
struct qemu_plugin_tb;
void qemu_plugin_register_vcpu_tb_trans_cb(std::uint64_t id, void (*)(std::uint64_t, qemu_plugin_tb*));
void qemu_plugin_register_atexit_cb(std::uint64_t id, void (*)(std::uint64_t, void*), void*);
std::size_t qemu_plugin_tb_n_insns(qemu_plugin_tb const*);
void qemu_plugin_register_vcpu_tb_exec_inline(qemu_plugin_tb*, int operation, void*, std::uint64_t);

[[gnu::visibility("default")]] extern int const qemu_plugin_version;
int const qemu_plugin_version = 1;

[[gnu::visibility("default")]] int qemu_plugin_install(std::uint64_t id, void const*, int, char**);
}

namespace {

std::uint64_t instructions = 0;

void add_length(std::uint64_t, qemu_plugin_tb* block) {
    constexpr int add = 0;
    qemu_plugin_register_vcpu_tb_exec_inline(block, add, &instructions, qemu_plugin_tb_n_insns(block));
}
void print(std::uint64_t, void*) {
    std::fprintf(stderr, "%" PRIu64 "\n", instructions);
}

} // namespace

int qemu_plugin_install(std::uint64_t id, void const*, int, char**) {
    qemu_plugin_register_vcpu_tb_trans_cb(id, add_length);
    qemu_plugin_register_atexit_cb(id, print, nullptr);
    return 0;
}
