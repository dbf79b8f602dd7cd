#include "explorer/bench.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "explorer/bench_machine.h"
#include "explorer/variant.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens {
namespace {

/// What the reference may cost per problem: half a second of two cores, some hundred rows of the longest usual sequences.
constexpr double reference_flops = 2e9;

/// Large enough that every card reaches its limit, and 0.4 GB in all.
constexpr int matmul_size = 8192;

BenchMachine machine_here(const hardware::Card& card) {
    BenchMachine machine;
    machine.card = card;
    machine.software = gpu::software();
    machine.plan = [card](std::string_view variant, const Problem& problem, std::optional<int> splits) {
        return plan(variant, problem, card, true, splits);
    };
    machine.run = run_on_gpu;
    machine.time_matmul = gpu::time_matmul;
    return machine;
}

/// "B 4 H 32 KV 32 Sq 4096 Sk 4096 D 64".
std::string sizes_of(const Problem& p) {
    return fmt::format("B {} H {} KV {} Sq {} Sk {} D {}", p.batch, p.heads, p.kv_heads, p.seqlen_q, p.seqlen_k,
                       p.head_dim);
}

/// Every row planned: what can't run is known before anything does.
std::vector<BenchRow> plan_rows(const BenchRequest& request, const BenchMachine& machine) {
    const std::vector<std::string> names = request.variants.empty() ? all_variants() : request.variants;
    std::vector<BenchRow> rows;
    Message refusals;
    bool any_runs = false;
    for (const Problem& problem : request.problems) {
        validate(problem);
        if (flops(problem) == 0) {
            throw UsageError(
                say("{}: nothing to compute, so nothing to time; sizes from 1 would work", sizes_of(problem)));
        }
        BenchRow row;
        row.problem = problem;
        for (const std::string& name : names) {
            row.variants.push_back(machine.plan(name, problem, request.splits));
            const Message& refusal = row.variants.back().refusal;
            any_runs = any_runs || refusal.empty();
            if (refusals.en.find(refusal.en) == std::string::npos) {
                add_reason(refusals, say("{}: {}", name, refusal));
            }
        }
        rows.push_back(std::move(row));
    }
    if (!any_runs) {
        throw UsageError(say("nothing can run this on {}: {}", machine.card.name, refusals));
    }
    return rows;
}

bool same_inputs(const Problem& a, const Problem& b) {
    return a.batch == b.batch && a.heads == b.heads && a.kv_heads == b.kv_heads && a.seqlen_q == b.seqlen_q &&
           a.seqlen_k == b.seqlen_k && a.head_dim == b.head_dim && a.dtype == b.dtype && a.seed == b.seed &&
           a.dist == b.dist;
}

void time_row(BenchRow& row, const Inputs& inputs, const BenchRequest& request, const BenchMachine& machine) {
    std::vector<VariantFacts*> running;
    for (VariantFacts& variant : row.variants) {
        if (variant.refusal.empty()) {
            running.push_back(&variant);
        }
    }
    if (running.empty()) {
        return;
    }
    std::vector<gpu::Run> runs;
    try {
        runs = machine.run({running.begin(), running.end()}, row.problem, inputs, request.samples);
    } catch (const gpu::Error& error) {
        throw gpu::Error(say("{}: {}", sizes_of(row.problem), error.message()));
    }
    std::optional<ReferenceRun> reference;
    if (request.verify != Verify::off) {
        reference = run_reference(row.problem, inputs,
                                  request.verify == Verify::full ? reference::all_rows(reference_sizes(row.problem))
                                                                 : choose_rows(row.problem, reference_flops));
        row.rows_checked = std::ssize(reference->rows);
    }
    for (std::size_t i = 0; i < running.size(); ++i) {
        if (reference) {
            running[i]->error = check(row.problem, inputs, runs[i].o, runs[i].lse, *reference);
        }
        if (!reference || running[i]->error->verdict == Verdict::pass) {
            running[i]->timed = timed_facts(runs[i].samples_us);
        }
    }
}

/// One measurement of the card's matmul rate; false, and the reason in `limit`, where it can't be made.
bool measure_limit(MatmulLimit& limit, double MatmulLimit::*where, const BenchRequest& request,
                   const BenchMachine& machine) {
    // Random numbers as the kernels get: with zeros a card draws less power, clocks higher and looks better than it is.
    Problem square;
    square.dtype = request.problems.front().dtype;
    square.heads = square.kv_heads = 1;
    square.seqlen_q = 0;  // K and V are enough
    square.seqlen_k = square.head_dim = matmul_size;
    const Inputs matrices = repeated_inputs(square);
    const std::optional<gpu::Matmul> matmul = machine.time_matmul(square.dtype, matmul_size, matrices.k, matrices.v,
                                                                  request.samples, &limit.why_not_measured);
    if (!matmul) {
        return false;
    }
    limit.source = MatmulLimit::Source::measured;
    limit.library = matmul->library;
    limit.size = matmul_size;
    limit.*where = 2.0 * matmul_size * matmul_size * matmul_size / timed_facts(matmul->samples_us).median_us * 1e-6;
    limit.tflops = std::max(limit.tflops, limit.*where);
    return true;
}

class BenchProgress {
public:
    explicit BenchProgress(const BenchRequest& request) : request_(request) {}

    void operator()(std::size_t rows_done) const {
        if (!request_.progress) {
            return;
        }
        constexpr double guessed_seconds_per_row = 1.0;
        const auto rows = static_cast<double>(request_.problems.size());
        const double done = static_cast<double>(rows_done) / rows;
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
        request_.progress(say("timing"), done, rows_done > 0 ? elapsed.count() / done : guessed_seconds_per_row * rows);
    }

private:
    const BenchRequest& request_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Bench bench(const BenchRequest& request) {
    Message why;
    const std::optional<hardware::Card> here = card_here(&why);
    if (!here) {
        throw UsageError(say("bench needs a GPU (compare, explain and sweep do not): {}", why));
    }
    return bench(request, machine_here(*here));
}

Bench bench(const BenchRequest& request, const BenchMachine& machine) {
    Bench result;
    result.rows = plan_rows(request, machine);
    result.card = machine.card;
    result.driver = machine.software.driver;
    result.cuda_of_driver = machine.software.cuda_of_driver;
    result.cuda_of_build = machine.software.cuda_of_build;
    result.date = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
    result.samples = request.samples;
    result.warm_up_us = gpu::warm_up_us;
    result.sample_us = gpu::sample_us;
    result.verify = request.verify;

    MatmulLimit& limit = result.limit;
    const BenchProgress progress(request);
    progress(0);
    const bool measured = request.measure_limit && measure_limit(limit, &MatmulLimit::before_tflops, request, machine);
    if (!measured && machine.card.matmul_tflops > 0.0) {
        limit.source = MatmulLimit::Source::nominal;
        limit.tflops = machine.card.matmul_tflops;
    }
    Inputs inputs;
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
        if (i == 0 || !same_inputs(result.rows[i - 1].problem, result.rows[i].problem)) {
            inputs = Inputs{};  // the old ones go before the new ones come: large shapes need the memory
            inputs = repeated_inputs(result.rows[i].problem);
        }
        time_row(result.rows[i], inputs, request, machine);
        progress(i + 1);
    }
    if (measured) {
        measure_limit(limit, &MatmulLimit::after_tflops, request, machine);
    }
    return result;
}

}  // namespace flashlens
