#include "reference/attention.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "reference/parallel.h"

namespace flashlens::reference {
namespace {

using Eigen::Index;

template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Contiguous numbers of one row.
template <class Scalar>
using Line = Eigen::Map<Eigen::Array<Scalar, 1, Eigen::Dynamic>>;

constexpr std::int64_t max_block_rows = 128;      // enough for the matrix products to run at full speed
constexpr std::int64_t key_chunk = 512;           // keys converted at a time: 512 x 256 doubles are 1 MiB
constexpr std::int64_t strip_elements = 1 << 22;  // S of one block of rows, over all keys: 32 MiB of doubles

/// Rows first .. first + count - 1 of the list asked for: all of one head of one batch.
struct Block {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

std::vector<Block> cut_into_blocks(const Sizes& sizes, std::span<const Row> rows) {
    const std::int64_t block_rows =
        std::clamp<std::int64_t>(strip_elements / std::max<std::int64_t>(sizes.seqlen_k, 1), 4, max_block_rows);
    std::vector<Block> blocks;
    for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
        const Row& row = rows[i];
        const bool same_head = i > 0 && rows[i - 1].batch == row.batch && rows[i - 1].head == row.head;
        if (same_head && blocks.back().count < block_rows) {
            ++blocks.back().count;
        } else {
            blocks.push_back({i, 1});
        }
    }
    return blocks;
}

/// `rows` rows of `head_dim` words, `stride` words apart, as numbers: exact, as every 16-bit value is an fp32 and an fp64.
template <class Word, class Scalar>
void load(Matrix<Scalar>& to, const std::uint16_t* from, std::int64_t rows, std::int64_t head_dim,
          std::int64_t stride) {
    using Words = Eigen::Map<const Matrix<Word>, Eigen::Unaligned, Eigen::OuterStride<>>;
    to = Words(reinterpret_cast<const Word*>(from), rows, head_dim, Eigen::OuterStride<>(stride))
             .template cast<Scalar>();
}

/// Turns logits into exp(logit - shift) in place and returns shift: the maximum, so that nothing overflows.
template <class Scalar>
Scalar exponentials(Line<Scalar> logits) {
    Scalar shift = logits.template maxCoeff<Eigen::PropagateNumbers>();
    if (std::isfinite(shift)) {
        // Eigen's exponential clamps its argument: below the smallest normal number it must become 0.
        const Scalar smallest = std::log(std::numeric_limits<Scalar>::min());
        logits = ((logits - shift) < smallest).select(Scalar(0), (logits - shift).exp());
        return shift;
    }
    // All NaN, all -inf, or some +inf. Unshifted, the last gives exp(inf) = inf and so an infinite sum (fp64); shifted,
    // inf - inf = NaN (plain attention, as its usual implementations have it).
    if (!(shift > 0) || std::is_same_v<Scalar, double>) {
        shift = 0;
    }
    for (Index j = 0; j < logits.size(); ++j) {
        logits(j) = std::exp(logits(j) - shift);
    }
    return shift;
}

/// Attention for one block of rows after another; keeps its buffers. In fp64 P stays unrounded and O is divided by the
/// row sum at the end; in fp32 P is normalised, then rounded to Word.
template <class Word, class Scalar>
class BlockWorker {
public:
    BlockWorker(const Sizes& sizes, const Tensors& inputs, std::span<const Row> rows)
        : sizes_(sizes), inputs_(inputs), rows_(rows) {}

    /// Calls store(index in the list of rows, O, lse) for each row.
    template <class Store>
    void run(const Block& block, const Store& store) {
        see(block);
        multiply_q_k(block);
        softmax();
        multiply_p_v();
        for (Index r = 0; r < o_.rows(); ++r) {
            store(block.first + r, o_.row(r), lse_[r]);
        }
    }

private:
    static constexpr bool exact = std::is_same_v<Scalar, double>;

