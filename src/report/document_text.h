// A page of Markdown on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/language.h"
#include "report/terminal.h"
#include "teaching/document.h"

namespace flashlens::report {

/// A page in lines, none wider than the terminal, and what a pager needs to know of them.
struct DocumentText {
    struct Command {
        std::size_t line = 0;
        std::string text;  ///< "flashlens map --view sms"
    };
    std::vector<std::string> lines;
    std::vector<std::size_t> sections;  ///< lines at which headings stand
    std::vector<std::size_t> blocks;    ///< of each line: which of the page's blocks it shows
    std::vector<Command> commands;      ///< of blocks marked "sh"
    bool has_answers = false;           ///< there is a <details>
};

struct DocumentStyle {
    Language language = Language::en;
    std::string_view folder;   ///< of the page, from the project's root: where its links start
    bool show_answers = true;  ///< what is in a <details>; else a line that says which key shows it
};

/// Prose is at most 100 columns wide. Numbered links are listed at the end of their section.
DocumentText document_text(const std::vector<teaching::Block>& page, const DocumentStyle& style,
                           const Terminal& terminal);

/// Spans as text with styles: code, bold, italic. Without colours, code stands in backquotes.
std::vector<std::string> wrap_spans(const teaching::Spans& spans, int width, const Terminal& terminal);

}  // namespace flashlens::report
