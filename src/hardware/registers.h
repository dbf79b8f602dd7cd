// What the compiler gave each kernel instance: registers.csv, made by tools/registers and built into the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention.h"

namespace flashlens::hardware {

struct CompiledKernel {
    std::string variant;  ///< "v1", "v2", ...
    Chip chip = 0;
    DType dtype = DType::fp16;
    bool causal = false;
    Tile tile;
    int registers = 0;           ///< per thread
    int spill_stores_bytes = 0;  ///< per thread, ptxas's count of the code, not of what runs
    int spill_loads_bytes = 0;
};

struct RegisterTable {
    std::string compiler;  ///< "nvcc 13.0.88"
    std::vector<CompiledKernel> kernels;
};

/// The table built in.
const RegisterTable& register_table();

/// Reads the text of registers.csv: "# compiler", the line of column names, one line per kernel. Throws
/// std::runtime_error naming the line that can't be read.
RegisterTable parse_register_table(std::string_view text);

/// The instance with these properties, or null.
const CompiledKernel* find_compiled_kernel(const RegisterTable& table, std::string_view variant, Chip chip, DType dtype,
                                           bool causal, const Tile& tile);

}  // namespace flashlens::hardware
