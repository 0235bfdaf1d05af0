// SPDX-License-Identifier: BSL-1.0
// A kernel's text becomes host code: the prelude, the text, a table of the kernels, and the compiler.
#include "kernels.hpp"
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <link.h>
#include <spawn.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace host_device {

namespace {

constexpr char const* prelude =
#include "prelude.inc"
    ;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool has(std::string const& text, char const* word) {
    return text.find(word) != std::string::npos;
}

/// `extern __shared__ T name[];` in a function names the memory that the launch asks for.
std::string with_dynamic_shared(std::string text) {
    for (std::size_t at = 0; (at = text.find("extern __shared__", at)) != std::string::npos;) {
        std::size_t const end = text.find(';', at), open = text.find('[', at);
        if (end == std::string::npos || open == std::string::npos || open > end)
            break;
        std::size_t first = open;
        while (is_word(text[first - 1]))
            --first;
        std::string const name = text.substr(first, open - first);
        std::string type = text.substr(at + 17, first - at - 17);
        if (std::size_t const aligned = type.find("__align__"); aligned != std::string::npos)
            type.erase(aligned, type.find(')', aligned) + 1 - aligned);
        std::string const made = sentence({type, "* const ", name, " = (", type, "*)host_dynamic_shared()"});
        text.replace(at, end - at, made);
        at += made.size();
    }
    return text;
}

std::string host_text(kernel_text const& t) {
    std::ostringstream s;
    s << prelude << "\n#line 1 \"kernel\"\n" << with_dynamic_shared(t.text) << "\n#line 1 \"table\"\n";
    s << "__attribute__((section(\"host_shared\"))) static char host_shared_begin __attribute__((used));\n";
    for (std::size_t i = 0; i < t.kernels.size(); ++i)
        s << "static void host_call_" << i << "(void** a) { host_run_all(&" << t.kernels[i].second
          << ", a); }\n";
    s << "static host_kernel const host_kernels[] = {\n";
    for (std::size_t i = 0; i < t.kernels.size(); ++i) {
        std::string const f = "(&" + t.kernels[i].second + ")";
        s << "{\"" << t.kernels[i].first << "\", host_call_" << i << ", host_arity" << f
          << ", decltype(host_signature_of" << f << ")::sizes, decltype(host_signature_of" << f
          << ")::pointers},\n";
    }
    s << "{0, 0, 0, 0, 0}};\n"
         "extern \"C\" __attribute__((visibility(\"hidden\"))) char __start_host_shared, "
         "__stop_host_shared;\n"
         "extern \"C\" __attribute__((visibility(\"default\"))) host_image const host_kernels_of_text = "
         "{host_kernels, "
      << t.kernels.size()
      << ", &threadIdx, &blockIdx, &blockDim, &gridDim, &host_calls, &__start_host_shared, "
         "&__stop_host_shared};\n";
    return s.str();
}

/// Runs a program without a shell; what it writes goes into a file. True where it succeeds.
bool run_program(std::vector<std::string> const& words, std::string const& output) {
    std::vector<char*> arguments;
    for (std::string const& w : words)
        arguments.push_back(const_cast<char*>(w.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&files, 1, 2);
    pid_t child = 0;
    int const error = ::posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    if (error != 0)
        stop({"the compiler ", words[0], " cannot be started: ", std::strerror(error)});
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::pair<std::uintptr_t, std::uintptr_t> extent_of(void const* symbol) {
    Dl_info known{};
    ::dladdr(symbol, &known);
    auto const base = reinterpret_cast<std::uintptr_t>(known.dli_fbase);
    struct found_type {
        std::uintptr_t base, last;
    } found{base, base};
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            auto& f = *static_cast<found_type*>(to);
            if (info->dlpi_addr == f.base)
                for (int i = 0; i < info->dlpi_phnum; ++i)
                    if (info->dlpi_phdr[i].p_type == PT_LOAD)
                        f.last = std::max(f.last,
                                          f.base + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
            return 0;
        },
        &found);
    return {base, found.last};
}

} // namespace

std::vector<written_kernel> kernels_of(std::string const& text) {
    std::vector<written_kernel> found;
    for (std::size_t at = 0; (at = text.find("__global__", at)) != std::string::npos; at += 10) {
        // Not a template: then the text in front, back to the end of what stands there, has no "template".
        std::size_t const front = text.find_last_of(";}", at);
        std::string const before = text.substr(front == std::string::npos ? 0 : front, at - front);
        if (has(before, "template") || !has(text.substr(0, at), "extern \"C\""))
            continue;
        // The name is the last word in front of the parenthesis that does not belong to __launch_bounds__.
        std::size_t i = at + 10;
        written_kernel kernel;
        std::string& word = kernel.name;
        while (i < text.size() && text[i] != '{' && text[i] != ';') {
            if (is_word(text[i])) {
                std::size_t const first = i;
                while (i < text.size() && is_word(text[i]))
                    ++i;
                word = text.substr(first, i - first);
            } else if (text[i] == '(') {
                if (word != "__launch_bounds__" && word != "__cluster_dims__")
                    break;
                if (word == "__launch_bounds__")
                    if (int const bound = std::atoi(text.c_str() + i + 1); bound > 0)
                        kernel.most_threads = static_cast<unsigned>(bound);
                i = text.find(')', i) + 1;
            } else {
                ++i;
            }
        }
        if (i < text.size() && text[i] == '(')
            found.push_back(std::move(kernel));
    }
    return found;
}

// Files
// ---------------------------------------------------------------------------------------------------------

std::string cache_folder() {
    static std::string const folder = [] {
        char const* const base = std::getenv("TMPDIR");
        std::string path = sentence({base != nullptr && *base != 0 ? base : "/tmp", "/sluice-device-of-host-",
                                     static_cast<long>(::geteuid())});
        struct stat known {};
        if (::mkdir(path.c_str(), 0700) != 0 &&
            (errno != EEXIST || ::stat(path.c_str(), &known) != 0 || known.st_uid != ::geteuid()))
            stop({"the folder ", path, " cannot be made, or is somebody else's"});
        return path;
    }();
    return folder;
}

std::string name_of_content(std::string const& content) {
    std::uint64_t a = 0xcbf29ce484222325u, b = 0x9e3779b97f4a7c15u;
    for (char const c : content) {
        a = (a ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        b = (b + static_cast<unsigned char>(c) + 1) * 0xff51afd7ed558ccdu;
        b ^= b >> 29;
    }
    std::array<char, 33> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(a),
                  static_cast<unsigned long long>(b));
    return text.data();
}

std::optional<std::string> read_file(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return std::nullopt;
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}
void write_file(std::string const& path, std::string const& content) {
    std::string const draft = sentence({path, ".", static_cast<long>(::getpid())});
    {
        std::ofstream file(draft, std::ios::binary);
        file << content;
        if (!file.flush())
            stop({"the file ", draft, " cannot be written"});
    }
    if (std::rename(draft.c_str(), path.c_str()) != 0)
        stop({"the file ", path, " cannot be made: ", std::strerror(errno)});
}

// The form that travels
// -----------------------------------------------------------------------------------------

namespace {

constexpr char const* mark = "kernels for the device of the host\n";

void put(std::string& to, std::string const& s) {
    to += sentence({s.size(), "\n", s, "\n"});
}

class reader {
public:
    reader(char const* from, char const* end) : at_(from), end_(end) {}
    bool is_good = true;
    std::size_t number() {
        std::size_t n = 0;
        while (at_ < end_ && *at_ >= '0' && *at_ <= '9' && n < (std::size_t(1) << 32))
            n = n * 10 + static_cast<std::size_t>(*at_++ - '0');
        skip();
        return n;
    }
    std::string string() {
        std::size_t const n = number();
        if (!is_good || n > static_cast<std::size_t>(end_ - at_)) {
            is_good = false;
            return {};
        }
        std::string s(at_, n);
        at_ += n;
        skip();
        return s;
    }

private:
    char const *at_, *end_;
    void skip() {
        is_good = is_good && at_ < end_ && *at_ == '\n';
        ++at_;
    }
};

} // namespace

std::string kernel_text::packed() const {
    std::string inner;
    put(inner, architecture);
    put(inner, standard);
    put(inner, std::to_string(definitions.size()));
    for (auto const& d : definitions)
        put(inner, d);
    put(inner, std::to_string(kernels.size()));
    for (auto const& [name, expression] : kernels) {
        put(inner, name);
        put(inner, expression);
    }
    put(inner, text);
    return sentence({mark, name_of_content(inner), "\n", inner.size(), "\n", inner});
}

std::optional<kernel_text> kernel_text::unpacked(char const* bytes) {
    std::size_t const mark_size = std::strlen(mark);
    for (std::size_t i = 0; i < mark_size; ++i)
        if (bytes[i] != mark[i])
            return std::nullopt;
    char const* const hash = bytes + mark_size;
    for (int i = 0; i < 32; ++i)
        if (std::isxdigit(static_cast<unsigned char>(hash[i])) == 0)
            return std::nullopt;
    if (hash[32] != '\n')
        return std::nullopt;
    std::size_t size = 0;
    char const* at = hash + 33;
    while (*at >= '0' && *at <= '9' && size < (std::size_t(1) << 32))
        size = size * 10 + static_cast<std::size_t>(*at++ - '0');
    if (*at++ != '\n')
        return std::nullopt;
    std::string const inner(at, ::strnlen(at, size));
    if (inner.size() != size || name_of_content(inner) != std::string(hash, 32))
        return std::nullopt;
    reader from(inner.data(), inner.data() + inner.size());
    kernel_text t;
    t.architecture = from.string();
    t.standard = from.string();
    for (auto n = std::strtoul(from.string().c_str(), nullptr, 10); n > 0 && from.is_good; --n)
        t.definitions.push_back(from.string());
    for (auto n = std::strtoul(from.string().c_str(), nullptr, 10); n > 0 && from.is_good; --n) {
        std::string name = from.string();
        t.kernels.emplace_back(std::move(name), from.string());
    }
    t.text = from.string();
    return from.is_good ? std::optional(t) : std::nullopt;
}

// The compiler
// --------------------------------------------------------------------------------------------------

image const* compile(kernel_text const& t, std::string& log) {
    static auto& loaded = *new std::map<std::string, std::unique_ptr<image>>;
    bool const trace = control().trace;
    std::vector<std::string> words{
        SLUICE_HOST_COMPILER,  "-std=" + t.standard, "-O1", "-w", "-x", "c++", "-shared", "-fPIC",
        "-fvisibility=hidden", "-fno-exceptions"};
    if (trace)
        words.insert(words.end(), {"-DHOST_TRACE", "-fsanitize=thread", "-nostdlib", "-g1"});
    for (std::string const& d : t.definitions)
        words.push_back("-D" + d);
    std::string const source = host_text(t);
    std::string key = source;
    for (std::string const& w : words)
        key += "\n" + w;
    std::string const name = name_of_content(key), path = sentence({cache_folder(), "/", name, ".so"});
    std::unique_ptr<image>& entry = loaded[name];
    if (entry != nullptr)
        return entry.get();
    if (::access(path.c_str(), R_OK) != 0) {
        std::string const draft = sentence({cache_folder(), "/", name, ".", static_cast<long>(::getpid())});
        write_file(draft + ".cpp", source);
        words.insert(words.end(), {draft + ".cpp", "-o", draft + ".so", "-lm"});
        bool const good = run_program(words, draft + ".log");
        log = read_file(draft + ".log").value_or("");
        ::unlink((draft + ".log").c_str());
        ::unlink((draft + ".cpp").c_str());
        if (!good) {
            loaded.erase(name);
            return nullptr;
        }
        if (std::rename((draft + ".so").c_str(), path.c_str()) != 0)
            stop({"the file ", path, " cannot be made: ", std::strerror(errno)});
    }
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        stop({"a compiled kernel cannot be loaded: ", ::dlerror()});
    auto made = std::make_unique<image>();
    made->table = static_cast<compiled_image const*>(::dlsym(library, "host_kernels_of_text"));
    if (made->table == nullptr)
        stop({"a compiled kernel has no table: ", ::dlerror()});
    for (char const* const word : {"__sync", "__shfl", "__ballot", "__any_sync", "__all_sync"})
        made->meets = made->meets || has(t.text, word);
    made->trace = trace;
    std::tie(made->first, made->last) = extent_of(made->table);
    entry = std::move(made);
    return entry.get();
}

} // namespace host_device
