// Expected values are worked out by hand from the programming guide's tables; test_cuda_occupancy.cpp holds the same
// rules against the toolkit's own.
#include <doctest/doctest.h>

#include <stdexcept>

#include "hardware/card.h"

using namespace flashlens;
using namespace flashlens::hardware;

namespace {

void check(const char* card, int threads, int registers, int shared_bytes, int ctas, Limiter limiter, double fraction) {
    CAPTURE(card);
    CAPTURE(threads);
    CAPTURE(registers);
    CAPTURE(shared_bytes);
    const Occupancy result = occupancy(find_card(card), threads, registers, shared_bytes);
    CHECK(result.ctas_per_sm == ctas);
    CHECK(limiter_name(result.limiter) == limiter_name(limiter));
    CHECK(result.fraction == doctest::Approx(fraction));
    CHECK(result.refusal.empty() == (ctas > 0));
}

}  // namespace

TEST_CASE("occupancy by registers: a sub-partition of 16384 registers holds two warps of 255 x 32, rounded to 8192") {
    check("A100", 128, 255, 0, 2, Limiter::registers, 0.125);
    check("A100", 128, 255, 49152, 2, Limiter::registers, 0.125);
    check("H200", 128, 255, 36992, 2, Limiter::registers, 0.125);
    check("RTX 4090", 128, 255, 16384, 2, Limiter::registers, 8.0 / 48);
    check("T4", 128, 255, 16384, 2, Limiter::registers, 0.25);
    check("H200", 128, 168, 18560, 3, Limiter::registers, 12.0 / 64);  // 168 x 32 = 5376: three warps
    check("H200", 128, 188, 18560, 2, Limiter::registers, 8.0 / 64);   // 188 x 32 = 6016, rounded to 6144: two
    check("A100", 128, 36, 0, 12, Limiter::registers, 48.0 / 64);      // 36 x 32 = 1152, rounded to 1280: twelve
    check("A100", 256, 255, 0, 1, Limiter::registers, 0.125);
}

TEST_CASE("occupancy by shared memory: 1 KiB is reserved for each CTA from 8.0 on, and units are rounded up") {
    check("RTX 3090", 128, 32, 16384, 5, Limiter::shared_memory, 20.0 / 48);  // 102400 / 17408
    check("RTX 3090", 128, 32, 49152, 2, Limiter::shared_memory, 8.0 / 48);   // 102400 / 50176
    check("RTX 3090", 128, 32, 50176, 2, Limiter::shared_memory, 8.0 / 48);   // 102400 / 51200
    check("RTX 3090", 128, 32, 50177, 1, Limiter::shared_memory, 4.0 / 48);   // 102400 / 51328
    check("A100", 128, 64, 54848, 3, Limiter::shared_memory, 12.0 / 64);      // 167936 / 55936 (units of 128)
    check("A100", 128, 64, 54913, 2, Limiter::shared_memory, 8.0 / 64);       // 167936 / 56064
    check("T4", 128, 64, 36992, 1, Limiter::shared_memory, 4.0 / 32);         // 65536 / 37120 (units of 256)
    check("T4", 64, 16, 9344, 6, Limiter::shared_memory, 12.0 / 32);          // 65536 / 9472
    check("T4", 128, 64, 32768, 2, Limiter::shared_memory, 8.0 / 32);         // nothing is reserved on sm_75
    check("H100", 128, 32, 65536, 3, Limiter::shared_memory, 12.0 / 64);      // 233472 / 66560
}

TEST_CASE("occupancy by threads and by the cap on CTAs") {
    check("A100", 512, 16, 0, 4, Limiter::threads, 1.0);
    check("RTX 4090", 1024, 16, 0, 1, Limiter::threads, 32.0 / 48);
    check("T4", 320, 16, 0, 3, Limiter::threads, 30.0 / 32);
    check("A100", 33, 16, 0, 32, Limiter::threads, 1.0);  // 33 threads take two warps; ties with the cap of 32 CTAs
    check("T4", 32, 16, 0, 16, Limiter::ctas, 0.5);
    check("A10", 32, 16, 0, 16, Limiter::ctas, 16.0 / 48);
    check("L4", 32, 16, 0, 24, Limiter::ctas, 0.5);
    check("A100", 32, 16, 0, 32, Limiter::ctas, 0.5);
    check("H200", 1, 0, 0, 32, Limiter::ctas, 0.5);
    check("B200", 32, 16, 0, 32, Limiter::ctas, 0.5);
    check("RTX 5090", 32, 16, 0, 24, Limiter::ctas, 0.5);
}

