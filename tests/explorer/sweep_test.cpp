#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "explorer/inputs.h"
#include "explorer/sweep.h"
#include "explorer/variant.h"
#include "gpu/gpu.h"

using namespace flashlens;

namespace {

using Places = std::vector<std::size_t>;

Request small_request(std::int64_t seqlen = 64) {
    Request request;
    request.machine = MachineChoice::cpu;
    request.card = "A100";
    request.variants = {"v1", "v2"};
    request.problem.batch = 1;
    request.problem.heads = request.problem.kv_heads = 2;
    request.problem.seqlen_q = request.problem.seqlen_k = seqlen;
    return request;
}

/// One question for each length.
SweepRequest over_lengths(const std::vector<std::int64_t>& lengths) {
    SweepRequest request;
    request.options = {{"seqlen", {}}};
    for (const std::int64_t length : lengths) {
        request.options[0].values.push_back(std::to_string(length));
        request.questions.push_back({{request.questions.size()}, small_request(length), {}});
    }
    return request;
}

/// Steps as on a card: real plans, and times that are the length in microseconds for v1 and half of it for the others.
struct OnACard {
    std::vector<std::string> calls;
    std::int64_t length_that_fails = -1;
    std::int64_t length_without_memory = -1;

    SweepSteps steps() {
        SweepSteps steps = real_sweep_steps();
        steps.explain = [](const Request& request) {
            Comparison comparison = explain(request);
            comparison.machine = Machine::gpu;
            comparison.card_is_here = true;
            return comparison;
        };
        steps.count = [this](const VariantFacts& variant, const Problem& problem, const auto& progress) {
            calls.push_back("count " + variant.name + " " + std::to_string(problem.seqlen_q));
            progress(0.5);
            return CountedFacts{};
        };
        steps.time = [this](const std::vector<const VariantFacts*>& variants, const Problem& problem) {
            std::string call = "time " + std::to_string(problem.seqlen_q);
            std::vector<TimedFacts> times;
            for (const VariantFacts* variant : variants) {
                call += " " + variant->name;
                const double us = static_cast<double>(problem.seqlen_q) / (variant->name == "v1" ? 1.0 : 2.0);
                times.push_back({us, us, us, 21, us, us});
            }
            calls.push_back(call);
            if (problem.seqlen_q == length_that_fails) {
                throw gpu::Error({"not enough memory on the card", "显存不足"});
            }
            if (problem.seqlen_q == length_without_memory) {
                throw std::bad_alloc();
            }
            return times;
        };
        return steps;
    }
};

}  // namespace

