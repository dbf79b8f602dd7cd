#include "cli/scroll.h"

#include <algorithm>
#include <utility>

#include "split.h"

namespace flashlens::cli {

void Scroll::set(std::vector<std::string> lines, int height) {
    lines_ = std::move(lines);
    height_ = static_cast<std::size_t>(std::max(height, 1));
    go_to(top_);
}

std::size_t Scroll::end() const {
    return std::min(top_ + height_, lines_.size());
}

void Scroll::go_to(std::size_t line) {
    top_ = std::min(line, lines_.size() > height_ ? lines_.size() - height_ : 0);
}

std::size_t Scroll::step() const {
    return height_ > 1 ? height_ - 1 : 1;
}

bool Scroll::obey(const Key& key) {
    switch (key.kind) {
        case Key::Kind::up:
            go_to(top_ > 0 ? top_ - 1 : 0);
            return true;
        case Key::Kind::down:
            go_to(top_ + 1);
            return true;
        case Key::Kind::page_up:
            page_up();
            return true;
        case Key::Kind::page_down:
            page_down();
            return true;
        case Key::Kind::home:
            go_to(0);
            return true;
        case Key::Kind::end:
            go_to(lines_.size());
            return true;
        default:
            return false;
    }
}

std::string Scroll::seen(bool fill) const {
    std::string text;
    for (std::size_t i = top_; i < end(); ++i) {
        text += lines_[i] + "\n";
    }
    return text + std::string(fill ? height_ - (end() - top_) : 0, '\n');
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines = split(text, '\n');
    if (lines.back().empty()) {
        lines.pop_back();
    }
    return lines;
}

}  // namespace flashlens::cli
