// How much there is to read and to compute: KV heads, bytes, FLOPs, rates.
#include <cmath>
#include <cstdint>

#include "teaching/cta_traffic.h"
#include "teaching/ownership.h"
#include "teaching/quiz_asked.h"
#include "teaching/quiz_setting.h"
#include "whole.h"

namespace flashlens::teaching::asked {

// gqa

namespace {

Setting draw_gqa(Draw& draw) {
    Setting s = draw_setting(draw, {64, 128});
    s.problem.heads = draw.one_of<std::int64_t>({8, 16, 32, 64});
    s.problem.kv_heads = s.problem.heads / draw.one_of<std::int64_t>({2, 4, 8});
    return s;
}

}  // namespace

void kv_head(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_gqa(draw);
    const Problem& p = s.problem;
    const std::int64_t head = draw.below(p.heads);
    const std::int64_t group = p.heads / p.kv_heads;
    const std::int64_t shared = head / group;
    constexpr Words text{"{} query heads, {} KV heads. Which KV head does query head {} read? (All counted from 0.)",
                         "{} 个 query head，{} 个 KV head。第 {} 个 query head 读哪个 KV head？（都从 0 起数）"};
    constexpr Words why{"{} query heads share a KV head: {} / {} rounds down to {}.",
                        "每 {} 个 query head 共用一个 KV head：{} / {} 向下取整得 {}。"};
    ask(q, s, static_cast<double>(shared), QuizUnit::count, filled(text, language, p.heads, p.kv_heads, head),
        filled(why, language, group, head, group, shared), command("explain", s), 1);
    q.drawn.emplace_back("head", static_cast<double>(head));
}

void kv_bytes(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_gqa(draw);
    const Problem& p = s.problem;
    const CtaTraffic one = traffic_of(Ownership(s.plan_of("v2"), p), 0, p);
    const std::int64_t bytes = one.kv_read * p.batch * p.kv_heads;
    constexpr Words text{"{}, fp16. How many bytes are K and V together? (1 % is close enough.)",
                         "{}，fp16。K 和 V 一共多少字节？（误差 1 % 以内即可）"};
    constexpr Words why{
        "2 x {} x {} KV heads x {} x {} x 2 bytes = {}; with a KV head for each query head it would be {} times that.",
        "2 x {} x {} 个 KV head x {} x {} x 2 字节 = {}；若每个 query head 各有一个 KV head，则是它的 {} 倍。"};
    ask(q, s, static_cast<double>(bytes), QuizUnit::bytes, filled(text, language, described(s, language)),
        filled(why, language, p.batch, p.kv_heads, p.seqlen_k, p.head_dim, whole(bytes), p.heads / p.kv_heads),
        command("explain", s), 1);
    q.tolerance = 0.01;
}

// reading

void work(Draw& draw, Language language, QuizQuestion& q) {
    Setting s = draw_setting(draw, {64, 128});
    const Problem& p = s.problem;
    const std::int64_t total = flops(p);
    constexpr Words text{
        "{}. How many FLOPs do the two matrix products take? (1 % is close enough; 12.3 GFLOP will do.)",
        "{}。两次矩阵乘一共多少 FLOP？（误差 1 % 以内即可，可写作 12.3 GFLOP）"};
    constexpr Words why{"4 x B x H x D x pairs = 4 x {} x {} x {} x {} = {}: two products, a multiply and an add each.",
                        "4 x B x H x D x 对数 = 4 x {} x {} x {} x {} = {}：两次矩阵乘，每次一乘一加。"};
    ask(q, s, static_cast<double>(total), QuizUnit::flop, filled(text, language, described(s, language)),
        filled(why, language, p.batch, p.heads, p.head_dim, whole(visible_pairs(p)), whole(total)),
        command("explain", s), 7);
    q.tolerance = 0.01;
}

void rate(Draw& draw, Language language, QuizQuestion& q) {
    Setting s = draw_setting(draw, {64, 128});
    s.problem.seqlen_q = s.problem.seqlen_k = 4096;
    s.problem.causal = draw.below(2) == 1;
    const auto total = static_cast<double>(flops(s.problem));
    // A time at which a fifth to four fifths of the card's matmul rate would be reached.
    const double share = 0.2 + 0.1 * static_cast<double>(draw.below(7));
    const double us = std::round(10.0 * total / (share * s.card->matmul_tflops * 1e6)) / 10.0;
    constexpr Words text{
        "{}: the work is {:.4g} GFLOP. A kernel takes {} us. How many TFLOP/s is that? (1 % is close enough.)",
        "{}：工作量是 {:.4g} GFLOP。一个 kernel 用了 {} us。合多少 TFLOP/s？（误差 1 % 以内即可）"};
    constexpr Words why{
        "{:.4g} GFLOP / {} us = {:.3g} TFLOP/s. The work counts visible pairs alone, so a kernel that computes what "
        "the mask hides gets no credit for it.",
        "{:.4g} GFLOP / {} us = {:.3g} TFLOP/s。工作量只计可见的对，所以算了被 mask 掉的部分并不加分。"};
    const double tflops = total / us / 1e6;
    ask(q, s, tflops, QuizUnit::tflops, filled(text, language, described(s, language), total / 1e9, us),
        filled(why, language, total / 1e9, us, tflops), command("explain", s), 7);
    q.tolerance = 0.01;
    q.drawn.emplace_back("us", us);
}

}  // namespace flashlens::teaching::asked
