#include "harness.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "explorer/guarded_tensors.h"
#include "kernels/between/plan.h"
#include "kernels/run.cuh"
#include "kernels/v1/plan.h"
#include "kernels/v2/plan.h"
#include "kernels/v2_tuned/plan.h"

namespace flashlens::kernel_tests {
namespace {

constexpr std::string_view names[] = {
    "v1",     "query-blocks", "row-warps", "wide-warps",     "swapped-loops", "late-norm",       "masked-loop",
    "v2",     "v2-tuned",     "key-warps", "swapped-narrow", "async-swapped", "async-late-norm", "async-masked-loop",
    "v1-grid"};

constexpr Variant on_the_ladder[] = {
    Variant::v1,        Variant::query_blocks, Variant::row_warps, Variant::wide_warps, Variant::swapped_loops,
    Variant::late_norm, Variant::masked_loop,  Variant::v2,        Variant::v2_tuned};
constexpr Variant other_orders[] = {Variant::key_warps,       Variant::swapped_narrow,    Variant::async_swapped,
                                    Variant::async_late_norm, Variant::async_masked_loop, Variant::v1_grid};

bool with_every_kernel() {
    return std::getenv("FLASHLENS_EVERY_KERNEL") != nullptr;
}

simt::LaunchReport launch_real(const AttentionParams& p, const Problem& problem, const How& how,
                               const simt::LaunchOptions& options) {
    on_cpu::Launcher launcher;
    launcher.options = options;
    const Tile tile = tile_of(problem, how);
    const std::string name = name_of(how.variant);
    const KernelInstance instance{name,       problem.dtype,          problem.causal, tile,
                                  how.splits, order_of(problem, how), how.chip};
    if (!on_cpu::run(instance, p, launcher)) {
        throw std::logic_error("no instance for " + text_of(problem));
    }
    return launcher.report;
}

}  // namespace

std::string name_of(Variant variant) {
    return std::string(names[static_cast<std::size_t>(variant)]);
}

Variant variant_named(std::string_view name) {
    const auto* const found = std::find(std::begin(names), std::end(names), name);
    if (found == std::end(names)) {
        throw std::out_of_range("no variant " + std::string(name));
    }
    return static_cast<Variant>(found - std::begin(names));
}

Tile tile_of(const Problem& problem, const How& how) {
    switch (how.variant) {
        case Variant::v1:
            return v1::choose_tile(problem.head_dim, problem.seqlen_k);
        case Variant::v2:
            return v2::choose_tile(problem.head_dim, how.chip, problem.causal);
        case Variant::v2_tuned:
            return v2_tuned::choose_tile(problem.head_dim, how.chip, problem.seqlen_q, problem.batch * problem.heads,
                                         how.sm_count);
        default:
            break;
    }
    return between::choose_tile(name_of(how.variant), problem.head_dim, problem.seqlen_k, how.chip, problem.causal);
}

CtaOrder order_of(const Problem& problem, const How& how) {
    const std::int64_t heads = problem.batch * problem.heads;
    const std::int64_t ctas = heads * v2::query_blocks(tile_of(problem, how), problem.seqlen_q);
    return v2_tuned::choose_order(problem.causal, ctas, heads,
                                  4 * problem.seqlen_k * problem.head_dim * problem.kv_heads / problem.heads,
                                  how.sm_count, 2);
}

Output run_with(const Problem& problem, const Inputs& inputs, const simt::LaunchOptions& options,
                const LaunchIt& launch) {
    GuardedTensors tensors(problem, inputs);
    const AttentionParams params = tensors.params();
    simt::LaunchOptions all = options;
    all.memory = tensors.regions();
    Output output;
    output.report = launch(params, all);
    output.o = tensors.o();
    output.lse = tensors.lse();
    for (const auto& unwritten : {tensors.o_unwritten(), tensors.lse_unwritten()}) {
        output.unwritten += std::count(unwritten.begin(), unwritten.end(), true);
    }
    output.q_was_at = params.q;
    output.k_was_at = params.k;
    output.v_was_at = params.v;
    return output;
}

Output run(const Problem& problem, const Inputs& inputs, const How& how) {
    return run_with(problem, inputs, how.options, [&](const AttentionParams& p, const simt::LaunchOptions& options) {
        return launch_real(p, problem, how, options);
    });
}

bool same_bits(const Output& a, const Output& b) {
    const auto same = [](float x, float y) {
        return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
    };
    return a.o == b.o && std::equal(a.lse.begin(), a.lse.end(), b.lse.begin(), b.lse.end(), same);
}

Problem shape(std::int64_t batch, std::int64_t heads, std::int64_t kv_heads, std::int64_t seqlen_q,
              std::int64_t seqlen_k, std::int64_t head_dim, bool causal, DType dtype) {
    Problem problem;
    problem.batch = batch;
    problem.heads = heads;
    problem.kv_heads = kv_heads;
    problem.seqlen_q = seqlen_q;
    problem.seqlen_k = seqlen_k;
    problem.head_dim = head_dim;
    problem.causal = causal;
    problem.dtype = dtype;
    problem.scale = 1.0 / std::sqrt(static_cast<double>(head_dim));
    return problem;
}

Inputs make_inputs(const Problem& problem, const Element& q, const Element& k, const Element& v) {
    const auto fill = [&](std::int64_t length, std::int64_t heads, const Element& element) {
        std::vector<std::uint16_t> words;
        words.reserve(static_cast<std::size_t>(problem.batch * length * heads * problem.head_dim));
        for (std::int64_t b = 0; b < problem.batch; ++b) {
            for (std::int64_t row = 0; row < length; ++row) {
                for (std::int64_t head = 0; head < heads; ++head) {
                    for (std::int64_t d = 0; d < problem.head_dim; ++d) {
                        words.push_back(round_to(element(b, row, head, d), problem.dtype));
                    }
                }
            }
        }
        return words;
    };
    Inputs inputs;
    inputs.q = fill(problem.seqlen_q, problem.heads, q);
    inputs.k = fill(problem.seqlen_k, problem.kv_heads, k);
    inputs.v = fill(problem.seqlen_k, problem.kv_heads, v);
    return inputs;
}

std::string text_of(const Problem& p) {
    const char* mask = !p.causal ? "full" : p.align == Align::bottom_right ? "causal bottom-right" : "causal top-left";
    return fmt::format("B{} H{} KV{} Sq{} Sk{} D{} {} {} scale {} seed {}", p.batch, p.heads, p.kv_heads, p.seqlen_q,
                       p.seqlen_k, p.head_dim, mask, p.dtype == DType::fp16 ? "fp16" : "bf16", p.scale, p.seed);
}

ErrorReport judge(const Problem& problem, const Inputs& inputs, const Output& output) {
    const ReferenceRun reference = run_reference(problem, inputs, reference::all_rows(reference_sizes(problem)));
    return check(problem, inputs, output.o, output.lse, reference);
}

const std::vector<Variant>& every_variant() {
    static const std::vector<Variant> every =
        with_every_kernel() ? std::vector<Variant>(std::begin(on_the_ladder), std::end(on_the_ladder))
                            : std::vector<Variant>{Variant::v1, Variant::v2, Variant::v2_tuned};
    return every;
}

std::vector<Variant> all_variants_for(const Problem& problem, Chip chip) {
    if (chip < 80) {
        return problem.dtype != DType::fp16          ? std::vector<Variant>{}
               : problem.head_dim > v1::max_head_dim ? std::vector{Variant::v2}
                                                     : std::vector{Variant::v1, Variant::v2};
    }
    if (problem.head_dim > v1::max_head_dim) {
        return {Variant::v2, Variant::v2_tuned};
    }
    std::vector<Variant> all(std::begin(on_the_ladder), std::end(on_the_ladder));
    if (problem.dtype == DType::fp16) {
        all.insert(all.end(), std::begin(other_orders), std::end(other_orders));
    }
    return all;
}

std::vector<Variant> variants_for(const Problem& problem, Chip chip) {
    std::vector<Variant> all = all_variants_for(problem, chip);
    if (!with_every_kernel()) {
        std::erase_if(all, [](Variant v) { return between::is_between(name_of(v)); });
    }
    return all;
}

std::int64_t Random::between(std::int64_t low, std::int64_t high) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return low + static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(high - low + 1));
}

}  // namespace flashlens::kernel_tests
