// What the program says of each kernel instance without a card, against what the driver and the runtime say.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "hardware/registers.h"
#include "kernels/between/plan.h"
#include "kernels/v1/plan.h"
#include "kernels/v2/plan.h"
#include "kernels/v2_tuned/plan.h"
#include "on_card.h"

using namespace flashlens;
using namespace flashlens::gpu_tests;

namespace {

/// Whether this program holds machine code for exactly this card, so that no compiler of the driver's had a say.
bool has_code_for_this_card() {
    std::istringstream chips(FLASHLENS_CHIPS);
    const std::string here = std::to_string(card().chip);
    for (std::string word; chips >> word;) {
        if (word == here || word == here + "-real" || word == "native" || word == "all" || word == "all-major") {
            return true;
        }
    }
    return false;
}

std::string text_of(const hardware::CompiledKernel& k) {
    return k.variant + (k.dtype == DType::fp16 ? " fp16" : " bf16") + (k.causal ? " causal" : " full") + " D" +
           std::to_string(k.tile.head_dim) + " " + std::to_string(k.tile.block_m) + "x" +
           std::to_string(k.tile.block_n);
}

}  // namespace

TEST_CASE("registers and CTAs per SM of every instance are the driver's") {
    const hardware::RegisterTable& table = hardware::register_table();
    const bool same_code = has_code_for_this_card() && table.compiler == FLASHLENS_NVCC;
    if (!same_code) {
        MESSAGE("registers not compared: the table is of " << table.compiler << ", this program's code for "
                                                           << FLASHLENS_CHIPS << " of " << FLASHLENS_NVCC);
    }
    int inspected = 0;
    for (const hardware::CompiledKernel& kernel : table.kernels) {
        if (kernel.chip != chip()) {
            continue;
        }
        const bool v1 = kernel.variant == "v1";
        const Variant variant = kernel_tests::variant_named(kernel.variant);
        for (const std::int64_t keys : {100, 1024}) {  // v1 needs more shared memory for more than one block of keys
            const int bytes = v1                             ? v1::shared_bytes(kernel.tile, keys)
                              : variant == Variant::v2_tuned ? v2_tuned::shared_bytes(kernel.tile)
                              : variant == Variant::v2       ? v2::shared_bytes(kernel.tile)
                                                             : between::shared_bytes(kernel.variant, kernel.tile, keys);
            if (bytes > card().max_shared_bytes_per_cta) {
                continue;
            }
            INFO(text_of(kernel), ", ", keys, " keys");
            const Problem p =
                kernel_tests::shape(1, 1, 1, 1024, keys, kernel.tile.head_dim, kernel.causal, kernel.dtype);
            const gpu::Instance found = gpu::inspect(call_of(p, variant, kernel.tile, 1));
            CHECK(found.ctas_per_sm ==
                  hardware::occupancy(card(), 32 * kernel.tile.warps, found.registers, bytes).ctas_per_sm);
            if (same_code) {
                CHECK(found.registers == kernel.registers);
            }
            ++inspected;
        }
    }
    if (inspected == 0) {
        MESSAGE("nothing in the table for compute capability " << chip());
    } else {
        CHECK(inspected >= (chip() < 80 ? 2 * 18 : 2 * 150));
    }
}
