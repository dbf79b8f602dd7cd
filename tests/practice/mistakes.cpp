#include "mistakes.h"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

namespace flashlens::practice_tests {

Expected parse_expected(std::string_view text) {
    Expected expected;
    std::istringstream lines{std::string(text)};
    std::string line;
    bool adding = false;
    for (int number = 1; std::getline(lines, line); ++number) {
        const auto fail = [&](const char* what) {
            throw std::runtime_error(fmt::format("line {}: {}: {}", number, what, line));
        };
        if (line.starts_with("given: ")) {
            expected.given = line.substr(7);
        } else if (line.starts_with("== ")) {
            const std::size_t colon = line.find(": ");
            if (colon == std::string::npos) {
                fail("a mistake is == finding: what it is");
            }
            expected.mistakes.push_back({line.substr(3, colon - 3), line.substr(colon + 2), {}});
            adding = false;
        } else if (line.starts_with('-') || line.starts_with('+')) {
            if (expected.mistakes.empty()) {
                fail("a change before the first mistake");
            }
            std::vector<Change>& changes = expected.mistakes.back().changes;
            const bool removes = line.starts_with('-');
            if (changes.empty() && !removes) {
                fail("there is nothing that it takes the place of");
            }
            if (removes && (changes.empty() || adding)) {
                changes.emplace_back();
            }
            adding = !removes;
            (removes ? changes.back().from : changes.back().to) += line.substr(1) + "\n";
        } else if (!line.empty() && !line.starts_with('#')) {
            fail("neither given:, ==, -, + nor #");
        }
    }
    return expected;
}

std::string with_mistake(std::string solution, const TypicalMistake& mistake) {
    for (const Change& change : mistake.changes) {
        const std::size_t at = ("\n" + solution).find("\n" + change.from);
        if (at == std::string::npos || ("\n" + solution).find("\n" + change.from, at + 1) != std::string::npos) {
            throw std::runtime_error("not exactly once in the solution:\n" + change.from);
        }
        solution.replace(at, change.from.size(), change.to);
    }
    return solution;
}

}  // namespace flashlens::practice_tests
