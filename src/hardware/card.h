// GPUs as data: what a card offers to a kernel, and what follows from it for a launch (CUDA's occupancy rules, waves).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention.h"
#include "message.h"

namespace flashlens::hardware {

/// The figures of a real card are its driver's own; those of a card that is only named come from cards().
struct Card {
    std::string name;  ///< "A100 40GB"
    Chip chip = 80;    ///< compute capability, 10 * major + minor
    int sm_count = 0;
    int max_threads_per_sm = 0;
    int max_ctas_per_sm = 0;
    int registers_per_sm = 65536;
    int registers_per_cta = 65536;
    int shared_bytes_per_sm = 0;            ///< the largest carve-out, in bytes
    int max_shared_bytes_per_cta = 0;       ///< with the opt-in attribute set
    int reserved_shared_bytes_per_cta = 0;  ///< 1024 from compute capability 8.0 on
    double matmul_tflops = 0.0;             ///< dense fp16 tensor-core rate with fp32 accumulation, by the data sheet
    double fp32_tflops = 0.0;               ///< by the data sheet, a fused multiply-add counted as two
    double memory_gb_per_s = 0.0;           ///< by the data sheet, 10^9 bytes
    Message source;                         ///< where these figures come from
    /// Whose kernels run on it, where not its own: sm_75's on a newer card, by a program that holds no others.
    std::optional<Chip> kernels_of;

    /// Whether the kernels that run on it are sm_75's: other instructions, fp16 only.
    bool takes_sm75() const { return kernels_of.value_or(chip) < 80; }
};

/// Every card known, by compute capability and then SM count. The limits of the chip (threads, CTAs and shared memory
/// of an SM) are those of the table "technical specifications per compute capability" in the CUDA C++ programming
/// guide.
const std::vector<Card>& cards();

/// The card of that name, or null. Case, blanks, dashes and the vendor's brand ("NVIDIA", "GeForce", "Tesla", "RTX")
/// don't matter; "A100" is the 40 GB one, "H100" the SXM one; the names that the driver reports are known too.
const Card* look_up_card(std::string_view name);

/// The same, but an unknown name throws UsageError naming --gpu, the name and the cards there are.
const Card& find_card(std::string_view name);

/// What keeps a further CTA from an SM. `none` only stands in an Occupancy that nobody has computed.
enum class Limiter { none, threads, registers, shared_memory, ctas, does_not_fit };

/// "threads", "registers", "shared memory", "CTAs per SM", "does not fit".
std::string_view limiter_name(Limiter limiter);

struct Occupancy {
    int ctas_per_sm = 0;
    /// Where several resources allow no more than ctas_per_sm, the first of registers, shared memory, threads, CTAs.
    Limiter limiter = Limiter::none;
    double fraction = 0.0;  ///< resident warps / warps an SM can hold
    Message refusal;        ///< for 0 CTAs: every limit that is passed, what is needed and what is allowed

    /// CTAs per SM if this resource were the only limit.
    int by_registers = 0;
    int by_shared_memory = 0;
    int by_threads = 0;
    int by_ctas = 0;
};

/// CUDA's own rules (those of cuda_occupancy.h, toolkit 13.0) for a kernel launched with the opt-in shared memory
/// maximum and no carve-out preference, which gives an SM its largest carve-out. shared_bytes_per_cta is static and
/// dynamic together, without what the driver reserves. Registers go to a warp in units of 256 and an SM's warps are
/// dealt to its four sub-partitions, each with a quarter of the registers; shared memory comes in units of 128 bytes
/// (256 on sm_75). Throws std::invalid_argument for threads below 1 and for negative registers or bytes.
Occupancy occupancy(const Card& card, int threads_per_cta, int registers_per_thread, int shared_bytes_per_cta);

/// Registers per thread of a kernel instance as the compiler reported them for the card's chip, or nothing if that
/// instance was not compiled. variant is "v1", "v2", ... More of that table: hardware/registers.h.
std::optional<int> registers_per_thread(std::string_view variant, Chip chip, DType dtype, bool causal,
                                        const Tile& tile);

/// How `ctas` that have work spread over the card's SMs, one wave after the other. A wave is SMs * CTAs per SM.
struct Waves {
    double waves = 0.0;           ///< ctas / wave
    int sms_with_work = 0;        ///< the hardware deals CTAs to empty SMs first
    double sm_fill = 0.0;         ///< SMs with work / SMs
    std::int64_t full_waves = 0;  ///< waves that leave no place free
    std::int64_t tail_ctas = 0;   ///< CTAs of the last, partial wave; 0 if there is none
    double tail_fill = 0.0;       ///< tail_ctas / wave
};

/// All zero where no CTA fits (ctas_per_sm 0) or none has work. Throws std::invalid_argument for negative counts.
Waves waves(const Card& card, int ctas_per_sm, std::int64_t ctas_with_work);

}  // namespace flashlens::hardware
