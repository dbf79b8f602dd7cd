#include "practice/laboratory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "explorer/variant.h"
#include "hardware/card.h"
#include "practice/attempt.h"

namespace flashlens::practice {
namespace {

/// One row's online softmax over some of its keys.
struct Part {
    float m = -std::numeric_limits<float>::infinity();
    float l = 0.0F;
    std::vector<float> acc_o;
};

/// Logits of one head, (seqlen_q, seqlen_k).
std::vector<float> logits_of(const Problem& p, const Inputs& inputs, std::int64_t head) {
    std::vector<float> logits;
    for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
        for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
            double sum = 0.0;
            for (std::int64_t d = 0; d < p.head_dim; ++d) {
                sum +=
                    widen(inputs.q[at_q(p, 0, i, head, d)], p.dtype) * widen(inputs.k[at_k(p, 0, j, head, d)], p.dtype);
            }
            logits.push_back(static_cast<float>(p.scale * sum));
        }
    }
    return logits;
}

/// The keys first .. last - 1 of a row.
Part part_of(const float* logits, const std::vector<float>& v, std::int64_t first, std::int64_t last,
             std::int64_t head_dim) {
    Part part;
    part.acc_o.resize(static_cast<std::size_t>(head_dim));
    for (std::int64_t j = first; j < last; ++j) {
        part.m = std::max(part.m, logits[j]);
    }
    for (std::int64_t j = first; j < last; ++j) {
        const float weight = std::exp(logits[j] - part.m);
        part.l += weight;
        for (std::int64_t d = 0; d < head_dim; ++d) {
            part.acc_o[static_cast<std::size_t>(d)] += weight * v[static_cast<std::size_t>(j * head_dim + d)];
        }
    }
    return part;
}

void merge(Part& into, const Part& part) {
    const float m = std::max(into.m, part.m);
    const float old_weight = std::exp(into.m - m);
    const float weight = std::exp(part.m - m);
    into.m = m;
    into.l = into.l * old_weight + part.l * weight;
    for (std::size_t d = 0; d < part.acc_o.size(); ++d) {
        into.acc_o[d] = into.acc_o[d] * old_weight + part.acc_o[d] * weight;
    }
}

struct KeySplitting {
    Problem problem = laboratory_problem();
    std::vector<std::vector<float>> logits{}, v{};  // of each head
    std::map<int, Outputs> ran{};

    KeySplitting() {
        const Inputs inputs = random_inputs(problem);
        for (std::int64_t head = 0; head < problem.heads; ++head) {
            logits.push_back(logits_of(problem, inputs, head));
            std::vector<float>& values = v.emplace_back();
            for (std::int64_t j = 0; j < problem.seqlen_k; ++j) {
                for (std::int64_t d = 0; d < problem.head_dim; ++d) {
                    values.push_back(static_cast<float>(widen(inputs.v[at_k(problem, 0, j, head, d)], problem.dtype)));
                }
            }
        }
    }

    Outputs run(int splits) const {
        const Problem& p = problem;
        Outputs outputs;
        outputs.o.resize(static_cast<std::size_t>(p.heads * p.seqlen_q * p.head_dim));
        outputs.lse.resize(static_cast<std::size_t>(p.heads * p.seqlen_q));
        for (std::int64_t head = 0; head < p.heads; ++head) {
            for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
                Part row{.acc_o = std::vector<float>(static_cast<std::size_t>(p.head_dim))};
                const auto h = static_cast<std::size_t>(head);
                for (int split = 0; split < splits; ++split) {
                    merge(row, part_of(logits[h].data() + i * p.seqlen_k, v[h], split * p.seqlen_k / splits,
                                       (split + 1) * p.seqlen_k / splits, p.head_dim));
                }
                for (std::int64_t d = 0; d < p.head_dim; ++d) {
                    outputs.o[at_q(p, 0, i, head, d)] =
                        round_to(row.acc_o[static_cast<std::size_t>(d)] / row.l, p.dtype);
                }
                outputs.lse[at_lse(p, 0, head, i)] = row.m + std::log(row.l);
            }
        }
        return outputs;
    }
};

}  // namespace

Problem laboratory_problem() {
    Problem problem;
    problem.heads = problem.kv_heads = 2;
    problem.seqlen_q = 90;
    problem.seqlen_k = 300;
    problem.head_dim = 32;
    problem.scale = 1.0 / std::sqrt(32.0);
    return problem;
}

Kernel v1_kernel(const Inputs& inputs) {
    return [inputs](int splits) {
        const Problem problem = laboratory_problem();
        CpuRun run = run_on_cpu(plan("v1", problem, hardware::find_card("A100"), false, splits), problem, inputs, {});
        return Outputs{std::move(run.o), std::move(run.lse)};
    };
}

Kernel key_splitting_kernel() {
    return [kernel = std::make_shared<KeySplitting>()](int splits) {
        const auto [found, is_new] = kernel->ran.try_emplace(splits);
        if (is_new) {
            found->second = kernel->run(splits);
        }
        return found->second;
    };
}

Said ask(exercise::SplitsMergeNothing* experiment, const Kernel& kernel) {
    Said said;
    exercise::Laboratory laboratory;
    laboratory.most_splits = most_splits;
    laboratory.most_runs = most_runs;
    laboratory.run = [&](int splits) {
        if (splits < 1 || splits > most_splits) {
            throw Finding{"splits-out-of-range",
                          both({"A run with num_splits {} is asked for: it goes from 1 to {}.",
                                "要求用 num_splits {} 运行：范围是 1 到 {}。"},
                               splits, most_splits),
                          {both({"before it you {}", "在此之前你{}"}, ran_text(said.ran))}};
        }
        said.ran.push_back(splits);
        if (std::ssize(said.ran) > most_runs) {
            const auto times = [&](int number) { return std::count(said.ran.begin(), said.ran.end(), number); };
            const int most_often =
                *std::max_element(said.ran.begin(), said.ran.end(), [&](int a, int b) { return times(a) < times(b); });
            throw Finding{
                "too-many-runs",
                both({"More than {} runs: each number of splits once is enough, {} in all. Keep what came out of "
                      "the first.",
                      "运行了 {} 次以上：每个 split 数跑一次就够，一共 {} 次。把第一次的输出留下来用。"},
                     most_runs, most_splits),
                {both({"you {}", "你{}"}, ran_text(said.ran)),
                 both({"num_splits {} was run {} times", "num_splits {} 跑了 {} 次"}, most_often, times(most_often))}};
        }
        return kernel(splits);
    };
    said.same = experiment(laboratory);
    return said;
}

Message ran_text(const std::vector<int>& ran) {
    if (ran.empty()) {
        return both({"ran nothing", "什么都没有运行"});
    }
    std::vector<std::string> numbers;
    numbers.reserve(ran.size());
    for (const int splits : ran) {
        numbers.push_back(fmt::format("{}", splits));
    }
    constexpr std::ptrdiff_t shown = 8;
    if (std::ssize(numbers) > shown) {
        numbers.erase(numbers.begin() + shown - 2, numbers.end() - 1);
        numbers.insert(numbers.end() - 1, "...");
    }
    return both({"ran it with num_splits {}", "依次用 num_splits {} 运行"}, list(numbers));
}

}  // namespace flashlens::practice