TEST_CASE("where resources tie, registers are named first, then shared memory, then threads") {
    check("A100", 128, 255, 65536, 2, Limiter::registers, 0.125);        // shared memory too: 167936 / 66560
    check("A100", 1024, 32, 0, 2, Limiter::registers, 1.0);              // threads too
    check("A100", 1024, 16, 80 * 1024, 2, Limiter::shared_memory, 1.0);  // threads too
    const Occupancy tie = occupancy(find_card("A100"), 128, 255, 65536);
    CHECK(tie.by_registers == 2);
    CHECK(tie.by_shared_memory == 2);
    CHECK(tie.by_threads == 16);
    CHECK(tie.by_ctas == 32);
}

TEST_CASE("the opt-in maximum fits once and one byte more does not, on every chip") {
    for (const Card& card : cards()) {
        CAPTURE(card.name);
        const int most = card.max_shared_bytes_per_cta;
        CHECK(occupancy(card, 128, 64, most).ctas_per_sm == 1);
        const Occupancy refused = occupancy(card, 128, 64, most + 1);
        CHECK(refused.ctas_per_sm == 0);
        CHECK(refused.limiter == Limiter::does_not_fit);
        CHECK(refused.fraction == 0.0);
        CHECK(refused.refusal.en == "needs " + std::to_string(most + 1) + " bytes of shared memory per CTA, " +
                                        card.name + " allows " + std::to_string(most));
    }
}

TEST_CASE("a launch that can't be is refused by every limit it passes, with what it needs and what is allowed") {
    check("A100", 1025, 16, 0, 0, Limiter::does_not_fit, 0.0);
    check("A100", 1024, 65, 0, 0, Limiter::does_not_fit, 0.0);
    check("A100", 1024, 64, 0, 1, Limiter::registers, 0.5);
    // Nine warps of 5632 registers are 50688, but the launch check counts twelve: 67584.
    check("A100", 288, 176, 0, 0, Limiter::does_not_fit, 0.0);
    CHECK(occupancy(find_card("A100"), 288, 176, 0).refusal.en ==
          "needs 67584 registers per CTA, A100 40GB allows 65536");
    CHECK(occupancy(find_card("A100"), 32, 256, 0).refusal.en ==
          "needs 256 registers per thread, A100 40GB allows 255");
    CHECK(occupancy(find_card("L4"), 2048, 16, 131072).refusal.en ==
          "needs 131072 bytes of shared memory per CTA, L4 allows 101376; needs 2048 threads per CTA, L4 allows 1024");
    CHECK(occupancy(find_card("L4"), 2147483647, 255, 2147483647).ctas_per_sm == 0);
}

TEST_CASE("arguments that are no launch at all are an error of the caller") {
    const Card& card = find_card("A100");
    CHECK_THROWS_AS(occupancy(card, 0, 16, 0), std::invalid_argument);
    CHECK_THROWS_AS(occupancy(card, 128, -1, 0), std::invalid_argument);
    CHECK_THROWS_AS(occupancy(card, 128, 16, -1), std::invalid_argument);
    CHECK_THROWS_AS(waves(card, -1, 1), std::invalid_argument);
    CHECK_THROWS_AS(waves(card, 1, -1), std::invalid_argument);
}

TEST_CASE("waves are a fraction, and SM fill counts the SMs that got a CTA") {
    const Card& h200 = find_card("H200");
    const Waves v1 = waves(h200, 2, 232);  // (1, 8, 29)
    CHECK(v1.waves == doctest::Approx(232.0 / 264));
    CHECK(v1.sms_with_work == 132);
    CHECK(v1.sm_fill == 1.0);
    CHECK(v1.full_waves == 0);
    CHECK(v1.tail_ctas == 232);

    const Waves one_head = waves(h200, 2, 29);
    CHECK(one_head.sms_with_work == 29);
    CHECK(one_head.sm_fill == doctest::Approx(29.0 / 132));
    CHECK(one_head.waves == doctest::Approx(29.0 / 264));

    const Waves exact = waves(find_card("A100"), 2, 432);  // 108 SMs x 2 CTAs x 2
    CHECK(exact.waves == 2.0);
    CHECK(exact.full_waves == 2);
    CHECK(exact.tail_ctas == 0);
    CHECK(exact.tail_fill == 0.0);

    const Waves tail = waves(find_card("A100"), 2, 486);
    CHECK(tail.waves == doctest::Approx(2.25));
    CHECK(tail.full_waves == 2);
    CHECK(tail.tail_ctas == 54);
    CHECK(tail.tail_fill == doctest::Approx(0.25));

    CHECK(waves(h200, 32, std::int64_t{1} << 40).waves == doctest::Approx(1099511627776.0 / 4224));
}

TEST_CASE("no waves where nothing fits or nothing has work") {
    for (const Waves& none : {waves(find_card("A100"), 0, 100), waves(find_card("A100"), 2, 0)}) {
        CHECK(none.waves == 0.0);
        CHECK(none.sms_with_work == 0);
        CHECK(none.sm_fill == 0.0);
        CHECK(none.full_waves == 0);
        CHECK(none.tail_ctas == 0);
    }
}
