#include "practice/rows.h"

#include <algorithm>

namespace flashlens::practice {
namespace {

constexpr std::size_t most_ranges = 3;

struct Range {
    std::int64_t first, last;
};

std::vector<Range> ranges_of(const std::vector<std::int64_t>& numbers) {
    std::vector<Range> ranges;
    for (const std::int64_t number : numbers) {
        if (!ranges.empty() && ranges.back().last + 1 == number) {
            ranges.back().last = number;
        } else {
            ranges.push_back({number, number});
        }
    }
    return ranges;
}

/// "0 to 7, 16, 18 and others"
Message numbers_text(const std::vector<std::int64_t>& numbers) {
    const std::vector<Range> ranges = ranges_of(numbers);
    Message text;
    for (std::size_t i = 0; i < std::min(ranges.size(), most_ranges); ++i) {
        const auto [first, last] = ranges[i];
        const Message one = first == last ? both({"{}", "{}"}, first) : both({"{} to {}", "{} 到 {}"}, first, last);
        text = i == 0 ? one : both({"{}, {}", "{}、{}"}, text, one);
    }
    return ranges.size() > most_ranges ? both({"{} and others", "{} 等"}, text) : text;
}

}  // namespace

Message rows_text(const std::vector<std::int64_t>& numbers) {
    return numbers.size() == 1                       ? both({"row {}", "第 {} 行"}, numbers.front())
           : ranges_of(numbers).size() > most_ranges ? both({"rows {}", "第 {}行"}, numbers_text(numbers))
                                                     : both({"rows {}", "第 {} 行"}, numbers_text(numbers));
}

Message keys_text(const std::vector<std::int64_t>& numbers) {
    return numbers.size() == 1 ? both({"key {}", "key {}"}, numbers.front())
                               : both({"keys {}", "key {}"}, numbers_text(numbers));
}

Message lanes_text(const std::vector<std::int64_t>& numbers) {
    return numbers.size() == 1 ? both({"lane {}", "lane {}"}, numbers.front())
                               : both({"lanes {}", "lane {}"}, numbers_text(numbers));
}

Message columns_text(const std::vector<std::int64_t>& numbers) {
    return numbers.size() == 1                       ? both({"column {}", "第 {} 列"}, numbers.front())
           : ranges_of(numbers).size() > most_ranges ? both({"columns {}", "第 {}列"}, numbers_text(numbers))
                                                     : both({"columns {}", "第 {} 列"}, numbers_text(numbers));
}

Message places_text(const Problem& problem, const std::vector<bool>& rows) {
    Message text;
    std::size_t places = 0;
    for (std::int64_t b = 0; b < problem.batch; ++b) {
        for (std::int64_t h = 0; h < problem.heads; ++h) {
            std::vector<std::int64_t> here;
            for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
                if (rows[at_lse(problem, b, h, i)]) {
                    here.push_back(i);
                }
            }
            if (here.empty() || ++places > most_ranges) {
                continue;
            }
            const Message one = problem.batch * problem.heads == 1
                                    ? rows_text(here)
                                    : both({"batch {}, head {}: {}", "batch {}、head {}：{}"}, b, h, rows_text(here));
            text = places == 1 ? one : both({"{}; {}", "{}；{}"}, text, one);
        }
    }
    return places > most_ranges ? both({"{}; and of {} heads more", "{}；另有 {} 个 head"}, text, places - most_ranges)
                                : text;
}

std::vector<bool> unwritten_rows_of_o(const Problem& problem, const Output& output) {
    std::vector<bool> rows(output.lse.size());
    for (std::int64_t b = 0; b < problem.batch; ++b) {
        for (std::int64_t h = 0; h < problem.heads; ++h) {
            for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
                for (std::int64_t d = 0; d < problem.head_dim; ++d) {
                    if (output.o_unwritten[at_q(problem, b, i, h, d)]) {
                        rows[at_lse(problem, b, h, i)] = true;
                    }
                }
            }
        }
    }
    return rows;
}

void all_rows_written(const Problem& problem, const Output& output) {
    const std::vector<bool> o_rows = unwritten_rows_of_o(problem, output);
    const bool lse = std::find(o_rows.begin(), o_rows.end(), true) == o_rows.end();
    const std::vector<bool>& rows = lse ? output.lse_unwritten : o_rows;
    const auto count = std::count(rows.begin(), rows.end(), true);
    if (count == 0) {
        return;
    }
    throw Finding{"rows-not-written",
                  both({"{} of {} rows of {} were never written: {}.", "{1} 行 {2} 中有 {0} 行从未被写：{3}。"}, count,
                       rows.size(), std::string(lse ? "lse" : "O"), places_text(problem, rows)),
                  {shape_text(problem)}};
}

Message shape_text(const Problem& p) {
    const Message mask = !p.causal                        ? both({"no mask", "无 mask"})
                         : p.align == Align::bottom_right ? both({"causal", "causal"})
                                                          : both({"causal (top-left)", "causal（top-left）"});
    return both(
        {"in a run with B {}  H {}  KV {}  Sq {}  Sk {}  D {}  {}", "运行：B {}  H {}  KV {}  Sq {}  Sk {}  D {}  {}"},
        p.batch, p.heads, p.kv_heads, p.seqlen_q, p.seqlen_k, p.head_dim, mask);
}

}  // namespace flashlens::practice
