// Running a planned launch on the CPU machine.
#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <map>
#include <new>
#include <stdexcept>
#include <tuple>

#include "explorer/cta_work.h"
#include "explorer/variant.h"
#include "kernels/between/rungs.h"
#include "kernels/run.cuh"

namespace flashlens {
namespace {

/// CTAs of one class do the same instructions on addresses with the same alignments, so that each counts the same.
///
/// They share: what their place along the query rows makes them do (the split of v1; the query block of the others, where all
/// but the last are alike unless the mask is causal) and where, within a 32-byte sector, the rows they touch begin.
class Classes {
public:
    Classes(const VariantFacts& planned, const Problem& problem) : planned_(planned), problem_(problem) {
        const Grid& grid = planned.launch.grid;
        std::map<Key, std::pair<simt::Dim3, std::uint64_t>> classes;
        for (std::int64_t z = 0; z < grid.z; ++z) {
            for (std::int64_t y = 0; y < grid.y; ++y) {
                for (std::int64_t x = 0; x < grid.x; ++x) {
                    const simt::Dim3 block{static_cast<unsigned>(x), static_cast<unsigned>(y),
                                           static_cast<unsigned>(z)};
                    auto& [first, count] = classes.try_emplace(key(block), block, 0).first->second;
                    ++count;
                }
            }
        }
        for (const auto& [key, first_and_count] : classes) {
            const simt::Dim3& block = first_and_count.first;
            count_of_first_[{block.x, block.y, block.z}] = first_and_count.second;
        }
    }

    /// For the first CTA of a class the number of CTAs in it, for the others 0.
    std::uint64_t multiplicity(simt::Dim3 block) const {
        const auto found = count_of_first_.find({block.x, block.y, block.z});
        return found == count_of_first_.end() ? 0 : found->second;
    }

    std::size_t size() const { return count_of_first_.size(); }

private:
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

    /// v1: query tiles.
    std::int64_t query_blocks() const {
        const LaunchFacts& launch = planned_.launch;
        const std::int64_t rows = launch.query_rows > 0 ? launch.query_rows : launch.tile.block_m;
        return (problem_.seqlen_q + rows - 1) / rows;
    }

    Key key(simt::Dim3 block) const {
        const bool v1 = planned_.launch.splits.has_value();
        auto [batch, head, place] = work_of(planned_, problem_, {block.x, block.y, block.z});
        const std::int64_t kv_head = head / (problem_.heads / problem_.kv_heads);
        const std::int64_t row_bytes = problem_.head_dim * 2;
        const std::int64_t q_row = batch * problem_.seqlen_q * problem_.heads + head;
        const std::int64_t k_row = batch * problem_.seqlen_k * problem_.kv_heads + kv_head;
        const std::int64_t lse_row = (batch * problem_.heads + head) * problem_.seqlen_q;
        if (!v1 && !problem_.causal && place + 1 < query_blocks()) {
            place = 0;
        }
        if (v1 && !problem_.causal) {
            // how many tiles the split has, and whether the last, which may be cut off, is among them
            const std::int64_t tiles = query_blocks();
            const std::int64_t splits = *planned_.launch.splits;
            const std::int64_t mine = place < tiles ? (tiles - place + splits - 1) / splits : 0;
            place = 2 * mine + (tiles > 0 && (tiles - 1) % splits == place ? 1 : 0);
        }
        return {place, q_row * row_bytes % 32, k_row * row_bytes % 32, lse_row * 4 % 32};
    }

    const VariantFacts& planned_;
    const Problem& problem_;
    std::map<std::tuple<unsigned, unsigned, unsigned>, std::uint64_t> count_of_first_;
};

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
    const std::int64_t rows = problem.batch * problem.heads * problem.seqlen_q;
    const std::int64_t q_bytes = 2 * rows * problem.head_dim;
    const std::int64_t kv_bytes = 2 * problem.batch * problem.kv_heads * problem.seqlen_k * problem.head_dim;
    const Addresses q(q_bytes);
    const Addresses k(kv_bytes);
    const Addresses v(kv_bytes);
    const Addresses o(q_bytes);
    const Addresses lse(4 * rows);
    const bool scratch = between::through_memory(planned.name);
    const Addresses o_tmp(scratch ? 2 * q_bytes : 0);
    const Addresses huge_rows(scratch ? 8 * rows : 0);

    AttentionParams params = kernel_params(problem);
    params.q = q.base();
    params.k = k.base();
    params.v = v.base();
    params.o = o.base();
    params.lse = static_cast<float*>(lse.base());
    params.o_tmp = static_cast<float*>(o_tmp.base());
    params.huge_rows = static_cast<float*>(huge_rows.base());

    using Use = simt::Region::Use;
    on_cpu::Launcher launcher;
    launcher.options.progress = progress;
    launcher.options.memory = {q.region("Q", Use::input),
                               k.region("K", Use::input),
                               v.region("V", Use::input),
                               o.region("O", Use::output),
                               lse.region("lse", Use::scratch),
                               o_tmp.region("o_tmp", Use::scratch),
                               huge_rows.region("huge_rows", Use::scratch)};
    const Classes classes(planned, problem);
    launcher.options.multiplicity = [&](simt::Dim3 block) { return classes.multiplicity(block); };
    launcher.options.checks = false;
    // Branches depend on data only where logits are huge and where v2-tuned's maxima grow after the first key block.
    launcher.options.values = false;
    counted.raises_assumed = planned.name == "v2-tuned";
    launch(planned, problem, params, launcher);
    counted.report = std::move(launcher.report);
    return counted;
}

double counting_flops(const VariantFacts& planned, const Problem& problem) {
    if (planned.launch.ctas == 0) {
        return 0.0;
    }
    const auto executed = static_cast<double>(Classes(planned, problem).size());
    return static_cast<double>(flops(problem)) * executed / static_cast<double>(planned.launch.ctas);
}

}  // namespace flashlens
