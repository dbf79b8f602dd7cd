// The times that bench gives. Bounds are wide: they hold on any card, also one that is shared, but not for a wrong unit, a
// forgotten synchronisation or a time that depends on who runs first.
#include "explorer/bench.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "explorer/variant.h"
#include "on_card.h"

using namespace flashlens;
using namespace flashlens::gpu_tests;
using kernel_tests::shape;

namespace {

/// Large enough that launching doesn't show on any card.
Problem large(bool causal) {
    Problem p = shape(2, 16, 16, 4096, 4096, 64);
    p.causal = causal;
    return p;
}

/// Cards clock above what their data sheets take for granted.
constexpr double headroom = 1.3;

double rate(const BenchRow& row, const VariantFacts& variant) {
    return static_cast<double>(flops(row.problem)) / variant.timed->median_us * 1e-6;
}

}  // namespace

TEST_CASE("bench: every variant has a verdict and a time that its card can reach") {
    BenchRequest request;
    request.problems = {large(false), large(true), shape(2, 4, 1, 500, 700, 256)};
    request.samples = 7;
    std::vector<double> progress;
    request.progress = [&](const Message&, double done, double) { progress.push_back(done); };
    const Bench result = bench(request);
    CHECK(progress.back() == 1.0);
    REQUIRE(result.rows.size() == 3);
    CHECK(result.driver != "");
    CHECK(result.cuda_of_driver.find('.') != std::string::npos);
    for (const BenchRow& row : result.rows) {
        REQUIRE(row.variants.size() == all_variants().size());
        for (const VariantFacts& variant : row.variants) {
            CAPTURE(variant.name);
            CAPTURE(kernel_tests::text_of(row.problem));
            if (!variant.refusal.empty()) {
                CHECK((row.problem.head_dim > 128 || (variant.name == "v2-tuned" && chip() < 80)));
                CHECK_FALSE(variant.timed.has_value());
                continue;
            }
            CHECK_MESSAGE(variant.error->verdict == Verdict::pass, variant.error->reason.en);
            REQUIRE(variant.timed.has_value());
            const TimedFacts& timed = *variant.timed;
            CHECK(timed.runs == 7);
            CHECK(timed.min_us <= timed.lower_quartile_us);
            CHECK(timed.lower_quartile_us <= timed.median_us);
            CHECK(timed.median_us <= timed.upper_quartile_us);
            CHECK(timed.upper_quartile_us <= timed.max_us);
            if (result.card.matmul_tflops > 0.0) {
                CHECK(rate(row, variant) < headroom * result.card.matmul_tflops);
                if (row.problem.seqlen_k == 4096) {
                    CHECK(rate(row, variant) > result.card.matmul_tflops / 100);
                }
            }
        }
    }
    // Half the pairs take between a quarter and nine tenths of the time.
    const std::size_t timed = chip() < 80 ? 2 : all_variants().size();  // sm_75 has no v2-tuned
    for (std::size_t i = 0; i < timed; ++i) {
        const double share = result.rows[1].variants[i].timed->median_us / result.rows[0].variants[i].timed->median_us;
        CAPTURE(share);
        CHECK(share > 0.25);
        CHECK(share < 0.9);
    }
}

TEST_CASE("bench: cuBLAS reaches more than the kernels, and about the data sheet's rate") {
    BenchRequest request;
    request.problems = {large(false)};
    request.samples = 7;
    const Bench result = bench(request);
    const MatmulLimit& limit = result.limit;
    if (limit.source != MatmulLimit::Source::measured) {
        CHECK_FALSE(limit.why_not_measured.empty());
        MESSAGE("no limit measured: " << limit.why_not_measured.en);
        return;
    }
    CAPTURE(limit.before_tflops);
    CAPTURE(limit.after_tflops);
    CHECK(limit.library.rfind("cuBLAS 1", 0) == 0);
    CHECK(limit.tflops == std::max(limit.before_tflops, limit.after_tflops));
    CHECK(std::min(limit.before_tflops, limit.after_tflops) > limit.tflops / 2);
    for (const VariantFacts& variant : result.rows[0].variants) {
        CHECK((!variant.timed || rate(result.rows[0], variant) < limit.tflops));
    }
    if (result.card.matmul_tflops > 0.0) {
        CHECK(limit.tflops > 0.3 * result.card.matmul_tflops);
        CHECK(limit.tflops < headroom * result.card.matmul_tflops);
    }
}

TEST_CASE("bench: the ratio of two variants doesn't depend on their order") {
    const auto ratio = [](std::vector<std::string> order) {
        BenchRequest request;
        request.problems = {large(false)};
        request.measure_limit = false;
        request.verify = Verify::off;
        request.variants = std::move(order);
        const std::vector<VariantFacts> variants = bench(request).rows[0].variants;
        return variants[0].timed->median_us / variants[1].timed->median_us;
    };
    std::vector<std::string> names = all_variants();
    names.resize(chip() < 80 ? 2 : names.size());  // sm_75 has no v2-tuned
    for (std::size_t i = 1; i < names.size(); ++i) {
        const double forwards = ratio({names[0], names[i]});
        const double backwards = 1.0 / ratio({names[i], names[0]});
        CAPTURE(names[i]);
        CAPTURE(forwards);
        CAPTURE(backwards);
        CHECK(forwards == doctest::Approx(backwards).epsilon(0.05));
    }
}
