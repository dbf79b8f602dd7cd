// Places in a kernel's source.
#pragma once

#include <bit>
#include <cstdint>
#include <source_location>
#include <string_view>

namespace flashlens::simt {

#ifdef __cpp_lib_source_location

using Where = std::source_location;

/// Equal numbers are equal places. (Equal places may have several, from several translation units.)
inline std::uintptr_t identity(Where where) {
    static_assert(sizeof(Where) == sizeof(std::uintptr_t), "std::source_location is a pointer to a constant");
    return std::bit_cast<std::uintptr_t>(where);
}

#else  // Clang before 15

class Where {
public:
    static constexpr Where current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return {file, line};
    }
    constexpr Where() = default;
    constexpr const char* file_name() const { return file_; }
    constexpr unsigned line() const { return line_; }
    constexpr unsigned column() const { return 0; }

private:
    constexpr Where(const char* file, unsigned line) : file_(file), line_(line) {}

    const char* file_ = "";
    unsigned line_ = 0;
};

inline std::uintptr_t identity(Where where) {
    return (reinterpret_cast<std::uintptr_t>(where.file_name()) << 16) ^ where.line();
}

#endif

/// The same line of the same file?
inline bool same_place(Where a, Where b) {
    return identity(a) == identity(b) || (a.line() == b.line() && std::string_view(a.file_name()) == b.file_name());
}

}  // namespace flashlens::simt
