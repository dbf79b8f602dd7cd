// Where results go: standard output and the files that --json, --csv and --svg name.
#pragma once

#include <string>
#include <string_view>

#include "message.h"

namespace flashlens::cli {

/// What came of writing to a file descriptor.
struct Written {
    bool complete = true;
    bool reader_left = false;  ///< a closed pipe: `| head -1` has seen enough, which is no failure
    Message reason;            ///< for what is one
};

/// Writes all of it, however many calls that takes.
Written write_all(int descriptor, std::string_view text);

/// Throws UsageError, before any work is done, when the file can't be written. Nothing is left behind when it was not
/// there. "-" is always fine.
void check_writable(std::string_view option, const std::string& file);

/// The file appears whole or stays as it was. Throws Failure.
void write_file(std::string_view option, const std::string& file, std::string_view text);

}  // namespace flashlens::cli
