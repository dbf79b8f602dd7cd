#include "report/csv.h"

#include <string_view>

namespace flashlens::report {
namespace {

std::string quoted(std::string_view field) {
    std::string result = "\"";
    for (const char c : field) {
        result += c;
        if (c == '"') {
            result += c;
        }
    }
    return result + '"';
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& field : fields) {
        line += &field == &fields.front() ? "" : ",";
        line += field.find_first_of(",\"\r\n") == std::string::npos ? field : quoted(field);
    }
    return line + "\r\n";
}

}  // namespace flashlens::report
