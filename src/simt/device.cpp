// Meeting points, arithmetic and annotations of device.h.
#include "simt/device.h"

#include <cmath>
#include <cstring>

#include "simt/cta.h"
#include "simt/rounding.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace flashlens::simt {

void barrier(Where where) {
    if (!machine->omitted(Omission::What::barrier, where)) {
        machine->barrier(where);
    }
}

void sync_warp(Where where) {
    Cta& cta = *machine;
    if (!cta.values()) {
        return Cta::count_once<&Counters::warp_barriers>();
    }
    if (cta.arrive(Meeting::sync_warp, where)) {
        return cta.hand_over();
    }
    if (cta.complete(Meeting::sync_warp)) {
        cta.order_warp();
        ++cta.warp_tally().warp_barriers;
    }
}

std::uint32_t shuffle_xor(std::uint32_t value, unsigned lane_mask, Where where) {
    Cta& cta = *machine;
    if (!cta.values()) {
        Cta::count_once<&Counters::shuffles>();
        return value;
    }
    const unsigned lane = cta.lane().thread % 32;
    Warp& warp = cta.warp();
    warp.value[lane] = value;
    warp.partner[lane] = (lane ^ lane_mask) % 32;
    if (cta.arrive(Meeting::shuffle, where)) {
        cta.hand_over();
    } else if (cta.complete(Meeting::shuffle)) {
        for (unsigned i = 0; i < 32; ++i) {
            warp.result[i] = warp.value[warp.partner[i]];
        }
        ++cta.warp_tally().shuffles;
    }
    return warp.result[lane];
}

bool any(bool predicate, Where where) {
    Cta& cta = *machine;
    if (!cta.values()) {
        Cta::count_once<&Counters::votes>();
        return predicate;
    }
    Warp& warp = cta.warp();
    warp.votes |= predicate ? cta.lane().bit : 0;
    if (cta.arrive(Meeting::vote, where)) {
        cta.hand_over();
    } else if (cta.complete(Meeting::vote)) {
        warp.vote_result = warp.votes != 0;
        warp.votes = 0;
        ++cta.warp_tally().votes;
    }
    return warp.vote_result;
}

namespace {

/// The last lane's part, kept apart so that the others' path is short.
[[gnu::noinline]] void complete_mma(Meeting meeting, MatrixFunction mma) {
    Cta& cta = *machine;
    if (cta.complete(meeting)) {
        Counters& counters = cta.warp_tally();
        ++counters.mma;
        counters.mma_k8 += meeting == Meeting::mma_k8_fp16 ? 1 : 0;
        counters.mma_beside_copies += cta.warp().lanes->copies_under_way() ? 1 : 0;
        mma(cta.warp().matrix);
    }
}

inline void meet_for_mma(Meeting meeting, MatrixFunction mma, float* d, const std::uint32_t* a, const std::uint32_t* b,
                         Where where) {
    Cta& cta = *machine;
    if (!cta.values()) {
        if (meeting == Meeting::mma_k8_fp16) {
            Cta::count_once<&Counters::mma_k8>();
        }
        if (cta.lane().copies_under_way()) {
            Cta::count_once<&Counters::mma_beside_copies>();
        }
        return Cta::count_once<&Counters::mma>();
    }
    const unsigned lane = cta.lane().thread % 32;
    Warp& warp = cta.warp();
    warp.matrix.d[lane] = d;
    warp.matrix.a[lane] = a;
    warp.matrix.b[lane] = b;
    return cta.arrive(meeting, where) ? cta.hand_over() : complete_mma(meeting, mma);
}

const MatrixFunction fp16_unit = mma_fp16();
const MatrixFunction bf16_unit = mma_bf16();
const MatrixFunction k8_fp16_unit = mma_k8_fp16();
const PackFunction fp16_packer = pack_fp16_function();

#if defined(__x86_64__)
const bool has_fma = __builtin_cpu_supports("fma") != 0;

__attribute__((target("fma"))) float fma_in_hardware(float a, float b, float c) {
    return _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
}
#endif

}  // namespace

void mma_m16n8k16_fp16(float* d, const std::uint32_t* a, const std::uint32_t* b, Where where) {
    meet_for_mma(Meeting::mma_fp16, fp16_unit, d, a, b, where);
}

void mma_m16n8k16_bf16(float* d, const std::uint32_t* a, const std::uint32_t* b, Where where) {
    meet_for_mma(Meeting::mma_bf16, bf16_unit, d, a, b, where);
}

void mma_m16n8k8_fp16(float* d, const std::uint32_t* a, const std::uint32_t* b, Where where) {
    meet_for_mma(Meeting::mma_k8_fp16, k8_fp16_unit, d, a, b, where);
}

f32 fma(f32 a, f32 b, f32 c) {
    ++tally->fp32_fma;
#if defined(__x86_64__)
    if (has_fma) [[likely]] {
        return {fma_in_hardware(a.value, b.value, c.value)};
    }
#endif
    return {std::fma(a.value, b.value, c.value)};
}

std::uint32_t pack_fp16(f32 low, f32 high) {
    ++tally->converts;
    return fp16_packer(low.value, high.value);
}

std::uint32_t pack_bf16(f32 low, f32 high) {
    ++tally->converts;
    return to_bf16(low.value) | std::uint32_t{to_bf16(high.value)} << 16;
}

std::uint32_t convert_fp16(f32 value) {
    ++tally->converts;
    return to_fp16(value.value);
}

Step::Step(const char* name) : outer_(tally) {
    machine->enter(machine->step_table().find(name));
}

}  // namespace flashlens::simt
