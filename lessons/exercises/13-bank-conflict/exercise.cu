// Exercise 13: bank conflicts. What is asked: flashlens practice 13 --task
//
// Complete what is marked TODO, save, and run: flashlens practice 13
#include "exercise.cuh"
#include "kernels/v2/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

/// A matrix of 16-bit elements in shared memory, in chunks of 8 elements: 16 bytes, 4 of the 32 banks. ldmatrix reads one
/// chunk from each of 8 consecutive rows at a time, always the same column of chunks.
template <int Rows, int Columns>
struct Tile {
    static constexpr int chunks_per_row = Columns / 8;
    static constexpr int row_bytes = Columns * 2;  // from one row to the next
    static constexpr int bytes = Rows * row_bytes;

    SharedAddress base;

    /// Where chunk `chunk` of row `row` is kept.
    FLASHLENS_INLINE SharedAddress chunk(int row, int chunk) const {
        return base + row * row_bytes + chunk * 16;  // TODO: 8 rows, one chunk of each, in different banks
    }

    /// A operand: rows are M. (`row` and `column` are multiples of 16: the top left corner of the 16x16 to read.)
    FLASHLENS_INLINE void load_a(std::uint32_t (&a)[4], int row, int column) const {
        ldmatrix_x4(a, piece(lane_index() % 16, lane_index() / 16, row, column));
    }
    /// B operands from rows of N: K of Q K^T.
    FLASHLENS_INLINE void load_b(std::uint32_t (&b)[4], int row, int column) const {
        ldmatrix_x4(b, piece(lane_index() % 8 + lane_index() / 16 * 8, lane_index() / 8 % 2, row, column));
    }
    /// B operands from rows of K: V of P V.
    FLASHLENS_INLINE void load_b_trans(std::uint32_t (&b)[4], int row, int column) const {
        ldmatrix_x4_trans(b, piece(lane_index() % 16, lane_index() / 16, row, column));
    }

private:
    /// What a lane reads: row `lane_row`, chunk `lane_chunk` of the 16x16.
    FLASHLENS_INLINE SharedAddress piece(int lane_row, int lane_chunk, int row, int column) const {
        return chunk(lane_row, lane_chunk) + row * row_bytes + column * 2;  // TODO: of chunks that stand side by side
    }
};

template <int D>
struct MyTraits : Traits<fp16, D, 64, 64, 4> {
    using QTile = Tile<64, D>;
    using KvTile = Tile<64, D>;
    static constexpr int shared_bytes = 3 * KvTile::bytes;  // Q, K, V. At most 28 KiB at D 64, 15 KiB at D 32
};

template <class T, class Tile>
FLASHLENS_INLINE void load(const Tile& tile, const HeadRows& from, int first_row, int rows) {
    const Step step("load");
    for (int i = static_cast<int>(threadIdx.x); i < 64 * Tile::chunks_per_row; i += T::threads) {
        const int row = i / Tile::chunks_per_row;
        const int chunk = i % Tile::chunks_per_row;
        Chunk data = {};
        if (first_row + row < rows) {
            data = load_global<Chunk>(from.row(first_row + row) + chunk * 16);
        }
        store_shared(tile.chunk(row, chunk), data);
    }
}

template <class T, bool Causal>
__global__ void __launch_bounds__(T::threads) my_kernel(const AttentionParams p) {
    const QueryBlock<T, Causal> cta(p);
    const typename T::QTile smem_q{shared_memory()};
    const typename T::KvTile smem_k{smem_q.base + T::QTile::bytes};
    const typename T::KvTile smem_v{smem_k.base + T::KvTile::bytes};
    typename T::AccO acc_o;
    typename T::FragP frag_p;
    typename T::Rows m, l;
    clear<T>(acc_o, m, l);

    int n = cta.key_blocks - 1;
    if (n >= 0) {
        load<T>(smem_q, cta.q, cta.first_row, p.seqlen_q);
    }
    for (; n >= 0; --n) {
        typename T::AccS acc_s = {};
        load<T>(smem_k, cta.k, n * T::block_n, p.seqlen_k);
        __syncthreads();
        gemm_qk<T>(acc_s, smem_q, smem_k);
        apply_mask<T, Causal>(acc_s, p, cta.first_row, n * T::block_n);
        load<T>(smem_v, cta.v, n * T::block_n, p.seqlen_k);
        __syncthreads();
        softmax_rescale_o<T>(acc_s, m, l, acc_o, p.scale * log2_e);
        convert<T>(frag_p, acc_s);
        gemm_pv<T>(acc_o, frag_p, smem_v);
    }
    normalize<T, Causal>(acc_o, m, l, p, cta.first_row, cta.lse, smem_q);
    __syncthreads();
    store<T>(cta.o, smem_q, cta.first_row, p.seqlen_q, p.head_dim);
}

template <int D>
void launch_with(const AttentionParams& p, bool causal, Launcher& launcher) {
    using T = MyTraits<D>;
    const Grid grid{(p.seqlen_q + T::block_m - 1) / T::block_m, p.batch, p.heads};
    launcher("v2", causal ? my_kernel<T, true> : my_kernel<T, false>, grid, T::threads, T::shared_bytes, p);
}

inline void launch_exercise(const AttentionParams& p, bool causal, Launcher& launcher) {
    p.head_dim <= 32 ? launch_with<32>(p, causal, launcher) : launch_with<64>(p, causal, launcher);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::v2::launch_exercise)
