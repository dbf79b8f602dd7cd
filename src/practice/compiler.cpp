#include "practice/compiler.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "practice/two_languages.h"

namespace flashlens::practice {
namespace {

/// The full path of a program on PATH; empty: it is not there.
std::string found_on_path(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        std::string file = std::string(folder) + "/" + name;
        if (!folder.empty() && access(file.c_str(), X_OK) == 0) {
            return file;
        }
    }
    return "";
}

}  // namespace

const std::array<const char*, 7> compile_flags = {
    "-xc++", "-std=c++20",
    // A namespace of its own: this program holds kernels of the same names.
    "-DFLASHLENS_MACHINE=on_cpu_practice", "-ffp-contract=off", "-Wall",
    "-Wno-unknown-pragmas",  // #pragma unroll is nvcc's
    "-Wno-unused",           // of what is still to be written
};

std::vector<std::string> compile_command(const Work& work, const std::filesystem::path& library) {
    const std::string headers = "-I" + work.headers.string();
    if (work.machine == Machine::gpu) {
        // Hidden and bound to itself: a binary with a GPU part has kernels of the same names.
        return {work.compiler,
                "-std=c++20",
                "-O2",
                "-arch=" + work.gpu_architecture,
                "--fmad=false",
                "-DFLASHLENS_WITH_SM75=0",
                "-DFLASHLENS_WITH_SM80=1",
                "-shared",
                "-Xcompiler",
                "-fPIC,-fvisibility=hidden",
                "-Xlinker",
                "-Bsymbolic",
                headers,
                "-o",
                library.string(),
                work.file.filename().string()};
    }
    std::vector<std::string> command{work.compiler};
    for (const char* flag : compile_flags) {
        command.emplace_back(flag);
    }
    // The machine's thread-local variables are in this program: no call is needed to find them.
    for (const char* flag : {"-O1", "-fPIC", "-shared", "-ftls-model=initial-exec", "-fno-diagnostics-color"}) {
        command.emplace_back(flag);
    }
    command.insert(command.end(), {headers, "-o", library.string(), work.file.filename().string()});
    return command;
}

std::string host_compiler() {
    if (access(FLASHLENS_HOST_COMPILER, X_OK) == 0) {
        return FLASHLENS_HOST_COMPILER;
    }
    for (const char* name : {"c++", "g++", "clang++"}) {
        if (std::string found = found_on_path(name); !found.empty()) {
            return found;
        }
    }
    throw Failure(
        both({"no C++ compiler is there to compile your file with; on Debian and Ubuntu: sudo apt-get install g++",
              "没有可用来编译你的文件的 C++ 编译器；在 Debian 和 Ubuntu 上：sudo apt-get install g++"}));
}

std::string cuda_compiler() {
    const char* home = std::getenv("CUDA_HOME");
    std::string found = found_on_path("nvcc");
    for (const std::string& folder : {std::string(home == nullptr ? "" : home), std::string("/usr/local/cuda")}) {
        const std::string file = folder + "/bin/nvcc";
        if (found.empty() && access(file.c_str(), X_OK) == 0) {
            found = file;
        }
    }
    if (found.empty()) {
        throw Failure(
            both({"--machine gpu: nvcc is neither on PATH nor in /usr/local/cuda; install the CUDA Toolkit 12 or "
                  "newer, or leave the option out: the CPU machine needs no GPU",
                  "--machine gpu：PATH 和 /usr/local/cuda 中都没有 nvcc；请安装 CUDA Toolkit 12 或更新版本，"
                  "或去掉该选项：CPU 模拟机不需要 GPU"}));
    }
    return found;
}

}  // namespace flashlens::practice
