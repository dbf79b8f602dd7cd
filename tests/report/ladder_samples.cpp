#include "ladder_samples.h"

#include <cstdint>

#include "samples.h"

namespace flashlens::report::samples {
namespace {

/// A rung's figures, the ones that its neighbours' ideas are about.
struct Rung {
    const char* name;
    Tile tile;
    std::int64_t ctas;
    std::uint64_t read, written, o_tmp, shared, exchange, barriers, shuffles, ldmatrix, fma, divisions, selects, copies,
        beside;
    double us;
};

constexpr Rung rungs[] = {
    {"v1",
     {64, 16, 256, 4},
     416,
     64'000'000,
     6'400'000,
     8'400'000,
     233'000'000,
     90'000'000,
     7'840,
     65'536,
     152'576,
     50'000'000,
     524'288,
     12'000'000,
     0,
     0,
     161.0},
    {"query-blocks",
     {64, 16, 256, 4},
     128,
     30'000'000,
     6'400'000,
     8'400'000,
     233'000'000,
     90'000'000,
     7'000,
     65'536,
     152'576,
     50'000'000,
     524'288,
     12'000'000,
     0,
     0,
     150.0},
    {"row-warps",
     {64, 64, 256, 4},
     128,
     30'000'000,
     6'400'000,
     8'400'000,
     180'000'000,
     0,
     1'000,
     20'480,
     290'000,
     50'000'000,
     524'288,
     12'000'000,
     0,
     0,
     120.0},
    {"wide-warps",
     {64, 128, 128, 4},
     128,
     38'400'000,
     14'800'000,
     25'200'000,
     110'000'000,
     0,
     1'000,
     20'480,
     147'456,
     50'000'000,
     1'048'576,
     12'000'000,
     0,
     0,
     130.0},
    {"swapped-loops",
     {64, 128, 128, 4},
     128,
     18'900'000,
     2'160'000,
     0,
     99'000'000,
     0,
     1'152,
     20'480,
     147'456,
     48'000'000,
     1'048'576,
     12'000'000,
     0,
     0,
     100.0},
    {"late-norm",
     {64, 128, 128, 4},
     128,
     18'900'000,
     2'160'000,
     0,
     99'000'000,
     0,
     1'152,
     20'480,
     147'456,
     38'000'000,
     65'536,
     12'000'000,
     0,
     0,
     99.0},
    {"masked-loop",
     {64, 128, 128, 4},
     128,
     18'900'000,
     2'160'000,
     0,
     99'000'000,
     0,
     1'152,
     20'480,
     147'456,
     38'000'000,
     65'536,
     2'900'000,
     0,
     0,
     105.0},
    {"v2",
     {64, 128, 128, 4},
     128,
     18'900'000,
     2'160'000,
     0,
     99'000'000,
     0,
     1'152,
     20'480,
     147'456,
     38'000'000,
     65'536,
     2'900'000,
     36'864,
     458'752,
     80.0},
};

VariantFacts facts_of(const Rung& rung, const VariantFacts& like) {
    VariantFacts facts = like;
    facts.name = rung.name;
    facts.launch.tile = rung.tile;
    facts.launch.ctas = facts.launch.ctas_with_work = rung.ctas;
    facts.launch.waves = {static_cast<double>(rung.ctas) / 216.0, 108, 1.0};
    simt::Counters& c = facts.counted->report.total;
    c = {};
    c.global_read_bytes = rung.read;
    c.global_write_bytes = rung.written;
    c.shared_read_bytes = rung.shared;
    c.barriers = rung.barriers;
    c.shuffles = rung.shuffles;
    c.ldmatrix = rung.ldmatrix;
    c.mma = 524'288;
    c.exp2 = 9'000'000;
    c.fp32_fma = rung.fma;
    c.fp32_div = rung.divisions;
    c.fp32_select = rung.selects;
    c.cp_async = rung.copies;
    c.mma_beside_copies = rung.beside;
    facts.counted->report.steps = {{"", {}}};
    if (rung.exchange > 0) {
        facts.counted->report.steps.push_back({"smem_o.store", {}});
        facts.counted->report.steps.back().counters.shared_write_bytes = rung.exchange;
    }
    if (rung.o_tmp > 0) {
        facts.counted->report.steps.push_back({"load o_tmp", {}});
        facts.counted->report.steps.back().counters.global_read_bytes = rung.o_tmp / 2;
        facts.counted->report.steps.push_back({"store o_tmp", {}});
        facts.counted->report.steps.back().counters.global_write_bytes = rung.o_tmp / 2;
    }
    return facts;
}

}  // namespace

Comparison ladder() {
    Comparison result = simulated();
    const VariantFacts v1 = result.variants[0];
    const VariantFacts v2 = result.variants[1];
    result.variants.clear();
    for (const Rung& rung : rungs) {
        result.variants.push_back(facts_of(rung, result.variants.empty() ? v1 : v2));
    }
    return result;
}

Comparison timed_ladder() {
    Comparison result = ladder();
    result.machine = Machine::gpu;
    result.card_is_here = true;
    for (std::size_t i = 0; i < result.variants.size(); ++i) {
        const double us = rungs[i].us;
        result.variants[i].timed = TimedFacts{us, us * 0.99, us * 1.02, 21, us, us};
    }
    return result;
}

}  // namespace flashlens::report::samples
