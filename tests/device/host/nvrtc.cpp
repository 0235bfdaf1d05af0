// SPDX-License-Identifier: BSL-1.0
// NVRTC. A text goes to the real NVRTC where that is present, whose status, log and names are what the caller
// sees, and to the compiler of the host. Where the first accepts and the second refuses, the program stops.
#include "kernels.hpp"
#include "work.hpp"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <nvrtc.h>

struct _nvrtcProgram {
    bool alive = true;
    std::string text{}, name{}, log{}, packed{};
    std::vector<std::string> expressions{};
    std::map<std::string, std::string> lowered{};
    bool compiled = false;
    bool is_cubin = false;
};

namespace host_device {

namespace {

registry<_nvrtcProgram>& programs() {
    static auto& it = *new registry<_nvrtcProgram>("NVRTC program");
    return it;
}

/// The real library; null where it is not, or is not to be asked.
void* real_library() {
    static void* const library = [] {
        void* found = nullptr;
        for (char const* const path : {SLUICE_HOST_NVRTC, "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
            if (found == nullptr && *path != 0)
                found = ::dlopen(path, RTLD_LAZY | RTLD_LOCAL);
        return found;
    }();
    return control().real_nvrtc ? library : nullptr;
}
/// The real library's function of the type of one that is defined here.
template <class F>
F* real(F*, char const* name) {
    void* const p = ::dlsym(real_library(), name);
    if (p == nullptr)
        stop({"the real NVRTC lacks ", name});
    return reinterpret_cast<F*>(p);
}

/// What a text was found to be; kept in a file, as the real NVRTC needs longer than the compiler of the host.
struct verdict {
    nvrtcResult result = NVRTC_SUCCESS;
    std::string log{};
    std::vector<std::string> lowered{};
};

std::string text_of(verdict const& v) {
    std::string s = sentence({static_cast<int>(v.result), "\n", v.lowered.size(), "\n"});
    for (std::string const& name : v.lowered)
        s += name + "\n";
    return s + v.log;
}
verdict verdict_of(std::string const& s) {
    verdict v;
    std::size_t at = 0;
    auto const line = [&] {
        std::size_t const end = s.find('\n', at);
        std::string const found = s.substr(at, end - at);
        at = end + 1;
        return found;
    };
    v.result = static_cast<nvrtcResult>(std::atoi(line().c_str()));
    for (int n = std::atoi(line().c_str()); n > 0; --n)
        v.lowered.push_back(line());
    v.log = s.substr(at);
    return v;
}

verdict ask_real(_nvrtcProgram const& p, std::vector<char const*> const& options) {
    int major = 0, minor = 0;
    real(nvrtcVersion, "nvrtcVersion")(&major, &minor);
    std::string key = sentence({"NVRTC ", major, ".", minor, "\n", p.name, "\n", p.text});
    for (char const* const o : options)
        key += sentence({"\n", o});
    for (std::string const& e : p.expressions)
        key += "\n" + e;
    std::string const path = sentence({cache_folder(), "/", name_of_content(key), ".verdict"});
    if (auto const known = read_file(path))
        return verdict_of(*known);

    verdict v;
    nvrtcProgram program = nullptr;
    v.result = real(nvrtcCreateProgram, "nvrtcCreateProgram")(&program, p.text.c_str(), p.name.c_str(), 0,
                                                              nullptr, nullptr);
    if (v.result != NVRTC_SUCCESS)
        return v;
    for (std::string const& e : p.expressions)
        real(nvrtcAddNameExpression, "nvrtcAddNameExpression")(program, e.c_str());
    v.result = real(nvrtcCompileProgram, "nvrtcCompileProgram")(program, static_cast<int>(options.size()),
                                                                options.data());
    std::size_t size = 0;
    if (real(nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize")(program, &size) == NVRTC_SUCCESS && size > 1) {
        v.log.resize(size);
        real(nvrtcGetProgramLog, "nvrtcGetProgramLog")(program, v.log.data());
        v.log.resize(size - 1);
    }
    for (std::string const& e : p.expressions) {
        char const* lowered = nullptr;
        if (v.result == NVRTC_SUCCESS)
            real(nvrtcGetLoweredName, "nvrtcGetLoweredName")(program, e.c_str(), &lowered);
        v.lowered.push_back(lowered != nullptr ? lowered : "");
    }
    real(nvrtcDestroyProgram, "nvrtcDestroyProgram")(&program);
    write_file(path, text_of(v));
    return v;
}

/// The value of an option that may be spelled in two ways.
std::optional<std::string> value_of(std::vector<char const*> const& options, std::string_view name,
                                    std::string_view other) {
    for (std::size_t i = 0; i < options.size(); ++i) {
        std::string_view const o = options[i];
        for (std::string_view const n : {name, other}) {
            if (o.substr(0, n.size()) == n && o.size() > n.size() && o[n.size()] == '=')
                return std::string(o.substr(n.size() + 1));
            if (o == n && i + 1 < options.size())
                return std::string(options[i + 1]);
        }
    }
    return std::nullopt;
}

nvrtcResult compile_program(_nvrtcProgram& p, std::vector<char const*> const& options) {
    ++work().counted.compilations;
    if (control().nvrtc_fails) {
        p.log = sentence({p.name, "(1): error: this text is refused by request\n"});
        return NVRTC_ERROR_COMPILATION;
    }
    verdict v;
    if (real_library() != nullptr)
        v = ask_real(p, options);
    p.log = v.log;
    if (v.result != NVRTC_SUCCESS)
        return v.result;

    kernel_text t;
    t.architecture = value_of(options, "--gpu-architecture", "-arch").value_or("compute_75");
    t.standard = value_of(options, "--std", "-std").value_or("c++17");
    for (char const* const o : options)
        if (std::strncmp(o, "-D", 2) == 0 && o[2] != 0)
            t.definitions.push_back(o + 2);
    t.text = p.text;
    for (written_kernel const& k : kernels_of(p.text))
        t.kernels.emplace_back(k.name, k.name);
    for (std::size_t i = 0; i < p.expressions.size(); ++i) {
        std::string const& e = p.expressions[i];
        p.lowered[e] = i < v.lowered.size() ? v.lowered[i] : e;
        t.kernels.emplace_back(p.lowered[e], e);
    }
    std::string log;
    if (compile(t, log) == nullptr) {
        if (real_library() != nullptr)
            stop({"the real NVRTC accepts a kernel that the compiler of the host refuses; its text or "
                  "prelude.inc has "
                  "to change: ",
                  log});
        p.log = log;
        return NVRTC_ERROR_COMPILATION;
    }
    p.packed = t.packed();
    p.is_cubin = t.architecture.compare(0, 3, "sm_") == 0;
    return NVRTC_SUCCESS;
}

nvrtcResult copy_out(std::string const& from, char* to) {
    if (to == nullptr)
        return NVRTC_ERROR_INVALID_INPUT;
    std::memcpy(to, from.c_str(), from.size() + 1);
    return NVRTC_SUCCESS;
}

} // namespace

} // namespace host_device

using namespace host_device;

nvrtcResult nvrtcVersion(int* major, int* minor) {
    *major = CUDART_VERSION / 1000;
    *minor = CUDART_VERSION % 1000 / 10;
    return NVRTC_SUCCESS;
}
char const* nvrtcGetErrorString(nvrtcResult result) {
    switch (result) {
    case NVRTC_SUCCESS:
        return "NVRTC_SUCCESS";
    case NVRTC_ERROR_INVALID_INPUT:
        return "NVRTC_ERROR_INVALID_INPUT";
    case NVRTC_ERROR_INVALID_PROGRAM:
        return "NVRTC_ERROR_INVALID_PROGRAM";
    case NVRTC_ERROR_INVALID_OPTION:
        return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION:
        return "NVRTC_ERROR_COMPILATION";
    case NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION:
        return "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION";
    case NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION:
        return "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION";
    case NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID:
        return "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID";
    default:
        return "NVRTC_ERROR unknown";
    }
}

namespace {

constexpr int architectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

} // namespace

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
    entry const e("nvrtcGetNumSupportedArchs");
    if (real_library() != nullptr)
        return real(nvrtcGetNumSupportedArchs, "nvrtcGetNumSupportedArchs")(count);
    *count = std::size(architectures);
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* them) {
    entry const e("nvrtcGetSupportedArchs");
    if (real_library() != nullptr)
        return real(nvrtcGetSupportedArchs, "nvrtcGetSupportedArchs")(them);
    std::copy(std::begin(architectures), std::end(architectures), them);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, char const* text, char const* name, int headers,
                               char const* const*, char const* const*) {
    entry const e("nvrtcCreateProgram");
    if (program == nullptr || text == nullptr || headers < 0)
        return NVRTC_ERROR_INVALID_INPUT;
    if (headers > 0)
        stop({"headers are not part of this device"});
    _nvrtcProgram made;
    made.text = text;
    made.name = name != nullptr ? name : "default_program";
    *program = programs().make(std::move(made));
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
    entry const e("nvrtcDestroyProgram");
    if (program == nullptr || *program == nullptr)
        return NVRTC_ERROR_INVALID_PROGRAM;
    programs().destroy(*program);
    *program = nullptr;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, char const* expression) {
    entry const e("nvrtcAddNameExpression");
    _nvrtcProgram& p = programs().at(program);
    if (p.compiled)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    p.expressions.push_back(expression);
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, char const* const* options) {
    entry const e("nvrtcCompileProgram");
    if (program == nullptr)
        return NVRTC_ERROR_INVALID_PROGRAM;
    _nvrtcProgram& p = programs().at(program);
    nvrtcResult const result = compile_program(p, std::vector<char const*>(options, options + count));
    p.compiled = true;
    return result;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
    entry const e("nvrtcGetProgramLogSize");
    *size = programs().at(program).log.size() + 1;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
    entry const e("nvrtcGetProgramLog");
    return copy_out(programs().at(program).log, log);
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, char const* expression, char const** lowered) {
    entry const e("nvrtcGetLoweredName");
    _nvrtcProgram const& p = programs().at(program);
    if (!p.compiled)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    auto const found = p.lowered.find(expression);
    if (found == p.lowered.end())
        return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *lowered = found->second.c_str();
    return NVRTC_SUCCESS;
}
// The sizes of what is to be loaded count the zero at its end.
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
    entry const e("nvrtcGetCUBINSize");
    _nvrtcProgram const& p = programs().at(program);
    if (p.packed.empty())
        return NVRTC_ERROR_INVALID_PROGRAM;
    *size = p.is_cubin ? p.packed.size() + 1 : 0;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* to) {
    entry const e("nvrtcGetCUBIN");
    _nvrtcProgram const& p = programs().at(program);
    if (p.packed.empty() || !p.is_cubin)
        return NVRTC_ERROR_INVALID_PROGRAM;
    return copy_out(p.packed, to);
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, std::size_t* size) {
    entry const e("nvrtcGetPTXSize");
    _nvrtcProgram const& p = programs().at(program);
    if (p.packed.empty())
        return NVRTC_ERROR_INVALID_PROGRAM;
    *size = p.packed.size() + 1;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* to) {
    entry const e("nvrtcGetPTX");
    _nvrtcProgram const& p = programs().at(program);
    if (p.packed.empty())
        return NVRTC_ERROR_INVALID_PROGRAM;
    return copy_out(p.packed, to);
}
