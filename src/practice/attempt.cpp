#include "practice/attempt.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>
#include <tuple>

#include "explorer/guarded_tensors.h"
#include "lessons/exercises/entry.h"
#include "practice/broken_rule.h"

namespace flashlens::practice {
namespace {

using Launch = std::function<void(const simt::LaunchOptions&)>;

std::optional<simt::KernelError> error_of(const Launch& launch, const simt::LaunchOptions& options) {
    try {
        launch(options);
    } catch (const simt::KernelError& error) {
        return error;
    }
    return std::nullopt;
}

/// The same mistake, where it says more. Warps that pass different barriers race, too; and a read of what nobody wrote is
/// mostly a write that comes too late.
simt::KernelError at_the_root(const simt::KernelError& error, const simt::LaunchOptions& options,
                              const Launch& launch) {
    using Kind = simt::KernelError::Kind;
    if (error.kind() != Kind::race && error.kind() != Kind::unfinished_copy && error.kind() != Kind::unwritten_read) {
        return error;
    }
    simt::LaunchOptions again = options;
    again.checks = false;
    const std::optional<simt::KernelError> unchecked = error_of(launch, again);
    if (unchecked && (unchecked->kind() == Kind::divergent_barrier || unchecked->kind() == Kind::missing_lane)) {
        return *unchecked;
    }
    if (error.kind() == Kind::unwritten_read) {
        again = options;
        again.shared_is_written = true;
        const std::optional<simt::KernelError> race = error_of(launch, again);
        const simt::Place& read = *error.details().access;
        const auto is_that_read = [&](const std::optional<simt::Place>& place) {
            return place && !place->writes && place->line == read.line && place->file == read.file;
        };
        if (race && race->kind() == Kind::race &&
            (is_that_read(race->details().access) || is_that_read(race->details().earlier))) {
            return *race;
        }
    }
    return error;
}

/// What a learner's library calls and has to find in this program: one of each file of the CPU machine that a kernel sees,
/// so that the linker takes it along.
[[gnu::used]] constexpr std::tuple called_by_kernels{&simt::launch, &simt::barrier, &simt::load_shared};

/// What a library calls and neither it nor this program has, as it is written in C++; empty: `why` says something else.
std::string undefined_in(std::string_view why) {
    constexpr std::string_view before = "undefined symbol: ";
    const std::size_t at = why.find(before);
    if (at == std::string_view::npos) {
        return "";
    }
    const std::string_view rest = why.substr(at + before.size());
    const std::string symbol(rest.substr(0, rest.find_first_of(" ,\t")));
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), &std::free);
    return name == nullptr ? symbol : name.get();
}

using Kernel = void(const AttentionParams&, bool, const simt::LaunchOptions&, simt::LaunchReport&);
using GpuKernel = const char*(const exercise::GpuRun&);
using NoGpu = const char*();

}  // namespace

Attempt::Attempt(const std::filesystem::path& library, Machine machine)
    : library_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)), machine_(machine) {
    if (library_ == nullptr) {
        const char* error = dlerror();
        const std::string why = error == nullptr ? "" : error;
        const std::string undefined = undefined_in(why);
        if (!undefined.empty() && !undefined.starts_with("flashlens::simt::")) {
            throw Finding{
                "undefined-function",
                both({"{} is declared and used, and nowhere defined.", "{} 有声明，也用到了，但没有定义。"}, undefined),
                {both({"the file compiles alone, so that nobody else can define it",
                       "这个文件是单独编译的，不会有别处来定义它"})}};
        }
        throw Failure(
            both({"what the compiler made does not fit this program: {}", "编译结果与本程序不匹配：{}"}, why));
    }
    auto* no_gpu = reinterpret_cast<NoGpu*>(dlsym(library_, "flashlens_exercise_no_gpu"));
    if (const char* why = no_gpu == nullptr ? nullptr : no_gpu()) {
        throw Failure(
            both({"--machine gpu: there is no GPU to run on: {}; leave the option out, the CPU machine needs none",
                  "--machine gpu：没有可用的 GPU：{}；请去掉该选项，CPU 模拟机不需要 GPU"},
                 std::string(why)));
    }
}

Attempt::~Attempt() {
    dlclose(library_);
}

void* Attempt::symbol(const char* name) const {
    void* found = dlsym(library_, name);
    if (found == nullptr) {
        throw Finding{"no-entry",
                      both({"The last line of the file as it was handed out, FLASHLENS_EXERCISE_...(...), is "
                            "missing: it tells what to run.",
                            "缺少原文件的最后一行 FLASHLENS_EXERCISE_...(...)：它指明要运行什么。"})};
    }
    return found;
}

void* Attempt::function_address() const {
    return reinterpret_cast<void* (*)()>(symbol("flashlens_exercise_function"))();
}

Output Attempt::run(const Problem& problem, const Inputs& inputs, const simt::LaunchOptions& options) {
    GuardedTensors tensors(problem, inputs);
    Output output;
    if (machine_ == Machine::gpu) {
        exercise::GpuRun run{tensors.params(), problem.causal};
        auto* kernel = reinterpret_cast<GpuKernel*>(symbol("flashlens_exercise_on_gpu"));
        if (const char* error = kernel(run)) {
            throw Finding{"cuda-error",
                          both({"CUDA reports an error: {}.", "CUDA 报告错误：{}。"}, std::string(error))};
        }
    } else {
        simt::LaunchOptions all = options;
        all.memory = tensors.regions();
        auto* kernel = reinterpret_cast<Kernel*>(symbol("flashlens_exercise_kernel"));
        const Launch launch = [&](const simt::LaunchOptions& of_launch) {
            kernel(tensors.params(), problem.causal, of_launch, output.report.emplace());
        };
        if (const std::optional<simt::KernelError> error = error_of(launch, all)) {
            BrokenRule rule = broken_rule(at_the_root(*error, all, launch));
            rule.read_unwritten = error->kind() == simt::KernelError::Kind::unwritten_read;
            throw rule;
        }
    }
    output.o = tensors.o();
    output.lse = tensors.lse();
    output.o_unwritten = tensors.o_unwritten();
    output.lse_unwritten = tensors.lse_unwritten();
    return output;
}

}  // namespace flashlens::practice
