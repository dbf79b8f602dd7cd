#include "practice/attempt.h"

#include <dlfcn.h>

#include <bit>
#include <tuple>

#include "lessons/exercises/entry.h"
#include "practice/broken_rule.h"

namespace flashlens::practice {
namespace {

// What outputs hold before a run: NaNs with a payload that no arithmetic makes (in bf16, -3e37).
constexpr std::uint16_t o_pattern = 0xfdb7;
constexpr std::uint32_t fp32_pattern = 0xffedcba9;

/// A copy with room behind it that belongs to nobody, so that an access past the end is one out of bounds.
template <class T>
std::vector<T> guarded(const std::vector<T>& tensor) {
    std::vector<T> copy;
    copy.reserve(tensor.size() + (std::size_t{1} << 17) / sizeof(T));
    copy = tensor;
    return copy;
}

template <class T>
simt::Region region(const std::vector<T>& tensor, const char* name, simt::Region::Use use) {
    return {const_cast<T*>(tensor.data()), tensor.size() * sizeof(T), name, use};
}

/// The tensors of a run where the kernel finds them.
struct Memory {
    std::vector<std::uint16_t> q, k, v, o;
    std::vector<float> lse, o_tmp, huge_rows;

    Memory(const Problem& problem, const Inputs& inputs)
        : q(guarded(inputs.q)),
          k(guarded(inputs.k)),
          v(guarded(inputs.v)),
          o(guarded(std::vector<std::uint16_t>(inputs.q.size(), o_pattern))),
          lse(rows_of(problem, 1)),
          o_tmp(guarded(std::vector<float>(inputs.q.size(), std::bit_cast<float>(fp32_pattern)))),
          huge_rows(rows_of(problem, 2)) {}

    static std::vector<float> rows_of(const Problem& p, std::int64_t times) {
        const auto rows = static_cast<std::size_t>(times * p.batch * p.heads * p.seqlen_q);
        return guarded(std::vector<float>(rows, std::bit_cast<float>(fp32_pattern)));
    }

    AttentionParams params(const Problem& problem) {
        AttentionParams p;
        p.q = q.data();
        p.k = k.data();
        p.v = v.data();
        p.o = o.data();
        p.lse = lse.data();
        p.o_tmp = o_tmp.data();
        p.huge_rows = huge_rows.data();
        p.batch = static_cast<int>(problem.batch);
        p.heads = static_cast<int>(problem.heads);
        p.kv_heads = static_cast<int>(problem.kv_heads);
        p.seqlen_q = static_cast<int>(problem.seqlen_q);
        p.seqlen_k = static_cast<int>(problem.seqlen_k);
        p.head_dim = static_cast<int>(problem.head_dim);
        p.diagonal = static_cast<int>(problem.diagonal());
        p.scale = static_cast<float>(problem.scale);
        return p;
    }

    std::vector<simt::Region> regions() const {
        using Use = simt::Region::Use;
        return {region(q, "Q", Use::input),
                region(k, "K", Use::input),
                region(v, "V", Use::input),
                region(o, "O", Use::output),
                region(lse, "lse", Use::scratch),
                region(o_tmp, "o_tmp", Use::scratch),
                region(huge_rows, "huge_rows", Use::scratch)};
    }
};

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

using Kernel = void(const AttentionParams&, bool, const simt::LaunchOptions&, simt::LaunchReport&);
using GpuKernel = const char*(const exercise::GpuRun&);
using NoGpu = const char*();

}  // namespace

std::size_t at_q(const Problem& p, std::int64_t batch, std::int64_t row, std::int64_t head, std::int64_t column) {
    return static_cast<std::size_t>(((batch * p.seqlen_q + row) * p.heads + head) * p.head_dim + column);
}
std::size_t at_k(const Problem& p, std::int64_t batch, std::int64_t row, std::int64_t head, std::int64_t column) {
    return static_cast<std::size_t>(((batch * p.seqlen_k + row) * p.kv_heads + head) * p.head_dim + column);
}
std::size_t at_lse(const Problem& p, std::int64_t batch, std::int64_t head, std::int64_t row) {
    return static_cast<std::size_t>((batch * p.heads + head) * p.seqlen_q + row);
}

Attempt::Attempt(const std::filesystem::path& library, Machine machine)
    : library_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)), machine_(machine) {
    if (library_ == nullptr) {
        const char* why = dlerror();
        throw Failure(both({"what the compiler made does not fit this program: {}", "编译结果与本程序不匹配：{}"},
                           std::string(why == nullptr ? "" : why)));
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
    Memory memory(problem, inputs);
    Output output;
    if (machine_ == Machine::gpu) {
        exercise::GpuRun run{memory.params(problem), problem.causal};
        auto* kernel = reinterpret_cast<GpuKernel*>(symbol("flashlens_exercise_on_gpu"));
        if (const char* error = kernel(run)) {
            throw Finding{"cuda-error",
                          both({"CUDA reports an error: {}.", "CUDA 报告错误：{}。"}, std::string(error))};
        }
    } else {
        simt::LaunchOptions all = options;
        all.memory = memory.regions();
        auto* kernel = reinterpret_cast<Kernel*>(symbol("flashlens_exercise_kernel"));
        const Launch launch = [&](const simt::LaunchOptions& of_launch) {
            kernel(memory.params(problem), problem.causal, of_launch, output.report.emplace());
        };
        if (const std::optional<simt::KernelError> error = error_of(launch, all)) {
            BrokenRule rule = broken_rule(at_the_root(*error, all, launch));
            rule.read_unwritten = error->kind() == simt::KernelError::Kind::unwritten_read;
            throw rule;
        }
    }
    output.o = memory.o;
    output.lse = memory.lse;
    for (const std::uint16_t word : output.o) {
        output.o_unwritten.push_back(word == o_pattern);
    }
    for (const float value : output.lse) {
        output.lse_unwritten.push_back(std::bit_cast<std::uint32_t>(value) == fp32_pattern);
    }
    return output;
}

}  // namespace flashlens::practice
