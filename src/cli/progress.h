// A line on standard error that says how far a long run is, and leaves no trace.
#pragma once

#include <mutex>
#include <ostream>
#include <string>
#include <string_view>

namespace flashlens::cli {

class Progress {
public:
    /// `columns`: of the terminal that `out` goes to.
    Progress(std::ostream& out, int columns) : out_(out), columns_(columns) {}
    ~Progress() { erase(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows `what` runs, the share done (0..1) and what is left of `total_seconds`. Runs under a second stay unshown.
    /// Any thread may call.
    void show(std::string_view what, double done, double total_seconds);
    void erase();

private:
    std::mutex mutex_;
    std::ostream& out_;
    int columns_;
    std::string shown_;
};

/// "v1 on the CPU machine  [######----]  60 %, about 12 s left", at most `columns` wide.
std::string progress_line(std::string_view what, double done, double total_seconds, int columns);

}  // namespace flashlens::cli
