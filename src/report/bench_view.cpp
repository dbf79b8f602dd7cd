#include "report/bench_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "report/bench_facts.h"
#include "report/comparison_view.h"
#include "report/facts.h"
#include "report/markdown.h"
#include "report/numbers.h"
#include "report/table.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

bool is_wrong(const VariantFacts& variant) {
    return variant.error && variant.error->verdict == Verdict::fail;
}

bool is_brief(const VariantFacts& variant) {
    return variant.timed && variant.timed->median_us < launch_overhead_us;
}

bool is_spread(const VariantFacts& variant) {
    return variant.timed && spread(*variant.timed) >= large_spread;
}

class View {
public:
    View(const Bench& bench, Language language, const Terminal& terminal)
        : bench_(bench), language_(language), terminal_(terminal), base_(base_name(bench)) {
        plain_shapes_ = std::all_of(bench.rows.begin(), bench.rows.end(), [](const BenchRow& row) {
            return row.problem.kv_heads == row.problem.heads && row.problem.seqlen_q == row.problem.seqlen_k;
        });
    }

    std::string all() const {
        std::string result = labelled("", 0, say(Text::title_bench), terminal_, Style::bold) + "\n" + conditions();
        for (const bool causal : {false, true}) {
            std::vector<const BenchRow*> rows;
            for (const BenchRow& row : bench_.rows) {
                if (row.problem.causal == causal) {
                    rows.push_back(&row);
                }
            }
            if (!rows.empty()) {
                result += "\n" + labelled("", 0, say(mask_name(rows.front()->problem)), terminal_, Style::bold) + "\n" +
                          body(rows);
            }
        }
        const std::string notes = this->notes();
        return notes.empty() ? result : result + "\n" + notes;
    }

private:
    std::string say(Text name) const { return std::string(text(language_, name)); }

    template <typename... Values>
    std::string filled(Text name, const Values&... values) const {
        return fill(language_, name, values...);
    }

    std::string item(const std::string& text, Style style = Style::plain) const {
        return labelled("-", 2, text, terminal_, style);
    }

    /// How it was measured: without this the figures can't be repeated.
    std::string conditions() const {
        const hardware::Card& card = bench_.card;
        const Problem& problem = bench_.rows.front().problem;
        std::string result =
            item(filled(Text::bench_card, printable(card.name), card.sm_count, card.chip, printable(bench_.driver),
                        bench_.cuda_of_driver, bench_.cuda_of_build, bench_.date));
        result +=
            item(filled(Text::bench_inputs, dtype_name(problem.dtype), distribution_name(problem.dist), problem.seed));
        result +=
            item(filled(Text::bench_timing, bench_.samples, duration(bench_.warm_up_us), duration(bench_.sample_us)));
        result += item(say(Text::bench_rates));
        result += item(limit());
        result += item(say(bench_.verify == Verify::off    ? Text::bench_unchecked
                           : bench_.verify == Verify::full ? Text::bench_checked_all
                                                           : Text::bench_checked_sample));
        return result;
    }

    std::string limit() const {
        const MatmulLimit& limit = bench_.limit;
        const std::string why =
            limit.why_not_measured.empty() ? "" : filled(Text::bench_limit_why, limit.why_not_measured.in(language_));
        switch (limit.source) {
            case MatmulLimit::Source::measured:
                return filled(Text::bench_limit_measured, decimal(limit.tflops), limit.library, limit.size,
                              dtype_name(bench_.rows.front().problem.dtype), decimal(limit.before_tflops),
                              decimal(limit.after_tflops));
            case MatmulLimit::Source::nominal:
                return filled(Text::bench_limit_nominal, decimal(limit.tflops)) + why;
            case MatmulLimit::Source::unknown:
                break;
        }
        return say(Text::bench_limit_unknown) + why;
    }

    std::string shape_heading() const { return plain_shapes_ ? "B H S D" : "B H KV Sq Sk D"; }

    std::string shape(const Problem& p) const {
        return plain_shapes_
                   ? fmt::format("{} {} {} {}", p.batch, p.heads, p.seqlen_q, p.head_dim)
                   : fmt::format("{} {} {} {} {} {}", p.batch, p.heads, p.kv_heads, p.seqlen_q, p.seqlen_k, p.head_dim);
    }

