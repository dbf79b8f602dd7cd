#include "report/json_parts.h"

#include <cmath>

#include "report/comparison_view.h"

namespace flashlens::report {

Json number(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    return value;
}

Json json_of(const Problem& problem) {
    Json json;
    json["batch"] = problem.batch;
    json["heads"] = problem.heads;
    json["kv_heads"] = problem.kv_heads;
    json["seqlen_q"] = problem.seqlen_q;
    json["seqlen_k"] = problem.seqlen_k;
    json["head_dim"] = problem.head_dim;
    json["causal"] = problem.causal;
    json["align"] = problem.align == Align::bottom_right ? "bottom-right" : "top-left";
    json["dtype"] = dtype_name(problem.dtype);
    json["scale"] = number(problem.scale);
    json["seed"] = problem.seed;
    json["dist"] = distribution_name(problem.dist);
    json["visible_pairs"] = visible_pairs(problem);
    json["flops"] = flops(problem);
    return json;
}

Json json_of(const hardware::Card& card) {
    Json json;
    json["name"] = card.name;
    json["sm_count"] = card.sm_count;
    json["sm"] = card.chip;
    json["max_threads_per_sm"] = card.max_threads_per_sm;
    json["max_ctas_per_sm"] = card.max_ctas_per_sm;
    json["registers_per_sm"] = card.registers_per_sm;
    json["shared_bytes_per_sm"] = card.shared_bytes_per_sm;
    json["max_shared_bytes_per_cta"] = card.max_shared_bytes_per_cta;
    json["reserved_shared_bytes_per_cta"] = card.reserved_shared_bytes_per_cta;
    json["matmul_tflops"] = number(card.matmul_tflops);
    json["fp32_tflops"] = number(card.fp32_tflops);
    json["memory_gb_per_s"] = number(card.memory_gb_per_s);
    json["source"] = card.source;
    return json;
}

std::string json_text(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace flashlens::report
