// SPDX-License-Identifier: BSL-1.0
// Libraries of kernels, and launches. Blocks run one after the other, and so do the threads of a block,
// unless they meet at barriers. The first launches of a kernel run twice, the second time backwards, and have
// to give the same.
#include "kernels.hpp"
#include "work.hpp"
#include <algorithm>
#include <cstdlib>
#include <cstring>

struct CUlib_st {
    bool alive = true;
    host_device::kernel_text text{};
    host_device::image const* compiled = nullptr;
    std::map<std::string, cudaKernel_t> kernels{};
};
struct CUkern_st {
    bool alive = true;
    cudaLibrary_t library = nullptr;
    host_device::compiled_kernel const* compiled = nullptr;
    std::size_t most_dynamic_shared = 48 << 10;
    unsigned most_threads = 1024;
    int launches = 0;
};

namespace host_device {

namespace {

registry<CUlib_st>& libraries() {
    static auto& it = *new registry<CUlib_st>("library of kernels");
    return it;
}
registry<CUkern_st>& kernels() {
    static auto& it = *new registry<CUkern_st>("kernel");
    return it;
}

constexpr std::size_t most_argument_bytes = 32764;
constexpr std::size_t most_compared_bytes = 16 << 20;
constexpr int compared_launches = 2;

// One thread after another
// ----------------------------------------------------------------------------------------

launch* now = nullptr;

host_index at_place(unsigned i, host_index const& extents) {
    return {i % extents.x, i / extents.x % extents.y, i / extents.x / extents.y};
}
void run_thread(unsigned i) {
    *now->from->table->thread = at_place(i, now->block);
    if (now->from->trace)
        set_traced_thread(i);
    now->kernel->call(now->pointers());
}

void nothing_at_barrier(int) {
    stop({"a barrier is met by threads that run one after the other"});
}

} // namespace

void** launch::pointers() {
    pointers_.clear();
    for (std::size_t const offset : offsets)
        pointers_.push_back(arguments.data() + offset);
    return pointers_.data();
}

std::string running_thread() {
    if (now == nullptr)
        return "no kernel runs";
    auto const text = [](host_index const& i) { return sentence({"(", i.x, ", ", i.y, ", ", i.z, ")"}); };
    return sentence({"block ", text(*now->from->table->block), ", thread ", text(*now->from->table->thread)});
}

void run_blocks(launch& what, bool backwards) {
    now = &what;
    compiled_image const& table = *what.from->table;
    static std::vector<unsigned char> dynamic_shared;
    host_calls calls{what.from->meets ? meet_at_barrier : nothing_at_barrier, exchange_in_warp, vote_in_warp,
                     trace_access, nullptr};
    *table.calls = &calls;
    *table.block_extents = what.block;
    *table.grid_extents = what.grid;
    if (what.from->trace)
        begin_trace(what, __builtin_frame_address(0));
    unsigned const blocks = what.grid.x * what.grid.y * what.grid.z;
    for (unsigned b = 0; b < blocks; ++b) {
        *table.block = at_place(backwards ? blocks - 1 - b : b, what.grid);
        poison(table.shared_first, static_cast<std::size_t>(static_cast<char*>(table.shared_last) -
                                                            static_cast<char*>(table.shared_first)));
        dynamic_shared.assign(what.dynamic_shared + 16, 0xFF);
        auto const first = reinterpret_cast<std::uintptr_t>(dynamic_shared.data());
        calls.dynamic_shared = dynamic_shared.data() + (16 - first % 16) % 16;
        if (what.from->trace)
            begin_traced_block(calls.dynamic_shared, what.dynamic_shared);
        if (what.from->meets)
            run_block_of_fibers(what, backwards, run_thread);
        else
            for (unsigned t = 0; t < what.threads(); ++t)
                run_thread(backwards ? what.threads() - 1 - t : t);
    }
    *table.calls = nullptr;
    now = nullptr;
}

namespace {

// Blocks of memory
// ------------------------------------------------------------------------------------------------

/// The blocks that arguments lead to. An address of the device has to lie in one that is alive.
std::vector<block> blocks_of(launch const& what) {
    std::vector<block> them;
    for (unsigned i = 0; i < what.kernel->count; ++i) {
        std::size_t const size = what.kernel->sizes[i];
        for (std::size_t at = 0; at + 8 <= size; at += 8) {
            void* p = nullptr;
            std::memcpy(&p, what.arguments.data() + what.offsets[i] + at, 8);
            if (is_device_address(p)) {
                block const* const b = nearest_block(p);
                // An empty range may begin at the end of a block.
                if (b == nullptr || !b->alive || reinterpret_cast<std::uintptr_t>(p) > b->first + b->bytes)
                    stop({"argument ", i, " of the kernel, byte ", at, ": ", where(p)});
                auto const same = [b](block const& other) { return other.first == b->first; };
                if (std::none_of(them.begin(), them.end(), same))
                    them.push_back(*b);
            } else if (what.kernel->pointers[i] && p != nullptr) {
                stop({"argument ", i, " of the kernel is an address of the host"});
            }
        }
    }
    return them;
}

using snapshot = std::vector<std::vector<unsigned char>>;

snapshot memory_now(std::vector<block> const& blocks) {
    snapshot s;
    for (block const& b : blocks) {
        auto const* const p = reinterpret_cast<unsigned char const*>(b.first);
        s.emplace_back(p, p + b.bytes);
    }
    return s;
}

/// Once more backwards, with something else beside the blocks: what reads that gets other numbers, and what
/// writes NaN there is seen.
void run_in_both_orders(launch& what, std::vector<block> const& blocks) {
    snapshot const before = memory_now(blocks);
    run_blocks(what, false);
    snapshot const after = memory_now(blocks);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        std::memcpy(reinterpret_cast<void*>(blocks[i].first), before[i].data(), before[i].size());
        check_slack(blocks[i]);
        fill_slack(blocks[i], other_slack);
    }
    run_blocks(what, true);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        check_slack(blocks[i], other_slack);
        fill_slack(blocks[i], usual_slack);
        auto const* const p = reinterpret_cast<unsigned char const*>(blocks[i].first);
        auto const different = std::mismatch(after[i].begin(), after[i].end(), p);
        if (different.first != after[i].end())
            stop({"threads in another order give other numbers, at ", where(different.second),
                  ": two threads use the same memory, a barrier is missing, or numbers behind the end of a "
                  "block are "
                  "read"});
    }
}

