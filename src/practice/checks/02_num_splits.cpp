#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "hardware/card.h"
#include "lessons/exercises/entry.h"
#include "practice/checks/checks.h"

namespace flashlens::practice {
namespace {

constexpr int most = 30;

/// What the function is asked.
struct Launch {
    std::string card{};
    int sm_count = 0;
    int ctas_per_sm = 0;
    std::int64_t heads = 0;  // times batches
    std::int64_t seqlen_q = 0;

    std::int64_t wave() const { return std::int64_t{sm_count} * ctas_per_sm; }
    std::int64_t tiles() const { return seqlen_q / 16 + (seqlen_q % 16 == 0 ? 0 : 1); }
    int bound() const { return static_cast<int>(std::min<std::int64_t>(tiles(), most)); }
};

/// Those that lessons show come first: a finding shows the first that is not right.
std::vector<Launch> launches(const std::vector<std::int64_t>& lengths) {
    std::vector<Launch> all;
    const auto add = [&](const hardware::Card& card, int ctas_per_sm, std::int64_t heads, std::int64_t seqlen_q) {
        all.push_back({card.name, card.sm_count, ctas_per_sm, heads, seqlen_q});
    };
    for (const std::int64_t heads : {8, 48, 10, 1}) {
        add(hardware::find_card("A100"), 2, heads, lengths.front());
    }
    for (const std::int64_t seqlen_q : lengths) {
        for (const hardware::Card& card : hardware::cards()) {
            for (const int ctas_per_sm : {1, 2, 3, 4}) {
                for (const int heads : {1, 2, 3, 5, 7, 8, 12, 16, 25, 32, 60, 64, 96, 200, 256, 1000}) {
                    add(card, ctas_per_sm, heads, seqlen_q);
                }
            }
        }
    }
    return all;
}

/// An efficiency, exactly: CTAs over the places of the waves that they take.
struct Efficiency {
    std::int64_t ctas, places;

