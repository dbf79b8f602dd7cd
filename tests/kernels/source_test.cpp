// What the kernels' text promises to whoever reads it aloud: a main loop that fits a screen and holds every barrier, wait
// and bound; helpers that are short.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> lines_of(const std::string& file) {
    std::ifstream text(FLASHLENS_KERNELS_FOLDER "/" + file);
    REQUIRE_MESSAGE(text.good(), file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::string code_of(const std::string& line) {
    return line.substr(0, line.find("//"));
}

bool has(const std::string& line, const std::string& what) {
    return code_of(line).find(what) != std::string::npos;
}

struct Block {
    std::size_t first, last;  // lines, from 0
    std::size_t lines() const { return last - first + 1; }
};

/// The line that closes the braces opened from `first` on.
std::size_t end_of(const std::vector<std::string>& lines, std::size_t first) {
    int depth = 0;
    bool opened = false;
    for (std::size_t i = first; i < lines.size(); ++i) {
        for (const char c : code_of(lines[i])) {
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            opened = opened || c == '{';
        }
        if (opened && depth == 0) {
            return i;
        }
    }
    return lines.size() - 1;
}

/// From the kernel's first `for` at its outermost level to the end of its last; v1's, which is compiled by key block, from
/// where a key block's first tile is found.
Block main_loop_of(const std::vector<std::string>& lines) {
    std::size_t kernel = 0;
    while (!has(lines[kernel], "__global__") && !has(lines[kernel], "void key_block(")) {
        ++kernel;
    }
    const bool key_block = has(lines[kernel], "void key_block(");
    const std::size_t end = end_of(lines, kernel);
    Block loop{0, 0};
    for (std::size_t i = kernel; i < end; ++i) {
        if (lines[i].rfind("    for (", 0) == 0 || (key_block && loop.first == 0 && has(lines[i], "first_tile(n)"))) {
            loop.first = loop.first == 0 ? i : loop.first;
            loop.last = end_of(lines, i);
        }
    }
    return loop;
}

/// Functions from the line of their signature to their closing brace.
std::vector<Block> functions_of(const std::vector<std::string>& lines) {
    std::vector<Block> functions;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool function = has(lines[i], "FLASHLENS_INLINE") || has(lines[i], "FLASHLENS_HOST_DEVICE");
        if (function && !has(lines[i], "#define")) {
            functions.push_back({i, end_of(lines, i)});
        }
    }
    return functions;
}

const std::vector<std::string> helpers = {"v1/steps.cuh", "v1/output.cuh", "v2/steps.cuh", "v2_tuned/steps.cuh"};

const std::vector<std::string> kernels = {"v1/kernel.cuh", "v2/kernel.cuh", "v2_tuned/kernel.cuh"};

}  // namespace

TEST_CASE("main loops: at most 45 lines of at most 88 columns") {
    for (const std::string& file : kernels) {
        const std::vector<std::string> lines = lines_of(file);
        const Block loop = main_loop_of(lines);
        CHECK_MESSAGE(loop.lines() > 20, file);
        CHECK_MESSAGE(loop.lines() <= 45, file << ": " << loop.lines());
        for (std::size_t i = loop.first; i <= loop.last; ++i) {
            CHECK_MESSAGE(lines[i].size() <= 88, file << ":" << i + 1 << " has " << lines[i].size());
        }
    }
}

TEST_CASE("barriers and waits stand in kernel.cuh, each with its reason; the main loop names its steps") {
    for (const std::string& file : helpers) {
        for (const std::string& line : lines_of(file)) {
            CHECK_MESSAGE(!has(line, "__syncthreads"), file << ": " << line);
            CHECK_MESSAGE(!has(line, "cp_async_wait"), file << ": " << line);
        }
    }
    for (const std::string& file : kernels) {
        for (const std::string& line : lines_of(file)) {
            if (has(line, "__syncthreads()") || has(line, "cp_async_wait<")) {
                CHECK_MESSAGE(line.find("//") != std::string::npos, file << ": " << line);
            }
        }
    }
    const auto in_order = [](const std::string& file, const std::vector<std::string>& steps) {
        const std::vector<std::string> lines = lines_of(file);
        const Block loop = main_loop_of(lines);
        std::size_t at = loop.first;
        for (const std::string& step : steps) {
            while (at <= loop.last && !has(lines[at], step)) {
                ++at;
            }
            CHECK_MESSAGE(at <= loop.last, file << ": no " << step << " where it belongs");
        }
    };
    in_order("v1/kernel.cuh", {"gemm_q_k", "apply_mask", "reduce_max", "scale_apply_exp", "reduce_sum_before_sync",
                               "pack", "gemm_o", "smem_o.store", "__syncthreads", "reduce_sum_after_sync", "store"});
    in_order("v2/kernel.cuh", {"gemm_qk", "apply_mask", "softmax_rescale_o", "convert", "gemm_pv", "gemm_qk",
                               "softmax_rescale_o", "convert", "gemm_pv"});
    in_order("v2_tuned/kernel.cuh", {"gemm_qk", "apply_mask", "max_has_grown", "raise_max", "exponentiate", "gemm_pv"});
}

TEST_CASE("helpers: at most 25 lines each") {
    for (const std::string& file : helpers) {
        const std::vector<std::string> lines = lines_of(file);
        const std::vector<Block> functions = functions_of(lines);
        CHECK(functions.size() > 5);
        for (const Block& f : functions) {
            CHECK_MESSAGE(f.lines() <= 25,
                          file << ":" << f.first + 1 << " has " << f.lines() << ": " << lines[f.first]);
        }
    }
}
