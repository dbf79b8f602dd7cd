// Running the real kernels on the CPU machine, all checks on, and holding what they give against the reference.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "explorer/elements.h"
#include "explorer/inputs.h"
#include "explorer/problem.h"
#include "explorer/verdict.h"
#include "kernels/attention.h"
#include "simt/launch.h"

namespace flashlens::kernel_tests {

enum class Variant {
    v1,
    query_blocks,
    row_warps,
    wide_warps,
    swapped_loops,
    late_norm,
    masked_loop,
    v2,
    v2_tuned,
    // other orders from v1 to v2: fp16 alone
    key_warps,
    swapped_narrow,
    async_swapped,
    async_late_norm,
    async_masked_loop,
    v1_grid
};
/// v1, v2 and v2-tuned. With FLASHLENS_EVERY_KERNEL in the environment the ladder between v1 and v2, too: by bits and
/// counters (between_test.cpp) each of its kernels stands close to one of the two, so that not every run repeats all for all.
const std::vector<Variant>& every_variant();
std::string name_of(Variant variant);
/// Throws std::out_of_range for a name that there is not.
Variant variant_named(std::string_view name);

/// How to run a variant; the defaults are an A100's tiles and two splits.
struct How {
    Variant variant = Variant::v1;
    int splits = 2;  ///< v1, v1_grid
    Chip chip = 80;  ///< the tiles of v2 and v2-tuned; 75: the instances for it, also of v1
    /// v2-tuned: up to so many large blocks it takes small ones, and under a causal mask up to twice as many CTAs are
    /// ordered as if they all ran at once.
    int sm_count = 4;
    simt::LaunchOptions options = {};
};

struct Output {
    std::vector<std::uint16_t> o;  ///< (batch, seqlen_q, heads, head_dim)
    std::vector<float> lse;        ///< (batch, heads, seqlen_q)
    std::int64_t unwritten = 0;    ///< elements of o and lse that still hold what they were filled with before the run
    simt::LaunchReport report;
    const void* q_was_at = nullptr;  ///< where Q, K and V were while it ran, for what a watched kernel tells
    const void* k_was_at = nullptr;
    const void* v_was_at = nullptr;
};

/// What launches a kernel with these parameters and options.
using LaunchIt = std::function<simt::LaunchReport(const AttentionParams&, const simt::LaunchOptions&)>;

/// Fills the outputs and v1's scratch with a pattern, declares each tensor as a region of exactly its size, launches.
Output run_with(const Problem& problem, const Inputs& inputs, const simt::LaunchOptions& options,
                const LaunchIt& launch);
/// run_with of the real kernel.
Output run(const Problem& problem, const Inputs& inputs, const How& how);

/// The tile, and the order of v2-tuned's CTAs, that run() takes.
Tile tile_of(const Problem& problem, const How& how);
CtaOrder order_of(const Problem& problem, const How& how);

/// Bit for bit, the outputs only.
bool same_bits(const Output& a, const Output& b);

/// A problem of one type, scale 1/sqrt(head_dim).
Problem shape(std::int64_t batch, std::int64_t heads, std::int64_t kv_heads, std::int64_t seqlen_q,
              std::int64_t seqlen_k, std::int64_t head_dim, bool causal = false, DType dtype = DType::fp16);

/// An element of a tensor from batch, row, head and column.
using Element = std::function<double(std::int64_t batch, std::int64_t row, std::int64_t head, std::int64_t column)>;
Inputs make_inputs(const Problem& problem, const Element& q, const Element& k, const Element& v);

/// "B2 H4 KV2 Sq33 Sk65 D64 causal bottom-right fp16 scale 0.125"
std::string text_of(const Problem& problem);

/// The verdict on all rows.
ErrorReport judge(const Problem& problem, const Inputs& inputs, const Output& output);

/// Runs all variants (v1 only up to head dim 128) and CHECKs that every element was written and the verdict is a pass.
void expect_right(const Problem& problem, const Inputs& inputs, int splits = 2, Chip chip = 80);
/// The same of one output.
void expect_right(const Problem& problem, const Inputs& inputs, const Output& output, const std::string& variant);

/// Of every_variant() those that can run this problem with the chip's kernels; with FLASHLENS_EVERY_KERNEL also the kernels in
/// other orders.
std::vector<Variant> variants_for(const Problem& problem, Chip chip = 80);
/// ... of all kernels.
std::vector<Variant> all_variants_for(const Problem& problem, Chip chip);

/// Integers from a fixed seed: equal with every library.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    /// low .. high, both included.
    std::int64_t between(std::int64_t low, std::int64_t high);
    template <class T>
    T one_of(const std::vector<T>& values) {
        return values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(values.size()) - 1))];
    }

private:
    std::uint64_t state_;
};

}  // namespace flashlens::kernel_tests
