// A slide in the making: a title, then what is put on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "report/svg_parts.h"

namespace flashlens::report {

class Slide {
public:
    /// The title in large letters, and below it, smaller, what it is of.
    Slide(const std::string& title, const std::string& of_what);

    double top() const { return top_; }  ///< what is above is full
    void add(std::string_view element) { body_ += element; }
    void rectangle(std::string_view kind, double x, double y, double width, double height) {
        body_ += svg::rectangle(kind, x, y, width, height);
    }
    void text(double x, double y, double size, std::string_view anchor, std::string_view ink, std::string_view words,
              bool bold = false) {
        body_ += svg::text(x, y, size, anchor, ink, words, bold);
    }
    /// Words broken into lines of at most `width`; y is the top. Returns the bottom.
    double paragraph(double x, double y, double width, double size, std::string_view ink, const std::string& words,
                     bool bold = false);
    /// The page is at least so high.
    void needs(double height) { height_ = std::max(height_, height); }
    std::string document() const;

private:
    std::string title_;
    std::string of_what_;
    std::string body_;
    double top_ = 0.0;
    double height_ = svg::page_height;
};

/// The class of a hue's fill and stroke.
std::string full(std::size_t hue);
std::string stroke(std::size_t hue);

}  // namespace flashlens::report
