#include "simt/access_log.h"

#include <algorithm>
#include <bit>

namespace flashlens::simt {
namespace {

constexpr std::uint32_t all_lanes = 0xFFFFFFFF;

/// Wavefronts for one group of `lanes` lanes whose accesses of `bytes` go through the banks together.
template <unsigned bytes, unsigned lanes>
unsigned group_wavefronts(const std::uint32_t* addresses, std::uint32_t active) {
    constexpr unsigned slots = 128 / bytes;  // places of this width side by side in the banks
    std::uint32_t taken = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
        taken |= (active >> lane & 1) << (addresses[lane] / bytes % slots);
    }
    constexpr std::uint32_t full = slots == 32 ? all_lanes : (std::uint32_t{1} << slots % 32) - 1;
    if ((lanes == slots && taken == full && active == full) || std::popcount(taken) == std::popcount(active)) {
        return 1;
    }
    std::array<std::uint32_t, lanes> words;
    std::array<std::uint8_t, slots> per_slot{};
    unsigned count = 0;
    unsigned most = 0;
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
        const std::uint32_t word = addresses[std::countr_zero(rest)] / bytes;
        if (std::find(words.begin(), words.begin() + count, word) == words.begin() + count) {
            words[count++] = word;
            most = std::max<unsigned>(most, ++per_slot[word % slots]);
        }
    }
    return most;
}

template <unsigned bytes, unsigned lanes>
Wavefronts warp_wavefronts(const std::uint32_t* addresses, std::uint32_t active) {
    constexpr std::uint32_t group = lanes == 32 ? all_lanes : (std::uint32_t{1} << lanes % 32) - 1;
    Wavefronts sum;
    for (unsigned first = 0; first < 32; first += lanes) {
        const std::uint32_t members = (active >> first) & group;
        if (members != 0) {
            ++sum.ideal;
            sum.needed += group_wavefronts<bytes, lanes>(addresses + first, members);
        }
    }
    return sum;
}

/// Does every active lane i want what lane i ^ distance wants, unless that one is inactive?
bool pair_up(const std::uint32_t* addresses, std::uint32_t active, unsigned distance) {
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const unsigned other = lane ^ distance;
        if ((active >> other & 1) != 0 && addresses[lane] != addresses[other]) {
            return false;
        }
    }
    return true;
}

template <unsigned bytes>
Wavefronts wide_wavefronts(const std::uint32_t* addresses, std::uint32_t active, Banks banks) {
    constexpr unsigned lanes = 128 / bytes;
    if (banks == Banks::read && (pair_up(addresses, active, 1) || pair_up(addresses, active, 2))) {
        return warp_wavefronts<bytes, 2 * lanes>(addresses, active);
    }
    return warp_wavefronts<bytes, lanes>(addresses, active);
}

const Site& site_of(const SiteTable& sites, std::uint32_t origin) {
    return sites[origin & ((std::uint32_t{1} << SiteTable::id_bits) - 1)];
}

void count_instruction(const Site& site, const std::uint64_t* addresses, std::uint32_t active) {
    // Sites hold the step as const because most users only name it; counting is the one that writes.
    auto& counters = *const_cast<StepTally*>(site.step);
    const std::uint64_t bytes = std::uint64_t{site.bytes} * static_cast<unsigned>(std::popcount(active));
    switch (site.access) {
        case Access::load_global:
            counters.global_read_bytes += bytes;
            counters.global_read_sectors += sectors(addresses, active);
            ++counters.global_read_instructions;
            return;
        case Access::store_global:
            counters.global_write_bytes += bytes;
            counters.global_write_sectors += sectors(addresses, active);
            ++counters.global_write_instructions;
            return;
        case Access::load_shared:
            counters.shared_read_bytes += bytes;
            break;
        case Access::store_shared:
        case Access::cp_async:
            counters.shared_write_bytes += bytes;
            break;
        case Access::ldmatrix:
            break;  // only logged where it is no meeting point
    }

    std::array<std::uint32_t, 32> shared{};
    if (site.access == Access::cp_async) {
        std::array<std::uint64_t, 32> global;
        std::uint32_t reading = 0;
        for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            shared[lane] = static_cast<std::uint32_t>(addresses[lane] >> 46) * 16;
            global[lane] = addresses[lane] & AccessLog::no_source;
            reading |= global[lane] != AccessLog::no_source ? std::uint32_t{1} << lane : 0;
        }
        const std::uint64_t read_bytes = std::uint64_t{16} * static_cast<unsigned>(std::popcount(reading));
        counters.global_read_bytes += read_bytes;
        counters.cp_async_read_bytes += read_bytes;
        const unsigned read_sectors = cp_async_sectors(global.data(), reading);
        counters.global_read_sectors += read_sectors;
        counters.cp_async_read_sectors += read_sectors;
        ++counters.cp_async;
    } else {
        for (unsigned lane = 0; lane < 32; ++lane) {
            shared[lane] = static_cast<std::uint32_t>(addresses[lane]);
        }
    }
    if (site.access == Access::ldmatrix) {
        return count_ldmatrix(counters, shared.data());
    }
    const Banks banks = site.access == Access::load_shared ? Banks::read : Banks::written;
    const Wavefronts wavefronts = shared_wavefronts(shared.data(), active, site.bytes, banks);
    (site.access == Access::load_shared    ? counters.load_wavefronts
     : site.access == Access::store_shared ? counters.store_wavefronts
                                           : counters.cp_async_wavefronts) += wavefronts.needed;
    counters.bank_conflicts += wavefronts.needed - wavefronts.ideal;
}

}  // namespace

