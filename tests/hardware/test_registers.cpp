#include <doctest/doctest.h>

#include <set>
#include <stdexcept>
#include <tuple>

#include "hardware/card.h"
#include "hardware/registers.h"

using namespace flashlens;
using namespace flashlens::hardware;

namespace {

const std::string names =
    "variant,chip,dtype,causal,head_dim,block_m,block_n,warps,registers,spill_stores_bytes,spill_loads_bytes\n";

}  // namespace

TEST_CASE("a register table is read as it is written") {
    const RegisterTable table = parse_register_table("# nvcc 1.2.3\n" + names +
                                                     "v1,80,fp16,0,64,16,256,4,255,0,0\n"
                                                     "v2,90,bf16,1,128,128,64,4,254,176,196\n");
    CHECK(table.compiler == "nvcc 1.2.3");
    REQUIRE(table.kernels.size() == 2);
    const CompiledKernel& v2 = table.kernels[1];
    CHECK(v2.variant == "v2");
    CHECK(v2.chip == 90);
    CHECK(v2.dtype == DType::bf16);
    CHECK(v2.causal);
    CHECK(v2.tile == Tile{128, 128, 64, 4});
    CHECK(v2.registers == 254);
    CHECK(v2.spill_stores_bytes == 176);
    CHECK(v2.spill_loads_bytes == 196);

    CHECK(find_compiled_kernel(table, "v2", 90, DType::bf16, true, {128, 128, 64, 4}) == &v2);
    CHECK(find_compiled_kernel(table, "v1", 90, DType::bf16, true, {128, 128, 64, 4}) == nullptr);
    CHECK(find_compiled_kernel(table, "v2", 80, DType::bf16, true, {128, 128, 64, 4}) == nullptr);
    CHECK(find_compiled_kernel(table, "v2", 90, DType::fp16, true, {128, 128, 64, 4}) == nullptr);
    CHECK(find_compiled_kernel(table, "v2", 90, DType::bf16, false, {128, 128, 64, 4}) == nullptr);
    CHECK(find_compiled_kernel(table, "v2", 90, DType::bf16, true, {128, 128, 64, 8}) == nullptr);
}

TEST_CASE("a register table that can't be read says which line") {
    for (const char* line : {"v2,90,bf16,1,128,128,64,4,254,176", "v2,90,bf16,1,128,128,64,4,254,176,196,1",
                             "v2,90,fp32,1,128,128,64,4,254,176,196", "v2,90,bf16,2,128,128,64,4,254,176,196",
                             "v2,90,bf16,1,128,128,64,4,x,176,196", "v2,90,bf16,1,128,128,64,4,-1,176,196",
                             "v2,90,bf16,1,128,128,64,4,254 ,176,196", ",90,bf16,1,128,128,64,4,254,176,196", ""}) {
        CAPTURE(line);
        const std::string text = "# nvcc 1.2.3\n" + names + line + "\n";
        CHECK_THROWS_WITH_AS(parse_register_table(text),
                             ("registers.csv: this line can't be read: \"" + std::string(line) + "\"").c_str(),
                             std::runtime_error);
    }
    CHECK_THROWS_AS(parse_register_table(""), std::runtime_error);
    CHECK_THROWS_AS(parse_register_table(names), std::runtime_error);
    CHECK_THROWS_AS(parse_register_table("# nvcc 1.2.3\nv2,90,bf16,1,128,128,64,4,254,176,196\n"), std::runtime_error);
}

TEST_CASE("the table built in names its compiler, and every kernel of it once, with registers a thread can have") {
    const RegisterTable& table = register_table();
    CHECK(table.compiler.rfind("nvcc ", 0) == 0);
    std::set<std::tuple<std::string, Chip, DType, bool, int, int, int, int>> seen;
    for (const CompiledKernel& kernel : table.kernels) {
        const Tile& tile = kernel.tile;
        CAPTURE(kernel.variant);
        CAPTURE(kernel.chip);
        CAPTURE(tile.head_dim);
        CHECK(seen.insert({kernel.variant, kernel.chip, kernel.dtype, kernel.causal, tile.head_dim, tile.block_m,
                           tile.block_n, tile.warps})
                  .second);
        CHECK(kernel.registers >= 16);
        CHECK(kernel.registers <= 255);
        CHECK(registers_per_thread(kernel.variant, kernel.chip, kernel.dtype, kernel.causal, tile) == kernel.registers);
    }
    CHECK_FALSE(registers_per_thread("v0", 80, DType::fp16, false, {64, 128, 128, 4}).has_value());
}
