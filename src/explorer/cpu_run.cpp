// Running a planned launch on the CPU machine.
#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <map>
#include <new>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "explorer/cta_classes.h"
#include "explorer/variant.h"
#include "kernels/between/rungs.h"
#include "kernels/run.cuh"

namespace flashlens {
namespace {

template <class T>
simt::Region region(std::vector<T>& of, const char* name, simt::Region::Use use) {
    return {of.data(), of.size() * sizeof(T), name, use};
}

/// Addresses for tensors that nobody reads or writes: the system gives a page memory when it is touched.
class Addresses {
public:
    explicit Addresses(std::int64_t bytes)
        : bytes_(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))),
          base_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (base_ == MAP_FAILED) {
            throw std::bad_alloc();
        }
    }
    ~Addresses() { munmap(base_, bytes_); }
    Addresses(const Addresses&) = delete;
    Addresses& operator=(const Addresses&) = delete;

    void* base() const { return base_; }
    simt::Region region(const char* name, simt::Region::Use use) const { return {base_, bytes_, name, use}; }

private:
    std::size_t bytes_;
    void* base_;
};

void launch(const VariantFacts& planned, const Problem& problem, const AttentionParams& params,
            on_cpu::Launcher& launcher) {
    const LaunchFacts& facts = planned.launch;
    const KernelInstance instance{planned.name, problem.dtype, problem.causal, facts.tile, facts.splits.value_or(1),
                                  facts.order,  facts.chip};
    const bool exists = on_cpu::run(instance, params, launcher);
    if (!exists) {
        throw std::logic_error(planned.name + ": no kernel instance for the tile that was planned");
    }
}

/// Counts without values: it needs addresses, and no memory behind them.
class CountingMachine {
public:
    CountingMachine(const VariantFacts& planned, const Problem& problem)
        : planned_(planned),
          problem_(problem),
          rows_(problem.batch * problem.heads * problem.seqlen_q),
          q_(2 * rows_ * problem.head_dim),
          k_(2 * problem.batch * problem.kv_heads * problem.seqlen_k * problem.head_dim),
          v_(2 * problem.batch * problem.kv_heads * problem.seqlen_k * problem.head_dim),
          o_(2 * rows_ * problem.head_dim),
          lse_(4 * rows_),
          o_tmp_(between::through_memory(planned.name) ? 4 * rows_ * problem.head_dim : 0),
          huge_rows_(between::through_memory(planned.name) ? 8 * rows_ : 0) {}

    /// How many CTAs each stands for, as simt::LaunchOptions has it.
    simt::LaunchReport run(const std::function<std::uint64_t(simt::Dim3)>& multiplicity,
                           const std::function<void(double)>& progress) {
        AttentionParams params = kernel_params(problem_);
        params.q = q_.base();
        params.k = k_.base();
        params.v = v_.base();
        params.o = o_.base();
        params.lse = static_cast<float*>(lse_.base());
        params.o_tmp = static_cast<float*>(o_tmp_.base());
        params.huge_rows = static_cast<float*>(huge_rows_.base());

        using Use = simt::Region::Use;
        on_cpu::Launcher launcher;
        launcher.options.progress = progress;
        launcher.options.memory = {q_.region("Q", Use::input),
                                   k_.region("K", Use::input),
                                   v_.region("V", Use::input),
                                   o_.region("O", Use::output),
                                   lse_.region("lse", Use::scratch),
                                   o_tmp_.region("o_tmp", Use::scratch),
                                   huge_rows_.region("huge_rows", Use::scratch)};
        launcher.options.multiplicity = multiplicity;
        launcher.options.checks = false;
        // Branches depend on data only where logits are huge and where v2-tuned's maxima grow after the first key block.
        launcher.options.values = false;
        launch(planned_, problem_, params, launcher);
        return std::move(launcher.report);
    }

private:
    const VariantFacts& planned_;
    const Problem& problem_;
    std::int64_t rows_;
    Addresses q_, k_, v_, o_, lse_, o_tmp_, huge_rows_;
};

}  // namespace

