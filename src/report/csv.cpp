#include "report/csv.h"

namespace flashlens::report {
namespace {

std::string quoted(const std::string& field) {
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
    const char* separator = "";
    for (const std::string& field : fields) {
        line += separator;
        line += field.find_first_of(",\"\r\n") == std::string::npos ? field : quoted(field);
        separator = ",";
    }
    return line + "\n";
}

}  // namespace flashlens::report
