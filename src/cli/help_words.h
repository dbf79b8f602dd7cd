// What the help says, as data: a page for each command, a text for each option.
//
// A new command gets a row in `pages`, a new option a row in `option_words` (help_words.cpp), each with both languages side
// by side; help.cpp lays them out, and which options a page names follows from the table in options.cpp. Tests hold that
// nothing is missing or there twice, that every default is the one that runs, that every example parses, and that each page
// fits a screen.
#pragma once

#include <span>
#include <string_view>

#include "bilingual.h"
#include "cli/options.h"

namespace flashlens::cli {

struct Page {
    Command command;
    std::string_view operands;  ///< what follows the command on its usage line
    Bilingual summary;          ///< its line in the overview: at most 66 columns
    Bilingual about;            ///< what stands above the options
    std::span<const std::string_view> examples;
};

/// In the order of the overview.
std::span<const Page> pages();

/// The headings of a page's options.
enum class Section { shape, mask, numbers, run, files, show };

Bilingual title_of(Section section);

struct OptionWords {
    Section section;
    std::string_view option;
    std::string_view usual;          ///< the value that stands for none, where there is one; else `text` may say it
    Bilingual text;                  ///< what it does
    Commands commands = any;         ///< on whose pages; several rows of one option say different things on them
    std::string_view placeholder{};  ///< for its value; empty: by its kind

    static constexpr Commands any = Commands::all();
};

/// In the order of the pages.
std::span<const OptionWords> option_words();

}  // namespace flashlens::cli