void run_launch(launch& what, CUkern_st& kernel) {
    if (!kernel.library->alive)
        stop({"its library was unloaded"});
    auto const blocks = blocks_of(what);
    std::size_t bytes = 0;
    std::vector<void const*> memory;
    for (block const& b : blocks) {
        bytes += b.bytes;
        memory.push_back(reinterpret_cast<void const*>(b.first));
        if (!b.ready)
            stop({"allocation ", b.number, " is used before its place in a stream"});
    }
    open_memory const open(memory);
    if (bytes <= most_compared_bytes && kernel.launches++ < compared_launches)
        run_in_both_orders(what, blocks);
    else
        run_blocks(what, false);
    for (block const& b : blocks)
        check_slack(b);
    ++work().counted.launches;
}

// Libraries
// -------------------------------------------------------------------------------------------------------

bool runs_here(std::string const& architecture) {
    std::size_t const digits = architecture.find('_') + 1;
    int const number = std::atoi(architecture.c_str() + digits), here = control().architecture;
    bool const exact = architecture.back() == 'a';
    if (exact)
        return number == here;
    if (architecture.compare(0, 8, "compute_") == 0)
        return number <= here;
    return number / 10 == here / 10 && number <= here;
}

cudaError_t load(cudaLibrary_t* library, void const* code) {
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return error;
    if (library == nullptr || code == nullptr)
        return cudaErrorInvalidValue;
    auto text = kernel_text::unpacked(static_cast<char const*>(code));
    if (!text)
        return cudaErrorInvalidKernelImage;
    if (!runs_here(text->architecture))
        return cudaErrorNoKernelImageForDevice;
    std::string log;
    CUlib_st made;
    made.compiled = compile(*text, log);
    if (made.compiled == nullptr)
        stop({"the text of a kernel is refused by the compiler of the host: ", log});
    made.text = std::move(*text);
    *library = libraries().make(std::move(made));
    for (unsigned i = 0; i < (*library)->compiled->table->count; ++i) {
        CUkern_st kernel;
        kernel.library = *library;
        kernel.compiled = (*library)->compiled->table->kernels + i;
        for (written_kernel const& k : kernels_of((*library)->text.text))
            if (k.name == kernel.compiled->name)
                kernel.most_threads = k.most_threads;
        (*library)->kernels[kernel.compiled->name] = kernels().make(std::move(kernel));
    }
    return cudaSuccess;
}

// Launches
// --------------------------------------------------------------------------------------------------------

