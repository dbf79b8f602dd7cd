// What the CPU machine counts while it executes. Nothing here is ever computed from a formula.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace flashlens::simt {

/// Sums over everything that ran. "warp" counts an instruction once for its 32 lanes, as a profiler's instruction count
/// does, in the step of the warp's lane 0 (of the CTA's, for barriers); "thread" counts each lane.
struct Counters {
    // global memory, as requested by the kernel: no cache is modelled
    std::uint64_t global_read_bytes = 0;          ///< thread; cp.async included
    std::uint64_t global_write_bytes = 0;         ///< thread
    std::uint64_t global_read_sectors = 0;        ///< 32-byte sectors, per warp instruction
    std::uint64_t global_write_sectors = 0;       ///< 32-byte sectors, per warp instruction
    std::uint64_t global_read_instructions = 0;   ///< warp; cp.async not included
    std::uint64_t global_write_instructions = 0;  ///< warp
    std::uint64_t cp_async_read_bytes = 0;        ///< thread; what cp.async has of global_read_bytes
    std::uint64_t cp_async_read_sectors = 0;      ///< ... and of global_read_sectors; per pair of lanes
    // shared memory; wavefronts are passes through the 32 banks (see access_log.h for the rules)
    std::uint64_t shared_read_bytes = 0;    ///< thread; ldmatrix included
    std::uint64_t shared_write_bytes = 0;   ///< thread; cp.async included
    std::uint64_t load_wavefronts = 0;      ///< ld.shared
    std::uint64_t store_wavefronts = 0;     ///< st.shared
    std::uint64_t ldmatrix_wavefronts = 0;  ///< ldmatrix
    std::uint64_t cp_async_wavefronts = 0;  ///< cp.async, where it writes
    std::uint64_t bank_conflicts = 0;       ///< wavefronts beyond those that the same lanes need without any conflict
    // meeting points
    std::uint64_t barriers = 0;       ///< __syncthreads, once per CTA
    std::uint64_t warp_barriers = 0;  ///< __syncwarp, warp
    std::uint64_t shuffles = 0;       ///< warp
    std::uint64_t votes = 0;          ///< warp
    std::uint64_t ldmatrix = 0;       ///< warp
    std::uint64_t mma = 0;            ///< warp; m16n8k16 and m16n8k8
    std::uint64_t mma_k8 = 0;         ///< warp; what m16n8k8, sm_75's, has of mma
    std::uint64_t cp_async = 0;       ///< warp
    /// Of mma: those that run while a cp.async of the warp's lane 0 is on its way. What a pipeline is for.
    std::uint64_t mma_beside_copies = 0;
    // arithmetic on registers, thread
    std::uint64_t exp2 = 0;
    std::uint64_t log2 = 0;
    std::uint64_t fp32_add = 0;
    std::uint64_t fp32_mul = 0;
    std::uint64_t fp32_fma = 0;
    std::uint64_t fp32_max = 0;
    std::uint64_t fp32_compare = 0;
    std::uint64_t fp32_select = 0;
    std::uint64_t fp32_div = 0;
    std::uint64_t converts = 0;  ///< each makes two 16-bit values from two fp32; on sm_75 one from one

    /// All of the fp32 pipe's arithmetic (no exp2 or log2, which have a unit of their own; no mma).
    std::uint64_t fp32_ops() const {
        return fp32_add + fp32_mul + fp32_fma + fp32_max + fp32_compare + fp32_select + fp32_div + converts;
    }
    /// An m16n8k16 is 4096 FLOPs, an m16n8k8 2048; masked and padded elements count.
    std::uint64_t mma_flops() const { return 4096 * (mma - mma_k8) + 2048 * mma_k8; }
    std::uint64_t shared_bytes() const { return shared_read_bytes + shared_write_bytes; }
    std::uint64_t shared_wavefronts() const {
        return load_wavefronts + store_wavefronts + ldmatrix_wavefronts + cp_async_wavefronts;
    }

    /// Adds every counter of `other`, `times` over.
    void add(const Counters& other, std::uint64_t times = 1);

    friend bool operator==(const Counters&, const Counters&) = default;
};

inline void Counters::add(const Counters& other, std::uint64_t times) {
    using Values = std::array<std::uint64_t, sizeof(Counters) / sizeof(std::uint64_t)>;
    auto sums = std::bit_cast<Values>(*this);
    const auto more = std::bit_cast<Values>(other);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += times * more[i];
    }
    *this = std::bit_cast<Counters>(sums);
}

/// The counters of the step that the running lane is in.
constinit inline thread_local Counters* tally = nullptr;

}  // namespace flashlens::simt
