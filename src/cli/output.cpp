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
    const auto fail = [&] {
        throw Failure(say("{} {}: can't be written: {}", option, report::printable(file), reason_of_errno()));
    };
    // What is no regular file (a device, a named pipe) is written in place.
    const auto status = std::filesystem::symlink_status(file);
    const bool in_place = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
    const std::string target = in_place ? file : file + ".part";
    errno = 0;
    std::ofstream stream(target, std::ios::binary | std::ios::trunc);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.close();
    if (!stream) {
        const int why = errno;
        std::error_code ignored;
        if (!in_place) {
            std::filesystem::remove(target, ignored);
        }
        errno = why;
        fail();
    }
    std::error_code error;
    if (!in_place) {
        std::filesystem::rename(target, file, error);
    }
    if (error) {
        errno = error.value();
        fail();
    }
}

}  // namespace flashlens::cli
