// Attention forward on the CPU, twice, as what the kernels are held against: in fp64, and as plain attention in the
// kernels' own precision. Shares no code with kernels/: sizes, mask and head mapping are this room's own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flashlens::reference {

/// The 16-bit type of Q, K and V: IEEE binary16, or bfloat16.
enum class Type { fp16, bf16 };

/// O = softmax(scale Q K^T + mask) V for each batch and head. Q is (batch, seqlen_q, heads, head_dim), K and V are
/// (batch, seqlen_k, kv_heads, head_dim), dense and row-major. Query head h reads key/value head h / (heads / kv_heads).
/// Any size may be zero.
struct Sizes {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t seqlen_q = 0;
    std::int64_t seqlen_k = 0;
    std::int64_t head_dim = 0;
    /// Causal: query i sees key j if and only if j <= i + offset. Full: every key, and offset isn't read.
    bool causal = false;
    std::int64_t offset = 0;
    double scale = 1.0;
    Type type = Type::fp16;
};

/// Q, K and V as 16-bit words of Sizes::type, in the layouts above.
struct Tensors {
    std::span<const std::uint16_t> q;
    std::span<const std::uint16_t> k;
    std::span<const std::uint16_t> v;
};

/// One query row of one head of one batch.
struct Row {
    std::int64_t batch = 0;
    std::int64_t head = 0;
    std::int64_t row = 0;

    friend bool operator==(const Row&, const Row&) = default;
    friend auto operator<=>(const Row&, const Row&) = default;  // NOLINT(modernize-use-nullptr): the comparison with 0
};

/// Every row, sorted by batch, then head, then row.
std::vector<Row> all_rows(const Sizes& sizes);

/// How many keys `row` sees; they are always keys 0 .. visible_keys - 1.
std::int64_t visible_keys(const Sizes& sizes, std::int64_t row);

/// In fp64: o is (rows, head_dim), lse is (rows), in the order of the rows asked for.
struct Exact {
    std::vector<double> o;
    std::vector<double> lse;
};

/// In the kernels' precision: o holds 16-bit words of Sizes::type, (rows, head_dim); lse is (rows).
struct Plain {
    std::vector<std::uint16_t> o;
    std::vector<float> lse;
};

/// Attention in fp64 for the rows asked for (sorted rows are fastest). lse is the natural logarithm of the sum of
/// exp(scale q.k) over the visible keys. Only visible keys have any influence:
/// - no visible key: O = 0, lse = -inf;
/// - a NaN in q, or in k of a visible key: O and lse NaN; in v of a visible key: that column of O NaN;
/// - every visible logit -inf: O = 0/0 = NaN, lse = -inf;
/// - a logit of +inf and no NaN: O = inf/inf = NaN, lse = +inf;
/// - an infinity in v: p x inf, which is NaN when p underflows to 0.
/// Memory: about 32 MiB per thread beyond the result, whatever the sizes (more only past a million keys).
/// threads = 0: one per core. Results don't depend on the number of threads.
Exact exact(const Sizes& sizes, const Tensors& inputs, std::span<const Row> rows, unsigned threads = 0);

/// Plain attention as a framework computes it in the 16-bit type with fp32 accumulation: S = scale QK^T, maximum,
/// exponentials and sums in fp32; P = exp(S - m) / l rounded to the type; PV summed in fp32; O rounded to the type.
/// Non-finite values as in exact(), but a logit of +inf makes lse NaN too (inf - inf).
Plain plain(const Sizes& sizes, const Tensors& inputs, std::span<const Row> rows, unsigned threads = 0);

}  // namespace flashlens::reference
