// The header of a .npy file, as NumPy's "NPY format" page (numpy.lib.format) describes it.
#pragma once

#include <cstdint>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flashlens {

struct NpyHeader {
    std::string descr;          ///< "<f2", "<f4" or "<f8"
    int bytes_per_element = 0;  ///< 2, 4 or 8
    std::vector<std::int64_t> shape;

    /// The product of the shape; read_npy_header has checked that it fits, in bytes too.
    std::int64_t elements() const;
};

/// Reads the header and leaves the stream at the first element. Formats 1.0, 2.0 and 3.0. Throws UsageError that begins
/// with `name` and says what was expected when it is no .npy file, when the numbers aren't little-endian float16, float32
/// or float64, or when they are in Fortran order.
NpyHeader read_npy_header(std::istream& file, const std::string& name);

/// Magic, version 1.0, length, dictionary and padding to a multiple of 64 bytes.
std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape);

}  // namespace flashlens
