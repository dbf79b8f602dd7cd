// Is a text Chinese, all of it?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fake.h"

namespace flashlens::tests {

bool holds_chinese(std::string_view text);

/// A word that only an English sentence has, where the text has one: names of options, files and values are none.
std::string english_word_in(std::string_view text);

/// Runs a command line that failed as `english` says under a Chinese locale: it fails in the same way, in Chinese.
void check_told_in_chinese(const std::vector<std::string>& arguments, const cli::fake::Result& english,
                           cli::fake::World world = {});

}  // namespace flashlens::tests
