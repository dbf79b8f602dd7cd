#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "practice/checks/checks.h"
#include "practice/passing.h"
#include "practice/rows.h"

namespace flashlens::practice {
namespace {

/// How query heads share KV heads.
struct Heads {
    std::int64_t query = 0;
    std::int64_t kv = 0;

    std::int64_t group() const { return query / kv; }
};

/// Of each query head: the KV head that it read. kv and more: one of the next batch, as memory goes on. Nothing: where no
/// tensor is.
using Read = std::vector<std::optional<std::int64_t>>;

Read right_ones(const Heads& heads) {
    Read right;
    for (std::int64_t group = 0; group < heads.kv; ++group) {
        right.insert(right.end(), static_cast<std::size_t>(heads.group()), group);
    }
    return right;
}

/// One key only, so that O is the row of V that was read, and rows of V that tell which they are: KV head g of batch b has
/// b KV + g everywhere. Many batches, so that a number which is too large still finds a row.
Read heads_read(Attempt& attempt, const Heads& heads) {
    Problem p;
    p.batch = 64;
    p.heads = heads.query;
    p.kv_heads = heads.kv;
    p.seqlen_q = p.seqlen_k = 1;
    Inputs inputs = random_inputs(p);
    for (std::int64_t b = 0; b < p.batch; ++b) {
        for (std::int64_t g = 0; g < p.kv_heads; ++g) {
            for (std::int64_t d = 0; d < p.head_dim; ++d) {
                inputs.v[at_k(p, b, 0, g, d)] = round_to(static_cast<double>(b * p.kv_heads + g), p.dtype);
            }
        }
    }
    Read read;
    std::optional<Output> of_all;  // on a GPU
    for (std::int64_t h = 0; h < heads.query; ++h) {
        simt::LaunchOptions only_head;
        only_head.multiplicity = [&](simt::Dim3 block) { return block.y == 0 && block.z == h ? 1U : 0U; };
        try {
            if (attempt.machine() == Machine::cpu || !of_all) {
                of_all = attempt.run(p, inputs, only_head);
            }
            read.emplace_back(static_cast<std::int64_t>(widen(of_all->o[at_q(p, 0, 0, h, 0)], p.dtype)));
        } catch (const Finding& finding) {
            if (finding.id != "out-of-bounds") {
                throw;
            }
            read.emplace_back();
        }
    }
    return read;
}

struct Mistake {
    std::string id;
    Message what;
    std::function<std::int64_t(const Heads&, std::int64_t h)> head;
};

std::vector<Mistake> mistakes() {
    const Message up =
        both({"The quotient is rounded up, or to the nearest number: the last query heads of a group read the "
              "next group's KV head already. An integer division rounds down.",
              "商被向上取整或四舍五入了：一组里靠后的 query head 已经读到了下一组的 KV "
              "head。整数除法是向下取整。"});
    return {
        {"group-forgotten",
         both({"Query head h reads KV head h, as if each had one of its own: from head KV on there is none, and what "
               "is read "
               "there belongs to another batch, or to nobody.",
               "query head h 读了 KV head h，好像每个都有自己的一个：从第 KV 个起就没有了，那里读到的是别的 batch "
               "的，或者谁的都不是。"}),
         [](const Heads&, std::int64_t h) { return h; }},
        {"modulo-kv-heads",
         both(
             {"h % KV deals query heads out to KV heads like cards. Those that share one are neighbours: h / (H / KV).",
              "h % KV 是像发牌一样把 query head 轮流发给 KV head。共用一个的应当是相邻的：h / (H / KV)。"}),
         [](const Heads& heads, std::int64_t h) { return h % heads.kv; }},
        {"place-in-group",
         both({"h % (H / KV) is a query head's place within its group, not the group.",
               "h % (H / KV) 是 query head 在组内的位置，不是第几组。"}),
         [](const Heads& heads, std::int64_t h) { return h % heads.group(); }},
        {"divided-by-kv-heads",
         both({"h is divided by the number of groups, KV. Divide by the size of a group, H / KV.",
               "除数用成了组数 KV。应当除以每组的大小 H / KV。"}),
         [](const Heads& heads, std::int64_t h) { return h / heads.kv; }},
        {"group-size",
         both({"H / KV is how many query heads share a KV head; all of them read the KV head of that number here, "
               "whatever h "
               "is.",
               "H / KV 是几个 query head 共用一个 KV head；这里不管 h 是几，读的都是编号为它的 KV head。"}),
         [](const Heads& heads, std::int64_t) { return heads.group(); }},
        {"always-the-first",
         both({"All query heads read KV head 0. That is right where there is only one (MQA). (Is there a quotient of "
               "integers in it, like h / H? That is 0.)",
               "所有 query head 都读 KV head 0。只有一个 KV head（MQA）时才对。（其中有没有 h / H "
               "这样的整数除法？它等于 "
               "0。）"}),
         [](const Heads&, std::int64_t) { return 0; }},
        {"ratio-rounded-to-0",
         both(
             {"KV / H is an integer division: 0 as long as there are fewer KV heads than query heads, so that all read "
              "KV head 0. Divide by H / KV instead, or multiply first.",
              "KV / H 是整数除法：只要 KV head 比 query head 少，它就是 0，于是全都读了 KV head 0。应当除以 H / "
              "KV，或者先乘后除。"}),
         [](const Heads& heads, std::int64_t h) { return h * (heads.kv / heads.query); }},
        {"multiplied",
         both({"h is multiplied by the ratio H / KV. There are fewer KV heads than query heads: divide.",
               "h 乘上了比例 H / KV。KV head 比 query head 少：应当除。"}),
         [](const Heads& heads, std::int64_t h) { return h * heads.group(); }},
        {"rounded-up", up,
         [](const Heads& heads, std::int64_t h) { return h / heads.group() + (h % heads.group() == 0 ? 0 : 1); }},
        {"rounded-up", up,
         [](const Heads& heads, std::int64_t h) { return (2 * h + heads.group()) / (2 * heads.group()); }},
    };
}

/// Numbers below each other in the lines of evidence.
std::string columns(const Read& numbers) {
    std::string text;
    for (const auto& number : numbers) {
        text += fmt::format("{:>4}", number ? fmt::format("{}", *number) : "-");
    }
    return text;
}

std::vector<Message> evidence_of(const Heads& heads, const Read& read) {
    const Read right = right_ones(heads);
    const auto wrong = std::mismatch(read.begin(), read.end(), right.begin()).first - read.begin();
    const std::optional<std::int64_t>& found = read[static_cast<std::size_t>(wrong)];
    Message what = both({"reads where no tensor is", "读到了张量之外"});
    if (found && *found < heads.kv) {
        what = both({"reads KV head {}", "读了 KV head {}"}, *found);
    } else if (found) {
        what = both({"reads KV head {} of only {}: that is one of batch {}",
                     "读了 KV head {}，可是只有 {} 个：那是 batch {} 的"},
                    *found, heads.kv, *found / heads.kv);
    }
    Read numbers;
    for (std::int64_t h = 0; h < heads.query; ++h) {
        numbers.emplace_back(h);
    }
    return {both({"H {}  KV {}  batch 0: query head {} {}; it should read KV head {}",
                  "H {}  KV {}  batch 0：query head {} {}；应读 KV head {}"},
                 heads.query, heads.kv, wrong, what, *right[static_cast<std::size_t>(wrong)]),
            both({"query head     {}", "query head   {}"}, columns(numbers)),
            both({"reads KV head  {}", "读的 KV head {}"}, columns(read)),
            both({"should read    {}", "应读 KV head {}"}, columns(right))};
}

std::vector<Problem> problems_to_pass() {
    std::vector<Problem> problems = usual_problems();
    for (const Heads& heads : {Heads{3, 3}, {6, 1}, {6, 3}}) {
        Problem p = problems.front();
        p.batch = 2;
        p.heads = heads.query;
        p.kv_heads = heads.kv;
        p.seqlen_q = 40;
        p.seqlen_k = 70;
        p.causal = heads.kv == 3;
        problems.push_back(p);
    }
    return problems;
}

}  // namespace

void check_grouped_heads(Attempt& attempt) {
    const std::vector<Heads> shapes{{8, 2}, {6, 3}, {12, 4}, {9, 3}, {4, 1}, {5, 5}};
    std::vector<Read> all;
    all.reserve(shapes.size());
    for (const Heads& heads : shapes) {
        all.push_back(heads_read(attempt, heads));
    }
    std::size_t first = 0;
    while (first < shapes.size() && all[first] == right_ones(shapes[first])) {
        ++first;
    }
    if (first < shapes.size()) {
        const auto fits = [&](const Mistake& mistake) {
            for (std::size_t i = 0; i < shapes.size(); ++i) {
                for (std::int64_t h = 0; h < shapes[i].query; ++h) {
                    if (all[i][static_cast<std::size_t>(h)] != mistake.head(shapes[i], h)) {
                        return false;
                    }
                }
            }
            return true;
        };
        const std::vector<Mistake> known = mistakes();
        const auto named = std::find_if(known.begin(), known.end(), fits);
        const std::vector<Message> evidence = evidence_of(shapes[first], all[first]);
        if (named != known.end()) {
            throw Finding{named->id, named->what, evidence};
        }
        throw Finding{"wrong-kv-head",
                      both({"With {} query heads and {} KV heads, query heads read KV heads of other groups.",
                            "{} 个 query head、{} 个 KV head 时，有的 query head 读了别组的 KV head。"},
                           shapes[first].query, shapes[first].kv),
                      evidence};
    }
    attempt.held(both({"groups (H 8 KV 2, 6 and 3, 12 and 4, 9 and 3), one KV head for all, and one for each",
                       "分组（H 8、KV 2，6 和 3，12 和 4，9 和 3），全部共用一个，以及各用各的"}));
    hold_error_check(attempt, problems_to_pass());
}

}  // namespace flashlens::practice
