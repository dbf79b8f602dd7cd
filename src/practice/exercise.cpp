#include "practice/exercise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "practice/checks/checks.h"
#include "practice/exercise_texts.h"
#include "teaching/kernel_texts.h"

namespace flashlens::practice {
namespace {

std::string_view text_of(std::string_view exercise, std::string_view file) {
    const std::string path = fmt::format("lessons/exercises/{}/{}", exercise, file);
    for (const EmbeddedText& text : exercise_texts()) {
        if (text.path == path) {
            return text.text;
        }
    }
    throw std::logic_error(path + " is not built in");
}

Exercise exercise(std::string_view name, bool runs_on_gpu, void (*check)(Attempt&)) {
    return {(name[0] - '0') * 10 + (name[1] - '0'), name,        text_of(name, "exercise.cu"),
            text_of(name, "solution.cu"),           runs_on_gpu, check};
}

bool begins_with(const std::string& heading, const Bilingual& word) {
    return heading.starts_with(word.en) || heading.starts_with(word.zh);
}

}  // namespace

std::span<const Exercise> exercises() {
    static const std::array all = {
        exercise("01-v2-grid", true, check_v2_grid),
        exercise("02-num-splits", false, check_num_splits),
        exercise("03-splits-merge-nothing", false, check_splits_merge_nothing),
        exercise("04-grouped-heads", true, check_grouped_heads),
        exercise("05-tail-of-keys", true, check_tail_of_keys),
        exercise("06-causal-mask", true, check_causal_mask),
        exercise("07-quad-reduction", true, check_quad_reduction),
        exercise("08-running-maximum", true, check_running_maximum),
        exercise("09-epilogue", true, check_epilogue),
        exercise("10-two-loops", true, check_two_loops),
        exercise("11-missing-barrier", true, check_missing_barrier),
        exercise("12-early-read", true, check_early_read),
        exercise("13-bank-conflict", true, check_bank_conflict),
        exercise("14-warps-over-rows", true, check_warps_over_rows),
        exercise("15-main-loop", true, check_main_loop),
    };
    return all;
}

Statement statement(const Exercise& exercise, Language language) {
    constexpr Bilingual hint{"Hint", "提示"};
    constexpr Bilingual after{"After you pass", "通过之后"};
    using Kind = teaching::Block::Kind;
    Statement result;
    std::vector<teaching::Block>* part = &result.task;
    for (teaching::Block& block :
         teaching::parse_document(text_of(exercise.name, language == Language::zh ? "zh.md" : "en.md"))) {
        const std::string heading = block.kind == Kind::heading ? teaching::plain_text(block.spans) : "";
        if (block.kind == Kind::heading && block.level == 1) {
            result.title = heading;
        } else if (block.kind == Kind::heading && begins_with(heading, hint)) {
            part = &result.hints.emplace_back();
        } else if (block.kind == Kind::heading && begins_with(heading, after)) {
            part = &result.after;
        } else {
            part->push_back(std::move(block));
        }
    }
    return result;
}

std::vector<EmbeddedText> exercise_headers() {
    std::vector<EmbeddedText> headers;
    for (const EmbeddedText& text : teaching::kernel_texts()) {
        headers.push_back(text);
    }
    for (EmbeddedText text : exercise_texts()) {
        for (const std::string_view folder : {"src/", "lessons/exercises/"}) {
            if (text.path.starts_with(folder)) {
                text.path.remove_prefix(folder.size());
            }
        }
        if (text.path.ends_with(".h") || text.path.ends_with(".cuh")) {
            headers.push_back(text);
        }
    }
    return headers;
}

}  // namespace flashlens::practice
