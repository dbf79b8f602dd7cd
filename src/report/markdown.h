// A table in GitHub's Markdown whose columns also line up where it is read as it is.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace flashlens::report {

class MarkdownTable {
public:
    struct Column {
        std::string heading;
        bool to_the_right = false;  ///< as figures stand
    };

    explicit MarkdownTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// One cell per column. A bar in a cell is escaped.
    void row(std::vector<std::string> cells);

    /// Columns of a line on the terminal.
    int width() const;
    /// Lines of one display width, each ended by a newline. They are never broken: what is broken pastes no more.
    std::string render() const;

private:
    std::vector<int> widths() const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace flashlens::report
