// The tensors of a run on the CPU machine that is watched: whatever a kernel does to memory that it should not is noticed.
#pragma once

#include <cstdint>
#include <vector>

#include "explorer/inputs.h"
#include "explorer/problem.h"
#include "simt/launch.h"

namespace flashlens {

/// Q, K and V, and outputs and v1's scratch filled with a pattern that no kernel writes. Behind each tensor there is room
/// that belongs to nobody, so that an access past the end is out of bounds whatever else there is in memory.
class GuardedTensors {
public:
    GuardedTensors(const Problem& problem, const Inputs& inputs);
    GuardedTensors(const GuardedTensors&) = delete;
    GuardedTensors& operator=(const GuardedTensors&) = delete;

    /// Sizes, diagonal and scale of the problem; pointers to these tensors.
    AttentionParams params() const { return params_; }

    /// One for each tensor, of exactly its size: "Q", "K", "V", "O", "lse", "o_tmp", "huge_rows".
    std::vector<simt::Region> regions() const;

    const std::vector<std::uint16_t>& o() const { return o_; }  ///< (batch, seqlen_q, heads, head_dim)
    const std::vector<float>& lse() const { return lse_; }      ///< (batch, heads, seqlen_q)
    /// Elements that nobody has written, by the same indices.
    std::vector<bool> o_unwritten() const;
    std::vector<bool> lse_unwritten() const;

private:
    std::vector<std::uint16_t> q_, k_, v_, o_;
    std::vector<float> lse_, o_tmp_, huge_rows_;
    AttentionParams params_;
};

}  // namespace flashlens
