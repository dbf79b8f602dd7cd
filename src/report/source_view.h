// The kernels' code as text: stage by stage, side by side where there is room.
#pragma once

#include <string>
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

}  // namespace flashlens::report
