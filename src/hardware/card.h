// GPUs as data: what a card offers to a kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention.h"

namespace flashlens::hardware {

struct Card {
    std::string name;             ///< "A100 40GB"
    Chip chip = 80;               ///< compute capability, 10 * major + minor
    int sm_count = 0;
    int max_threads_per_sm = 0;
    int max_ctas_per_sm = 0;
    int registers_per_sm = 65536;
    int registers_per_cta = 65536;
    int shared_bytes_per_sm = 0;          ///< in bytes
    int max_shared_bytes_per_cta = 0;     ///< with the opt-in attribute set
    int reserved_shared_bytes_per_cta = 0;///< 1024 from compute capability 8.0 on
    double matmul_tflops = 0.0;           ///< dense fp16 tensor-core rate with fp32 accumulation, by the data sheet
    double fp32_tflops = 0.0;             ///< by the data sheet
    double memory_gb_per_s = 0.0;         ///< by the data sheet
    std::string source;                   ///< where these figures come from
};

/// Every card known, by compute capability and then size.
const std::vector<Card>& cards();

/// By name, case and blanks ignored; "A100" is the 40 GB one, "H100" the SXM one. Throws UsageError listing the names.
const Card& find_card(std::string_view name);

enum class Limiter { none, threads, registers, shared_memory, ctas, does_not_fit };

struct Occupancy {
    int ctas_per_sm = 0;
    Limiter limiter = Limiter::none;
    double fraction = 0.0;   ///< resident warps / warps an SM can hold
    std::string refusal;     ///< for 0 CTAs: what is needed and what is allowed
};

/// CUDA's own rules (cuda_occupancy.h of toolkit 13.0), for a kernel launched with the opt-in shared memory maximum.
Occupancy occupancy(const Card& card, int threads_per_cta, int registers_per_thread, int shared_bytes_per_cta);

/// Registers per thread of a kernel instance as the compiler reported them for the card's chip (registers.csv).
/// variant is "v1", "v2", ...
std::optional<int> registers_per_thread(std::string_view variant, Chip chip, DType dtype, bool causal, const Tile& tile);

/// How `ctas` that have work spread over the card's SMs, one wave after the other.
struct Waves {
    double waves = 0.0;      ///< ctas / (SMs * CTAs per SM)
    int sms_with_work = 0;
    double sm_fill = 0.0;    ///< SMs with work / SMs
};
Waves waves(const Card& card, int ctas_per_sm, std::int64_t ctas_with_work);

}  // namespace flashlens::hardware
