// The kernels' code as text: stage by stage, side by side where there is room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/language.h"
#include "report/terminal.h"
#include "teaching/source.h"

namespace flashlens::report {

struct SourceQuestion {
    std::vector<teaching::Stage> stages;
    std::vector<std::string> variants;  ///< names of teaching::source_variants(), at least one
    bool article = false;  ///< the article's loops beside the kernels' instead: of variants that article_has
};

std::string show_source(const SourceQuestion& question, Language language, const Terminal& terminal);

/// Stages, files, line ranges, steps, texts, and which lines stand side by side.
std::string source_to_json(const SourceQuestion& question, Language language);

/// What a step, a stage or a topic is called.
std::string step_title(teaching::Step step, Language language);
std::string stage_title(teaching::Stage stage, Language language);
std::string topic_title(teaching::Topic topic, Language language);
/// What there is to say of a variant's code, shown or not.
std::string topic_note(teaching::Topic topic, std::string_view variant, Language language);

}  // namespace flashlens::report
