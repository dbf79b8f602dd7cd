// Our occupancy rules against the toolkit's cuda_occupancy.h, which is what the CUDA runtime's own answer comes from.
// Built only where that header is.
#include <cuda_occupancy.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "hardware/card.h"

using namespace flashlens;
using namespace flashlens::hardware;

namespace {

cudaOccDeviceProp properties_of(const Card& card) {
    cudaOccDeviceProp properties;
    properties.computeMajor = card.chip / 10;
    properties.computeMinor = card.chip % 10;
    properties.maxThreadsPerBlock = 1024;
    properties.maxThreadsPerMultiprocessor = card.max_threads_per_sm;
    properties.regsPerBlock = card.registers_per_cta;
    properties.regsPerMultiprocessor = card.registers_per_sm;
    properties.warpSize = 32;
    properties.sharedMemPerBlock = 49152;
    properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(card.shared_bytes_per_sm);
    properties.numSms = card.sm_count;
    properties.sharedMemPerBlockOptin = static_cast<std::size_t>(card.max_shared_bytes_per_cta);
    properties.reservedSharedMemPerBlock = static_cast<std::size_t>(card.reserved_shared_bytes_per_cta);
    return properties;
}

cudaOccFuncAttributes attributes_of(const Card& card, int registers) {
    cudaOccFuncAttributes attributes;
    attributes.maxThreadsPerBlock = 1024;
    attributes.numRegs = registers;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(card.max_shared_bytes_per_cta);
    attributes.numBlockBarriers = 1;
    return attributes;
}

unsigned bits_of(Limiter limiter) {
    switch (limiter) {
        case Limiter::threads:
            return OCC_LIMIT_WARPS;
        case Limiter::registers:
            return OCC_LIMIT_REGISTERS;
        case Limiter::shared_memory:
            return OCC_LIMIT_SHARED_MEMORY;
        case Limiter::ctas:
            return OCC_LIMIT_BLOCKS;
        default:
            return 0;
    }
}

}  // namespace

TEST_CASE("occupancy is what cuda_occupancy.h says, over random launches on every chip it knows") {
    std::mt19937 random(2024);
    const auto between = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    int compared = 0;
    int do_not_fit = 0;
    Chip done = 0;
    for (const Card& card : cards()) {
        if (card.chip == done) {
            continue;  // the rules are the chip's
        }
        if (card.chip / 10 > __CUDA_OCC_MAJOR__) {
            MESSAGE("left out: this toolkit's cuda_occupancy.h does not know sm_" << card.chip);
            continue;
        }
        done = card.chip;
        cudaOccDeviceProp properties = properties_of(card);
        const cudaOccDeviceState state;
        for (int i = 0; i < 4000; ++i) {
            const int registers = between(1, 255);
            const int threads = between(1, 1024);
            // Some by any number of bytes, some just around what a few CTAs can share, and some over the maximum.
            const int most = card.max_shared_bytes_per_cta;
            const int share = card.shared_bytes_per_sm / between(1, 16) - card.reserved_shared_bytes_per_cta;
            const int bytes = i % 2 == 0 ? between(0, most + most / 8) : std::max(0, share + between(-300, 300));

            const cudaOccFuncAttributes attributes = attributes_of(card, registers);
            cudaOccResult expected;
            REQUIRE(cudaOccMaxActiveBlocksPerMultiprocessor(&expected, &properties, &attributes, &state, threads,
                                                            static_cast<std::size_t>(bytes)) == CUDA_OCC_SUCCESS);
            const Occupancy ours = occupancy(card, threads, registers, bytes);
            CAPTURE(card.name);
            CAPTURE(threads);
            CAPTURE(registers);
            CAPTURE(bytes);
            REQUIRE(ours.ctas_per_sm == expected.activeBlocksPerMultiprocessor);
            if (ours.ctas_per_sm == 0) {
                REQUIRE(ours.limiter == Limiter::does_not_fit);
                REQUIRE_FALSE(ours.refusal.empty());
                ++do_not_fit;
            } else {
                REQUIRE((bits_of(ours.limiter) & expected.limitingFactors) != 0U);
                REQUIRE(ours.by_registers == expected.blockLimitRegs);
                REQUIRE(ours.by_shared_memory == expected.blockLimitSharedMem);
                REQUIRE(ours.by_threads == expected.blockLimitWarps);
                REQUIRE(ours.by_ctas == expected.blockLimitBlocks);
            }
            ++compared;
        }
    }
    CHECK(compared >= 10000);
    CHECK(do_not_fit > compared / 20);
    CHECK(do_not_fit < compared * 4 / 5);
}