cudaError_t enqueue_launch(cudaLaunchConfig_t const& c, void const* function, void** arguments) {
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return error;
    if (function == nullptr)
        return cudaErrorInvalidDeviceFunction;
    CUkern_st& kernel = kernels().at(static_cast<CUkern_st*>(const_cast<void*>(function)));
    require_stream(c.stream);
    if (c.numAttrs != 0)
        stop({"attributes of a launch are not part of this device"});
    auto const threads = static_cast<unsigned long long>(c.blockDim.x) * c.blockDim.y * c.blockDim.z;
    if (threads == 0 || threads > 1024 || c.blockDim.z > 64 || c.gridDim.x == 0 || c.gridDim.y == 0 ||
        c.gridDim.z == 0 || c.gridDim.x > 2147483647u || c.gridDim.y > 65535 || c.gridDim.z > 65535)
        return cudaErrorInvalidConfiguration;
    if (threads > kernel.most_threads)
        return cudaErrorLaunchOutOfResources;
    if (c.dynamicSmemBytes > kernel.most_dynamic_shared)
        return cudaErrorInvalidValue;
    auto const what = std::make_shared<launch>();
    what->from = kernel.library->compiled;
    what->kernel = kernel.compiled;
    what->grid = {c.gridDim.x, c.gridDim.y, c.gridDim.z};
    what->block = {c.blockDim.x, c.blockDim.y, c.blockDim.z};
    what->dynamic_shared = c.dynamicSmemBytes;
    if (kernel.compiled->count > 0 && arguments == nullptr)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < kernel.compiled->count; ++i) {
        std::size_t const size = kernel.compiled->sizes[i], at = (what->arguments.size() + 15) / 16 * 16;
        if (arguments[i] == nullptr)
            stop({"argument ", i, " of the kernel is not given"});
        what->arguments.resize(at + size);
        std::memcpy(what->arguments.data() + at, arguments[i], size);
        what->offsets.push_back(at);
    }
    if (what->arguments.size() > most_argument_bytes)
        return cudaErrorInvalidValue;
    blocks_of(*what);
    return enqueue(c.stream, sentence({"kernel ", kernel.compiled->name}), {},
                   [what, &kernel] { run_launch(*what, kernel); });
}

} // namespace

} // namespace host_device

using namespace host_device;

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, void const* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
    entry const e("cudaLibraryLoadData");
    cudaError_t const error = load(library, code);
    if (error == cudaSuccess)
        ++work().counted.libraries;
    return report(error);
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    entry const e("cudaLibraryUnload");
    CUlib_st& l = libraries().at(library);
    for (auto const& [name, kernel] : l.kernels)
        kernels().destroy(kernel);
    libraries().destroy(library);
    --work().counted.libraries;
    return cudaSuccess;
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, char const* name) {
    entry const e("cudaLibraryGetKernel");
    CUlib_st const& l = libraries().at(library);
    if (kernel == nullptr || name == nullptr)
        return report(cudaErrorInvalidValue);
    auto const found = l.kernels.find(name);
    if (found == l.kernels.end())
        return report(cudaErrorSymbolNotFound);
    *kernel = found->second;
    return cudaSuccess;
}
cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
    entry const e("cudaLibraryGetKernelCount");
    *count = static_cast<unsigned>(libraries().at(library).kernels.size());
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* function, void** arguments) {
    entry const e("cudaLaunchKernelExC");
    if (config == nullptr)
        return report(cudaErrorInvalidValue);
    return report(enqueue_launch(*config, function, arguments));
}
cudaError_t cudaLaunchKernel(void const* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_shared, cudaStream_t stream) {
    entry const e("cudaLaunchKernel");
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = dynamic_shared;
    config.stream = stream;
    return report(enqueue_launch(config, function, arguments));
}

namespace {

cudaError_t set_attribute(CUkern_st& kernel, cudaFuncAttribute attribute, int value) {
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        stop({"attribute ", static_cast<int>(attribute), " is not part of this device"});
    int most = 0;
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    if (value < 0 || value > most)
        return cudaErrorInvalidValue;
    kernel.most_dynamic_shared = static_cast<std::size_t>(value);
    return cudaSuccess;
}
CUkern_st& kernel_of(void const* function) {
    return kernels().at(static_cast<CUkern_st*>(const_cast<void*>(function)));
}

} // namespace

cudaError_t cudaFuncSetAttribute(void const* function, cudaFuncAttribute attribute, int value) {
    entry const e("cudaFuncSetAttribute");
    return report(set_attribute(kernel_of(function), attribute, value));
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                            int device) {
    entry const e("cudaKernelSetAttributeForDevice");
    if (device != 0)
        return report(cudaErrorInvalidDevice);
    return report(set_attribute(kernel_of(kernel), attribute, value));
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void const* function,
                                                                   int threads, std::size_t, unsigned) {
    entry const e("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    kernel_of(function);
    if (blocks == nullptr || threads < 1)
        return report(cudaErrorInvalidValue);
    *blocks = threads > 1024 ? 0 : std::min(32, 2048 / threads);
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void const* function, int threads,
                                                          std::size_t dynamic_shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic_shared,
                                                                  0);
}
