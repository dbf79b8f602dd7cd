#pragma once

#include <cerrno>
#include <string>
#include <system_error>

#include "message.h"

namespace flashlens {

/// Why the system would not: in its own words, and in Chinese for what files usually meet.
inline Message reason_of(const std::error_code& error) {
    std::string words = error.message();
    const char* chinese = nullptr;
    switch (error.value()) {
        case ENOENT:
            chinese = "文件或目录不存在";
            break;
        case EACCES:
        case EPERM:
            chinese = "没有权限";
            break;
        case EISDIR:
            chinese = "它是目录";
            break;
        case ENOTDIR:
            chinese = "路径中有一段不是目录";
            break;
        case EEXIST:
            chinese = "已经存在";
            break;
        case ENOSPC:
        case EDQUOT:
            chinese = "磁盘已满";
            break;
        case EROFS:
            chinese = "文件系统只读";
            break;
        case ENAMETOOLONG:
            chinese = "名字太长";
            break;
        default:
            break;
    }
    return {words, chinese != nullptr ? chinese : words};
}

/// The same of errno.
inline Message reason_of_errno() {
    return reason_of({errno, std::generic_category()});
}

}  // namespace flashlens