    double value() const { return places == 0 ? 0.0 : static_cast<double>(ctas) / static_cast<double>(places); }
    /// 100 this, less `percent` of the other: its sign.
    std::int64_t over(int percent, const Efficiency& other) const {
        return 100 * ctas * other.places - percent * other.ctas * places;
    }
};

Efficiency efficiency(const Launch& launch, std::int64_t splits) {
    const std::int64_t ctas = launch.heads * splits;
    const std::int64_t begun = ctas % launch.wave() == 0 ? 0 : 1;
    return {ctas, (ctas / launch.wave() + begun) * launch.wave()};
}

struct Answer {
    int splits = 0;  ///< the smallest with more than 95 % of the best
    int tie = 0;     ///< the smallest with at least 95 %: doubles may say of exactly 95 % that it is more
    int best = 0;    ///< the smallest with the best
};

Answer right_answer(const Launch& launch) {
    Answer answer;
    Efficiency best{0, 1};
    for (int splits = 1; splits <= launch.bound(); ++splits) {
        const Efficiency one = efficiency(launch, splits);
        if (one.over(100, best) > 0) {
            best = one;
            answer.best = splits;
        }
    }
    for (int splits = launch.bound(); splits >= 1; --splits) {
        const std::int64_t over = efficiency(launch, splits).over(95, best);
        answer.splits = over > 0 ? splits : answer.splits;
        answer.tie = over >= 0 ? splits : answer.tie;
    }
    return answer;
}

bool is_right(int answered, const Answer& right) {
    return answered == right.splits || answered == right.tie;
}

/// What a mistake answers; nothing where it depends on more than the mistake.
using Model = std::function<std::optional<int>(const Launch&)>;

struct Mistake {
    std::string id;
    Message what;
    Model answer;
};

using Waves = std::function<double(const Launch&, int splits)>;
using Quality = std::function<double(double waves)>;

double exact_waves(const Launch& launch, int splits) {
    return static_cast<double>(launch.heads * splits) / static_cast<double>(launch.wave());
}
double filled(double waves) {
    return waves / std::ceil(waves);
}

enum class Take { smallest, largest };

/// The heuristic with one of its parts replaced.
Model heuristic(const Waves& waves, const Quality& quality, double share = 0.95, Take take = Take::smallest,
                const std::function<std::int64_t(const Launch&)>& bound = &Launch::bound) {
    return [=](const Launch& launch) -> std::optional<int> {
        std::vector<double> qualities;
        for (int splits = 1; splits <= bound(launch); ++splits) {
            qualities.push_back(quality(waves(launch, splits)));
            if (!std::isfinite(qualities.back())) {
                return std::nullopt;  // what comes of that depends on how the best is looked for
            }
        }
        const double best = qualities.empty() ? 0.0 : *std::max_element(qualities.begin(), qualities.end());
        std::optional<int> answer;
        for (int splits = 1; splits <= std::ssize(qualities); ++splits) {
            const double more = qualities[static_cast<std::size_t>(splits - 1)] - share * best;
            if (share < 1.0 && std::fabs(more) < 1e-12) {
                return std::nullopt;
            }
            if (more >= 0.0 && (!answer || take == Take::largest)) {
                answer = splits;
            }
        }
        return answer;
    };
}

/// The right answer, and something added to it.
Model shifted(int by) {
    return [by](const Launch& launch) -> std::optional<int> {
        const Answer right = right_answer(launch);
        return right.splits == right.tie ? std::optional(right.splits + by) : std::nullopt;
    };
}

/// 1 where the CTAs of one split are at least so many tenths of a wave; else the right answer.
Model one_when_full(int tenths) {
    return [tenths](const Launch& launch) -> std::optional<int> {
        return 10 * launch.heads >= tenths * launch.wave() ? std::optional(1) : shifted(0)(launch);
    };
}

/// The efficiency of s splits is looked for at index s, where that of s + 1 stands.
std::optional<int> one_before_a_good_one(const Launch& launch) {
    const Efficiency best = efficiency(launch, right_answer(launch).best);
    for (int splits = 2; splits <= launch.bound(); ++splits) {
        const std::int64_t over = efficiency(launch, splits).over(95, best);
        if (over >= 0) {
            return over > 0 ? std::optional(splits - 1) : std::nullopt;
        }
    }
    return std::nullopt;  // it reads past the end
}

/// Of the waves and the choice: of long sequences, where the bound is 30 with the slip as without.
std::vector<Mistake> mistakes_of_choice() {
    const Message integers = both(
        {"The waves are rounded down before they are divided: an integer division, or floor. 1.9 waves are 1 then, and "
         "what the last wave leaves empty is not seen.",
         "wave 数在相除之前就被向下取整了：整数除法，或者 floor。1.9 个 wave 成了 1 个，最后一个 wave "
         "空着的部分就看不到了。"});
    const auto with_waves = [](const Waves& waves) { return heuristic(waves, filled); };
    const auto with_quality = [](const Quality& quality) { return heuristic(exact_waves, quality); };
    const Message best =
        both({"The best is taken, not the smallest that comes near it: every further split reads all of "
              "K and V once more, and v1 is content with more than 95 % of the best.",
              "取的是最好的，而不是接近最好的里面最小的：每多一个 split 就要把 K 和 V "
              "重读一遍，所以 v1 只要超过最好的 95 % 就够了。"});
    const Message full = both(
        {"1 is taken as soon as 1 split fills a wave, or nearly. That shortcut is of FlashAttention-2's heuristic for "
         "split-KV, a later one. v1 goes on: 1.5 waves cost 2, and with 2 splits they are 3 that cost 3.",
         "1 个 split 填满或接近填满一个 wave 时，就直接取了 1。这条捷径属于 FlashAttention-2 后来的 split-KV "
         "启发式。v1 会接着看：1.5 个 wave 要花 2 个，而 2 个 split 是 3 个 wave，正好花 3 个。"});
    const Message off_by_one = both({"Off by one: the first of the list, at index 0, is 1 split.",
                                     "差了一：列表的第一项（下标 0）是 1 个 split。"});
    return {
        {"one-split-always",
         both({"It answers 1 whatever it is asked. Either nothing is chosen yet; or the efficiency is upside down "
               "(ceil(waves) / waves is never larger than with 1 split); or the waves are an integer division, 0 for "
               "less than a wave: then 0 / 0 is NaN, and no comparison with NaN holds.",
               "不管问什么都回答 1。要么还没有做选择；要么 efficiency 颠倒了（ceil(waves) / waves 在 1 个 split "
               "时总是最大）；要么 wave 数用了整数除法，不足一个 wave 就是 0：0 / 0 是 NaN，和 NaN 比较都不成立。"}),
         [](const Launch&) { return 1; }},
        {"best-not-smallest", best, heuristic(exact_waves, filled, 1.0)},
        {"best-not-smallest", best, heuristic(exact_waves, filled, 1.0, Take::largest)},
        {"largest-not-smallest",
         both({"Of those that are good enough the largest is taken. v1 takes the smallest: every split reads all of K "
               "and "
               "V once more.",
               "在够好的里面取了最大的。v1 取最小的：每个 split 都要把 K 和 V 重读一遍。"}),
         heuristic(exact_waves, filled, 0.95, Take::largest)},
        {"one-when-full", full, one_when_full(10)},
        {"one-when-full", full, one_when_full(8)},
        {"waves-rounded-down", integers,
         with_waves([](const Launch& launch, int splits) { return std::floor(exact_waves(launch, splits)); })},
        {"waves-rounded-down", integers, with_quality([](double waves) { return waves / std::floor(waves); })},
        {"waves-rounded-to-nearest",
         both(
             {"The waves are rounded to the nearest number: 1.1 waves count as 1, but the second, only begun, takes as "
              "long as a full one.",
              "wave 数按四舍五入取整了：1.1 个 wave 被算成 1 个，但第二个 wave 只要开了头，就要花一整个的时间。"}),
         with_quality([](double waves) { return std::round(waves) == 0.0 ? NAN : waves / std::round(waves); })},
        {"waves-not-rounded",
         both({"More waves count as better: waves are not divided by the whole waves that they take, waves / "
               "ceil(waves).",
               "wave 越多就算越好：没有用 wave 数除以实际要花的整 wave 数，即 waves / ceil(waves)。"}),
         with_quality([](double waves) { return waves; })},
        {"one-wave-more",
         both({"One whole wave too many is counted where the last is exactly full: 2 waves take 2, not 3.",
               "最后一个 wave 正好填满时多算了一个：2 个 wave 就是 2 个，不是 3 个。"}),
         with_quality([](double waves) { return waves / (std::floor(waves) + 1.0); })},
        {"ctas-per-sm-forgotten",
         both({"An SM is taken to hold one CTA: a wave is SMs x CTAs per SM.",
               "把每个 SM 当成只放一个 CTA：一个 wave 是 SM 数 × 每个 SM 的 CTA 数。"}),
         with_waves([](const Launch& launch, int splits) {
             return static_cast<double>(launch.heads * splits) / launch.sm_count;
         })},
        {"ctas-per-sm-multiplied",
         both({"a / b * c is (a / b) * c: the CTAs per SM multiply the waves where they should divide them. The same "
               "kind "
               "of slip as the one to mend.",
               "a / b * c 是 (a / b) * c：每个 SM 的 CTA 数本该做除数，却乘了上去。和要改的那个笔误是同一类。"}),
         with_waves([](const Launch& launch, int splits) {
             return static_cast<double>(launch.heads * splits) / launch.sm_count * launch.ctas_per_sm;
         })},
        {"waves-not-exact",
         both({"A quotient that is rounded before it is multiplied: heads / wave x splits can come to a little over 2 "
               "where it is 2, and ceil makes 3 of it. Multiply the integers first, divide once.",
               "商先舍入，再相乘：heads / wave × splits 本该是 2，却可能比 2 大一点点，ceil "
               "之后就成了 3。先做整数乘法，只除一次。"}),
         with_waves([](const Launch& launch, int splits) {
             return static_cast<double>(launch.heads) / static_cast<double>(launch.wave()) * splits;
         })},
        {"share-of-one",
         both({"95 % of a full wave is asked for, not 95 % of the best efficiency there is: with few heads nothing "
               "comes "
               "near a full wave.",
               "比的是满 wave 的 95 %，而不是最高 efficiency 的 95 %：head 少的时候，哪个都离满 wave 很远。"}),
         [](const Launch& launch) -> std::optional<int> {
             std::optional<int> answer;
             for (int splits = launch.bound(); splits >= 1; --splits) {
                 const std::int64_t over = efficiency(launch, splits).over(95, {1, 1});
                 if (over == 0) {
                     return std::nullopt;
                 }
                 answer = over > 0 ? std::optional(splits) : answer;
             }
             return answer;
         }},
        {"another-share",
         both({"85 % is the share of FlashAttention-2's heuristic for split-KV, a later one; v1's is 95 %.",
               "85 % 是 FlashAttention-2 后来的 split-KV 启发式用的；v1 用的是 95 %。"}),
         heuristic(exact_waves, filled, 0.85)},
        {"off-by-one", off_by_one, shifted(-1)},
        {"off-by-one", off_by_one, shifted(1)},
        {"off-by-one", off_by_one, one_before_a_good_one},
        {"bound-without-30",
         both({"There is no upper bound any more: v1 never looks at more than 30 splits.",
               "上限没有了：v1 从不看 30 个以上的 split。"}),
         heuristic(exact_waves, filled, 0.95, Take::smallest, &Launch::tiles)},
        {"one-less-than-the-bound",
         both({"The last number of splits, the bound itself, is never looked at.",
               "上限本身这个 split 数从来没有被看过。"}),
         heuristic(exact_waves, filled, 0.95, Take::smallest, [](const Launch& l) { return l.bound() - 1; })},
    };
}

/// Of max_splits: of sequences so short that it matters.
std::vector<Mistake> mistakes_of_bound() {
    const auto with_bound = [](const std::function<std::int64_t(const Launch&)>& bound) {
        return heuristic(exact_waves, filled, 0.95, Take::smallest,
                         [bound](const Launch& launch) { return std::min<std::int64_t>(most, bound(launch)); });
    };
    const Message slip =
        both({"The slip is still there: 1 / M is an integer division, 0, and what remains is seqlen_q + M. A short "
              "sequence gets more splits than it has query tiles, and the CTAs without a tile have nothing to do.",
              "笔误还在：1 / M 是整数除法，得 0，剩下的是 seqlen_q + M。短序列得到的 split 比 query tile "
              "还多，分不到 tile 的 CTA 无事可做。"});
    return {
        {"slip-left", slip, with_bound([](const Launch& launch) { return launch.seqlen_q + 16; })},
        {"slip-left", slip, with_bound([](const Launch&) { return most; })},
        {"rows-not-tiles",
         both({"The bound is the number of query rows. A tile has 16, and a split gets whole tiles.",
               "上限成了 query 的行数。一个 tile 有 16 行，split 分到的是整个 tile。"}),
         with_bound([](const Launch& launch) { return launch.seqlen_q; })},
        {"tiles-rounded-down",
         both({"The last query tile is not counted where it is not full: 40 rows are 3 tiles, not 2.",
               "最后一个 query tile 没有填满时就没算进去：40 行是 3 个 tile，不是 2 个。"}),
         with_bound([](const Launch& launch) { return std::max<std::int64_t>(1, launch.seqlen_q / 16); })},
        {"one-tile-more",
         both({"One query tile too many is counted where the last is exactly full: 64 rows are 4 tiles, not 5.",
               "最后一个 query tile 正好填满时多算了一个：64 行是 4 个 tile，不是 5 个。"}),
         with_bound([](const Launch& launch) { return launch.seqlen_q / 16 + 1; })},
    };
}

/// "27 splits: 8 x 27 / 216 = 1.000 waves, 1 rounded up: efficiency 1.000"
Message numbers_of(const Launch& launch, int splits) {
    if (splits < 1) {
        return both({"num_splits {}: no CTA at all", "num_splits {}：一个 CTA 都没有"}, splits);
    }
    const Efficiency one = efficiency(launch, splits);
    const Message name = splits == 1 ? both({"1 split", "1 个 split"}) : both({"{} splits", "{} 个 split"}, splits);
    return both({"{}: {} x {} / {} = {:.3f} waves, {} rounded up: efficiency {:.3f}",
                 "{}：{} × {} / {} = {:.3f} 个 wave，向上取整是 {}：efficiency {:.3f}"},
                name, launch.heads, splits, launch.wave(),
                static_cast<double>(one.ctas) / static_cast<double>(launch.wave()), one.places / launch.wave(),
                one.value());
}

std::vector<Message> evidence_of(const Launch& launch, int answered, const Answer& right) {
    std::vector<Message> evidence{
        both({"batch x heads {}, Sq {} (query tiles: {}), {} (SMs: {}, CTAs per SM: {}): you take {}, right is {}",
              "batch × heads {}，Sq {}（query tile {} 个），{}（SM {} 个，每个放 CTA {} 个）：你取 {}，应取 {}"},
             launch.heads, launch.seqlen_q, launch.tiles(), launch.card, launch.sm_count, launch.ctas_per_sm, answered,
             right.splits),
        both({"yours: {}", "你的：{}"}, numbers_of(launch, answered)),
        both({"right: {}", "正确：{}"}, numbers_of(launch, right.splits))};
    if (right.best != right.splits && right.best != answered) {
        evidence.push_back(both({"best:  {}", "最好：{}"}, numbers_of(launch, right.best)));
    }
    return evidence;
}

/// Asks the function, and throws the mistake whose answers fit all of its own, or `unnamed`.
void hold(exercise::NumSplits* function, const std::vector<Launch>& asked, const std::vector<Mistake>& mistakes,
          const Mistake& unnamed) {
    std::vector<int> answers;
    std::vector<std::size_t> wrong;
    for (const Launch& launch : asked) {
        answers.push_back(function(launch.heads, launch.sm_count, launch.ctas_per_sm, launch.seqlen_q));
        if (!is_right(answers.back(), right_answer(launch))) {
            wrong.push_back(answers.size() - 1);
        }
    }
    if (wrong.empty()) {
        return;
    }
    const auto fits = [&](const Mistake& mistake) {
        bool explains = false;
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const std::optional<int> answer = mistake.answer(asked[i]);
            if (answer && *answer != answers[i]) {
                return false;
            }
            explains = explains || (answer && !is_right(*answer, right_answer(asked[i])));
        }
        return explains;
    };
    const auto named = std::find_if(mistakes.begin(), mistakes.end(), fits);
    const Mistake& mistake = named == mistakes.end() ? unnamed : *named;
    const std::size_t first = wrong.front();
    Finding finding{mistake.id, mistake.what, evidence_of(asked[first], answers[first], right_answer(asked[first]))};
    finding.evidence.push_back(
        both({"wrong in {} of the {} launches that were asked", "问了 {1} 种启动，{0} 种的答案不对"}, wrong.size(),
             asked.size()));
    throw finding;
}

}  // namespace

