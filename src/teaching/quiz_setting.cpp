#include "teaching/quiz_setting.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

namespace flashlens::teaching::asked {

Setting draw_setting(Draw& draw, std::initializer_list<std::int64_t> head_dims, std::int64_t most_heads) {
    constexpr std::int64_t batches[] = {1, 1, 2, 4};
    constexpr std::int64_t heads[] = {1, 3, 8, 12, 16, 32};
    constexpr std::int64_t lengths[] = {384, 700, 1000, 1024, 1500, 2048, 3000, 4096, 8192};
    Setting s;
    s.card_name = draw.one_of({"A100", "H100", "RTX 3090", "RTX 4090", "H200", "L4"});
    s.card = &hardware::find_card(s.card_name);
    Problem& p = s.problem;
    p.batch = batches[draw.below(4)];
    do {
        p.heads = heads[draw.below(6)];
    } while (p.heads > most_heads);
    p.kv_heads = p.heads;
    p.seqlen_q = p.seqlen_k = lengths[draw.below(9)];
    p.head_dim = draw.one_of(head_dims);
    p.scale = 1.0 / std::sqrt(static_cast<double>(p.head_dim));
    return s;
}

std::string card_option(const Setting& s) {
    return s.card_name.find(' ') == std::string::npos ? s.card_name : '"' + s.card_name + '"';
}

std::string shape_options(const Problem& p) {
    std::string options = fmt::format(" -b {} -H {}", p.batch, p.heads);
    if (p.kv_heads != p.heads) {
        options += fmt::format(" --kv-heads {}", p.kv_heads);
    }
    options += p.seqlen_q == p.seqlen_k ? fmt::format(" -s {}", p.seqlen_q)
                                        : fmt::format(" --seqlen-q {} --seqlen-k {}", p.seqlen_q, p.seqlen_k);
    return options + fmt::format(" -d {}{}", p.head_dim, p.causal ? " --causal" : "");
}

std::string command(const char* name, const Setting& s) {
    return fmt::format("flashlens {} --gpu {}{}", name, card_option(s), shape_options(s.problem));
}

std::string described(const Setting& s, Language language) {
    const Problem& p = s.problem;
    std::vector<std::string> parts{fmt::format("B {}", p.batch), fmt::format("H {}", p.heads)};
    if (p.kv_heads != p.heads) {
        parts.push_back(fmt::format("KV {}", p.kv_heads));
    }
    if (p.seqlen_q == p.seqlen_k) {
        parts.push_back(fmt::format("Sq = Sk = {}", p.seqlen_q));
    } else {
        parts.push_back(fmt::format("Sq {}", p.seqlen_q));
        parts.push_back(fmt::format("Sk {}", p.seqlen_k));
    }
    parts.push_back(fmt::format("D {}", p.head_dim));
    constexpr Words causal{"causal", "causal"};
    constexpr Words no_mask{"no mask", "无 mask"};
    parts.emplace_back((p.causal ? causal : no_mask).in(language));
    return list(parts).in(language);
}

void ask(QuizQuestion& q, const Setting& s, double value, QuizUnit unit, std::string text, std::string why,
         std::string show, int lesson) {
    const Problem& p = s.problem;
    q.drawn = {{"B", p.batch},           {"H", p.heads},    {"KV", p.kv_heads},           {"Sq", p.seqlen_q},
               {"Sk", p.seqlen_k},       {"D", p.head_dim}, {"causal", p.causal ? 1 : 0}, {"chip", s.card->chip},
               {"SMs", s.card->sm_count}};
    q.value = value;
    q.unit = unit;
    q.text = std::move(text);
    q.why = std::move(why);
    q.show = std::move(show);
    q.read = {lesson};
}

}  // namespace flashlens::teaching::asked
