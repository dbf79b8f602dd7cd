// What fits an SM: shared memory, occupancy.
#include <cstddef>
#include <string>
#include <string_view>

#include "teaching/quiz_asked.h"
#include "teaching/quiz_setting.h"
#include "whole.h"

namespace flashlens::teaching::asked {

// shared memory

void v2_shared(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_setting(draw, {32, 64, 128, 256});
    const LaunchFacts launch = s.plan_of("v2").launch;
    const Tile& t = launch.tile;
    constexpr Words text{"v2, {}, fp16, on {}. The tile is {} x {}. How much shared memory has a CTA?",
                         "v2，{}，fp16，{}。tile 是 {} x {}。一个 CTA 用多少 shared memory？"};
    constexpr Words why{"Q, one block of K, one of V, 2 bytes each: ({} + 2 x {}) x {} x 2 = {} bytes.",
                        "Q、一个 K block、一个 V block，每个数 2 字节：({} + 2 x {}) x {} x 2 = {} 字节。"};
    ask(q, s, launch.smem_bytes, QuizUnit::bytes,
        filled(text, language, described(s, language), s.card_name, t.block_m, t.block_n),
        filled(why, language, t.block_m, t.block_n, t.head_dim, whole(launch.smem_bytes)), command("explain", s), 4);
}

void v1_shared(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_setting(draw, {32, 64, 128});
    const LaunchFacts launch = s.plan_of("v1").launch;
    const Tile& t = launch.tile;
    constexpr Words text{"v1, {}, fp16, BlockN {}. How much shared memory has a CTA?",
                         "v1，{}，fp16，BlockN 为 {}。一个 CTA 用多少 shared memory？"};
    constexpr Words why{
        "Q twice, 2 x 16 x {} x 2 = {}; then V, later K, {} x {} x 2 = {}, whose place the partial O of four warps "
        "takes; 128 for lse between key blocks. {} bytes in all.",
        "两份 Q：2 x 16 x {} x 2 = {}；V 和之后的 K 共用 {} x {} x 2 = {}，四个 warp 的部分 O 也放在这里；"
        "key block 之间的 lse 占 128。共 {} 字节。"};
    ask(q, s, launch.smem_bytes, QuizUnit::bytes, filled(text, language, described(s, language), t.block_n),
        filled(why, language, t.head_dim, 64 * t.head_dim, t.block_n, t.head_dim, 2 * t.block_n * t.head_dim,
               whole(launch.smem_bytes)),
        command("explain", s), 4);
}

// occupancy

namespace {

std::string_view draw_variant(Draw& draw) {
    return draw.one_of<std::string_view>({"v1", "v2"});
}

Setting draw_launch(Draw& draw, std::string_view variant) {
    return variant == "v1" ? draw_setting(draw, {32, 64, 128}) : draw_setting(draw, {32, 64, 128, 256});
}

/// What a CTA takes of an SM, and what there is.
void remember_needs(QuizQuestion& q, const LaunchFacts& launch, const hardware::Card& card) {
    q.drawn.insert(q.drawn.end(), {{"threads", launch.threads},
                                   {"registers", launch.registers},
                                   {"smem", launch.smem_bytes},
                                   {"reserved", card.reserved_shared_bytes_per_cta},
                                   {"registers_per_sm", card.registers_per_sm},
                                   {"smem_per_sm", card.shared_bytes_per_sm},
                                   {"threads_per_sm", card.max_threads_per_sm}});
}

}  // namespace

void ctas_per_sm(Draw& draw, Language language, QuizQuestion& q) {
    const std::string_view variant = draw_variant(draw);
    const Setting s = draw_launch(draw, variant);
    const LaunchFacts launch = s.plan_of(variant).launch;
    const hardware::Card& card = *s.card;
    constexpr Words text{
        "{} on {}: {} threads, {} registers a thread, {} bytes of shared memory a CTA (and {} reserved by the "
        "driver). An SM has {} registers, {} bytes of shared memory, {} threads. How many CTAs share an SM?",
        "{}，{}：每个 CTA {} 个线程，每线程 {} 个寄存器，{} 字节 shared memory（另有 {} 由驱动保留）。一个 SM 有 {} 个"
        "寄存器、{} 字节 shared memory、最多 {} 个线程。一个 SM 上放几个 CTA？"};
    constexpr Words why{"Registers allow {} CTAs, shared memory {}, threads {}: the least is {}.",
                        "寄存器允许 {} 个 CTA，shared memory 允许 {} 个，线程数允许 {} 个：取最小的 {}。"};
    const hardware::Occupancy& o = launch.occupancy;
    ask(q, s, o.ctas_per_sm, QuizUnit::count,
        filled(text, language, variant, s.card_name, launch.threads, launch.registers, launch.smem_bytes,
               card.reserved_shared_bytes_per_cta, card.registers_per_sm, card.shared_bytes_per_sm,
               card.max_threads_per_sm),
        filled(why, language, o.by_registers, o.by_shared_memory, o.by_threads, o.ctas_per_sm), command("explain", s),
        4);
    remember_needs(q, launch, card);
}

void limiter(Draw& draw, Language language, QuizQuestion& q) {
    // Not where two of them allow no more: there would be two right answers.
    for (;;) {
        const std::string_view variant = draw_variant(draw);
        const Setting s = draw_launch(draw, variant);
        const LaunchFacts launch = s.plan_of(variant).launch;
        const hardware::Occupancy& o = launch.occupancy;
        if ((o.by_registers == o.ctas_per_sm) + (o.by_shared_memory == o.ctas_per_sm) +
                (o.by_threads == o.ctas_per_sm) + (o.by_ctas == o.ctas_per_sm) !=
            1) {
            continue;
        }
        constexpr Words text{
            "{}, {}, on {}: {} registers a thread, {} threads, {} bytes of shared memory. What keeps a further CTA "
            "from an SM that has {}?",
            "{}，{}，{}：每线程 {} 个寄存器，{} 个线程，{} 字节 shared memory。一个 SM 已有 {} 个 "
            "CTA，再放一个时卡在哪里？"};
        constexpr Words why{
            "Registers allow {} CTAs, shared memory {}, threads {}, the chip {}; the least one decides.",
            "寄存器允许 {} 个 CTA，shared memory {} 个，线程数 {} 个，芯片上限 {} 个；最小的那个起作用。"};
        ask(q, s, 0.0, QuizUnit::count,
            filled(text, language, variant, described(s, language), s.card_name, launch.registers, launch.threads,
                   launch.smem_bytes, o.ctas_per_sm),
            filled(why, language, o.by_registers, o.by_shared_memory, o.by_threads, o.by_ctas), command("explain", s),
            4);
        constexpr Words names[] = {{"registers", "寄存器"},
                                   {"shared memory", "shared memory"},
                                   {"threads", "线程数"},
                                   {"the chip's most CTAs per SM", "每个 SM 的 CTA 数上限"}};
        using enum hardware::Limiter;
        constexpr hardware::Limiter limiters[] = {registers, shared_memory, threads, ctas};
        q.kind = QuizKind::choice;
        for (std::size_t i = 0; i < 4; ++i) {
            q.options.push_back({std::string(names[i].in(language)), o.limiter == limiters[i]});
        }
        remember_needs(q, launch, *s.card);
        return;
    }
}

void v2_waves(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_setting(draw, {64, 128});
    const LaunchFacts launch = s.plan_of("v2").launch;
    const int per_sm = launch.occupancy.ctas_per_sm;
    constexpr Words text{
        "v2, {}, on {} with {} SMs: {} CTAs, {} to an SM. How many waves is that? (1 % is close enough.)",
        "v2，{}，{}，{} 个 SM：{} 个 CTA，每个 SM 放 {} 个。一共多少个 wave？（误差 1 % 以内即可）"};
    constexpr Words why{"{} / ({} x {}) = {:.3g}.", "{} / ({} x {}) = {:.3g}。"};
    ask(q, s, launch.waves.waves, QuizUnit::real,
        filled(text, language, described(s, language), s.card_name, s.card->sm_count, launch.ctas, per_sm),
        filled(why, language, launch.ctas, s.card->sm_count, per_sm, launch.waves.waves), command("explain", s), 4);
    q.tolerance = 0.01;
    q.drawn.emplace_back("ctas_per_sm", per_sm);
}

void v2_sm_fill(Draw& draw, Language language, QuizQuestion& q) {
    Setting s = draw_setting(draw, {64}, 3);
    s.problem.batch = 1;
    const LaunchFacts launch = s.plan_of("v2").launch;
    constexpr Words text{
        "v2, {}, on {} with {} SMs. What share of the SMs has work in the first wave, in percent? (1 % is close "
        "enough.)",
        "v2，{}，{}，{} 个 SM。第一个 wave 中有活干的 SM 占百分之多少？（误差 1 % 以内即可）"};
    constexpr Words why{"{} CTAs go to empty SMs first: {} of {} SMs have work, {:.3g} %.",
                        "{} 个 CTA 先分给空闲的 SM：{} 个 SM 有活干，共 {} 个，即 {:.3g} %。"};
    const double percent = 100.0 * launch.waves.sm_fill;
    ask(q, s, percent, QuizUnit::percent, filled(text, language, described(s, language), s.card_name, s.card->sm_count),
        filled(why, language, launch.ctas, launch.waves.sms_with_work, s.card->sm_count, percent),
        command("explain", s), 2);
    q.tolerance = 0.01;
}

}  // namespace flashlens::teaching::asked