    /// TFLOP/s, share of the limit, time, spread, times the base.
    std::vector<std::string> figures(const BenchRow& row, const VariantFacts& variant) const {
        const std::string none = say(Text::not_available);
        if (!variant.timed) {
            return {is_wrong(variant) ? say(Text::verdict_fail) : none, none, none, none, none};
        }
        const std::optional<double> share = of_limit(row, variant, bench_.limit);
        const std::optional<double> times = times_base(row, variant, base_);
        return {decimal(tflops(row.problem, variant.timed->median_us)), share ? percent(*share) : none,
                duration(variant.timed->median_us) + (is_brief(variant) ? " L" : ""),
                percent(spread(*variant.timed)) + (is_spread(variant) ? " S" : ""), times ? ratio(*times) : none};
    }

    std::string body(const std::vector<const BenchRow*>& rows) const {
        MarkdownTable table({{shape_heading()},
                             {say(Text::bench_variant)},
                             {say(Text::tflops), true},
                             {say(Text::bench_of_limit), true},
                             {say(Text::bench_time), true},
                             {say(Text::bench_spread), true},
                             {filled(Text::bench_times_base, base_), true}});
        for (const BenchRow* row : rows) {
            std::string shape_once = shape(row->problem);
            for (const VariantFacts& variant : row->variants) {
                std::vector<std::string> cells = figures(*row, variant);
                cells.insert(cells.begin(), {std::exchange(shape_once, ""), variant.name});
                table.row(std::move(cells));
            }
        }
        return terminal_.is_screen && table.width() > terminal_.columns ? paragraphs(rows) : table.render();
    }

    std::string paragraphs(const std::vector<const BenchRow*>& rows) const {
        std::string result;
        for (const BenchRow* row : rows) {
            result += labelled("", 0, shape_heading() + " = " + shape(row->problem), terminal_);
            for (const VariantFacts& variant : row->variants) {
                const std::vector<std::string> f = figures(*row, variant);
                const std::string line =
                    variant.timed ? filled(Text::bench_line, f[0], f[1], f[2], f[3], f[4], base_) : f.front();
                result += labelled("  " + variant.name, 2 + name_width() + 2, line, terminal_);
            }
        }
        return result;
    }

    int name_width() const {
        int width = 0;
        for (const VariantFacts& variant : bench_.rows.front().variants) {
            width = std::max(width, display_width(variant.name));
        }
        return width;
    }

    std::string notes() const {
        std::string result;
        for (const RatioSummary& s : summaries(bench_)) {
            if (s.rows > 1) {
                result += item(filled(Text::bench_summary, s.variant, base_, ratio(s.mean), s.rows, ratio(s.least),
                                      ratio(s.most), say(s.causal ? Text::bench_causal : Text::no_mask)));
            }
        }
        std::vector<std::string> refusals;
        std::string failures;
        bool brief = false;
        bool wide = false;
        for (const BenchRow& row : bench_.rows) {
            for (const VariantFacts& variant : row.variants) {
                brief = brief || is_brief(variant);
                wide = wide || is_spread(variant);
                if (is_wrong(variant)) {
                    failures +=
                        item(filled(Text::bench_failed, variant.name, shape(row.problem), say(mask_name(row.problem)),
                                    printable(variant.error->reason.in(language_))),
                             Style::bad);
                }
                std::string refusal = filled(Text::said_of, variant.name, printable(variant.refusal.in(language_)));
                if (!runs(variant) && std::find(refusals.begin(), refusals.end(), refusal) == refusals.end()) {
                    result += item(refusal);
                    refusals.push_back(std::move(refusal));
                }
            }
        }
        result += brief ? item(filled(Text::bench_brief, decimal(launch_overhead_us))) : "";
        result += wide ? item(filled(Text::bench_wide, percent(large_spread))) : "";
        return result + failures;
    }

    const Bench& bench_;
    Language language_;
    const Terminal& terminal_;
    std::string base_;
    bool plain_shapes_ = true;  ///< as many KV heads as heads, and keys as queries
};

}  // namespace

std::string show_bench(const Bench& bench, Language language, const Terminal& terminal) {
    return View(bench, language, terminal).all();
}

}  // namespace flashlens::report
