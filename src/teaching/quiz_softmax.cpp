// The online softmax of one row of scores.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "teaching/quiz_asked.h"
#include "teaching/quiz_setting.h"
#include "teaching/walk.h"

namespace flashlens::teaching::asked {

namespace {

struct Row {
    WalkProblem walk;
    std::string scores;
};

Row draw_row(Draw& draw) {
    Row row;
    row.walk.problem.batch = row.walk.problem.heads = row.walk.problem.kv_heads = 1;
    row.walk.problem.seqlen_q = 1;
    row.walk.problem.seqlen_k = 4;
    row.walk.problem.head_dim = 4;
    row.walk.scores = Matrix(1, 4);
    row.walk.v = Matrix(4, 4);
    std::vector<int> values{0, 1, 2, 3, 4, 5};
    draw.shuffle(values);
    for (std::size_t j = 0; j < 4; ++j) {
        row.walk.scores.values[j] = values[j];
        row.scores += fmt::format("{}{}", j == 0 ? "" : " ", values[j]);
        row.walk.v.at(static_cast<std::int64_t>(j), static_cast<std::int64_t>(j)) = 1.0;
    }
    return row;
}

void remember(QuizQuestion& q, const Row& row) {
    constexpr std::array names{"s0", "s1", "s2", "s3"};
    for (std::size_t j = 0; j < names.size(); ++j) {
        q.drawn.emplace_back(names[j], row.walk.scores.values[j]);
    }
    q.unit = QuizUnit::real;
    q.tolerance = 0.01;
}

}  // namespace

void sum_after_blocks(Draw& draw, Language language, QuizQuestion& q) {
    const Row row = draw_row(draw);
    const Walk walked = walk(row.walk, WalkOrder::v2);
    const WalkRow& last = walked.steps.end()[-2].rows.front();
    remember(q, row);
    constexpr Words text{
        "A row has the scaled scores {}, in two blocks of two keys. What is l, the row sum of exp(s - m), at the "
        "end? (1 % is close enough.)",
        "一行缩放后的 score 是 {}，每两个 key 一个 block。最后的 l，即 exp(s - m) 的行和，是多少？（误差 1 % "
        "以内即可）"};
    constexpr Words why{
        "m is {} at the end. v2 takes the last block first: l = {:.4g}; then l exp({} - {}) + {:.4g} = {:.4g}. The "
        "order changes the steps, not the sum.",
        "最后 m 是 {}。v2 先取最后一个 block：l = {:.4g}；然后 l exp({} - {}) + {:.4g} = "
        "{:.4g}。次序改变的是步骤，不是和。"};
    q.value = last.l;
    q.text = filled(text, language, row.scores);
    q.why = filled(why, language, last.m, last.l_before, last.m_before, last.m, last.p_sum, last.l);
    q.show = fmt::format("flashlens walk --scores \"{}\" --order v2", row.scores);
    q.read = {3};
}

void rescale_factor(Draw& draw, Language language, QuizQuestion& q) {
    const Row row = draw_row(draw);
    const Walk walked = walk(row.walk, WalkOrder::v2);
    const WalkRow& last = walked.steps.end()[-2].rows.front();
    remember(q, row);
    constexpr Words text{
        "A row has the scaled scores {}, in two blocks of two keys; v2 takes the last block first. By what are l and "
        "acc_o multiplied when the other block comes? (1 % is close enough.)",
        "一行缩放后的 score 是 {}，每两个 key 一个 block；v2 先取最后一个 block。轮到另一个 block 时，l 和 acc_o "
        "要乘以多少？（误差 1 % 以内即可）"};
    constexpr Words why{"By exp(m_before - m) = exp({} - {}) = {:.4g}; it is 1 where the maximum does not rise.",
                        "乘以 exp(m_before - m) = exp({} - {}) = {:.4g}；最大值不上升时就是 1。"};
    q.value = last.rescale;
    q.text = filled(text, language, row.scores);
    q.why = filled(why, language, last.m_before, last.m, last.rescale);
    q.show = fmt::format("flashlens walk --scores \"{}\" --order v2", row.scores);
    q.read = {3};
}

void log_sum_exp(Draw& draw, Language language, QuizQuestion& q) {
    const Row row = draw_row(draw);
    const double lse = walk_reference(row.walk).lse.front();
    const Walk walked = walk(row.walk, WalkOrder::v2);
    const WalkRow& last = walked.steps.end()[-2].rows.front();
    remember(q, row);
    constexpr Words text{
        "A row has the scaled scores {}. Which lse (natural logarithm) does a kernel write for it? (1 % is close "
        "enough.)",
        "一行缩放后的 score 是 {}。kernel 为它写出的 lse（自然对数）是多少？（误差 1 % 以内即可）"};
    constexpr Words why{
        "lse = m + log l = {} + log {:.4g} = {:.4g}. exp(s) alone would overflow for large scores; m keeps every "
        "exponential at 1 or less.",
        "lse = m + log l = {} + log {:.4g} = {:.4g}。score 大时直接算 exp(s) 会溢出；减去 m 后每个指数都不超过 1。"};
    q.value = lse;
    q.text = filled(text, language, row.scores);
    q.why = filled(why, language, last.m, last.l, lse);
    q.show = fmt::format("flashlens walk --scores \"{}\" --order v2", row.scores);
    q.read = {6};
}

}  // namespace flashlens::teaching::asked
