// Plans for a T4 (sm_75), and for a card that takes sm_75's kernels because the program has no others.
#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>

#include "explorer/explorer.h"
#include "explorer/variant.h"
#include "kernels/v1/plan.h"

namespace flashlens {
namespace {

Request on_t4(std::int64_t seqlen, std::int64_t head_dim) {
    Request request;
    request.card = "T4";
    request.machine = MachineChoice::cpu;
    request.problem.batch = 1;
    request.problem.heads = 2;
    request.problem.kv_heads = 2;
    request.problem.seqlen_q = request.problem.seqlen_k = seqlen;
    request.problem.head_dim = head_dim;
    request.problem.scale = 1.0 / std::sqrt(static_cast<double>(head_dim));
    return request;
}

/// H200, as a program sees it that was built with -DCMAKE_CUDA_ARCHITECTURES=75.
hardware::Card h200_with_kernels_of_sm75() {
    hardware::Card card = hardware::find_card("H200");
    card.kernels_of = 75;
    return card;
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("T4: CTAs per SM by 64 KiB of shared memory, in units of 256 bytes with nothing reserved, and by registers") {
    struct Case {
        std::int64_t head_dim;
        int v1_bytes, v1_ctas, v2_bytes, v2_ctas;
    };
    // v1's 168 registers at head dim 32 let three CTAs of 128 threads share 65536; shared memory would let as many
    for (const Case& c : {Case{32, 18560, 3, 24576, 2}, {64, 36992, 1, 32768, 2}, {128, 41600, 1, 32768, 2}}) {
        CAPTURE(c.head_dim);
        const Comparison plan = explain(on_t4(1024, c.head_dim));
        REQUIRE(plan.variants.size() == 2);
        const LaunchFacts& v1 = plan.variants[0].launch;
        const LaunchFacts& v2 = plan.variants[1].launch;
        CHECK(v1.chip == 75);
        CHECK(v1.smem_bytes == c.v1_bytes);
        CHECK(v1.occupancy.ctas_per_sm == c.v1_ctas);
        CHECK(v2.smem_bytes == c.v2_bytes);
        CHECK(v2.occupancy.ctas_per_sm == c.v2_ctas);
        CHECK(v2.occupancy.fraction == doctest::Approx(c.v2_ctas * 4 / 32.0));
        CHECK((v1.occupancy.limiter == hardware::Limiter::shared_memory) == (c.head_dim > 32));
        CHECK(*v1.splits == v1::num_splits_heuristic(2, 40, c.v1_ctas, 30));
    }
    const Comparison wide = explain(on_t4(1024, 256));
    CHECK(holds(wide.variants[0].refusal.en, "up to 128"));
    CHECK(wide.variants[1].refusal.empty());
    CHECK(wide.variants[1].launch.smem_bytes == 65536);
    CHECK(wide.variants[1].launch.occupancy.ctas_per_sm == 1);
}

TEST_CASE("T4: v1 and v2 run on the CPU machine, in its instructions, and are right") {
    for (const std::int64_t head_dim : {24, 64, 128}) {
        Request request = on_t4(150, head_dim);
        request.problem.causal = true;
        request.verify = Verify::full;
        const Comparison comparison = compare(request);
        for (const VariantFacts& variant : comparison.variants) {
            CAPTURE(variant.name);
            REQUIRE(variant.error.has_value());
            CHECK_MESSAGE(variant.error->verdict == Verdict::pass, variant.error->reason.en);
            const simt::Counters& counted = variant.counted->report.total;
            CHECK(counted.mma > 0);
            CHECK(counted.mma_k8 == counted.mma);
            CHECK(counted.cp_async == 0);
        }
    }
}

TEST_CASE("T4: what it can't run names the card and what would work") {
    Request request = on_t4(64, 64);
    request.variants = {"v1", "v2", "v2-tuned"};
    const Comparison plan = explain(request);
    CHECK(plan.variants[0].refusal.empty());
    CHECK(plan.variants[1].refusal.empty());
    CHECK(holds(plan.variants[2].refusal.en, "cp.async, which T4 (sm_75) does not have"));
    CHECK(holds(plan.variants[2].refusal.zh, "T4（sm_75）没有这条指令"));

    request.problem.dtype = DType::bf16;
    for (const char* variant : {"v1", "v2", "v2-tuned"}) {
        const Message refusal =
            flashlens::plan(variant, request.problem, hardware::find_card("T4"), false, std::nullopt).refusal;
        CHECK(holds(refusal.en, "--dtype bf16: T4 (sm_75) has no bf16; --dtype fp16 works"));
        CHECK(holds(refusal.zh, "T4（sm_75）没有 bf16"));
    }
    hardware::Card volta = hardware::find_card("T4");
    volta.name = "V100";
    volta.chip = 70;
    CHECK(holds(flashlens::plan("v1", on_t4(64, 64).problem, volta, false, std::nullopt).refusal.en,
                "needs compute capability 7.5 or newer, V100 has 7.0"));
}

TEST_CASE("a newer card takes sm_75's kernels where the program has no others") {
    const hardware::Card card = h200_with_kernels_of_sm75();
    CHECK(card.takes_sm75());
    CHECK_FALSE(hardware::find_card("H200").takes_sm75());
    Problem problem = on_t4(1000, 64).problem;
    const VariantFacts v1 = plan("v1", problem, card, false, std::nullopt);
    const VariantFacts v2 = plan("v2", problem, card, false, std::nullopt);
    REQUIRE(v1.refusal.empty());
    REQUIRE(v2.refusal.empty());
    CHECK(v2.launch.chip == 75);
    CHECK(v2.launch.tile == Tile{64, 128, 64, 4});
    CHECK(gpu_call(v2, problem).chip == 75);
    CHECK(gpu_call(plan("v2", problem, hardware::find_card("H200"), false, std::nullopt), problem).chip == 90);
    // the limits are the card's own: 228 KiB an SM where a T4 has 64, so that registers limit
    CHECK(v1.launch.occupancy.ctas_per_sm == 2);
    CHECK(*v1.launch.splits == v1::num_splits_heuristic(2, 132, 2, 30));
    CHECK(holds(plan("v2-tuned", problem, card, false, std::nullopt).refusal.en,
                "built for sm_75 alone, which has none; build it with -DCMAKE_CUDA_ARCHITECTURES=90"));
    problem.dtype = DType::bf16;
    CHECK(holds(plan("v2", problem, card, false, std::nullopt).refusal.en, "built for sm_75 alone, which has no bf16"));
}

}  // namespace flashlens