    void see(const Block& block) {
        visible_.resize(block.count);
        for (std::int64_t r = 0; r < block.count; ++r) {
            visible_[r] = visible_keys(sizes_, rows_[block.first + r].row);
        }
        longest_ = *std::max_element(visible_.begin(), visible_.end());
        const Row& row = rows_[block.first];
        const std::int64_t kv_head = row.head / (sizes_.heads / sizes_.kv_heads);
        kv_stride_ = sizes_.kv_heads * sizes_.head_dim;
        kv_first_ = row.batch * sizes_.seqlen_k * kv_stride_ + kv_head * sizes_.head_dim;
    }

    void multiply_q_k(const Block& block) {
        q_.resize(block.count, sizes_.head_dim);
        for (std::int64_t r = 0; r < block.count; ++r) {
            const Row& row = rows_[block.first + r];
            const std::int64_t offset =
                ((row.batch * sizes_.seqlen_q + row.row) * sizes_.heads + row.head) * sizes_.head_dim;
            load<Word>(line_, inputs_.q.data() + offset, 1, sizes_.head_dim, sizes_.head_dim);
            q_.row(r) = line_;
        }
        s_.resize(block.count, longest_);
        for (std::int64_t key = 0; key < longest_; key += key_chunk) {
            const std::int64_t keys = std::min(key_chunk, longest_ - key);
            load<Word>(chunk_, inputs_.k.data() + kv_first_ + key * kv_stride_, keys, sizes_.head_dim, kv_stride_);
            s_.middleCols(key, keys).noalias() = q_ * chunk_.transpose();
        }
        s_ *= static_cast<Scalar>(sizes_.scale);
    }

    void softmax() {
        sums_.resize(visible_.size());
        lse_.resize(visible_.size());
        for (std::size_t r = 0; r < visible_.size(); ++r) {
            Scalar* const row = s_.data() + static_cast<std::int64_t>(r) * longest_;
            std::fill(row + visible_[r], row + longest_, Scalar(0));  // masked: P = 0
            if (visible_[r] == 0) {
                lse_[r] = -std::numeric_limits<Scalar>::infinity();
                continue;
            }
            Line<Scalar> p(row, visible_[r]);
            const Scalar shift = exponentials(p);
            sums_[r] = p.sum();
            lse_[r] = shift + std::log(sums_[r]);
            if constexpr (!exact) {
                p = (p / sums_[r]).template cast<Word>().template cast<Scalar>();
            }
        }
    }

    void multiply_p_v() {
        o_.setZero(static_cast<Index>(visible_.size()), sizes_.head_dim);
        for (std::int64_t key = 0; key < longest_; key += key_chunk) {
            const std::int64_t keys = std::min(key_chunk, longest_ - key);
            load<Word>(chunk_, inputs_.v.data() + kv_first_ + key * kv_stride_, keys, sizes_.head_dim, kv_stride_);
            if (chunk_.allFinite()) {
                o_.noalias() += s_.middleCols(key, keys) * chunk_;
                continue;
            }
            // 0 x NaN is NaN: a masked key must not even be multiplied.
            for (Index r = 0; r < o_.rows(); ++r) {
                const std::int64_t seen = std::clamp<std::int64_t>(visible_[r] - key, 0, keys);
                o_.row(r) += s_.row(r).segment(key, seen) * chunk_.topRows(seen);
            }
        }
        for (Index r = 0; r < o_.rows(); ++r) {
            if (exact && visible_[r] > 0) {
                o_.row(r) /= sums_[r];
            }
        }
    }

    Sizes sizes_;
    Tensors inputs_;
    std::span<const Row> rows_;

