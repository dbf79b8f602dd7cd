// From lane accesses to warp instructions. The lanes of a warp run one after the other between two meeting points; each
// writes down what it accesses, and at the meeting point the notes are merged: the lanes that are at the same site, with
// the same tensor, together make one warp instruction, as they would on a GPU. From it come sectors, wavefronts and bank
// conflicts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simt/sites.h"

namespace flashlens::simt {

/// What one warp instruction makes of shared memory's 32 banks of 4 bytes.
struct Wavefronts {
    unsigned needed = 0;  ///< passes through the banks
    unsigned ideal = 0;   ///< what its active lanes would need without any conflict
};

enum class Banks { read, written };

/// The bank rules. A wavefront moves at most 128 bytes, one word of each bank. Accesses of 4 bytes go together for all 32
/// lanes, of 8 bytes for 16 lanes, of 16 bytes for 8; a group with no active lane takes no wavefront. In each group a
/// bank serves one word per wavefront, and lanes that want the same word share it.
///
/// A wide read fills registers for twice as many lanes at once (32 at 8 bytes, 16 at 16) where lanes pair up: each active
/// lane i wants what lane i ^ 1 wants, or throughout the warp what lane i ^ 2 wants, or that lane is inactive. Half the
/// registers are then copies of the other half.
///
/// addresses[lane] counts for the lanes in `active`; aligned to `bytes`, which is 4, 8 or 16.
Wavefronts shared_wavefronts(const std::uint32_t* addresses, std::uint32_t active, unsigned bytes, Banks banks);

/// Counts an ldmatrix, which reads 16 bytes at each lane's address.
void count_ldmatrix(Counters& counters, const std::uint32_t* addresses);

/// Distinct 32-byte sectors among the active lanes' addresses (an aligned access of up to 16 bytes lies in one).
unsigned sectors(const std::uint64_t* addresses, std::uint32_t active);

/// The sectors of a cp.async of 16 bytes a lane: two neighbouring lanes, 2i and 2i + 1, share a sector that both want;
/// others do not. (Rows that begin in the middle of a sector cost 5 for 5 lanes, where a load of the warp has 3.)
unsigned cp_async_sectors(const std::uint64_t* addresses, std::uint32_t active);

class AccessLog {
public:
    /// A lane that has this many accesses since the last merge must let the others catch up.
    static constexpr unsigned most = 1024;
    /// The global half of a cp.async record that reads nothing.
    static constexpr std::uint64_t no_source = (std::uint64_t{1} << 46) - 1;
    static std::uint64_t pack_copy(std::uint64_t global_address, std::uint32_t shared_address) {
        return global_address | std::uint64_t{shared_address / 16} << 46;
    }

    /// What lanes must have in common to make one instruction: the site, and for loads and stores the region of global
    /// memory. One line of a kernel that loads from K and from Q, inlined twice, is two instructions.
    static std::uint32_t pack_origin(std::uint32_t site, std::uint32_t region) {
        return site | region << SiteTable::id_bits;
    }

    /// Notes an access by `lane`; true when the lane's notes are full.
    bool add(unsigned lane, std::uint32_t origin, std::uint64_t address) {
        const unsigned n = counts_[lane]++;
        if (n == capacity_) [[unlikely]] {
            grow();
        }
        Row& row = first_row_[n];
        row.origin[lane] = origin;
        row.address[lane] = address;
        used_ = true;
        return n + 1 == most;
    }

    /// Merges the notes into warp instructions, counts those in their steps, and starts anew.
    void merge(const SiteTable& sites) {
        if (used_) {
            merge_used(sites);
        }
    }

    void clear();

private:
    struct Row {
        std::array<std::uint32_t, 32> origin;
        std::array<std::uint64_t, 32> address;
    };

    void grow();
    void merge_used(const SiteTable& sites);
    void merge_divergent(const SiteTable& sites, unsigned first_row);

    /// A warp instruction in the making.
    struct Instruction {
        std::uint32_t active;
        std::array<std::uint64_t, 32> address;
    };

    std::vector<Row> rows_;
    Row* first_row_ = nullptr;  ///< rows_.data() and size(), at hand
    unsigned capacity_ = 0;
    std::array<unsigned, 32> counts_{};
    bool used_ = false;
    // merge_divergent's: kept for their memory
    std::vector<Instruction> instructions_;
    std::vector<std::uint32_t> origins_in_order_;
    std::vector<std::uint32_t> instructions_in_order_;
};

}  // namespace flashlens::simt
