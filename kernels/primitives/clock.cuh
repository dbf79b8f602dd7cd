// When and where each CTA ran, noted by the kernel itself: in instances that are built for it, and in no other.
//
// A kernel's first line is `const CtaClock<Traits> clock(p);`. For ordinary traits that is nothing. For Timed<Traits> one
// thread notes the SM and the time when the CTA starts, and the time when its last warp is done.
#pragma once

#include "kernels/attention.h"
#include "kernels/primitives/machine.cuh"

namespace flashlens::FLASHLENS_MACHINE {

/// How an instance of a kernel is built: as it is ...
template <class Traits>
using Ordinary = Traits;

template <class Traits>
class CtaClock {
public:
    FLASHLENS_INLINE explicit CtaClock(const AttentionParams&) {}
};

}  // namespace flashlens::FLASHLENS_MACHINE

#ifdef __CUDACC__

namespace flashlens::on_gpu {

/// ... or with a clock in each CTA. These are compiled in files of their own, for sm_80 and newer.
template <class Traits>
struct Timed : Traits {};

/// Bytes from lse to the records of the CTAs (CtaTime).
__host__ __device__ constexpr std::int64_t cta_times_offset(const AttentionParams& p) {
    return (std::int64_t{4} * p.batch * p.heads * p.seqlen_q + 15) / 16 * 16;
}

/// Registers are scarce in these kernels: what the start was is written at the start, not kept.
template <class Traits>
class CtaClock<Timed<Traits>> {
public:
    FLASHLENS_INLINE explicit CtaClock(const AttentionParams& params) : p(params) {
        if (threadIdx.x == 0) {
            CtaTime& time = mine();
            asm volatile("mov.u32 %0, %%smid;" : "=r"(time.sm));
            time.start = now();
        }
    }
    /// Other warps may be at work when the first one is done.
    FLASHLENS_INLINE ~CtaClock() {
        __syncthreads();
        if (threadIdx.x == 0) {
            mine().end = now();
        }
    }
    CtaClock(const CtaClock&) = delete;
    CtaClock& operator=(const CtaClock&) = delete;

private:
    const AttentionParams& p;

    /// The record of this CTA, in launch order: x runs fastest.
    FLASHLENS_INLINE CtaTime& mine() const {
        const std::int64_t number =
            blockIdx.x + static_cast<std::int64_t>(gridDim.x) * (blockIdx.y + gridDim.y * blockIdx.z);
        return *reinterpret_cast<CtaTime*>(reinterpret_cast<char*>(p.lse) + cta_times_offset(p) +
                                           number * sizeof(CtaTime));
    }

    /// clock64 counts this SM's cycles; globaltimer is the card's, in nanoseconds, but ticks coarsely on some.
    static FLASHLENS_INLINE CtaTime::Reading now() {
        CtaTime::Reading reading;
        asm volatile("mov.u64 %0, %%clock64;\n\tmov.u64 %1, %%globaltimer;"
                     : "=l"(reading.cycles), "=l"(reading.nanoseconds)::"memory");
        return reading;
    }
};

}  // namespace flashlens::on_gpu

#endif
