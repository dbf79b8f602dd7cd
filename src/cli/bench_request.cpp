#include "cli/bench_request.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/request.h"
#include "cli/strict.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

/// B, H, S, D: 16 Ki tokens at the heads of a 2048-wide model, short to long, for both usual head dims; then the smallest
/// and largest head dims, and shapes that leave SMs idle.
constexpr std::string_view standard_shapes =
    "32,32,512,64 16,32,1024,64 8,32,2048,64 4,32,4096,64 2,32,8192,64 1,32,16384,64 "
    "32,16,512,128 16,16,1024,128 8,16,2048,128 4,16,4096,128 2,16,8192,128 1,16,16384,128 "
    "4,64,4096,32 4,8,4096,256 1,1,16384,64 1,4,16384,64 1,8,8192,128 2,40,1024,64 1,8,4096,64";

/// What each shape of a list has of its own. --kv-heads holds for all that don't say.
constexpr std::array<std::string_view, 7> options_of_one_shape{"--batch",    "--heads",    "--seqlen", "--seqlen-q",
                                                               "--seqlen-k", "--head-dim", "--model"};

bool shape_is_given(const Given& given) {
    return std::any_of(options_of_one_shape.begin(), options_of_one_shape.end(),
                       [&](std::string_view option) { return given.has(option); });
}

/// `rest` with the sizes of one shape.
Problem with_sizes(Problem rest, const std::vector<std::int64_t>& sizes, const Given& given) {
    const bool all_six = sizes.size() == 6;
    rest.batch = sizes[0];
    rest.heads = sizes[1];
    rest.kv_heads = all_six ? sizes[2] : sizes[1];
    rest.seqlen_q = all_six ? sizes[3] : sizes[2];
    rest.seqlen_k = all_six ? sizes[4] : sizes[2];
    rest.head_dim = sizes.back();
    if (given.has("--kv-heads")) {
        if (all_six) {
            throw UsageError(
                say("--kv-heads {} with --shapes {}: this shape has its own KV heads, {}; leave "
                    "--kv-heads out",
                    given.text("--kv-heads"), fmt::join(sizes, ","), sizes[2]));
        }
        rest.kv_heads = whole_number("--kv-heads", given.text("--kv-heads"), 1, rest.heads, rest.heads);
    }
    if (!given.has("--scale")) {
        rest.scale = 1.0 / std::sqrt(static_cast<double>(rest.head_dim));
    }
    validate(rest);
    return rest;
}

std::vector<Problem> shapes_asked(const Given& given, const Problem& rest) {
    if (!given.has("--shapes") && shape_is_given(given)) {
        return {rest};
    }
    std::vector<Problem> problems;
    for (const auto& sizes : shape_list("--shapes", given.text("--shapes", standard_shapes))) {
        problems.push_back(with_sizes(rest, sizes, given));
    }
    return problems;
}

void refuse_one_shape_beside_a_list(const Given& given) {
    for (const std::string_view option : options_of_one_shape) {
        if (given.has("--shapes") && given.has(option)) {
            throw UsageError(say("--shapes with {0}: each shape has its own; leave {0} out", option));
        }
    }
}

}  // namespace

BenchRequest to_bench_request(const Given& given, const Explorer& explorer) {
    refuse_one_shape_beside_a_list(given);
    // Of a list, to_request sees everything but sizes: --kv-heads need not fit its default shape.
    Given rest = given;
    if (!shape_is_given(given)) {
        rest.options.erase("--kv-heads");
    }
    const Request usual = to_request(rest, explorer);

    BenchRequest request;
    request.variants = usual.variants;
    request.splits = usual.splits;
    request.verify = usual.verify;
    constexpr int fewest_samples = 3;  // two quartiles and a median
    constexpr int most_samples = 10000;
    if (given.has("--samples")) {
        request.samples = static_cast<int>(
            whole_number("--samples", given.text("--samples"), fewest_samples, most_samples, request.samples));
    }
    request.measure_limit = choice("--limit", given.text("--limit", "measured"), {"measured", "nominal"}) == 0;
    for (Problem problem : shapes_asked(given, usual.problem)) {
        for (const bool causal : {false, true}) {
            if (!given.has(causal ? "--no-causal" : "--causal")) {
                problem.causal = causal;
                request.problems.push_back(problem);
            }
        }
    }
    return request;
}

}  // namespace flashlens::cli
