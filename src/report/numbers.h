// Numbers as people read them. ASCII only; a value that is no finite number reads "NaN", "inf" or "-inf", without a
// unit. Of whole numbers: whole.h.
#pragma once

#include <cstdint>
#include <string>

#include "whole.h"

namespace flashlens::report {

/// What is added to a name before it: "+ 5", "- 230", "+ 0".
std::string signed_offset(std::int64_t value);
/// Three significant digits without an exponent: "0.0123", "1.93", "12.5", "416", "12,300".
std::string decimal(double value);
/// A size of memory on a chip, in binary units: "512 B", "36.1 KiB", "24 KiB".
std::string memory_size(std::int64_t bytes);
/// An amount of data moved, in decimal units: "960 B", "8.39 MB".
std::string traffic(double bytes);
/// "850 ns", "161 us", "1.25 ms", "3.2 s".
std::string duration(double microseconds);
/// A count with its magnitude: "950", "537 M", "2.15 G".
std::string magnitude(double value);
/// Floating-point operations: "537 MFLOP", "2.15 GFLOP".
std::string work(double flop);
/// Three significant digits with their zeros: "1.40", "11.2".
std::string ratio(double value);
/// "12.5 %" of a fraction 0.125.
std::string percent(double fraction);
/// An error: "3.05e-04"; 0 is "0".
std::string error(double value);

}  // namespace flashlens::report
