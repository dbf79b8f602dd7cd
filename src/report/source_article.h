// The article's loop of a kernel beside the kernel's own.
#pragma once

#include <string>

#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::report {

/// Line by line what stands for what, or one below the other where there is no room; and what the article leaves out. Of
/// a variant that article_has.
std::string show_article(const std::string& variant, Language language, const Terminal& terminal);

}  // namespace flashlens::report
