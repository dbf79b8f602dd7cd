// A text that is longer than the window, and the part of it that is seen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/screen.h"

namespace flashlens::cli {

class Scroll {
public:
    /// Another text, or another size of the window; what is seen stays where it is, as far as there is as much.
    void set(std::vector<std::string> lines, int height);

    std::size_t top() const { return top_; }
    std::size_t end() const;  ///< one past the last line seen
    bool at_end() const { return end() == lines_.size(); }
    const std::vector<std::string>& lines() const { return lines_; }

    void go_to(std::size_t line);  ///< the first line to be seen, but nothing is scrolled past the end
    void page_down() { go_to(top_ + step()); }
    void page_up() { go_to(top_ < step() ? 0 : top_ - step()); }
    /// Up, down, page up and down, home, end. False for a key that is none of them.
    bool obey(const Key& key);

    /// The lines seen, blank ones below up to the height.
    std::string seen(bool fill) const;

private:
    std::size_t step() const;  ///< of a page: one line is seen again

    std::vector<std::string> lines_;
    std::size_t top_ = 0;
    std::size_t height_ = 1;
};

/// The lines of a text that a command printed.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace flashlens::cli