void check_num_splits(Attempt& attempt) {
    auto* function = attempt.function<exercise::NumSplits>();
    const std::vector<Launch> of_long = launches({4096, 480, 100000});
    hold(function, of_long, mistakes_of_choice(),
         {"choice-wrong",
          both({"For long sequences, where the bound is 30, another number of splits is chosen than the smallest with "
                "more "
                "than 95 % of the best efficiency.",
                "序列长、上限是 30 的时候，选出的不是 efficiency 超过最好的 95 % 的最小 split 数。"}),
          {}});
    attempt.held(both({"waves, efficiency and choice: {} launches of long sequences on {} cards",
                       "wave、efficiency 和选择：{1} 种卡上 {0} 种长序列的启动"},
                      of_long.size(), hardware::cards().size()));
    const Mistake bound_wrong{
        "bound-wrong",
        both({"For short sequences the number of splits is not right: the bound is the number of query tiles, with the "
              "last one, which may not be full; and it is at most 30.",
              "短序列的 split 数不对：上限是 query tile 的个数，含可能没填满的最后一个，且不超过 30。"}),
        {}};
    // Under 16 rows a bound that is rounded down is 0, and a list without elements has no best one.
    for (const std::vector<std::int64_t>& lengths :
         {std::vector<std::int64_t>{64, 16, 17, 32, 40, 100, 128, 200, 256, 300, 464, 465}, {1, 15}}) {
        hold(function, launches(lengths), mistakes_of_bound(), bound_wrong);
    }
    attempt.held(both(
        {"no more splits than query tiles: sequences of 1 to 465 rows", "split 不多于 query tile：1 到 465 行的序列"}));
}

}  // namespace flashlens::practice
