#include "report/csv.h"

#include <doctest/doctest.h>

using flashlens::report::csv_line;

TEST_CASE("CSV: fields quoted as RFC 4180 has them, lines ended as Unix has them") {
    CHECK(csv_line({"a", "b c", "1.5"}) == "a,b c,1.5\n");
    CHECK(csv_line({"", "", ""}) == ",,\n");
    CHECK(csv_line({}) == "\n");
    CHECK(csv_line({"NVIDIA H200, 132 SMs", "x"}) == "\"NVIDIA H200, 132 SMs\",x\n");
    CHECK(csv_line({"say \"no\""}) == "\"say \"\"no\"\"\"\n");
    CHECK(csv_line({"two\nlines", "three\r"}) == "\"two\nlines\",\"three\r\"\n");
    CHECK(csv_line({"中文"}) == "中文\n");
}
