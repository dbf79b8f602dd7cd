#include <doctest/doctest.h>

#include <cmath>

#include "report/numbers.h"

using namespace flashlens::report;
using flashlens::whole;

TEST_CASE("numbers") {
    CHECK(whole(0) == "0");
    CHECK(whole(999) == "999");
    CHECK(whole(1234567) == "1,234,567");
    CHECK(whole(-1234) == "-1,234");
    CHECK(decimal(1.926) == "1.93");
    CHECK(decimal(12.5) == "12.5");
    CHECK(decimal(0.012345) == "0.0123");
    CHECK(decimal(416) == "416");
    CHECK(decimal(99.96) == "100");
    CHECK(decimal(9.996) == "10");
    CHECK(decimal(12345) == "12,300");
    CHECK(memory_size(512) == "512 B");
    CHECK(memory_size(36992) == "36.1 KiB");
    CHECK(memory_size(49152) == "48 KiB");
    CHECK(traffic(8388608) == "8.39 MB");
    CHECK(traffic(999999) == "1 MB");
    CHECK(traffic(0) == "0 B");
    CHECK(duration(161.2) == "161 us");
    CHECK(duration(0.85) == "850 ns");
    CHECK(duration(612345) == "612 ms");
    CHECK(duration(3.2e6) == "3.2 s");
    CHECK(magnitude(2.147e9) == "2.15 G");
    CHECK(magnitude(8192) == "8,192");
    CHECK(magnitude(999'999) == "1 M");
    CHECK(work(2.147e9) == "2.15 GFLOP");
    CHECK(work(512) == "512 FLOP");
    CHECK(ratio(1.397) == "1.40");
    CHECK(ratio(11.23) == "11.2");
    CHECK(ratio(0.5) == "0.50");
    CHECK(percent(0.125) == "12.5 %");
    CHECK(percent(1) == "100 %");
    CHECK(error(0.000305) == "3.05e-04");
    CHECK(error(0) == "0");
}

TEST_CASE("what is no finite number has no unit") {
    CHECK(percent(NAN) == "NaN");
    CHECK(percent(-NAN) == "NaN");
    CHECK(traffic(INFINITY) == "inf");
    CHECK(duration(-INFINITY) == "-inf");
    CHECK(error(NAN) == "NaN");
    CHECK(decimal(NAN) == "NaN");
    CHECK(magnitude(INFINITY) == "inf");
}
