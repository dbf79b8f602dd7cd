#include "cli/typed_matrix.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include "cli/strict.h"
#include "explorer/inputs.h"
#include "report/width.h"
#include "say.h"
#include "split.h"

namespace flashlens::cli {
namespace {

using teaching::Matrix;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What works as typed numbers, for messages.
Message typed_example(std::string_view option) {
    return say("try {} {}", option, "\"0 5; 1 2\"");
}

double read_number(std::string_view option, std::string_view whole_text, std::string_view word, bool minus_inf) {
    if (minus_inf && word == "-inf") {
        return -infinity;
    }
    double value = 0.0;
    const std::string_view digits = word.front() == '+' ? word.substr(1) : word;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
        refuse(option, whole_text, say("'{}' is not a number; {}", report::printable(word), typed_example(option)));
    }
    const double rounded = error == std::errc{} ? widen(round_to(value, DType::fp16), DType::fp16) : infinity;
    if (!std::isfinite(rounded)) {
        refuse(option, whole_text,
               minus_inf ? say("'{}' is not a finite fp16 number (at most 65504; -inf is a masked key); {}",
                               report::printable(word), typed_example(option))
                         : say("'{}' is not a finite fp16 number (at most 65504); {}", report::printable(word),
                               typed_example(option)));
    }
    return rounded;
}

}  // namespace

Matrix typed_matrix(std::string_view option, std::string_view text, bool minus_inf) {
    std::vector<std::string> lines = split(text, ';');
    if (lines.size() > 1 && words(lines.back()).empty()) {
        lines.pop_back();  // a semicolon at the end
    }
    Matrix matrix;
    for (std::string& line : lines) {
        std::replace(line.begin(), line.end(), ',', ' ');
        const std::vector<std::string> row = words(line);
        if (row.empty()) {
            refuse(option, text,
                   say("{}; rows have semicolons between them, numbers blanks: {}",
                       lines.size() == 1 ? say("no numbers") : say("a row without numbers"), typed_example(option)));
        }
        if (matrix.rows > 0 && std::ssize(row) != matrix.columns) {
            refuse(option, text,
                   say("row {} has {} numbers and row 0 has {}; all rows need as many", matrix.rows, row.size(),
                       matrix.columns));
        }
        matrix.columns = std::ssize(row);
        ++matrix.rows;
        for (const std::string& word : row) {
            matrix.values.push_back(read_number(option, text, word, minus_inf));
        }
    }
    return matrix;
}

}  // namespace flashlens::cli
