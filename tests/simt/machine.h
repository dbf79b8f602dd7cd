// Short forms for tests that write a kernel as a lambda.
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <stdexcept>
#include <string>

#include "simt/launch.h"

namespace flashlens::simt::test {

/// One CTA of `threads`, with 4 KiB of shared memory, that touches no global memory.
inline LaunchReport run(unsigned threads, const std::function<void()>& lane_main, const LaunchOptions& options = {}) {
    return launch("test_kernel", {1, 1, 1}, threads, 4096, options, lane_main);
}

/// The error that `lane_main` ends in.
template <typename Launch>
KernelError error_of(const Launch& launch_it) {
    try {
        launch_it();
    } catch (const KernelError& error) {
        return error;
    }
    FAIL("nothing was reported");
    throw std::logic_error("unreachable");
}

/// How reports name a place.
inline std::string at(const Where& where) {
    return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

inline void check_report(const KernelError& error, KernelError::Kind kind, std::initializer_list<std::string> texts) {
    const std::string report = error.what();
    CHECK_MESSAGE(error.kind() == kind, report);
    for (const std::string& text : texts) {
        CHECK_MESSAGE(report.find(text) != std::string::npos, "no '" << text << "' in: " << report);
    }
}

/// Register-wide accesses, for brevity. Each reports the place where it is called.
inline void put(std::uint32_t address, std::uint32_t value, Where where = Where::current()) {
    store_shared(address, &value, 4, where);
}
inline std::uint32_t get(std::uint32_t address, Where where = Where::current()) {
    std::uint32_t value = 0;
    load_shared(&value, address, 4, where);
    return value;
}

/// For lanes: doctest's CHECK is not for many threads, and swallows what its expression throws.
inline void expect(bool condition, Where where = Where::current()) {
    if (!condition) {
        throw std::logic_error("not as expected at " + at(where));
    }
}

inline unsigned thread() {
    return thread_index().x;
}

}  // namespace flashlens::simt::test
