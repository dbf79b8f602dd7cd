#include "claims_check.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace flashlens::report {
namespace {

double ceil_div(double a, double b) {
    return std::ceil(a / b);
}

bool is_true(double left, Relation relation, double right) {
    switch (relation) {
        case Relation::greater:
            return left > right;
        case Relation::less:
            return left < right;
        case Relation::equal:
            return left == right;
        case Relation::about:
            return std::abs(left - right) <= 0.03 * std::max(left, right);
    }
    return false;
}

}  // namespace

std::map<std::string, double> figures(const Comparison& c) {
    std::map<std::string, double> all;
    const Problem& p = c.problem;
    double visible = static_cast<double>(p.seqlen_k);
    if (p.causal) {
        const std::int64_t last = p.align == Align::top_left ? p.seqlen_q : p.seqlen_k;
        visible = static_cast<double>(std::max<std::int64_t>(0, std::min(last, p.seqlen_k)));
    }
    double pairs = 0;
    for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
        const std::int64_t last = p.align == Align::top_left ? i : i + p.seqlen_k - p.seqlen_q;
        pairs += static_cast<double>(p.causal ? std::clamp<std::int64_t>(last + 1, 0, p.seqlen_k) : p.seqlen_k);
    }
    const double work = 4.0 * static_cast<double>(p.batch * p.heads * p.head_dim) * pairs;
    all["card.sm_count"] = c.card.sm_count;
    all["card.matmul_tflops/card.fp32_tflops"] = c.card.matmul_tflops / c.card.fp32_tflops;
    all["problem.batch_heads"] = static_cast<double>(p.batch * p.heads);
    all["problem.seqlen_q"] = static_cast<double>(p.seqlen_q);
    all["problem.visible_keys"] = visible;
    all["plain.global_bytes"] = static_cast<double>(c.plain_read_bytes + c.plain_write_bytes);
    for (const VariantFacts& v : c.variants) {
        const auto set = [&](const char* name, double value) { all[v.name + "." + name] = value; };
        set("ctas_with_work", static_cast<double>(v.launch.ctas_with_work));
        set("sms_with_work", v.launch.waves.sms_with_work);
        set("splits", v.launch.splits.value_or(0));
        set("waves", v.launch.waves.waves);
        set("last_wave", 1.0 - (std::ceil(v.launch.waves.waves) - v.launch.waves.waves));
        set("occupancy", v.launch.occupancy.fraction);
        set("ctas_per_sm", v.launch.occupancy.ctas_per_sm);
        set("block_m", v.launch.tile.block_m);
        set("block_n", v.launch.tile.block_n);
        set("key_blocks", ceil_div(visible, v.launch.tile.block_n));
        set("resident_threads/card.max_threads_per_sm",
            static_cast<double>(v.launch.occupancy.ctas_per_sm * v.launch.threads) / c.card.max_threads_per_sm);
        if (v.timed) {
            set("time_us", v.timed->median_us);
        }
        if (v.counted) {
            const simt::Counters& n = v.counted->report.total;
            const double mma = 2.0 * 16 * 8 * 16 * static_cast<double>(n.mma);
            const double fp32 = static_cast<double>(n.fp32_add + n.fp32_mul + n.fp32_fma + n.fp32_max + n.fp32_compare +
                                                    n.fp32_select + n.fp32_div + n.converts);
            set("global_read_bytes", static_cast<double>(n.global_read_bytes));
            set("global_write_bytes", static_cast<double>(n.global_write_bytes));
            set("global_bytes", static_cast<double>(n.global_read_bytes + n.global_write_bytes));
            set("barriers", static_cast<double>(n.barriers));
            set("shared_bytes", static_cast<double>(n.shared_read_bytes + n.shared_write_bytes));
            set("fp32_per_kiloflop", fp32 / mma * 1000);
            set("mma_flops", mma);
            set("mma_flops_per_flop", mma / work);
            set("fp32_div", static_cast<double>(n.fp32_div));
            set("mask_ops", static_cast<double>(n.fp32_compare + n.fp32_select));
            double exchanged = 0;
            double passed = 0;
            for (const simt::StepCounters& step : v.counted->report.steps) {
                const simt::Counters& s = step.counters;
                for (const char* meets : {"reduce_max", "reduce_sum_before_sync", "smem_o.store", "smem_o.load",
                                          "reduce_max_after_sync", "reduce_sum_after_sync"}) {
                    exchanged +=
                        step.name == meets ? static_cast<double>(s.shared_read_bytes + s.shared_write_bytes) : 0.0;
                }
                if (step.name == "load o_tmp" || step.name == "store o_tmp") {
                    passed += static_cast<double>(s.global_read_bytes + s.global_write_bytes);
                }
            }
            const auto shared = static_cast<double>(n.shared_read_bytes + n.shared_write_bytes);
            const auto global = static_cast<double>(n.global_read_bytes + n.global_write_bytes);
            set("shared_exchange_bytes", exchanged);
            set("o_tmp_bytes", passed);
            set("fp32_ops", fp32);
            all[v.name + ".shared_exchange_bytes/" + v.name + ".shared_bytes"] = exchanged / shared;
            all[v.name + ".o_tmp_bytes/" + v.name + ".global_bytes"] = passed / global;
        }
    }
    if (c.variants.size() == 2 && c.variants[0].timed && c.variants[1].timed) {
        const double t1 = c.variants[0].timed->median_us;
        const double t2 = c.variants[1].timed->median_us;
        all["v1.time_us/v2.time_us"] = t1 / t2;
        all["v2.time_us/v1.time_us"] = t2 / t1;
    }
    return all;
}

void check_sentence(const Sentence& sentence, const std::map<std::string, double>& known) {
    INFO(sentence.text);
    CHECK_FALSE(sentence.claims.empty());
    CHECK(sentence.text.find('{') == std::string::npos);
    CHECK(sentence.text.find("nan") == std::string::npos);
    CHECK(sentence.text.find("inf") == std::string::npos);
    for (const Claim& claim : sentence.claims) {
        for (const Figure& figure : {claim.left, claim.right}) {
            INFO(figure.name);
            if (figure.name == "constant") {
                continue;
            }
            REQUIRE(known.count(figure.name) == 1);
            CHECK(figure.value == doctest::Approx(known.at(figure.name)).epsilon(1e-9));
            CHECK(sentence.text.find(print(figure)) != std::string::npos);
        }
        CHECK(is_true(claim.left.value, claim.relation, claim.right.value));
        if (claim.relation == Relation::greater || claim.relation == Relation::less) {
            CHECK(print(claim.left) != print(claim.right));
        }
    }
}

}  // namespace flashlens::report