CpuRun run_on_cpu(const VariantFacts& planned, const Problem& problem, const Inputs& inputs,
                  const std::function<void(double)>& progress) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const auto rows = static_cast<std::size_t>(problem.batch * problem.heads * problem.seqlen_q);
    CpuRun run;
    run.o.assign(inputs.q.size(), 0xffff);  // NaN in both types
    run.lse.assign(rows, nan);
    if (planned.launch.ctas == 0) {
        return run;
    }
    const bool scratch = between::through_memory(planned.name);
    std::vector<float> o_tmp(scratch ? inputs.q.size() : 0, nan);
    std::vector<float> huge_rows(scratch ? 2 * rows : 0, nan);
    Inputs& readable = const_cast<Inputs&>(inputs);  // regions hold plain pointers; `input` ones are never written

    AttentionParams params = kernel_params(problem);
    params.q = inputs.q.data();
    params.k = inputs.k.data();
    params.v = inputs.v.data();
    params.o = run.o.data();
    params.lse = run.lse.data();
    params.o_tmp = o_tmp.data();
    params.huge_rows = huge_rows.data();

    using Use = simt::Region::Use;
    on_cpu::Launcher launcher;
    launcher.options.progress = progress;
    launcher.options.memory = {region(readable.q, "Q", Use::input),         region(readable.k, "K", Use::input),
                               region(readable.v, "V", Use::input),         region(run.o, "O", Use::output),
                               region(run.lse, "lse", Use::scratch),        region(o_tmp, "o_tmp", Use::scratch),
                               region(huge_rows, "huge_rows", Use::scratch)};
    launch(planned, problem, params, launcher);
    run.counted.report = std::move(launcher.report);
    return run;
}

CountedFacts count_on_cpu(const VariantFacts& planned, const Problem& problem,
                          const std::function<void(double)>& progress) {
    CountedFacts counted;
    counted.sampled = true;
    if (planned.launch.ctas == 0) {
        return counted;
    }
    const CtaClasses classes(planned, problem);
    std::map<std::tuple<unsigned, unsigned, unsigned>, std::uint64_t> ctas_of_first;
    for (const CtaClasses::Class& one : classes.all()) {
        ctas_of_first[{static_cast<unsigned>(one.first.x), static_cast<unsigned>(one.first.y),
                       static_cast<unsigned>(one.first.z)}] = one.ctas;
    }
    const auto multiplicity = [&](simt::Dim3 block) {
        const auto found = ctas_of_first.find({block.x, block.y, block.z});
        return found == ctas_of_first.end() ? 0 : found->second;
    };
    counted.raises_assumed = planned.name == "v2-tuned";
    counted.report = CountingMachine(planned, problem).run(multiplicity, progress);
    return counted;
}

std::vector<simt::Counters> count_ctas(const VariantFacts& planned, const Problem& problem,
                                       std::span<const GridPlace> ctas, const std::function<void(double)>& progress) {
    CountingMachine machine(planned, problem);
    std::vector<simt::Counters> counters;
    for (const GridPlace& cta : ctas) {
        const auto only_this = [&](simt::Dim3 block) {
            return block.x == cta.x && block.y == cta.y && block.z == cta.z ? 1 : 0;
        };
        const auto done = static_cast<double>(counters.size());
        counters.push_back(machine
                               .run(only_this,
                                    [&](double share) {
                                        if (progress) {
                                            progress((done + share) / static_cast<double>(ctas.size()));
                                        }
                                    })
                               .total);
    }
    return counters;
}

double counting_flops(const VariantFacts& planned, const Problem& problem) {
    if (planned.launch.ctas == 0) {
        return 0.0;
    }
    const auto executed = static_cast<double>(CtaClasses(planned, problem).all().size());
    return static_cast<double>(flops(problem)) * executed / static_cast<double>(planned.launch.ctas);
}

}  // namespace flashlens
