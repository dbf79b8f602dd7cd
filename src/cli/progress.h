// A line on standard error that says how far a long run is, and leaves no trace.
#pragma once

#include <mutex>
#include <ostream>
#include <string>

#include "message.h"

namespace flashlens::cli {

class Progress {
public:
    /// `columns`: of the terminal that `out` goes to.
    Progress(std::ostream& out, int columns, Language language) : out_(out), columns_(columns), language_(language) {}
    ~Progress() { erase(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows `what` runs, the share done (0..1) and what is left of `total_seconds`. Runs under a second stay unshown.
    /// Any thread may call.
    void show(const Message& what, double done, double total_seconds);
    void erase();

private:
    std::mutex mutex_;
    std::ostream& out_;
    int columns_;
    Language language_;
    std::string shown_;
};

/// "v1 on the CPU machine  [######----]  60 %, about 12 s left", at most `columns` wide.
std::string progress_line(const Message& what, double done, double total_seconds, int columns, Language language);

}  // namespace flashlens::cli
