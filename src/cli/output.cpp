#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "reason.h"
#include "report/width.h"
#include "say.h"
#include "usage_error.h"
#include "whole_file.h"

namespace flashlens::cli {

Written write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = write(descriptor, text.data(), text.size());
        if (count > 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EPIPE) {
            return {false, true, {}};
        } else if (count == 0 || errno != EINTR) {
            return {false, false, reason_of_errno()};
        }
    }
    return {};
}

void check_writable(std::string_view option, const std::string& file) {
    if (file == "-") {
        return;
    }
    const bool was_there = std::filesystem::exists(std::filesystem::symlink_status(file));
    errno = 0;
    const bool opens = std::ofstream(file, std::ios::app).is_open();
    const Message why = reason_of_errno();
    if (!opens) {
        throw UsageError(
            say("{} {}: can't be written: {}; name a file in a folder that exists, or - for standard output", option,
                file.empty() ? "''" : report::printable(file), why));
    }
    if (!was_there) {
        std::error_code ignored;
        std::filesystem::remove(file, ignored);
    }
}

void write_file(std::string_view option, const std::string& file, std::string_view text) {
    if (const Message why = write_whole(file, text); !why.empty()) {
        throw Failure(say("{} {}: can't be written: {}", option, report::printable(file), why));
    }
}

}  // namespace flashlens::cli