    // of the block at hand
    std::vector<std::int64_t> visible_;  // keys that each row sees
    std::int64_t longest_ = 0;           // the largest of them
    std::int64_t kv_first_ = 0;          // first word of this head's K and V
    std::int64_t kv_stride_ = 0;         // words from one key to the next
    Matrix<Scalar> q_;                   // (rows, head_dim)
    Matrix<Scalar> s_;                   // (rows, longest_): S, then P
    Matrix<Scalar> chunk_;               // (keys, head_dim) of K or V
    Matrix<Scalar> line_;                // (1, head_dim)
    Matrix<Scalar> o_;                   // (rows, head_dim)
    std::vector<Scalar> sums_;           // l of each row
    std::vector<Scalar> lse_;
};

void check_arguments(const Sizes& sizes, const Tensors& inputs, std::span<const Row> rows) {
    const auto is = [](std::span<const std::uint16_t> tensor, std::int64_t size) { return std::ssize(tensor) == size; };
    if (sizes.kv_heads > 0 ? sizes.heads % sizes.kv_heads != 0 : sizes.heads != 0) {
        throw std::invalid_argument("reference: heads must be a multiple of kv_heads");
    }
    const std::int64_t kv_size = sizes.batch * sizes.seqlen_k * sizes.kv_heads * sizes.head_dim;
    if (!is(inputs.q, sizes.batch * sizes.seqlen_q * sizes.heads * sizes.head_dim) || !is(inputs.k, kv_size) ||
        !is(inputs.v, kv_size)) {
        throw std::invalid_argument("reference: a tensor's size isn't that of its shape");
    }
    const auto inside = [](std::int64_t index, std::int64_t size) { return index >= 0 && index < size; };
    for (const Row& row : rows) {
        if (!inside(row.batch, sizes.batch) || !inside(row.head, sizes.heads) || !inside(row.row, sizes.seqlen_q)) {
            throw std::invalid_argument("reference: a row that doesn't exist was asked for");
        }
    }
}

/// Runs every block of rows in Scalar and calls store(index in rows, O, lse) for each row.
template <class Scalar, class Store>
void run_blocks(const Sizes& sizes, const Tensors& inputs, std::span<const Row> rows, unsigned threads,
                const Store& store) {
    check_arguments(sizes, inputs, rows);
    const std::vector<Block> blocks = cut_into_blocks(sizes, rows);
    const auto run = [&]<class Word>() {
        for_each_parallel(std::ssize(blocks), threads, [&] {
            return [&, worker = BlockWorker<Word, Scalar>(sizes, inputs, rows)](std::int64_t i) mutable {
                worker.run(blocks[i], store);
            };
        });
    };
    if (sizes.type == Type::fp16) {
        run.template operator()<Eigen::half>();
    } else {
        run.template operator()<Eigen::bfloat16>();
    }
}

}  // namespace

std::vector<Row> all_rows(const Sizes& sizes) {
    std::vector<Row> rows;
    rows.reserve(sizes.batch * sizes.heads * sizes.seqlen_q);
    for (std::int64_t batch = 0; batch < sizes.batch; ++batch) {
        for (std::int64_t head = 0; head < sizes.heads; ++head) {
            for (std::int64_t row = 0; row < sizes.seqlen_q; ++row) {
                rows.push_back({batch, head, row});
            }
        }
    }
    return rows;
}

std::int64_t visible_keys(const Sizes& sizes, std::int64_t row) {
    return sizes.causal ? std::clamp<std::int64_t>(row + sizes.offset + 1, 0, sizes.seqlen_k) : sizes.seqlen_k;
}

Exact exact(const Sizes& sizes, const Tensors& inputs, std::span<const Row> rows, unsigned threads) {
    Exact result;
    result.o.resize(rows.size() * sizes.head_dim);
    result.lse.resize(rows.size());
    run_blocks<double>(sizes, inputs, rows, threads, [&](std::int64_t i, const auto& o, double lse) {
        std::copy(o.begin(), o.end(), result.o.begin() + i * sizes.head_dim);
        result.lse[i] = lse;
    });
    return result;
}

Plain plain(const Sizes& sizes, const Tensors& inputs, std::span<const Row> rows, unsigned threads) {
    Plain result;
    result.o.resize(rows.size() * sizes.head_dim);
    result.lse.resize(rows.size());
    run_blocks<float>(sizes, inputs, rows, threads, [&](std::int64_t i, const auto& o, float lse) {
        const auto round = [&](float value) {
            return sizes.type == Type::fp16 ? Eigen::half(value).x : Eigen::bfloat16(value).value;
        };
        std::transform(o.begin(), o.end(), result.o.begin() + i * sizes.head_dim, round);
        result.lse[i] = lse;
    });
    return result;
}

}  // namespace flashlens::reference
