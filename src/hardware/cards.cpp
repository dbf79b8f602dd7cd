#include <algorithm>
#include <cctype>
#include <iterator>

#include "hardware/card.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::hardware {
namespace {

/// CUDA C++ programming guide, "technical specifications per compute capability". Every chip here has 65536 registers
/// per SM and as many at most for one CTA. Shared memory: what one CTA may have is what the SM has less what the driver
/// reserves for each CTA (1 KiB from 8.0 on).
struct ChipLimits {
    Chip chip;
    int max_threads_per_sm;
    int max_ctas_per_sm;
    int shared_bytes_per_sm;
    int max_shared_bytes_per_cta;
};

constexpr int kib = 1024;
constexpr ChipLimits chips[] = {
    // chip  threads  CTAs  shared per SM  per CTA
    {75, 1024, 16, 64 * kib, 64 * kib},     // Turing
    {80, 2048, 32, 164 * kib, 163 * kib},   // Ampere, GA100
    {86, 1536, 16, 100 * kib, 99 * kib},    // Ampere, GA10x
    {89, 1536, 24, 100 * kib, 99 * kib},    // Ada
    {90, 2048, 32, 228 * kib, 227 * kib},   // Hopper
    {100, 2048, 32, 228 * kib, 227 * kib},  // Blackwell, GB100
    {120, 1536, 24, 100 * kib, 99 * kib},   // Blackwell, GB20x
};

/// What the vendor says of a card. Rates marked "with sparsity" in a data sheet are halved here.
struct DataSheet {
    const char* name;
    const char* driver_names;  ///< further names it goes by, separated by '|'
    Chip chip;
    int sm_count;
    double matmul_tflops;
    double fp32_tflops;
    double memory_gb_per_s;
    const char* source;
};

constexpr DataSheet data_sheets[] = {
    {"T4", "", 75, 40, 65, 8.1, 320,
     "NVIDIA T4 product brief PB-09256 and data sheet: mixed precision (FP16/FP32) 65 TFLOPS, FP32 8.1, 320 GB/s"},
    {"A100 40GB", "A100|A100-SXM4-40GB|A100-PCIE-40GB|A100 SXM 40GB", 80, 108, 312, 19.5, 1555,
     "NVIDIA A100 data sheet, 40GB SXM, and A100 architecture white paper: FP16 tensor core 312 TFLOPS, FP32 19.5, "
     "1555 GB/s"},
    {"A100 80GB", "A100-SXM4-80GB|A100 SXM 80GB", 80, 108, 312, 19.5, 2039,
     "NVIDIA A100 data sheet, 80GB SXM: FP16 tensor core 312 TFLOPS, FP32 19.5, 2039 GB/s"},
    {"A10", "", 86, 72, 125, 31.2, 600,
     "NVIDIA A10 data sheet: FP16 tensor core 125 TFLOPS (250 with sparsity), FP32 31.2, 600 GB/s"},
    {"RTX 3090", "", 86, 82, 71, 35.6, 936,
     "NVIDIA Ampere GA102 architecture white paper, GeForce RTX 3090: FP16 tensor with FP32 accumulate 71 TFLOPS, "
     "FP32 35.6, 936 GB/s"},
    {"L4", "", 89, 58, 121, 30.3, 300,
     "NVIDIA L4 data sheet: FP16 tensor core 242 TFLOPS with sparsity, halved; FP32 30.3, 300 GB/s"},
    {"RTX 4090", "", 89, 128, 165.2, 82.6, 1008,
     "NVIDIA Ada GPU architecture white paper, GeForce RTX 4090: FP16 tensor with FP32 accumulate 165.2 TFLOPS, "
     "FP32 82.6, 1008 GB/s"},
    {"L40S", "", 89, 142, 362.05, 91.6, 864,
     "NVIDIA L40S data sheet: FP16 tensor core 362.05 TFLOPS (733 with sparsity), FP32 91.6, 864 GB/s"},
    {"H100 PCIe", "", 90, 114, 756.5, 51, 2000,
     "NVIDIA H100 data sheet, PCIe: FP16 tensor core 1513 TFLOPS with sparsity, halved; FP32 51, 2 TB/s; SMs from the "
     "H100 architecture white paper"},
    {"H100 SXM", "H100|H100 SXM5|H100 80GB HBM3", 90, 132, 989.5, 67, 3350,
     "NVIDIA H100 data sheet, SXM: FP16 tensor core 1979 TFLOPS with sparsity, halved; FP32 67, 3.35 TB/s; SMs from "
     "the "
     "H100 architecture white paper"},
    {"H200", "H200 SXM", 90, 132, 989.5, 67, 4800,
     "NVIDIA H200 data sheet, SXM: FP16 tensor core 1979 TFLOPS with sparsity, halved; FP32 67, 4.8 TB/s; SMs as the "
     "driver reports them"},
    {"B200", "", 100, 148, 2250, 80, 8000,
     "NVIDIA Blackwell architecture technical brief, HGX B200 (1000 W): FP16 tensor core 2.25 PFLOPS dense, FP32 80 "
     "TFLOPS, 8 TB/s; SMs as the driver reports them. (The HGX data sheet says FP32 75.)"},
    {"RTX 5090", "", 120, 170, 209.5, 104.8, 1792,
     "NVIDIA RTX Blackwell GPU architecture white paper, GeForce RTX 5090: FP16 tensor with FP32 accumulate 209.5 "
     "TFLOPS, FP32 104.8, 1792 GB/s"},
};

Card card_from(const DataSheet& sheet) {
    const auto* limits = std::find_if(std::begin(chips), std::end(chips),
                                      [&](const ChipLimits& candidate) { return candidate.chip == sheet.chip; });
    Card card;
    card.name = sheet.name;
    card.chip = sheet.chip;
    card.sm_count = sheet.sm_count;
    card.max_threads_per_sm = limits->max_threads_per_sm;
    card.max_ctas_per_sm = limits->max_ctas_per_sm;
    card.shared_bytes_per_sm = limits->shared_bytes_per_sm;
    card.max_shared_bytes_per_cta = limits->max_shared_bytes_per_cta;
    card.reserved_shared_bytes_per_cta = limits->shared_bytes_per_sm - limits->max_shared_bytes_per_cta;
    card.matmul_tflops = sheet.matmul_tflops;
    card.fp32_tflops = sheet.fp32_tflops;
    card.memory_gb_per_s = sheet.memory_gb_per_s;
    card.source = as_it_is(sheet.source);  // titles of documents
    return card;
}

/// A name as it is compared: letters and digits in lower case, without the vendor's brand or a last "gb".
std::string plain(std::string_view name) {
    std::string result;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    for (const std::string_view brand : {"nvidia", "geforce", "tesla", "rtx"}) {
        if (result.rfind(brand, 0) == 0) {
            result.erase(0, brand.size());
        }
    }
    if (result.size() > 2 && result.compare(result.size() - 2, 2, "gb") == 0) {
        result.erase(result.size() - 2);
    }
    return result;
}

bool goes_by(const DataSheet& sheet, const std::string& wanted) {
    if (plain(sheet.name) == wanted) {
        return true;
    }
    std::string_view rest = sheet.driver_names;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('|'), rest.size());
        if (plain(rest.substr(0, end)) == wanted) {
            return true;
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

}  // namespace

const std::vector<Card>& cards() {
    static const std::vector<Card> all = [] {
        std::vector<Card> result;
        std::transform(std::begin(data_sheets), std::end(data_sheets), std::back_inserter(result), card_from);
        return result;
    }();
    return all;
}

const Card* look_up_card(std::string_view name) {
    const std::string wanted = plain(name);
    for (std::size_t i = 0; i < std::size(data_sheets); ++i) {
        if (goes_by(data_sheets[i], wanted)) {
            return &cards()[i];
        }
    }
    return nullptr;
}

const Card& find_card(std::string_view name) {
    if (const Card* card = look_up_card(name)) {
        return *card;
    }
    std::vector<std::string_view> names;
    for (const Card& card : cards()) {
        names.emplace_back(card.name);
    }
    throw UsageError(say("--gpu {}: not a card that is known here; these are: {}", name, list(names)));
}

}  // namespace flashlens::hardware
