#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/width.h"
#include "say.h"
#include "whole.h"

namespace flashlens::cli {
namespace {

constexpr double worth_showing_seconds = 1.0;
constexpr int bar_width = 20;

}  // namespace

std::string progress_line(const Message& what, double done, double total_seconds, int columns, Language language) {
    const double share = std::isfinite(done) ? std::clamp(done, 0.0, 1.0) : 0.0;
    const int full = static_cast<int>(share * bar_width);
    std::string line = fmt::format("{}  [{}{}]  {:.0f} %", report::printable(what.in(language)), std::string(full, '#'),
                                   std::string(bar_width - full, '-'), std::floor(100.0 * share));
    const double left = total_seconds * (1.0 - share);
    if (std::isfinite(left) && left >= 1.0) {
        line += say(", about {} s left", whole(std::llround(left))).in(language);
    }
    return report::wrap(line, columns).front();
}

void Progress::show(const Message& what, double done, double total_seconds) {
    const std::lock_guard lock(mutex_);
    if (!(total_seconds >= worth_showing_seconds)) {
        return;
    }
    // One column less than the terminal has: a full line would make some terminals start the next.
    std::string line = progress_line(what, done, total_seconds, columns_ - 1, language_);
    if (line != shown_) {
        out_ << "\r\x1b[K" << line << std::flush;
        shown_ = std::move(line);
    }
}

void Progress::erase() {
    const std::lock_guard lock(mutex_);
    if (!shown_.empty()) {
        out_ << "\r\x1b[K" << std::flush;
        shown_.clear();
    }
}

}  // namespace flashlens::cli
