#include <algorithm>
#include <limits>
#include <stdexcept>

#include "hardware/card.h"
#include "say.h"

namespace flashlens::hardware {
namespace {

constexpr int warp_size = 32;
constexpr int max_threads_per_cta = 1024;
constexpr int max_registers_per_thread = 255;
constexpr int sub_partitions = 4;   // of an SM, each with a quarter of its registers and of its warps
constexpr int register_unit = 256;  // registers are given to a warp in units of this many
constexpr int no_limit = std::numeric_limits<int>::max();

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

constexpr int warps_of(int threads) {
    return static_cast<int>(round_up(threads, warp_size) / warp_size);
}

int shared_memory_unit(Chip chip) {
    return chip >= 80 ? 128 : 256;
}

Message too_much(std::int64_t needed, const Message& what, std::int64_t allowed, const Card& card) {
    return say("needs {} {}, {} allows {}", needed, what, card.name, allowed);
}

/// Each of the following returns the CTAs per SM that one resource allows; where that is 0, `refusals` gets the reason.
int by_threads(const Card& card, int threads, Message& refusals) {
    const int allowed = std::min(max_threads_per_cta, card.max_threads_per_sm);
    if (threads > allowed) {
        add_reason(refusals, too_much(threads, say("threads per CTA"), allowed, card));
        return 0;
    }
    return card.max_threads_per_sm / warp_size / warps_of(threads);
}

int by_registers(const Card& card, int threads, int registers, Message& refusals) {
    if (registers > max_registers_per_thread) {
        add_reason(refusals, too_much(registers, say("registers per thread"), max_registers_per_thread, card));
        return 0;
    }
    if (registers == 0) {
        return no_limit;
    }
    const int warps = warps_of(threads);
    const std::int64_t per_warp = round_up(registers * warp_size, register_unit);
    // The launch check counts warps as if every sub-partition got equally many of them.
    const std::int64_t checked = per_warp * round_up(warps, sub_partitions);
    if (checked > card.registers_per_cta) {
        add_reason(refusals, too_much(checked, say("registers per CTA"), card.registers_per_cta, card));
        return 0;
    }
    const std::int64_t warps_per_sub_partition = card.registers_per_sm / sub_partitions / per_warp;
    return static_cast<int>(warps_per_sub_partition * sub_partitions / warps);
}

int by_shared_memory(const Card& card, int shared_bytes, Message& refusals) {
    const std::int64_t needed = static_cast<std::int64_t>(shared_bytes) + card.reserved_shared_bytes_per_cta;
    const std::int64_t allocated = round_up(needed, shared_memory_unit(card.chip));
    if (allocated > card.max_shared_bytes_per_cta + card.reserved_shared_bytes_per_cta) {
        add_reason(refusals,
                   too_much(shared_bytes, say("bytes of shared memory per CTA"), card.max_shared_bytes_per_cta, card));
        return 0;
    }
    return allocated == 0 ? no_limit : static_cast<int>(card.shared_bytes_per_sm / allocated);
}

}  // namespace

std::string_view limiter_name(Limiter limiter) {
    switch (limiter) {
        case Limiter::none:
            return "none";
        case Limiter::threads:
            return "threads";
        case Limiter::registers:
            return "registers";
        case Limiter::shared_memory:
            return "shared memory";
        case Limiter::ctas:
            return "CTAs per SM";
        case Limiter::does_not_fit:
            return "does not fit";
    }
    return "";
}

Occupancy occupancy(const Card& card, int threads_per_cta, int registers_per_thread, int shared_bytes_per_cta) {
    if (threads_per_cta < 1 || registers_per_thread < 0 || shared_bytes_per_cta < 0) {
        throw std::invalid_argument("occupancy: a CTA has at least one thread, and no negative registers or bytes");
    }
    Occupancy result;
    result.by_registers = by_registers(card, threads_per_cta, registers_per_thread, result.refusal);
    result.by_shared_memory = by_shared_memory(card, shared_bytes_per_cta, result.refusal);
    result.by_threads = by_threads(card, threads_per_cta, result.refusal);
    result.by_ctas = card.max_ctas_per_sm;
    result.ctas_per_sm = std::min({result.by_registers, result.by_shared_memory, result.by_threads, result.by_ctas});

    if (result.ctas_per_sm == 0) {
        result.limiter = Limiter::does_not_fit;
    } else if (result.by_registers == result.ctas_per_sm) {
        result.limiter = Limiter::registers;
    } else if (result.by_shared_memory == result.ctas_per_sm) {
        result.limiter = Limiter::shared_memory;
    } else if (result.by_threads == result.ctas_per_sm) {
        result.limiter = Limiter::threads;
    } else {
        result.limiter = Limiter::ctas;
    }
    const int warps_per_sm = card.max_threads_per_sm / warp_size;
    result.fraction = static_cast<double>(result.ctas_per_sm * warps_of(threads_per_cta)) / warps_per_sm;
    return result;
}

Waves waves(const Card& card, int ctas_per_sm, std::int64_t ctas_with_work) {
    if (card.sm_count < 1 || ctas_per_sm < 0 || ctas_with_work < 0) {
        throw std::invalid_argument("waves: a card has at least one SM, and there are no negative CTAs");
    }
    Waves result;
    if (ctas_per_sm == 0 || ctas_with_work == 0) {
        return result;
    }
    const std::int64_t wave = static_cast<std::int64_t>(card.sm_count) * ctas_per_sm;
    result.waves = static_cast<double>(ctas_with_work) / static_cast<double>(wave);
    result.sms_with_work = static_cast<int>(std::min<std::int64_t>(ctas_with_work, card.sm_count));
    result.sm_fill = static_cast<double>(result.sms_with_work) / card.sm_count;
    result.full_waves = ctas_with_work / wave;
    result.tail_ctas = ctas_with_work % wave;
    result.tail_fill = static_cast<double>(result.tail_ctas) / static_cast<double>(wave);
    return result;
}

}  // namespace flashlens::hardware
