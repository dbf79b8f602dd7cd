// Where things stand in a kernel's text. Nothing in the text marks them: they are found by what they are, so that what is
// shown of a kernel is what is there, and one who changes a kernel has no marks to keep.
#pragma once

#include <string_view>
#include <vector>

namespace flashlens::teaching {

/// Lines of a file, numbered from 1, both included.
struct LineRange {
    int first, last;
};

/// A line without its comment.
std::string_view code_of(std::string_view line);

/// Where `name` stands in `code` as a whole word (one that goes with `.` or `::` before it is another word); npos: nowhere.
std::size_t find_word(std::string_view code, std::string_view name);

/// One of kernel_texts(). What is asked for and is not there is a std::logic_error that names the file: a test asks for
/// everything that the program does.
class KernelFile {
public:
    explicit KernelFile(std::string_view path);

    std::string_view path() const { return path_; }
    std::string_view line(int number) const { return lines_[static_cast<std::size_t>(number) - 1]; }
    int size() const { return static_cast<int>(lines_.size()); }

    /// The function or type on whose first line `start` stands (on no other line), with the comment and the template head
    /// above it.
    LineRange declaration(std::string_view start) const;

    /// The paragraph of the comment at the file's head that starts with `// word`.
    LineRange head_paragraph(std::string_view word) const;

    /// Of the kernel itself: its outermost loops, from the first to the end of the last, with a comment right above; what
    /// comes before them, from the body's first empty line on; what comes after them. Of v1, which is compiled by key block,
    /// that function: its main loop is all from the key block's first tile on.
    LineRange main_loop() const;
    LineRange before_loop() const;
    LineRange after_loop() const;

    /// The lines of the main loop from the first that has `first` in its code to the last that has `last`.
    LineRange in_loop(std::string_view first, std::string_view last) const;

private:
    [[noreturn]] void refuse(std::string_view what) const;
    LineRange loops() const;
    LineRange kernel() const;
    int end_of_braces(int first) const;
    bool is_comment(int number) const;

    std::string_view path_;
    std::vector<std::string_view> lines_;
};

}  // namespace flashlens::teaching
