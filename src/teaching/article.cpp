#include "teaching/article.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "teaching/kernel_file.h"

namespace flashlens::teaching {
namespace {

const std::vector<ArticleLine>& v1_loop() {
    static const std::vector<ArticleLine> lines{
        {"gmem_k.load(); gmem_q.load(); gmem_v.load();", {"gmem_k.load", "gmem_q.load", "gmem_v.load"}},
        {"gmem_q.commit(smem_q);", {"gmem_q.commit"}},
        {"gmem_v.commit(smem_v);", {"gmem_v.commit"}},
        {"gmem_k.commit(smem_k);", {"gmem_k.commit"}},
        {"__syncthreads();", {"__syncthreads"}},
        {"", {}},
        {"for (int l = blockIdx.z; l < steps; l += step_stride) {", {"for (int tile"}},
        {"  gemm_q_k(acc_p);                  // P score = Q * K^T", {"gemm_q_k"}},
        {"  softmax.unpack_noscale(acc_p);", {}, true},
        {"  softmax.apply_mask(mask);", {"apply_mask"}},
        // The barrier between the two halves is inside the sources' reduce_max.
        {"  softmax.reduce_max(...);", {"reduce_max_before_sync", "__syncthreads", "reduce_max_after_sync"}},
        {"  softmax.scale_apply_exp(...);", {"scale_apply_exp"}},
        {"  softmax.reduce_sum_before_sync_(...);", {"reduce_sum_before_sync"}},
        {"  softmax.pack(frag_p);", {"pack"}},
        {"", {}},
        {"  gemm_cl(acc_o, frag_p, frag_v);    // O partial = P * V", {"gemm_o"}},
        {"  smem_o.store(acc_o, 0);", {"smem_o.store"}},
        {"  __syncthreads();", {"__syncthreads"}},
        {"  softmax.reduce_sum_after_sync_(...);", {"out.reduce_sum_after_sync"}},
        {"  smem_o.load(out);", {"out.load_and_normalise"}},
        {"  store O or temporary O;", {"out.store"}},
        {"}", {"}"}},
    };
    return lines;
}

const std::vector<ArticleLine>& v2_loop() {
    static const std::vector<ArticleLine> lines{
        {"clear(acc_o);", {"clear"}},
        {"", {}},
        {"for (masking_step...) {", {"for (int step"}},
        {"  flash::gemm(acc_s, Q, K);          // S = QK^T", {"gemm_qk"}},
        {"  apply_mask_if_needed(scores);", {"apply_mask"}},
        {"  softmax_rescale_o(scores, max, sum, acc_o, scale);", {"softmax_rescale_o"}},
        {"  rP = convert_type(scores);", {"convert"}},
        {"  flash::gemm_A_in_regs(acc_o, rP, V);", {"gemm_pv"}},
        {"}", {"}"}},
        {"", {}},
        {"for (; n_block >= 0; --n_block) {", {"for (; n"}},
        {"  flash::gemm(acc_s, Q, K);", {"gemm_qk"}},
        {"  softmax_rescale_o(scores, max, sum, acc_o, scale);", {"softmax_rescale_o"}},
        {"  rP = convert_type(scores);", {"convert"}},
        {"  flash::gemm_A_in_regs(acc_o, rP, V);", {"gemm_pv"}},
        {"}", {"}"}},
        {"", {}},
        {"// epilogue: normalize acc_o, write O and LSE", {"normalize", "store"}},
    };
    return lines;
}

/// Ours, flat.
struct OurLine {
    Place place;
    const CodeLine* line;
};

std::vector<OurLine> lines_of(const std::vector<Excerpt>& excerpts) {
    std::vector<OurLine> lines;
    for (std::size_t e = 0; e < excerpts.size(); ++e) {
        for (std::size_t l = 0; l < excerpts[e].lines.size(); ++l) {
            lines.push_back({{e, l}, &excerpts[e].lines[l]});
        }
    }
    return lines;
}

/// Whether a line says something: not braces alone, nor a comment alone.
bool has_code(std::string_view line) {
    return code_of(line).find_first_not_of(" {}") != std::string_view::npos;
}

void note_left_out(std::vector<ArticleBeside::LeftOut>& all, const CodeLine& line) {
    const std::optional<Step> step = line.steps.empty() ? std::nullopt : std::optional(line.steps.front());
    auto found = std::find_if(all.begin(), all.end(), [&](const auto& left_out) { return left_out.step == step; });
    if (found == all.end()) {
        found = all.insert(all.end(), {step, {}});
    }
    found->lines.push_back(line.number);
}

}  // namespace

bool article_has(std::string_view variant) {
    return variant == "v1" || variant == "v2";
}

std::span<const ArticleLine> article_loop(std::string_view variant) {
    if (!article_has(variant)) {
        throw std::logic_error("the article has no loop of " + std::string(variant));
    }
    return variant == "v1" ? v1_loop() : v2_loop();
}

ArticleBeside article_beside(std::string_view variant) {
    const auto article = article_loop(variant);
    ArticleBeside beside{variant, {}, {}, {}, {}};
    const std::vector<std::string> alone{std::string(variant)};
    for (const Part& part : parts_of(Stage::mainloop, alone)) {
        beside.ours.insert(beside.ours.end(), part.sides[0].excerpts.begin(), part.sides[0].excerpts.end());
    }
    const Part last = parts_of(Stage::epilogue, alone).front();
    if (last.sides[0].excerpts.front().first() > beside.ours.back().last()) {
        beside.ours.push_back(last.sides[0].excerpts.front());  // v1's last steps are in its loop
    }

    const std::vector<OurLine> ours = lines_of(beside.ours);
    std::size_t shown = 0, at = 0;
    std::vector<std::size_t> empty;  // lines of the article's that wait for a row
    const auto show_ours_until = [&](std::size_t end) {
        for (; shown < end; ++shown) {
            beside.rows.push_back({{}, ours[shown].place});
            if (!empty.empty()) {
                beside.rows.back().article = empty.front();
                empty.erase(empty.begin());
            }
        }
        for (const std::size_t line : std::exchange(empty, {})) {
            beside.rows.push_back({line, {}});
        }
    };
    for (std::size_t a = 0; a < article.size(); ++a) {
        std::vector<int> numbers;
        std::optional<std::size_t> first;
        for (const std::string_view name : article[a].ours) {
            const auto is_it = [&](const OurLine& our) {
                return find_word(code_of(our.line->text), name) != std::string_view::npos;
            };
            const auto found = std::find_if(ours.begin() + static_cast<std::ptrdiff_t>(at), ours.end(), is_it);
            if (found == ours.end()) {
                throw std::logic_error("no line of " + std::string(variant) + " for the article's " +
                                       std::string(name));
            }
            const auto index = static_cast<std::size_t>(found - ours.begin());
            for (; at < index; ++at) {
                if (has_code(ours[at].line->text)) {
                    note_left_out(beside.left_out, *ours[at].line);
                }
            }
            at = index + 1;
            first = first ? first : index;
            numbers.push_back(found->line->number);
        }
        beside.stands_for.push_back(std::move(numbers));
        if (article[a].text.empty()) {
            empty.push_back(a);
            continue;
        }
        show_ours_until(first.value_or(shown));
        beside.rows.push_back({a, {}});
        if (first) {
            beside.rows.back().ours = ours[shown++].place;
        }
    }
    for (; at < ours.size(); ++at) {
        if (has_code(ours[at].line->text)) {
            note_left_out(beside.left_out, *ours[at].line);
        }
    }
    show_ours_until(ours.size());
    // In the order of the steps, the rest last.
    std::stable_sort(beside.left_out.begin(), beside.left_out.end(),
                     [](const auto& a, const auto& b) { return a.step && (!b.step || *a.step < *b.step); });
    return beside;
}

}  // namespace flashlens::teaching
