#pragma once

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "reason.h"

namespace flashlens {

/// What is in a regular file; nothing where there is none, or it can't be read.
inline std::optional<std::string> read_whole(const std::filesystem::path& file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) {
        return std::nullopt;
    }
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return stream ? std::optional(text.str()) : std::nullopt;
}

/// Writes a file that appears whole or stays as it was. What is no regular file (a device, a named pipe) is written in
/// place. Says why it can't; nothing when all is well.
inline Message write_whole(const std::filesystem::path& file, std::string_view text) {
    const auto status = std::filesystem::symlink_status(file);
    const bool in_place = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
    std::filesystem::path target = file;
    if (!in_place) {
        target += "." + std::to_string(getpid()) + ".part";  // of this process: another one may write the same file
    }
    errno = 0;
    std::ofstream stream(target, std::ios::binary | std::ios::trunc);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.close();
    std::error_code error;
    if (!stream) {
        error = {errno, std::generic_category()};
    } else if (!in_place) {
        std::filesystem::rename(target, file, error);
    }
    if (!error) {
        return {};
    }
    if (!in_place) {
        std::error_code ignored;
        std::filesystem::remove(target, ignored);
    }
    return reason_of(error);
}

}  // namespace flashlens
