// Shapes of real models' attention layers, by name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "explorer/problem.h"

namespace flashlens {

struct ModelShape {
    std::string_view name;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t head_dim = 0;
    std::int64_t seqlen = 0;  ///< what the model was trained for, at most 4096
    bool causal = true;       ///< false for encoders
    std::string_view source;  ///< where the figures come from
};

std::span<const ModelShape> models();

/// The model that --model names. Throws UsageError listing the names when there is none.
const ModelShape& find_model(std::string_view name);

/// Sets heads, kv_heads, head_dim, both lengths, causal, and scale = 1/sqrt(head_dim).
void apply(const ModelShape& model, Problem& problem);

}  // namespace flashlens
