#include "explorer/models.h"

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "say.h"

namespace flashlens {
namespace {

// Heads, KV heads and head dimension are those of the config.json that each model is published with (num_attention_heads
// or n_head, num_key_value_heads, head_dim or hidden_size / heads); seqlen is its context, cut at 4096.
constexpr std::array table = {
    ModelShape{"gpt2", 12, 12, 64, 1024, true, "GPT-2 124M: 12 heads, width 768, context 1024"},
    ModelShape{"gpt2-xl", 25, 25, 64, 1024, true, "GPT-2 1.5B: 25 heads, width 1600, context 1024"},
    ModelShape{"llama2-7b", 32, 32, 128, 4096, true, "Llama 2 7B: 32 heads, width 4096, context 4096"},
    ModelShape{"llama3-8b", 32, 8, 128, 4096, true, "Llama 3 8B: 32 heads, 8 KV heads, width 4096, context 8192"},
    ModelShape{"llama3-70b", 64, 8, 128, 4096, true, "Llama 3 70B: 64 heads, 8 KV heads, width 8192, context 8192"},
    ModelShape{"mistral-7b", 32, 8, 128, 4096, true, "Mistral 7B v0.1: 32 heads, 8 KV heads, window 4096"},
    ModelShape{"phi-2", 32, 32, 80, 2048, true, "Phi-2: 32 heads, width 2560, context 2048"},
    ModelShape{"phi-3-mini", 32, 32, 96, 4096, true, "Phi-3-mini-4k: 32 heads, width 3072, context 4096"},
    ModelShape{"qwen2.5-0.5b", 14, 2, 64, 4096, true, "Qwen2.5 0.5B: 14 heads, 2 KV heads, width 896, context 32768"},
    ModelShape{"qwen2.5-7b", 28, 4, 128, 4096, true, "Qwen2.5 7B: 28 heads, 4 KV heads, width 3584, context 32768"},
    ModelShape{"gemma-2b", 8, 1, 256, 4096, true, "Gemma 2B: 8 heads, 1 KV head, head dim 256, context 8192"},
    ModelShape{"gemma-7b", 16, 16, 256, 4096, true, "Gemma 7B: 16 heads, head dim 256, context 8192"},
    ModelShape{"bert-base", 12, 12, 64, 512, false, "BERT base: 12 heads, width 768, context 512, no mask"},
    ModelShape{"minilm", 12, 12, 32, 512, false, "MiniLM-L6/L12-H384: 12 heads, width 384, context 512, no mask"},
    ModelShape{"whisper-small", 12, 12, 64, 1500, false, "Whisper small's encoder: 12 heads, width 768, 1500 frames"},
    ModelShape{"whisper-large", 20, 20, 64, 1500, false, "Whisper large's encoder: 20 heads, width 1280, 1500 frames"},
    ModelShape{"vit-base", 12, 12, 64, 197, false, "ViT-B/16: 12 heads, width 768, 14 x 14 patches and a class token"},
};

}  // namespace

std::span<const ModelShape> models() {
    return table;
}

const ModelShape& find_model(std::string_view name) {
    std::vector<std::string_view> names;
    for (const ModelShape& model : table) {
        if (model.name == name) {
            return model;
        }
        names.push_back(model.name);
    }
    throw UsageError(say("--model {}: no such model; known are {}", name, list(names)));
}

void apply(const ModelShape& model, Problem& problem) {
    problem.heads = model.heads;
    problem.kv_heads = model.kv_heads;
    problem.head_dim = model.head_dim;
    problem.seqlen_q = model.seqlen;
    problem.seqlen_k = model.seqlen;
    problem.causal = model.causal;
    problem.scale = 1.0 / std::sqrt(static_cast<double>(model.head_dim));
}

}  // namespace flashlens