TEST_CASE("combinations: every one, the last option's values fastest") {
    const std::vector<SweptOption> options{{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}};
    CHECK(combinations(options) == std::vector<Places>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
    CHECK(combinations({}) == std::vector<Places>{{}});
    CHECK(combinations({{"a", {}}}).empty());
}

TEST_CASE("a sweep on the CPU machine has plans and counts, and no times") {
    const Sweep result = sweep(over_lengths({64, 200}));
    REQUIRE(result.points.size() == 2);
    CHECK(result.counted);
    for (const SweepPoint& point : result.points) {
        CHECK(point.refusal.empty());
        CHECK_FALSE(point.comparison.reference);
        REQUIRE(point.comparison.variants.size() == 2);
        for (const VariantFacts& variant : point.comparison.variants) {
            CHECK(variant.launch.ctas > 0);
            CHECK_FALSE(variant.timed);
            CHECK_FALSE(variant.simulation_us);
            REQUIRE(variant.counted);
            CHECK(variant.counted->sampled);
        }
    }
    // v2 writes O and lse once: 2 x 64 x 64 words, 2 x 64 floats
    CHECK(result.points[0].comparison.variants[1].counted->report.total.global_write_bytes == 2 * 64 * (64 * 2 + 4));
}

TEST_CASE("counting without inputs counts as a full run does") {
    for (const bool causal : {false, true}) {
        for (const std::int64_t head_dim : {40, 64}) {
            Request request = small_request(150);
            request.problem.head_dim = head_dim;
            request.problem.causal = causal;
            request.problem.heads = 4;
            const Comparison planned = explain(request);
            const Inputs inputs = random_inputs(planned.problem);
            for (const VariantFacts& variant : planned.variants) {
                CAPTURE(variant.name);
                CAPTURE(causal);
                CAPTURE(head_dim);
                const CpuRun full = run_on_cpu(variant, planned.problem, inputs, {});
                const CountedFacts counted = count_on_cpu(variant, planned.problem, {});
                CHECK(counted.report.total == full.counted.report.total);
                CHECK(counting_flops(variant, planned.problem) > 0.0);
                CHECK(counting_flops(variant, planned.problem) <= static_cast<double>(flops(planned.problem)));
            }
        }
    }
}

TEST_CASE("counting needs no memory for the tensors") {
    Request request = small_request(128);
    request.problem.batch = 4096;
    request.problem.heads = 64;
    request.problem.kv_heads = 1;
    const Comparison planned = explain(request);
    for (const VariantFacts& variant : planned.variants) {
        const CountedFacts counted = count_on_cpu(variant, planned.problem, {});
        CHECK(counted.report.total.global_write_bytes >= 4096ULL * 64 * 128 * 64 * 2);  // O, 4 GiB
        CHECK(counted.report.ctas_run < 100);
    }
}

TEST_CASE("on a card all points are timed, the variants of each together, and then counted") {
    OnACard card;
    const Sweep result = sweep(over_lengths({64, 128}), card.steps());
    CHECK(card.calls == std::vector<std::string>{"time 64 v1 v2", "time 128 v1 v2", "count v1 64", "count v2 64",
                                                 "count v1 128", "count v2 128"});
    CHECK(result.points[1].comparison.variants[0].timed->median_us == 128.0);
    CHECK(result.points[1].comparison.variants[1].timed->median_us == 64.0);
    CHECK(result.points[1].comparison.variants[1].timed->runs == 21);
}

TEST_CASE("a variant that can't run is left out of the timing, and the others' times stay theirs") {
    SweepRequest request = over_lengths({64});
    request.questions[0].request.problem.head_dim = 256;
    request.counting = Counting::off;
    OnACard card;
    const Sweep result = sweep(request, card.steps());
    CHECK(card.calls == std::vector<std::string>{"time 64 v2"});
    CHECK_FALSE(result.points[0].comparison.variants[0].timed);
    CHECK(result.points[0].comparison.variants[1].timed->median_us == 32.0);
}

TEST_CASE("what fails on the card fails that point alone") {
    OnACard card;
    card.length_that_fails = 128;
    card.length_without_memory = 192;
    const Sweep result = sweep(over_lengths({64, 128, 192, 256}), card.steps());
    CHECK(result.points[0].refusal.empty());
    CHECK(result.points[1].refusal.en == "not enough memory on the card");
    CHECK(result.points[1].failed);
    CHECK(result.points[2].refusal.en.find("out of memory") == 0);
    CHECK(result.points[2].failed);
    CHECK(result.points[3].comparison.variants[0].timed->median_us == 256.0);
    card.length_that_fails = 64;
    CHECK_THROWS_WITH_AS(sweep(over_lengths({64}), card.steps()), "not enough memory on the card", std::runtime_error);
}

TEST_CASE("a point that can't be asked keeps its place; when none can be, that is an error") {
    SweepRequest request = over_lengths({64, 128, 192});
    request.questions[1].refusal = {"--heads 3 --kv-heads 2: no", "--heads 3 --kv-heads 2: no"};
    request.questions[2].request.problem.head_dim = 46;
    const Sweep result = sweep(request);
    CHECK(result.points[0].refusal.empty());
    CHECK(result.points[1].refusal.en == "--heads 3 --kv-heads 2: no");
    CHECK(result.points[2].refusal.en.find("--head-dim 46") == 0);
    CHECK_FALSE(result.points[2].failed);

    request.questions[0].refusal = {"no", "no"};
    CHECK_THROWS_WITH_AS(sweep(request), "none of the 3 points can run; one says: no", UsageError);
    request.questions.resize(1);
    CHECK_THROWS_WITH_AS(sweep(request), "no", UsageError);
    SweepRequest no_card = over_lengths({64, 128});
    for (SweepQuestion& question : no_card.questions) {
        question.request.card = "H900";
    }
    CHECK_THROWS_AS(sweep(no_card), UsageError);
}

TEST_CASE("counting that would take long is left out unless it is asked for") {
    OnACard card;
    SweepSteps steps = card.steps();
    struct Case {
        double flops;
        Counting counting;
        bool counts;
    };
    for (const Case& one : {Case{1e9, Counting::automatic, true}, Case{1e12, Counting::automatic, false},
                            Case{1e12, Counting::on, true}, Case{1e9, Counting::off, false}}) {
        CAPTURE(one.flops);
        steps.counting_flops = [&](const VariantFacts&, const Problem&) { return one.flops; };
        SweepRequest request = over_lengths({64});
        request.counting = one.counting;
        const Sweep result = sweep(request, steps);
        CHECK(result.counted == one.counts);
        CHECK(result.points[0].comparison.variants[0].counted.has_value() == one.counts);
        CHECK(result.counting_left_out == (one.counting == Counting::automatic && !one.counts));
        CHECK((result.counting_seconds > 0.0) == (one.counting != Counting::off));
    }
}

TEST_CASE("progress goes upwards, from 0 to 1, and says which point it is") {
    OnACard card;
    SweepRequest request = over_lengths({64, 128});
    std::vector<double> shares;
    std::string last;
    request.progress = [&](const Message& what, double done, double total) {
        shares.push_back(done);
        last = what.en;
        CHECK(total > 0.0);
    };
    sweep(request, card.steps());
    REQUIRE(shares.size() == 6);
    CHECK(std::is_sorted(shares.begin(), shares.end()));
    CHECK(shares.front() == 0.0);
    CHECK(shares.back() <= 1.0);
    CHECK(last == "point 2 of 2: v2 on the CPU machine");
}

TEST_CASE("shapes without any work are no error") {
    SweepRequest request = over_lengths({0, 64});
    request.questions[0].request.problem.batch = 0;
    OnACard card;
    const Sweep result = sweep(request, card.steps());
    CHECK(result.points[0].refusal.empty());
    CHECK_FALSE(result.points[0].comparison.variants[0].timed);
}
