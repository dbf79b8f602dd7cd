#include "report/csv.h"

#include <doctest/doctest.h>

using flashlens::report::csv_line;

TEST_CASE("CSV records as RFC 4180 has them") {
    CHECK(csv_line({"a", "b c", "1.5"}) == "a,b c,1.5\r\n");
    CHECK(csv_line({"", "", ""}) == ",,\r\n");
    CHECK(csv_line({}) == "\r\n");
    CHECK(csv_line({"NVIDIA H200, 132 SMs", "x"}) == "\"NVIDIA H200, 132 SMs\",x\r\n");
    CHECK(csv_line({"say \"no\""}) == "\"say \"\"no\"\"\"\r\n");
    CHECK(csv_line({"two\nlines", "three\r"}) == "\"two\nlines\",\"three\r\"\r\n");
    CHECK(csv_line({"中文"}) == "中文\r\n");
}
