// Timing a table of shapes, on a machine whose outputs are the CPU machine's and whose times are made up.
#include "explorer/bench.h"

#include <doctest/doctest.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "explorer/bench_machine.h"
#include "explorer/variant.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::tests;

namespace {

Problem shape(std::int64_t heads, std::int64_t seqlen, std::int64_t head_dim, bool causal) {
    Problem p;
    p.heads = p.kv_heads = heads;
    p.seqlen_q = p.seqlen_k = seqlen;
    p.head_dim = head_dim;
    p.causal = causal;
    return p;
}

/// What was asked of the machine, and how it behaves.
struct World {
    std::vector<std::string> runs;  ///< "v1 v2 33 full" each
    std::vector<const std::uint16_t*> q_at;
    int matmuls = 0;
    bool has_cublas = true;
    std::string spoils;                           ///< this variant's outputs
    std::map<std::string, double> first_us = {};  ///< of a variant's samples; the others are 1, 2, ... more
    std::string failure;
};

BenchMachine machine_of(World& world) {
    BenchMachine machine;
    machine.card = hardware::find_card("A100");
    machine.software = {"580.1", "13.0", "12.8"};
    machine.plan = [card = machine.card](std::string_view variant, const Problem& problem, std::optional<int> splits) {
        return plan(variant, problem, card, false, splits);
    };
    machine.run = [&world](const std::vector<const VariantFacts*>& plans, const Problem& problem, const Inputs& inputs,
                           int samples) {
        std::vector<gpu::Run> runs;
        std::string names;
        world.q_at.push_back(inputs.q.data());
        for (const VariantFacts* planned : plans) {
            names += planned->name + " ";
            CpuRun run = run_on_cpu(*planned, problem, inputs, [](double) {});
            if (planned->name == world.spoils) {
                run.o.back() ^= 0x4000U;  // far off, or NaN
            }
            std::vector<double> us(static_cast<std::size_t>(samples));
            std::iota(us.begin(), us.end(), world.first_us[planned->name]);
            runs.push_back({std::move(run.o), std::move(run.lse), std::move(us)});
        }
        world.runs.push_back(names + std::to_string(problem.seqlen_q) + (problem.causal ? " causal" : " full"));
        if (!world.failure.empty()) {
            throw gpu::Error({world.failure, world.failure});
        }
        return runs;
    };
    machine.time_matmul = [&world](DType, int size, std::span<const std::uint16_t> a, std::span<const std::uint16_t> b,
                                   int, Message* why) -> std::optional<gpu::Matmul> {
        CHECK(std::ssize(a) == std::int64_t{size} * size);
        CHECK(a.size() == b.size());
        if (!world.has_cublas) {
            *why = {"libcublas.so.13 is not on this machine", "本机没有 libcublas.so.13"};
            return std::nullopt;
        }
        ++world.matmuls;
        // 2 x 8192^3 FLOPs: 1099.5 and then 549.8 TFLOP/s
        return gpu::Matmul{"cuBLAS 13.1.0", {900.0, 1000.0 * world.matmuls, 5000.0}};
    };
    return machine;
}

BenchRequest request_for(std::vector<Problem> problems) {
    BenchRequest request;
    request.problems = std::move(problems);
    request.samples = 5;
    request.measure_limit = false;  // its matrices are 0.3 GB
    return request;
}

std::string refusal_of(const BenchRequest& request, World world = {}) {
    try {
        bench(request, machine_of(world));
    } catch (const UsageError& error) {
        CHECK(world.runs.empty());
        CHECK(world.matmuls == 0);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("bench times every variant on every problem, and both masks of a shape on the same inputs") {
    World world;
    world.first_us = {{"v1", 100.0}, {"v2", 50.0}};
    const Bench result = bench(request_for({shape(2, 33, 64, false), shape(2, 33, 64, true), shape(1, 20, 256, false)}),
                               machine_of(world));
    REQUIRE(result.rows.size() == 3);
    REQUIRE(world.runs.size() == 3);
    CHECK(has(world.runs[0], "v1 v2 "));
    CHECK(has(world.runs[0], "33 full"));
    CHECK(has(world.runs[1], "33 causal"));
    CHECK_FALSE(has(world.runs[2], "v1"));  // takes head dims up to 128
    CHECK(world.q_at[0] == world.q_at[1]);

    const VariantFacts& v1 = result.rows[0].variants[0];
    CHECK(v1.name == "v1");
    REQUIRE(v1.timed.has_value());
    CHECK(v1.timed->median_us == 102.0);
    CHECK(v1.timed->min_us == 100.0);
    CHECK(v1.timed->max_us == 104.0);
    CHECK(v1.timed->lower_quartile_us == 101.0);
    CHECK(v1.timed->upper_quartile_us == 103.0);
    CHECK(v1.timed->runs == 5);
    CHECK(result.rows[1].variants[1].timed->median_us == 52.0);
    for (const BenchRow& row : result.rows) {
        CHECK(row.rows_checked == row.problem.heads * row.problem.seqlen_q);  // few enough for all
        for (const VariantFacts& variant : row.variants) {
            CHECK(variant.refusal.empty() == variant.timed.has_value());
            CHECK(variant.refusal.empty() == (variant.error && variant.error->verdict == Verdict::pass));
        }
    }
    CHECK(has(result.rows[2].variants[0].refusal.en, "up to 128"));

    CHECK(result.card.name == hardware::find_card("A100").name);
    CHECK(result.driver == "580.1");
    CHECK(result.samples == 5);
    CHECK(result.warm_up_us > 0.0);
    CHECK(result.date.size() == std::string("2026-11-29 20:15 UTC").size());
}

TEST_CASE("a variant with a wrong output gets no time, the others keep theirs") {
    World world;
    world.spoils = "v2";
    const Bench result = bench(request_for({shape(1, 40, 32, false)}), machine_of(world));
    const std::vector<VariantFacts>& variants = result.rows[0].variants;
    CHECK(variants[0].timed.has_value());
    CHECK(variants[0].error->verdict == Verdict::pass);
    CHECK_FALSE(variants[1].timed.has_value());
    CHECK(variants[1].error->verdict == Verdict::fail);
    CHECK_FALSE(variants[1].error->reason.empty());

    BenchRequest unchecked = request_for({shape(1, 40, 32, false)});
    unchecked.verify = Verify::off;
    const Bench taken = bench(unchecked, machine_of(world));
    CHECK(taken.rows[0].variants[1].timed.has_value());
    CHECK_FALSE(taken.rows[0].variants[1].error.has_value());
    CHECK(taken.rows[0].rows_checked == 0);
}

TEST_CASE("the matmul limit: the better of two measurements, else the data sheet's") {
    BenchRequest request = request_for({shape(1, 16, 32, false)});
    request.measure_limit = true;
    {
        World world;
        const MatmulLimit limit = bench(request, machine_of(world)).limit;
        CHECK(limit.source == MatmulLimit::Source::measured);
        CHECK(world.matmuls == 2);
        CHECK(limit.before_tflops == doctest::Approx(1099.511627776));
        CHECK(limit.after_tflops == doctest::Approx(1099.511627776 / 2));
        CHECK(limit.tflops == limit.before_tflops);
        CHECK(limit.library == "cuBLAS 13.1.0");
    }
    {
        World world;
        world.has_cublas = false;
        const MatmulLimit limit = bench(request, machine_of(world)).limit;
        CHECK(limit.source == MatmulLimit::Source::nominal);
        CHECK(limit.tflops == hardware::find_card("A100").matmul_tflops);
        CHECK(limit.why_not_measured.en == "libcublas.so.13 is not on this machine");
        BenchMachine unknown_card = machine_of(world);
        unknown_card.card.matmul_tflops = 0.0;
        CHECK(bench(request, unknown_card).limit.source == MatmulLimit::Source::unknown);
    }
    {
        World world;
        request.measure_limit = false;
        const MatmulLimit limit = bench(request, machine_of(world)).limit;
        CHECK(limit.source == MatmulLimit::Source::nominal);
        CHECK(world.matmuls == 0);
        CHECK(limit.why_not_measured.empty());
    }
}

TEST_CASE("bench refuses before anything runs, and names a shape that fails") {
    BenchRequest request = request_for({shape(1, 16, 32, false), shape(1, 16, 256, false)});
    request.variants = {"v1"};
    World world;
    CHECK(bench(request, machine_of(world)).rows.size() == 2);  // one of the shapes can run
    CHECK(world.runs.size() == 1);
    request.problems.erase(request.problems.begin());
    CHECK(has(refusal_of(request), "nothing can run this on A100"));
    CHECK(has(refusal_of(request), "v1: --head-dim 256"));
    Problem empty = shape(1, 16, 32, false);
    empty.seqlen_k = 0;
    CHECK(has(refusal_of(request_for({shape(1, 16, 32, false), empty})), "Sk 0 D 32: nothing to compute"));
    Problem odd = shape(3, 16, 32, false);
    odd.kv_heads = 2;
    CHECK(has(refusal_of(request_for({odd})), "evenly"));

    World full;
    full.failure = "this shape needs 3.0 GiB";
    std::string said;
    try {
        bench(request_for({shape(2, 16, 32, false)}), machine_of(full));
    } catch (const gpu::Error& error) {
        said = error.what();
    }
    CHECK(said == "B 1 H 2 KV 2 Sq 16 Sk 16 D 32: this shape needs 3.0 GiB");
}

TEST_CASE("progress goes from 0 to 1") {
    BenchRequest request = request_for({shape(1, 16, 32, false), shape(1, 17, 32, false)});
    std::vector<double> done;
    request.progress = [&](const Message&, double share, double) { done.push_back(share); };
    World world;
    bench(request, machine_of(world));
    CHECK(done == std::vector<double>{0.0, 0.5, 1.0});
}

TEST_CASE("without a card bench says so") {
    Message why;
    if (card_here(&why)) {
        return;
    }
    std::string said;
    try {
        bench(request_for({shape(1, 16, 32, false)}));
    } catch (const UsageError& error) {
        said = error.what();
    }
    CHECK(has(said, "bench needs a GPU"));
    CHECK(has(said, why.en));
    CHECK(has(said, "compare, explain and sweep"));
}
