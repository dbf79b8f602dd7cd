#include "cli/request.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/strict.h"
#include "kernels/between/rungs.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

constexpr std::int64_t any_size = std::numeric_limits<std::int32_t>::max();  // kernels count in 32-bit integers
constexpr std::int64_t most_splits = 65535;                                  // CUDA's limit of grid.z

/// A size that works, for messages.
std::int64_t example_of(std::string_view option) {
    if (option == "--batch") {
        return 1;
    }
    if (option == "--head-dim") {
        return 64;
    }
    return option == "--heads" || option == "--kv-heads" ? 8 : 1024;
}

/// The option's number, else what is there already.
void set_size(const Given& given, std::string_view option, std::int64_t& size) {
    if (given.has(option)) {
        size = whole_number(option, given.text(option), 0, any_size, example_of(option));
    }
}

std::size_t chosen(const Given& given, std::string_view name) {
    const std::vector<std::string> choices = words(option_of(name).choices);
    return choice(name, given.text(name, choices.front()), choices);
}

void refuse_shape_beside_input(const Given& given) {
    for (const Option& option : options()) {
        if (option.describes_input && given.has(option.name)) {
            throw UsageError(
                say("--input with {}: shape and numbers come from the files; leave {} out", option.name, option.name));
        }
    }
}

void set_shape(const Given& given, const Explorer& explorer, Problem& problem) {
    if (given.has("--input")) {
        refuse_shape_beside_input(given);
        explorer.read_shape(std::string(given.text("--input")), problem);
        return;
    }
    if (given.has("--model")) {
        explorer.apply_model(given.text("--model"), problem);
    }
    set_size(given, "--batch", problem.batch);
    set_size(given, "--heads", problem.heads);
    if (given.has("--heads") && !given.has("--model")) {
        problem.kv_heads = problem.heads;
    }
    set_size(given, "--kv-heads", problem.kv_heads);
    set_size(given, "--seqlen", problem.seqlen_q);
    set_size(given, "--seqlen", problem.seqlen_k);
    set_size(given, "--seqlen-q", problem.seqlen_q);
    set_size(given, "--seqlen-k", problem.seqlen_k);
    set_size(given, "--head-dim", problem.head_dim);
}

Problem to_problem(const Given& given, const Explorer& explorer) {
    Problem problem = default_problem();
    set_shape(given, explorer, problem);
    if (given.has("--causal") && given.has("--no-causal")) {
        throw UsageError(say("--causal with --no-causal: they contradict each other; leave one out"));
    }
    problem.causal = given.has("--causal") || (problem.causal && !given.has("--no-causal"));
    problem.align = chosen(given, "--align") == 0 ? Align::bottom_right : Align::top_left;
    problem.dtype = chosen(given, "--dtype") == 0 ? DType::fp16 : DType::bf16;
    constexpr Distribution distributions[] = {Distribution::normal, Distribution::uniform, Distribution::sharp,
                                              Distribution::ones};
    problem.dist = distributions[chosen(given, "--dist")];
    if (given.has("--seed")) {
        problem.seed = seed_number("--seed", given.text("--seed"));
    }
    const double usual = 1.0 / std::sqrt(static_cast<double>(std::max<std::int64_t>(problem.head_dim, 1)));
    problem.scale = given.has("--scale") ? positive_number("--scale", given.text("--scale"), usual) : usual;
    return problem;
}

}  // namespace

Bounds bounds_of(std::string_view option) {
    if (option == "--splits") {
        return {1, most_splits, 4};
    }
    if (option == "--seed") {
        return {0, std::numeric_limits<std::uint64_t>::max(), 1};
    }
    return {0, any_size, static_cast<std::uint64_t>(example_of(option))};
}

Problem default_problem() {
    Problem problem;
    problem.batch = 2;
    problem.heads = 16;
    problem.kv_heads = 16;
    problem.seqlen_q = 512;
    problem.seqlen_k = 512;
    problem.head_dim = 64;
    return problem;
}

Request to_request(const Given& given, const Explorer& explorer) {
    Request request;
    if (given.has("--variants")) {
        std::vector<std::string> names = explorer.variant_names;
        names.insert(names.end(), explorer.names_between.begin(), explorer.names_between.end());
        request.variants = choice_list("--variants", given.text("--variants"), names);
    }
    if (given.has("--splits")) {
        request.splits = static_cast<int>(whole_number("--splits", given.text("--splits"), 1, most_splits, 4));
        const bool v1_runs = request.variants.empty() ||
                             std::any_of(request.variants.begin(), request.variants.end(), between::has_splits);
        if (!v1_runs) {
            throw UsageError(
                say("--splits {}: only v1 has num_splits, and --variants {} leaves v1 out; add v1, or "
                    "leave --splits out",
                    *request.splits, given.text("--variants")));
        }
    }
    constexpr MachineChoice machines[] = {MachineChoice::automatic, MachineChoice::gpu, MachineChoice::cpu};
    request.machine = machines[chosen(given, "--machine")];
    request.card = given.text("--gpu");
    if (given.has("--gpu") && request.card.empty()) {
        throw UsageError(say("--gpu '': needs a card's name; try --gpu A100, or flashlens devices for all"));
    }
    constexpr Verify checks[] = {Verify::full, Verify::sample, Verify::off};
    request.verify = given.has("--verify") ? checks[chosen(given, "--verify")] : Verify::sample;
    request.input_folder = given.text("--input");
    request.output_folder = given.text("--output");
    for (const std::string_view folder : {"--input", "--output"}) {
        if (given.has(folder) && given.text(folder).empty()) {
            refuse(folder, "", say("needs a name"));
        }
    }
    request.problem = to_problem(given, explorer);
    validate(request.problem);
    return request;
}

}  // namespace flashlens::cli
