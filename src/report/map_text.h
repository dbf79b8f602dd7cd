// The views of `map` in a terminal, one function each (map_text_*.cpp); map_view puts them together.
#pragma once

#include <string>
#include <vector>

#include "report/map_words.h"
#include "report/terminal.h"

namespace flashlens::report {

std::string ctas_as_text(const std::vector<Shown>& all, const Problem& problem, Language language,
                         const Terminal& terminal);
std::string blocks_as_text(const std::vector<Shown>& all, const Problem& problem, Language language,
                           const Terminal& terminal);
std::string warps_as_text(const std::vector<Shown>& all, Language language, const Terminal& terminal);
std::string lanes_as_text(Language language, const Terminal& terminal);
std::string sms_as_text(const std::vector<Shown>& all, const Comparison& comparison, Language language,
                        const Terminal& terminal);

/// What opens a variant's part.
std::string heading(const std::string& words, const Terminal& terminal);
/// A paragraph.
std::string paragraph(const std::string& words, const Terminal& terminal);
/// One with a sign before it.
std::string paragraph(const std::string& sign, const std::string& words, const Terminal& terminal);

}  // namespace flashlens::report