Wavefronts shared_wavefronts(const std::uint32_t* addresses, std::uint32_t active, unsigned bytes, Banks banks) {
    switch (bytes) {
        case 4:
            return warp_wavefronts<4, 32>(addresses, active);
        case 8:
            return wide_wavefronts<8>(addresses, active, banks);
        default:
            return wide_wavefronts<16>(addresses, active, banks);
    }
}

void count_ldmatrix(Counters& counters, const std::uint32_t* addresses) {
    const Wavefronts wavefronts = warp_wavefronts<16, 8>(addresses, all_lanes);
    ++counters.ldmatrix;
    counters.shared_read_bytes += 512;
    counters.ldmatrix_wavefronts += wavefronts.needed;
    counters.bank_conflicts += wavefronts.needed - wavefronts.ideal;
}

unsigned sectors(const std::uint64_t* addresses, std::uint32_t active) {
    std::array<std::uint64_t, 32> numbers;
    unsigned count = 0;
    bool ordered = true;
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
        const std::uint64_t sector = addresses[std::countr_zero(rest)] / 32;
        if (count == 0 || numbers[count - 1] != sector) {
            ordered &= count == 0 || numbers[count - 1] < sector;
            numbers[count++] = sector;
        }
    }
    if (!ordered) {
        std::sort(numbers.begin(), numbers.begin() + count);
        count = static_cast<unsigned>(std::unique(numbers.begin(), numbers.begin() + count) - numbers.begin());
    }
    return count;
}

unsigned cp_async_sectors(const std::uint64_t* addresses, std::uint32_t active) {
    auto count = static_cast<unsigned>(std::popcount(active));
    for (unsigned lane = 0; lane < 32; lane += 2) {
        const bool both = (active >> lane & 3) == 3;
        count -= both && addresses[lane] / 32 == addresses[lane + 1] / 32 ? 1U : 0U;
    }
    return count;
}

void AccessLog::grow() {
    rows_.resize(std::max<std::size_t>(16, 2 * rows_.size()));
    first_row_ = rows_.data();
    capacity_ = static_cast<unsigned>(rows_.size());
}

void AccessLog::clear() {
    counts_.fill(0);
    used_ = false;
}

void AccessLog::merge_used(const SiteTable& sites) {
    const auto [shortest, longest] = std::minmax_element(counts_.begin(), counts_.end());
    unsigned row = 0;
    for (; row < *shortest; ++row) {
        const Row& r = rows_[row];
        std::uint32_t different = 0;
        for (unsigned lane = 1; lane < 32; ++lane) {
            different |= r.origin[lane] ^ r.origin[0];
        }
        if (different != 0) {
            break;
        }
        count_instruction(site_of(sites, r.origin[0]), r.address.data(), all_lanes);
    }
    if (row < *longest) {
        merge_divergent(sites, row);
    }
    clear();
}

/// Lanes took different ways. In lane order (so that the order in which they ran plays no part), each lane's accesses
/// are matched with the instructions that the lanes before it made, skipping those it did not take part in; what finds
/// no match becomes an instruction of its own at that point. So `if (p) a; b;` makes one b, as the GPU's reconvergence
/// does.
void AccessLog::merge_divergent(const SiteTable& sites, unsigned first_row) {
    constexpr std::size_t look_ahead = 64;
    origins_in_order_.clear();
    instructions_in_order_.clear();
    for (unsigned lane = 0; lane < 32; ++lane) {
        std::size_t next = 0;
        for (unsigned row = first_row; row < counts_[lane]; ++row) {
            const std::uint32_t origin = rows_[row].origin[lane];
            const std::size_t count = origins_in_order_.size();
            const std::size_t end = std::min(count, next + look_ahead);
            std::size_t at = next;
            while (at < end && origins_in_order_[at] != origin) {
                ++at;
            }
            if (at == end) {
                at = next;
                const auto offset = static_cast<std::ptrdiff_t>(at);
                origins_in_order_.insert(origins_in_order_.begin() + offset, origin);
                instructions_in_order_.insert(instructions_in_order_.begin() + offset,
                                              static_cast<std::uint32_t>(count));
                if (count == instructions_.size()) {
                    instructions_.emplace_back();
                }
                instructions_[count].active = 0;
            }
            Instruction& instruction = instructions_[instructions_in_order_[at]];
            instruction.active |= std::uint32_t{1} << lane;
            instruction.address[lane] = rows_[row].address[lane];
            next = at + 1;
        }
    }
    for (std::size_t i = 0; i < origins_in_order_.size(); ++i) {
        const Instruction& instruction = instructions_[instructions_in_order_[i]];
        count_instruction(site_of(sites, origins_in_order_[i]), instruction.address.data(), instruction.active);
    }
}

}  // namespace flashlens::simt
